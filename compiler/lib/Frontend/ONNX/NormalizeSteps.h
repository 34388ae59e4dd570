//===- NormalizeSteps.h - The steps of normalisation ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Each is in the file of its name; Normalize.h says what they do.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_NORMALIZESTEPS_H
#define TENON_LIB_FRONTEND_ONNX_NORMALIZESTEPS_H

#include "mlir/IR/BuiltinOps.h"
#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Frontend/ONNX/Normalize.h"

namespace tenon::frontend {

mlir::LogicalResult inlineFunctions(mlir::ModuleOp Module);

/// `Constant` nodes to `onnx.constant`.
void liftConstants(onnx::GraphOp Graph);

void inferTypes(onnx::GraphOp Graph);

/// Drops nodes and constants that nothing uses: no operator has another effect
/// than its results.
void dropUnused(onnx::GraphOp Graph);

void upgradeNodes(onnx::GraphOp Graph);

/// Lets readers of sequences and optionals whose elements are known read the
/// tensors themselves; whether there was one.
bool resolveSequences(onnx::GraphOp Graph);

/// Replaces nodes that are not known by what defines them; whether there was
/// one.
mlir::FailureOr<bool> expandOperators(onnx::GraphOp Graph,
                                      OperatorTest IsKnown);

/// Gives each value of the graph a name of its own: what the model calls its
/// inputs and outputs stays.
void separateNames(onnx::GraphOp Graph);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_NORMALIZESTEPS_H
