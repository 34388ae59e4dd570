//===- compiler/driver/model_facts.h - What a model says of itself * C++ *-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only. Each function fills its part of an inspection from a
// module of the onnx dialect, without a look at the bytes of a constant.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_MODEL_FACTS_H
#define TENON_COMPILER_DRIVER_MODEL_FACTS_H

#include "compiler/driver/inspection.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::compiler {

/// Inputs, outputs and opsets.
void addBorders(mlir::ModuleOp model, Inspection &out);

/// Operators with their counts, and parameters.
void addOperators(mlir::ModuleOp model, Inspection &out);

/// Multiply-accumulates; of a model whose types are inferred.
void addWork(mlir::ModuleOp model, Inspection &out);

/// The most memory that the nodes need, in the order of the file; of a model
/// whose types are inferred.
void addPeak(mlir::ModuleOp model, Inspection &out);

/// How the contractions are quantised.
void addQuantization(mlir::ModuleOp model, Inspection &out);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_MODEL_FACTS_H
