//===- ReturnAssertions.cpp - What a kernel refuses -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The first assertion that fails sets the function's status to its message, and
// the function goes on: who writes an assertion promises that what follows does
// no harm. So the path without failures has no branches. The status is on the
// stack, where LLVM finds that it needs no memory.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace {

struct ReturnAssertionsPass
    : PassWrapper<ReturnAssertionsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReturnAssertionsPass)

  StringRef getArgument() const override { return "tenon-return-assertions"; }
  StringRef getDescription() const override {
    return "Return the message of the first cf.assert that fails";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override;

private:
  void change(func::FuncOp Function);
  Value address(OpBuilder &B, Location Loc, StringRef Message);

  llvm::StringMap<LLVM::GlobalOp> Messages;
};

} // namespace

/// A constant with the text and a zero byte; one for equal texts.
Value ReturnAssertionsPass::address(OpBuilder &B, Location Loc,
                                    StringRef Message) {
  LLVM::GlobalOp &Global = Messages[Message];
  if (!Global) {
    OpBuilder Top = OpBuilder::atBlockBegin(getOperation().getBody());
    std::string Text = Message.str() + '\0';
    auto Type = LLVM::LLVMArrayType::get(B.getI8Type(), Text.size());
    Global = LLVM::GlobalOp::create(
        Top, Loc, Type, /*isConstant=*/true, LLVM::Linkage::Private,
        ("message_" + Twine(Messages.size() - 1)).str(), B.getStringAttr(Text));
  }
  return LLVM::AddressOfOp::create(B, Loc, Global);
}

void ReturnAssertionsPass::change(func::FuncOp Function) {
  Location Loc = Function.getLoc();
  auto Pointer = LLVM::LLVMPointerType::get(&getContext());
  OpBuilder B = OpBuilder::atBlockBegin(&Function.front());
  Value Null = LLVM::ZeroOp::create(B, Loc, Pointer);
  Value One = LLVM::ConstantOp::create(B, Loc, B.getI32Type(), 1);
  Value Status = LLVM::AllocaOp::create(B, Loc, Pointer, Pointer, One);
  LLVM::StoreOp::create(B, Loc, Null, Status);
  SmallVector<cf::AssertOp> Assertions;
  Function.walk([&](cf::AssertOp Op) { Assertions.push_back(Op); });
  for (cf::AssertOp Op : Assertions) {
    B.setInsertionPoint(Op);
    Value Before = LLVM::LoadOp::create(B, Op.getLoc(), Pointer, Status);
    Value Failed = LLVM::SelectOp::create(B, Op.getLoc(), Op.getArg(), Null,
                                          address(B, Op.getLoc(), Op.getMsg()));
    Value IsFirst = LLVM::ICmpOp::create(B, Op.getLoc(),
                                         LLVM::ICmpPredicate::eq, Before, Null);
    Value After =
        LLVM::SelectOp::create(B, Op.getLoc(), IsFirst, Failed, Before);
    LLVM::StoreOp::create(B, Op.getLoc(), After, Status);
    Op.erase();
  }
  Function.walk([&](func::ReturnOp Return) {
    B.setInsertionPoint(Return);
    Return->insertOperands(
        Return.getNumOperands(),
        {LLVM::LoadOp::create(B, Return.getLoc(), Pointer, Status)});
  });
  FunctionType Old = Function.getFunctionType();
  SmallVector<Type> Results(Old.getResults());
  Results.push_back(Pointer);
  Function.setFunctionType(
      FunctionType::get(&getContext(), Old.getInputs(), Results));
}

void ReturnAssertionsPass::runOnOperation() {
  Messages.clear();
  for (auto Function : getOperation().getOps<func::FuncOp>())
    // Upstream's deallocation adds functions of its own.
    if (Function->hasAttr(tenon::SignatureAttr))
      change(Function);
}

std::unique_ptr<Pass> tenon::createReturnAssertionsPass() {
  return std::make_unique<ReturnAssertionsPass>();
}
