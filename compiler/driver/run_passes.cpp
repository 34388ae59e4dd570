//===- compiler/driver/run_passes.cpp - The passes of a level -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/run_passes.h"

#include "compiler/driver/observe.h"

#include "tenon/Scheduling/Passes.h"
#include "tenon/Scheduling/Refuse.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <filesystem>

namespace tenon::compiler {

using namespace mlir;

namespace {

void keepReproducer(PassManager &manager, const Options &options) {
  if (options.reproducer.empty())
    return;
  manager.getContext()->disableMultithreading();
  manager.enableCrashReproducerGeneration(options.reproducer,
                                          /*genLocalReproducer=*/true);
}

LogicalResult simplify(ModuleOp module, const Options &options,
                       Statistics &statistics) {
  PassManager manager(module.getContext());
  buildGraphPipeline(manager);
  observe(manager, options, "graph", statistics);
  keepReproducer(manager, options);
  return runVerified(manager, module);
}

/// From placement on.
LogicalResult lower(ModuleOp module, const Options &options, Level level) {
  PassManager manager(module.getContext());
  buildPlacementPipeline(manager, {options.requireAccelerator});
  if (level != Level::Graph) {
    AcceleratorPipelineOptions accelerator;
    accelerator.StopAfterSchedule = level == Level::Tiled;
    accelerator.ExtractSchedules = level == Level::Schedule;
    buildAcceleratorPipeline(manager, accelerator);
  }
  observe(manager, options);
  keepReproducer(manager, options);
  return runVerified(manager, module);
}

} // namespace

LogicalResult runPasses(OwningOpRef<ModuleOp> &module, const Options &options,
                        Level level, Collector &diagnostics,
                        Statistics &statistics) {
  if (failed(simplify(*module, options, statistics)))
    return failure();
  for (;;) {
    OwningOpRef<ModuleOp> attempt = module->clone();
    diagnostics.hold();
    bool fits = succeeded(lower(*attempt, options, level));
    Attribute refusals = (*attempt)->getAttr(scheduling::RefusalsAttr);
    // Every further attempt has a layer less, so that they come to an end.
    if (fits || refusals == (*module)->getAttr(scheduling::RefusalsAttr)) {
      diagnostics.release();
      (*attempt)->removeAttr(scheduling::RefusalsAttr);
      module = std::move(attempt);
      return success(fits);
    }
    diagnostics.forget();
    std::error_code ignored;
    std::filesystem::remove(options.reproducer, ignored); // of a refusal
    (*module)->setAttr(scheduling::RefusalsAttr, refusals);
  }
}

} // namespace tenon::compiler
