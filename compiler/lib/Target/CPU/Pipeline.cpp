//===- Pipeline.cpp - From tensors to the LLVM dialect --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Two ways down, with the same bits: one of upstream's passes, and some of ours
// where those do not know isa/host_abi.h or would call a library (libm differs
// between hosts; copies); and one for speed, which lays out, outlines and tiles
// loop nests by passes of ours.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/CPU/CPUTarget.h"

#include "Passes.h"

#include "tenon/Transforms/Passes.h"
#include "tenon/Transforms/RewriteConfig.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {

struct CopiesToLinalgPass
    : PassWrapper<CopiesToLinalgPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CopiesToLinalgPass)

  StringRef getArgument() const override { return "tenon-copies-to-linalg"; }
  StringRef getDescription() const override {
    return "Turn memref.copy into linalg.copy, which lowers to loops";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<linalg::LinalgDialect>();
  }
  void runOnOperation() override {
    getOperation().walk([](memref::CopyOp Op) {
      OpBuilder B(Op);
      if (Op.getSource() != Op.getTarget())
        linalg::CopyOp::create(B, Op.getLoc(), Op.getSource(), Op.getTarget());
      Op.erase();
    });
  }
};

void addTosaToLinalg(OpPassManager &Manager) {
  OpPassManager &Function = Manager.nest<func::FuncOp>();
  Function.addPass(tenon::createGroupsToLinalg());
  Function.addPass(tenon::createPadPointwisePass());
  Function.addPass(tenon::createRepeatFirstPixelsPass());
  Function.addPass(tosa::createTosaOptionalDecompositionsPass());
  Function.addPass(tenon::createStructuredCanonicalizer());
  Function.addPass(tosa::createTosaInferShapesPass());
  Function.addPass(tosa::createTosaMakeBroadcastablePass());
  Function.addPass(tosa::createTosaToLinalgNamed());
  Function.addPass(tenon::createStructuredCanonicalizer());
  Function.addPass(tosa::createTosaMakeBroadcastablePass());
  Function.addPass(tosa::createTosaToLinalg());
  Function.addPass(createTosaToArithPass({/*includeApplyRescale=*/true}));
  Function.addPass(createTosaToTensorPass());
  Function.addPass(tenon::createStructuredCanonicalizer());
  Function.addPass(createCSEPass());
  Function.addPass(tenon::createChooseByBranchPass());
  Function.addPass(createConvertElementwiseToLinalgPass());
  Manager.addPass(tenon::createStripSignednessPass());
}

void addBufferization(OpPassManager &Manager) {
  bufferization::OneShotBufferizePassOptions Options;
  Options.bufferizeFunctionBoundaries = true;
  Options.allowReturnAllocsFromLoops = true; // a loop may carry new tensors
  Options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  Manager.addPass(tenon::createConstantsToGlobalsPass());
  Manager.addPass(bufferization::createOneShotBufferizePass(Options));
  Manager.nest<func::FuncOp>().addPass(tenon::createSplitSubviewsPass());
  Manager.addPass(tenon::createKernelResultsPass());
  Manager.addPass(tenon::createStructuredCanonicalizer());
  Manager.addPass(createCSEPass());
  Manager.addPass(tenon::createPlanMemoryPass());
  bufferization::BufferDeallocationPipelineOptions Deallocation;
  bufferization::buildBufferDeallocationPipeline(Manager, Deallocation);
}

/// Loops and vectors, on scalars and buffers, to the LLVM dialect.
void addLoopsToLLVM(OpPassManager &Manager) {
  Manager.nest<func::FuncOp>().addPass(createConvertLinalgToLoopsPass());
  Manager.addPass(tenon::createCallMathPass());
  OpPassManager &Scalars = Manager.nest<func::FuncOp>();
  Scalars.addPass(tenon::createRefuseLibraryCallsPass());
  Scalars.addPass(arith::createArithExpandOpsPass());
  Manager.addPass(createConvertBufferizationToMemRefPass());
  Manager.addPass(memref::createExpandStridedMetadataPass());
  Manager.addPass(createLowerAffinePass());
  Manager.addPass(createSCFToControlFlowPass());
  Manager.addPass(createCanonicalizerPass());
  Manager.addPass(createCSEPass());
  Manager.addPass(tenon::createReturnAssertionsPass());
  Manager.nest<func::FuncOp>().addPass(tenon::createSaturateSizesPass());
  Manager.addPass(createConvertMathToLLVMPass());
  Manager.addPass(createConvertVectorToLLVMPass());
  Manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  Manager.nest<func::FuncOp>().addPass(tenon::createMultiplySizesPass());
  Manager.addPass(createArithToLLVMConversionPass());
  Manager.addPass(createConvertIndexToLLVMPass());
  Manager.addPass(createConvertControlFlowToLLVMPass());
  Manager.addPass(createUBToLLVMConversionPass());
  Manager.addPass(createConvertFuncToLLVMPass());
  Manager.addPass(createReconcileUnrealizedCastsPass());
  Manager.addPass(createCanonicalizerPass());
  Manager.addPass(createCSEPass());
}

} // namespace

void tenon::buildReferencePipeline(OpPassManager &Manager, bool HasFma) {
  addTosaToLinalg(Manager);
  OpPassManager &Tensors = Manager.nest<func::FuncOp>();
  Tensors.addPass(createMarkContractionsPass());
  Tensors.addPass(createContractProductsPass(HasFma));
  Manager.addPass(createLinalgElementwiseOpFusionPass());
  addBufferization(Manager);
  OpPassManager &Function = Manager.nest<func::FuncOp>();
  Function.addPass(std::make_unique<CopiesToLinalgPass>());
  Function.addPass(createOrderLoopsPass());
  addLoopsToLLVM(Manager);
}

void tenon::buildBufferPipeline(OpPassManager &Manager) {
  addTosaToLinalg(Manager);
  OpPassManager &Function = Manager.nest<func::FuncOp>();
  Function.addPass(createSimplifyDepthwiseConvPass());
  Function.addPass(tenon::createStructuredCanonicalizer());
  Function.addPass(createMarkContractionsPass());
  Function.addPass(createFuseElementwisePass());
  Function.addPass(createNarrowProductsPass());
  Function.addPass(createChooseLayoutsPass());
  Function.addPass(tenon::createStructuredCanonicalizer());
  Function.addPass(createCSEPass());
  OpPassManager &Ordered = Manager.nest<func::FuncOp>();
  Ordered.addPass(createNarrowRescalesPass());
  Ordered.addPass(createPackProductsPass());
  Ordered.addPass(createFuseEpiloguesPass());
  Ordered.addPass(createUnshareDestinationsPass());
  Ordered.addPass(createPadInPlacePass());
  Ordered.addPass(createOrderOperationsPass());
  addBufferization(Manager);
  Manager.nest<func::FuncOp>().addPass(std::make_unique<CopiesToLinalgPass>());
  Manager.addPass(createOutlineLoopsPass());
}

void tenon::buildKernelsPipeline(OpPassManager &Manager) {
  addLoopsToLLVM(Manager);
}

void tenon::buildLoopsPipeline(OpPassManager &Manager,
                               const RegisterFile &Registers) {
  OpPassManager &Function = Manager.nest<func::FuncOp>();
  Function.addPass(createContractProductsPass(Registers.HasFma));
  Function.addPass(createTileRegistersPass(Registers));
  addLoopsToLLVM(Manager);
}
