//===- ReturnAssertions.cpp - What a kernel refuses -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The first assertion that fails ends the function: it returns the message, and
// results that nobody looks at. What follows relies on what was asserted.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
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
    Registry.insert<LLVM::LLVMDialect, ub::UBDialect>();
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

/// Every return gets a message, or null.
void ReturnAssertionsPass::change(func::FuncOp Function) {
  Location Loc = Function.getLoc();
  auto Pointer = LLVM::LLVMPointerType::get(&getContext());
  OpBuilder B(&getContext());
  Function.walk([&](func::ReturnOp Return) {
    B.setInsertionPoint(Return);
    Return->insertOperands(
        Return.getNumOperands(),
        {LLVM::ZeroOp::create(B, Return.getLoc(), Pointer).getResult()});
  });
  SmallVector<cf::AssertOp> Assertions;
  Function.walk([&](cf::AssertOp Op) { Assertions.push_back(Op); });
  FunctionType Old = Function.getFunctionType();
  if (!Assertions.empty()) {
    Block &Refusal = Function.getBody().emplaceBlock();
    Value Message = Refusal.addArgument(Pointer, Loc);
    B.setInsertionPointToStart(&Refusal);
    SmallVector<Value> Results;
    for (Type T : Old.getResults())
      Results.push_back(ub::PoisonOp::create(B, Loc, T));
    Results.push_back(Message);
    func::ReturnOp::create(B, Loc, Results);
    for (cf::AssertOp Op : Assertions) {
      Block *Here = Op->getBlock(), *Next = Here->splitBlock(Op);
      B.setInsertionPointToEnd(Here);
      Value Text = address(B, Op.getLoc(), Op.getMsg());
      cf::CondBranchOp::create(B, Op.getLoc(), Op.getArg(), Next, ValueRange(),
                               &Refusal, Text);
      Op.erase();
    }
  }
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
