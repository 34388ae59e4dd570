//===- CheckSchemas.h - Nodes against the operators' schemas ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_CHECKSCHEMAS_H
#define TENON_FRONTEND_ONNX_CHECKSCHEMAS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LogicalResult.h"
#include "tenon/Dialect/ONNX/Node.h"

namespace tenon {

/// Whether every node of a model, as readModel gives it, has as many inputs and
/// outputs and such attributes as the ONNX library's schema of its operator
/// says.  Each that has not is an error at its node.  Operators without a
/// schema pass.
mlir::LogicalResult checkSchemas(mlir::ModuleOp module);

/// Whether `N` has the inputs that its schema demands.  A function hands on
/// what its caller leaves out.
mlir::LogicalResult checkInputs(const onnx::Node &N);

/// Whether the inputs of `N` have element types that its schema admits, and
/// those one type that it gives one; `Elements` are their element types, null
/// where an input is absent.
mlir::LogicalResult checkElements(const onnx::Node &N,
                                  llvm::ArrayRef<mlir::Type> Elements);

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_CHECKSCHEMAS_H
