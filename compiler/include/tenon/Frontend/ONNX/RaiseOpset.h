//===- RaiseOpset.h - One opset for a model ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_RAISEOPSET_H
#define TENON_FRONTEND_ONNX_RAISEOPSET_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"

namespace tenon {

/// Gives a normalised module, whose nodes may have the forms of several opsets,
/// one that is at least `Least` and that of every node of ai.onnx, so that it
/// can be written to a file.  Initializers are constants from there on, no
/// longer defaults of inputs.  An error at each node that means something else
/// in that opset and has no rewriting.
mlir::LogicalResult raiseOpset(mlir::ModuleOp Module, int64_t Least);

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_RAISEOPSET_H
