//===- compiler/driver/observe.h - What looks on while passes run - C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_OBSERVE_H
#define TENON_COMPILER_DRIVER_OBSERVE_H

#include "compiler/driver/compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tenon::compiler {

/// Gives `manager` what the options ask for: the phases, the module behind a
/// pass.
void observe(mlir::PassManager &manager, const Options &options);

/// The same, and rows of `statistics` for the passes, those of `stage`, where
/// the options ask for them. `statistics` outlives the manager.
void observe(mlir::PassManager &manager, const Options &options,
             const char *stage, Statistics &statistics);

/// Runs `manager` and verifies `module` once, behind all of its passes: after
/// each that would be a tenth of a compilation.
llvm::LogicalResult runVerified(mlir::PassManager &manager,
                                mlir::ModuleOp module);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_OBSERVE_H
