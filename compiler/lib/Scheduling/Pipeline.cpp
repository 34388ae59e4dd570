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
  PM.addPass(createAccelFoldWindows());
  PM.addPass(createAccelSchedule());
  if (Options.ExtractSchedules)
    PM.addPass(createAccelExtractSchedules());
  if (Options.StopAfterSchedule || Options.ExtractSchedules)
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
      llvm::cl::desc("tile contexts in the scratchpads, where that many fit"),
      llvm::cl::init(2)};
};
} // namespace

void tenon::registerSchedulingPasses() {
  registerSchedulingPassesPasses();
  PassPipelineRegistration<PipelineOptions>(
      "tenon-accelerator-pipeline",
      "From layers of the accelerator to instructions with tokens",
      [](OpPassManager &PM, const PipelineOptions &O) {
        AccelAttachMachineOptions Machine;
        Machine.Config = O.Config;
        Machine.VirtualThreads = O.VirtualThreads;
        PM.addPass(createAccelAttachMachine(Machine));
        buildAcceleratorPipeline(PM, {});
      });
}
