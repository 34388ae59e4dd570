//===- Pipeline.cpp - The passes of the tensor level ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Passes.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tenon;

namespace {

/// A step and how to add it; one list for the builder, the help and the docs.
struct Step {
  const char *Pass;
  const char *Purpose;
  void (*add)(OpPassManager &, const TensorPipelineOptions &);
};

} // namespace

template <std::unique_ptr<Pass> (*Create)()>
static void onFunctions(OpPassManager &PM, const TensorPipelineOptions &) {
  PM.addNestedPass<func::FuncOp>(Create());
}

static const Step Steps[] = {
    {"canonicalize", "upstream's simplifications",
     [](OpPassManager &PM, const TensorPipelineOptions &) {
       PM.addNestedPass<func::FuncOp>(createCanonicalizerPass());
     }},
    {"cse", "one operation for equal ones",
     [](OpPassManager &PM, const TensorPipelineOptions &) {
       PM.addNestedPass<func::FuncOp>(createCSEPass());
     }},
    {"tenon-optimize-graph", "the form the layers are read from",
     [](OpPassManager &PM, const TensorPipelineOptions &) {
       PM.addNestedPass<func::FuncOp>(createOptimizeGraph());
     }},
    {"accel-select-by-convolution", "slices and pads the accelerator can do",
     onFunctions<createSelectByConvolution>},
    {"accel-partition",
     "operations of the accelerator, or the host's, with the reason",
     [](OpPassManager &PM, const TensorPipelineOptions &Options) {
       AccelPartitionOptions O;
       O.RequireAccelerator = Options.RequireAccelerator;
       PM.addPass(createAccelPartition(O));
     }},
};

std::vector<PipelineStep> tenon::tensorPipelineSteps() {
  std::vector<PipelineStep> Result;
  for (const Step &S : Steps)
    Result.push_back({S.Pass, S.Purpose});
  return Result;
}

void tenon::buildTensorPipeline(OpPassManager &PM,
                                const TensorPipelineOptions &Options) {
  for (const Step &S : Steps)
    S.add(PM, Options);
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> Config{
      *this, "config",
      llvm::cl::desc("configuration: a shipped name or a file"),
      llvm::cl::init(defaultConfiguration)};
  Option<bool> RequireAccelerator{
      *this, "require-accelerator",
      llvm::cl::desc("an operation on the host is an error"),
      llvm::cl::init(false)};
};
} // namespace

void tenon::registerTransformsPasses() {
  registerTensorPasses();
  PassPipelineRegistration<PipelineOptions>(
      "tenon-tensor-pipeline",
      "From imported TOSA to layers of the accelerator",
      [](OpPassManager &PM, const PipelineOptions &O) {
        AccelAttachMachineOptions Machine;
        Machine.Config = O.Config;
        PM.addPass(createAccelAttachMachine(Machine));
        buildTensorPipeline(PM, {O.RequireAccelerator});
      });
}
