//===- Passes.h - From TOSA to layers of the accelerator --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The passes between the importer and the scheduler, and the pipeline of them.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_PASSES_H
#define TENON_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "tenon/Dialect/Accel/Accel.h"

#include <string>

namespace tenon {

#define GEN_PASS_DECL
#include "tenon/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tenon/Transforms/Passes.h.inc"

/// Adds the passes over an imported network that may change bits of floats to
/// `PM`, a pass manager of a module.
void buildImportPipeline(mlir::OpPassManager &PM);

/// Adds the passes that keep every bit and know no target to `PM`, a pass
/// manager of a module.
void buildSimplificationPipeline(mlir::OpPassManager &PM);

/// Adds those and the passes from imported TOSA to the TOSA that layers are
/// read from to `PM`, a pass manager of a module.
void buildGraphPipeline(mlir::OpPassManager &PM);

struct PlacementOptions {
  /// An operation on the host is an error.
  bool RequireAccelerator = false;
};

/// Adds the pass from there to the tensor level of the accel dialect to `PM`, a
/// pass manager of a module that has its machine (tenon/Scheduling/Machine.h).
void buildPlacementPipeline(mlir::OpPassManager &PM,
                            const PlacementOptions &Options);

/// Registers the passes and the pipeline `tenon-tensor-pipeline`.
void registerTransformsPasses();

} // namespace tenon

#endif // TENON_TRANSFORMS_PASSES_H
