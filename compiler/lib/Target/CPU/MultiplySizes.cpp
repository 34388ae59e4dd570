//===- MultiplySizes.cpp - Sizes that no address has ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Upstream's bytes of a buffer are the address behind it, were it at null. An
// address has 32 bits on some hosts, a size has 64 (isa/host_abi.h): what is
// more than 4 GiB would be allocated without them. So sizes are products.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace {

struct MultiplySizesPass
    : PassWrapper<MultiplySizesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MultiplySizesPass)

  StringRef getArgument() const override { return "tenon-multiply-sizes"; }
  StringRef getDescription() const override {
    return "Compute sizes of buffers without addresses";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override;
};

} // namespace

/// The elements that `Size` is the bytes of, where it is counted from null.
static LLVM::GEPOp countedFromNull(LLVM::PtrToIntOp Size) {
  auto Behind = Size.getArg().getDefiningOp<LLVM::GEPOp>();
  return Behind && Behind.getBase().getDefiningOp<LLVM::ZeroOp>() &&
                 Behind.getIndices().size() == 1
             ? Behind
             : LLVM::GEPOp();
}

static void multiply(LLVM::PtrToIntOp Size, LLVM::GEPOp Behind) {
  ImplicitLocOpBuilder B(Size.getLoc(), Size);
  Type T = Size.getType();
  auto number = [&](int64_t Of) -> Value {
    return LLVM::ConstantOp::create(B, T, B.getIntegerAttr(T, Of));
  };
  auto Index = Behind.getIndices()[0];
  auto Constant = dyn_cast<IntegerAttr>(Index);
  Value Count = Constant ? number(Constant.getInt()) : cast<Value>(Index);
  uint64_t Bytes = DataLayout::closest(Size).getTypeSize(Behind.getElemType());
  Size.replaceAllUsesWith(
      LLVM::MulOp::create(B, Count, number(int64_t(Bytes))).getResult());
  Size.erase();
}

void MultiplySizesPass::runOnOperation() {
  getOperation().walk([](LLVM::PtrToIntOp Size) {
    if (LLVM::GEPOp Behind = countedFromNull(Size))
      multiply(Size, Behind);
  });
}

std::unique_ptr<Pass> tenon::createMultiplySizesPass() {
  return std::make_unique<MultiplySizesPass>();
}
