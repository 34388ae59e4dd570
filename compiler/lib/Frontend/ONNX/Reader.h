//===- Reader.h - What reading an ONNX file shares --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// One Reader lives as long as one file is read.  Its methods report what is
// malformed and return null; reading goes on, so that everything is reported,
// and the module is thrown away at the end.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_READER_H
#define TENON_LIB_FRONTEND_ONNX_READER_H

#include "ElementTypes.h"
#include "ExternalData.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "onnx/onnx_pb.h"
#include "tenon/Dialect/ONNX/ONNX.h"
#include "llvm/ADT/StringMap.h"

namespace tenon::frontend {

/// Versions by domain; ai.onnx is the empty domain.
using Opsets = llvm::StringMap<int64_t>;

/// Keys and values as a list of pairs; null where there are none.
template <typename Entries>
mlir::ArrayAttr readPairs(mlir::Builder &B, const Entries &Pairs) {
  llvm::SmallVector<mlir::Attribute> Values;
  for (const auto &Pair : Pairs)
    Values.push_back(B.getStrArrayAttr({Pair.key(), Pair.value()}));
  return Values.empty() ? nullptr : B.getArrayAttr(Values);
}

class Reader {
public:
  Reader(llvm::StringRef Path, mlir::MLIRContext *Context);

  /// Begins a diagnostic about the file; reading has failed.
  mlir::InFlightDiagnostic error();
  bool hasFailed() const { return Failed; }

  /// The opsets of a model or function.
  Opsets readOpsets(
      const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>
          &Imports);

  /// The type of the value `Name`; `onnx.unknown` where it has none.
  mlir::Type readType(const ::onnx::TypeProto &Proto, llvm::StringRef Name);

  /// Takes the data out of `Proto`.
  mlir::ElementsAttr readTensor(::onnx::TensorProto &Proto);
  mlir::Attribute readSparse(::onnx::SparseTensorProto &Proto);

  /// An attribute that is no graph, of the node that `Where` names.
  mlir::Attribute readAttribute(::onnx::AttributeProto &Proto,
                                const llvm::Twine &Where);

  mlir::Builder B;
  const mlir::Location Place;

private:
  mlir::Type readTensorType(int32_t Element, const ::onnx::TensorShapeProto *,
                            llvm::StringRef Name);
  mlir::ElementsAttr readStrings(const ::onnx::TensorProto &Proto,
                                 mlir::RankedTensorType Type);
  mlir::ElementsAttr readExternal(const ::onnx::TensorProto &Proto,
                                  mlir::RankedTensorType Type, int64_t Bytes);

  ExternalData External;
  bool Failed = false;
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_READER_H
