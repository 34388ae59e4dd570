//===- HoldSmallFloats.cpp - Floats of 16 bits as their bits --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Where a target has no registers for a type, the code generator keeps its
// values as floats of 32 bits, between blocks for one, and calls a library to
// make them narrow again. So loads, stores, selections and phis have integers
// here, and a float of 16 bits lives no longer than the conversion that wants
// it. Arithmetic is of 32 bits. So it is with vectors of them.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using tenon::isa::Architecture;
using tenon::isa::HostTarget;

namespace {

class Holder {
public:
  Holder(Function &F, bool HasHalves) : F(F), HasHalves(HasHalves) {}

  void run();

private:
  bool isSmall(Value *V) const {
    Type *T = V->getType()->getScalarType();
    return T->isBFloatTy() || (T->isHalfTy() && !HasHalves);
  }
  Type *held(Value *V) const {
    return V->getType()->getWithNewType(Type::getInt16Ty(F.getContext()));
  }
  Type *single(Value *V) const {
    return V->getType()->getWithNewType(Type::getFloatTy(F.getContext()));
  }
  Value *bits(Value *Of);
  Value *makeBits(Instruction &Of);
  Value *widened(IRBuilder<> &B, Value *Of);
  Value *inSingle(IRBuilder<> &B, Instruction &I);
  void rewrite(Instruction &I);

  Function &F;
  const bool HasHalves;
  DenseMap<Value *, Value *> Bits;
  SmallVector<Instruction *> Replaced;
};

} // namespace

/// What has bits of its own instead of those of a float beside it.
Value *Holder::makeBits(Instruction &Of) {
  IRBuilder<> B(&Of);
  if (auto *Load = dyn_cast<LoadInst>(&Of)) {
    LoadInst *New = B.CreateAlignedLoad(held(Load), Load->getPointerOperand(),
                                        Load->getAlign(), Load->isVolatile());
    New->copyMetadata(*Load);
    return New;
  }
  if (auto *Select = dyn_cast<SelectInst>(&Of))
    return B.CreateSelect(Select->getCondition(), bits(Select->getTrueValue()),
                          bits(Select->getFalseValue()));
  if (auto *Phi = dyn_cast<PHINode>(&Of)) {
    PHINode *New = B.CreatePHI(held(Phi), Phi->getNumIncomingValues());
    Bits[Phi] = New; // it may be its own operand
    for (auto [Value, Block] : zip(Phi->incoming_values(), Phi->blocks()))
      New->addIncoming(bits(Value), Block);
    return New;
  }
  if (auto *Insert = dyn_cast<InsertElementInst>(&Of))
    return B.CreateInsertElement(bits(Insert->getOperand(0)),
                                 bits(Insert->getOperand(1)),
                                 Insert->getOperand(2));
  if (auto *Extract = dyn_cast<ExtractElementInst>(&Of))
    return B.CreateExtractElement(bits(Extract->getVectorOperand()),
                                  Extract->getIndexOperand());
  if (auto *Shuffle = dyn_cast<ShuffleVectorInst>(&Of))
    return B.CreateShuffleVector(bits(Shuffle->getOperand(0)),
                                 bits(Shuffle->getOperand(1)),
                                 Shuffle->getShuffleMask());
  return nullptr;
}

Value *Holder::bits(Value *Of) {
  if (Value *Known = Bits.lookup(Of))
    return Known;
  if (auto *Constant = dyn_cast<llvm::Constant>(Of))
    return ConstantExpr::getBitCast(Constant, held(Of));
  auto *Defining = dyn_cast<Instruction>(Of);
  if (Value *Own = Defining ? makeBits(*Defining) : nullptr) {
    Replaced.push_back(Defining);
    return Bits[Of] = Own;
  }
  IRBuilder<> B(F.getContext());
  if (Defining)
    B.SetInsertPoint(*Defining->getInsertionPointAfterDef());
  else
    B.SetInsertPoint(F.getEntryBlock().getFirstInsertionPt());
  return Bits[Of] = B.CreateBitCast(Of, held(Of));
}

Value *Holder::widened(IRBuilder<> &B, Value *Of) {
  return isSmall(Of) ? B.CreateFPExt(B.CreateBitCast(bits(Of), Of->getType()),
                                     single(Of))
                     : Of;
}

/// The same arithmetic of 32 bits, or null where `I` is none.
Value *Holder::inSingle(IRBuilder<> &B, Instruction &I) {
  auto operand = [&](unsigned Index) {
    return widened(B, I.getOperand(Index));
  };
  if (auto *Compare = dyn_cast<FCmpInst>(&I))
    return B.CreateFCmp(Compare->getPredicate(), operand(0), operand(1));
  if (isa<BinaryOperator>(I))
    return B.CreateBinOp(Instruction::BinaryOps(I.getOpcode()), operand(0),
                         operand(1));
  if (isa<UnaryOperator>(I))
    return B.CreateFNeg(operand(0));
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call || !isSmall(Call))
    return nullptr;
  SmallVector<Value *> Arguments;
  for (Value *Argument : Call->args())
    Arguments.push_back(widened(B, Argument));
  return B.CreateIntrinsic(Call->getIntrinsicID(), {single(Call)}, Arguments);
}

void Holder::rewrite(Instruction &I) {
  if (isSmall(&I) && isa<LoadInst, SelectInst, PHINode, InsertElementInst,
                         ExtractElementInst, ShuffleVectorInst>(I)) {
    bits(&I);
    return;
  }
  bool IsSmall = any_of(I.operands(), [&](Value *V) { return isSmall(V); });
  if (!IsSmall)
    return;
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Store->setOperand(0, bits(Store->getValueOperand()));
    return;
  }
  IRBuilder<> B(&I);
  if (Value *Wide = inSingle(B, I)) {
    Value *Result = isSmall(&I) ? B.CreateFPTrunc(Wide, I.getType()) : Wide;
    // Who has asked for its bits before has them still.
    I.replaceAllUsesWith(Result);
    Replaced.push_back(&I);
    return;
  }
  for (Use &Operand : I.operands())
    if (isSmall(Operand))
      Operand.set(B.CreateBitCast(bits(Operand), Operand->getType()));
}

void Holder::run() {
  SmallVector<Instruction *> All;
  for (Instruction &I : instructions(F))
    All.push_back(&I);
  for (Instruction *I : All)
    rewrite(*I);
  for (Instruction *I : Replaced)
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
  for (Instruction *I : Replaced)
    I->eraseFromParent();
}

void tenon::holdSmallFloats(Module &Module, const HostTarget &Target) {
  for (Function &F : Module)
    if (!F.isDeclaration())
      Holder(F, Target.architecture == Architecture::AArch64).run();
}
