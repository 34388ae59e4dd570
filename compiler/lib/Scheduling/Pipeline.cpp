//===- Pipeline.cpp - The passes behind the tensor level ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Passes.h"

using namespace mlir;
using namespace tenon;

void tenon::buildAcceleratorPipeline(
    OpPassManager &PM, const AcceleratorPipelineOptions &Options) {
  AccelFoldWindowsOptions Fold;
  Fold.Config = Options.Config;
  PM.addPass(createAccelFoldWindows(Fold));
  AccelScheduleOptions Schedule;
  Schedule.Config = Options.Config;
  Schedule.VirtualThreads = Options.VirtualThreads;
  PM.addPass(createAccelSchedule(Schedule));
  if (Options.StopAfterSchedule)
    return;
  PM.addPass(createAccelPlanDram());
  PM.addPass(createAccelLowerToStream());
  PM.addPass(createAccelInsertTokens());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> Config{
      *this, "config",
      llvm::cl::desc("configuration: a shipped name or a file"),
      llvm::cl::init(defaultConfiguration)};
  Option<unsigned> VirtualThreads{
      *this, "virtual-threads",
      llvm::cl::desc("tile contexts in the scratchpads, 1 or 2"),
      llvm::cl::init(2)};
};
} // namespace

void tenon::registerSchedulingPasses() {
  registerSchedulingPassesPasses();
  PassPipelineRegistration<PipelineOptions>(
      "tenon-accelerator-pipeline",
      "From layers of the accelerator to instructions with tokens",
      [](OpPassManager &PM, const PipelineOptions &O) {
        AcceleratorPipelineOptions Options;
        Options.Config = O.Config;
        Options.VirtualThreads = O.VirtualThreads;
        buildAcceleratorPipeline(PM, Options);
      });
}
