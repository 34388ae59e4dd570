//===- Pipeline.cpp - The passes of the tensor level ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Passes.h"
#include "tenon/Transforms/Passes.h"
#include "tenon/Transforms/RewriteConfig.h"

#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tenon;

void tenon::buildImportPipeline(OpPassManager &PM) {
  PM.addNestedPass<func::FuncOp>(createFoldBatchNormalization());
}

void tenon::buildSimplificationPipeline(OpPassManager &PM) {
  PM.addNestedPass<func::FuncOp>(createStructuredCanonicalizer());
  PM.addNestedPass<func::FuncOp>(createCSEPass());
  PM.addNestedPass<func::FuncOp>(createSimplifyTensors());
  PM.addNestedPass<func::FuncOp>(createFoldConstants());
  PM.addNestedPass<func::FuncOp>(createSinkOperators());
}

void tenon::buildGraphPipeline(OpPassManager &PM) {
  buildSimplificationPipeline(PM);
  PM.addNestedPass<func::FuncOp>(createOptimizeGraph());
  PM.addNestedPass<func::FuncOp>(createSelectByConvolution());
  PM.addNestedPass<func::FuncOp>(createTransposeRightOperands());
}

void tenon::buildPlacementPipeline(OpPassManager &PM,
                                   const PlacementOptions &Options) {
  AccelPartitionOptions O;
  O.RequireAccelerator = Options.RequireAccelerator;
  PM.addPass(createAccelPartition(O));
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
        buildGraphPipeline(PM);
        buildPlacementPipeline(PM, {O.RequireAccelerator});
      });
}
