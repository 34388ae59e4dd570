//===- ConstantsToGlobals.cpp - Weights as globals -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Bufferisation would do it, but looks through all globals for each constant.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "isa/host_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace {

struct ConstantsToGlobalsPass
    : PassWrapper<ConstantsToGlobalsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConstantsToGlobalsPass)

  StringRef getArgument() const override {
    return "tenon-constants-to-globals";
  }
  StringRef getDescription() const override {
    return "Put constant tensors into globals, equal ones into one";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry
        .insert<bufferization::BufferizationDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override;

private:
  memref::GlobalOp globalOf(arith::ConstantOp Constant);

  llvm::DenseMap<Attribute, memref::GlobalOp> Globals;
};

} // namespace

memref::GlobalOp ConstantsToGlobalsPass::globalOf(arith::ConstantOp Constant) {
  memref::GlobalOp &Global = Globals[Constant.getValue()];
  if (Global)
    return Global;
  auto T = cast<RankedTensorType>(Constant.getType());
  // Upstream's translation divides the bytes of others by their elements.
  ElementsAttr Value = cast<ElementsAttr>(Constant.getValue());
  if (T.getNumElements() == 0)
    Value = DenseElementsAttr::get(T, ArrayRef<Attribute>());
  OpBuilder Top = OpBuilder::atBlockBegin(getOperation().getBody());
  Global = memref::GlobalOp::create(
      Top, Constant.getLoc(), ("constant_" + Twine(Globals.size() - 1)).str(),
      /*sym_visibility=*/Top.getStringAttr("private"),
      MemRefType::get(T.getShape(), T.getElementType()), Value,
      /*constant=*/true, Top.getI64IntegerAttr(TENON_HOST_ALIGNMENT));
  return Global;
}

void ConstantsToGlobalsPass::runOnOperation() {
  Globals.clear();
  SmallVector<arith::ConstantOp> Constants;
  getOperation().walk([&](arith::ConstantOp Op) {
    if (llvm::isa<RankedTensorType>(Op.getType()))
      Constants.push_back(Op);
  });
  for (arith::ConstantOp Constant : Constants) {
    memref::GlobalOp Global = globalOf(Constant);
    OpBuilder B(Constant);
    Value Array = memref::GetGlobalOp::create(
        B, Constant.getLoc(), Global.getType(), Global.getSymName());
    Constant.replaceAllUsesWith(
        bufferization::ToTensorOp::create(B, Constant.getLoc(),
                                          Constant.getType(), Array,
                                          /*restrict=*/true)
            .getResult());
    Constant.erase();
  }
}

std::unique_ptr<Pass> tenon::createConstantsToGlobalsPass() {
  return std::make_unique<ConstantsToGlobalsPass>();
}
