//===- Passes.h - From layers to instructions -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The passes behind the tensor level, and the pipeline of them.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_PASSES_H
#define TENON_SCHEDULING_PASSES_H

#include "isa/default_configuration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "tenon/Dialect/Accel/Accel.h"

#include <string>

namespace tenon {

#define GEN_PASS_DECL
#include "tenon/Scheduling/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tenon/Scheduling/Passes.h.inc"

struct AcceleratorPipelineOptions {
  /// Leave the module on the tensor level, with schedules.
  bool StopAfterSchedule = false;
  /// Leave of that the layers with their schedules (accel-extract-schedules).
  bool ExtractSchedules = false;
};

/// Adds the passes from the tensor level to streams with tokens to `PM`, a pass
/// manager of a module that has its machine (Machine.h).
void buildAcceleratorPipeline(mlir::OpPassManager &PM,
                              const AcceleratorPipelineOptions &Options);

/// Registers the passes and the pipeline `tenon-accelerator-pipeline`.
void registerSchedulingPasses();

} // namespace tenon

#endif // TENON_SCHEDULING_PASSES_H
