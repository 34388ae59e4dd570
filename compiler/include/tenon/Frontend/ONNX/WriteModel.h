//===- WriteModel.h - The onnx dialect to model files -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_WRITEMODEL_H
#define TENON_FRONTEND_ONNX_WRITEMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tenon {

/// The binary protobuf of a module as readModel gives it, every tensor's data
/// in it.  An error where it would be larger than protobuf's 2 GB.
llvm::Expected<std::string> writeModel(mlir::ModuleOp module);

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_WRITEMODEL_H
