//===- Registration.cpp - Dialects and interfaces of the CPU path ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Named one by one: the headers that register everything cost twenty seconds of
// compilation and belong to tenon-opt alone.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/CPU/CPUTarget.h"

#include "Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferViewFlowOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

void tenon::registerCPUTarget(DialectRegistry &Registry) {
  Registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, tosa::TosaDialect,
                  vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(Registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(Registry);
  arith::registerBufferViewFlowOpInterfaceExternalModels(Registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      Registry);
  cf::registerBufferizableOpInterfaceExternalModels(Registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(Registry);
  linalg::registerAllDialectInterfaceImplementations(Registry);
  memref::registerAllocationOpInterfaceExternalModels(Registry);
  scf::registerBufferizableOpInterfaceExternalModels(Registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(Registry);
  tensor::registerBufferizableOpInterfaceExternalModels(Registry);
  registerBuiltinDialectTranslation(Registry);
  registerLLVMDialectTranslation(Registry);
}

void tenon::registerCPUPasses() {
  for (auto Create :
       {createCallMathPass,           createChooseByBranchPass,
        createChooseLayoutsPass,      createConstantsToGlobalsPass,
        createFuseElementwisePass,    createFuseEpiloguesPass,
        createKernelResultsPass,      createOrderLoopsPass,
        createOrderOperationsPass,    createOutlineLoopsPass,
        createPackProductsPass,       createMarkContractionsPass,
        createMultiplySizesPass,      createNarrowProductsPass,
        createNarrowRescalesPass,     createPadPointwisePass,
        createPlanMemoryPass,         createRefuseLibraryCallsPass,
        createRepeatFirstPixelsPass,  createReturnAssertionsPass,
        createSaturateSizesPass,      createSplitSubviewsPass,
        createStripSignednessPass,    createPadInPlacePass,
        createUnshareDestinationsPass})
    registerPass(Create);
  // For a machine that tests can count on.
  registerPass([] { return createContractProductsPass(/*HasFma=*/true); });
  registerPass([] {
    return createTileRegistersPass(
        {/*VectorBits=*/128, /*Accumulators=*/8, /*Vectors=*/2});
  });
}
