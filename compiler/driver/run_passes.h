//===- compiler/driver/run_passes.h - The passes of a level -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_RUN_PASSES_H
#define TENON_COMPILER_DRIVER_RUN_PASSES_H

#include "compiler/driver/collector.h"
#include "compiler/driver/compile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tenon::compiler {

/// Takes an imported module that has its machine down to `level`, Graph or
/// below. Where a pass behind placement refuses layers, placement runs anew
/// without them; what is said of an attempt that is given up is not heard.
/// `statistics` are of what comes before placement.
mlir::LogicalResult runPasses(mlir::OwningOpRef<mlir::ModuleOp> &module,
                              const Options &options, Level level,
                              Collector &diagnostics, Statistics &statistics);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_RUN_PASSES_H
