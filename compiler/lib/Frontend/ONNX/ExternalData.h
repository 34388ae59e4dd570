//===- ExternalData.h - Tensors in files beside the model -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_EXTERNALDATA_H
#define TENON_LIB_FRONTEND_ONNX_EXTERNALDATA_H

#include "mlir/IR/AsmState.h"
#include "onnx/onnx_pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace tenon::frontend {

/// The files that hold tensors of one model, mapped when they are first asked
/// for and as long as a tensor refers to them.
class ExternalData {
public:
  /// `Model` is the path of the model's file.
  explicit ExternalData(llvm::StringRef Model);

  /// The `Bytes` bytes of `Proto`.  Refuses what lies outside of the model's
  /// folder (links followed) or beyond the file's end.
  llvm::Expected<mlir::AsmResourceBlob> map(const ::onnx::TensorProto &Proto,
                                            uint64_t Bytes);

private:
  using File = std::shared_ptr<llvm::MemoryBuffer>;
  llvm::Expected<File> open(llvm::StringRef Location);

  std::string Folder;
  llvm::StringMap<File> Files;
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_EXTERNALDATA_H
