//===- ExpandOperations.cpp - What a target has no instruction for --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A target without fused multiplication, rounding to integers or division gets
// them in instructions that it has, with the same bits as elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

using namespace llvm;
using tenon::isa::Architecture;
using tenon::isa::HostTarget;

static bool hasFeature(const HostTarget &Target, absl::string_view Feature) {
  return is_contained(Target.features, Feature);
}

static Type *withElement(Type *Like, Type *Element) {
  auto *Vector = dyn_cast<VectorType>(Like);
  return Vector ? VectorType::get(Element, Vector->getElementCount()) : Element;
}

/// A * B + C in float with one rounding. The product is exact in double; the
/// sum is rounded to odd there, after which rounding to float is as if from the
/// exact value: S. Boldo and G. Melquiond, Emulation of a FMA and Correctly
/// Rounded Sums: Proved Algorithms Using Rounding to Odd, 2008.
static Value *expandFma(IRBuilder<> &B, IntrinsicInst &Fma) {
  Type *Single = Fma.getType();
  Type *Double = withElement(Single, B.getDoubleTy());
  Type *Bits = withElement(Single, B.getInt64Ty());
  auto Wide = [&](unsigned I) {
    return B.CreateFPExt(Fma.getArgOperand(I), Double);
  };
  Value *Product = B.CreateFMul(Wide(0), Wide(1));
  Value *Addend = Wide(2);
  Value *Sum = B.CreateFAdd(Product, Addend);
  // What rounding the sum left out, exactly (Knuth's TwoSum).
  Value *AddendSeen = B.CreateFSub(Sum, Product);
  Value *Rest =
      B.CreateFAdd(B.CreateFSub(Product, B.CreateFSub(Sum, AddendSeen)),
                   B.CreateFSub(Addend, AddendSeen));
  // To odd: where something was left out and the last bit is even, the
  // neighbour on its side.
  Value *SumBits = B.CreateBitCast(Sum, Bits);
  Value *IsInexact = B.CreateFCmpONE(Rest, ConstantFP::getZero(Double));
  Value *IsEven =
      B.CreateICmpEQ(B.CreateAnd(SumBits, ConstantInt::get(Bits, 1)),
                     ConstantInt::get(Bits, 0));
  Value *RestBits = B.CreateBitCast(Rest, Bits);
  Value *IsAway = B.CreateICmpSGE(B.CreateXor(SumBits, RestBits),
                                  ConstantInt::get(Bits, 0));
  Value *Neighbour =
      B.CreateAdd(SumBits, B.CreateSelect(IsAway, ConstantInt::get(Bits, 1),
                                          ConstantInt::getSigned(Bits, -1)));
  Value *Odd =
      B.CreateSelect(B.CreateAnd(IsInexact, IsEven), Neighbour, SumBits);
  return B.CreateFPTrunc(B.CreateBitCast(Odd, Double), Single);
}

/// Rounds a float to an integer as the intrinsic says. From 2^23 on floats are
/// integers, doubles from 2^52 on; what is added to a smaller one leaves no
/// room for a fraction. A zero keeps the operand's sign.
static Value *expandRounding(IRBuilder<> &B, IntrinsicInst &Rounding) {
  Value *X = Rounding.getArgOperand(0);
  Type *Float = X->getType();
  auto Constant = [&](double Number) { return ConstantFP::get(Float, Number); };
  Value *First =
      Constant(Float->getScalarType()->isFloatTy() ? 0x1p23 : 0x1p52);
  Value *Magnitude = B.CreateUnaryIntrinsic(Intrinsic::fabs, X);
  // False for NaN as well, which stays.
  Value *HasFraction = B.CreateFCmpOLT(Magnitude, First);
  Value *Even = B.CreateFSub(B.CreateFAdd(Magnitude, First), First);
  auto Step = [&](Value *From, Value *If, double By) {
    return B.CreateFAdd(From, B.CreateSelect(If, Constant(By), Constant(0)));
  };
  Value *Down = Step(Even, B.CreateFCmpOGT(Even, Magnitude), -1);
  Value *IsNegative = B.CreateFCmpOLT(X, Constant(0));
  Value *Between = B.CreateFCmpONE(Down, Magnitude);
  Value *Result = Down; // trunc
  switch (Rounding.getIntrinsicID()) {
  case Intrinsic::floor:
    Result = Step(Down, B.CreateAnd(IsNegative, Between), 1);
    break;
  case Intrinsic::ceil:
    Result = Step(Down, B.CreateAnd(B.CreateNot(IsNegative), Between), 1);
    break;
  case Intrinsic::round:
    Result = Step(
        Down, B.CreateFCmpOGE(B.CreateFSub(Magnitude, Down), Constant(0.5)), 1);
    break;
  case Intrinsic::roundeven:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
    Result = Even;
    break;
  default:
    break;
  }
  Result = B.CreateBinaryIntrinsic(Intrinsic::copysign, Result, X);
  return B.CreateSelect(HasFraction, Result, X);
}

static bool isRounding(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
    return true;
  default:
    return false;
  }
}

void tenon::expandFloatOperations(Module &Module, const HostTarget &Target) {
  // SSE4.1 rounds, and so does every 64-bit Arm.
  bool Rounds = Target.architecture != Architecture::Arm;
  bool Fuses =
      Target.architecture == Architecture::AArch64 || hasFeature(Target, "fma");
  for (Function &F : Module)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      Type *Element = Call ? Call->getType()->getScalarType() : nullptr;
      if (!Call || (!Element->isFloatTy() && !Element->isDoubleTy()))
        continue;
      IRBuilder<> B(Call);
      Value *Expanded = nullptr;
      if (Call->getIntrinsicID() == Intrinsic::fma && Element->isFloatTy() &&
          !Fuses)
        Expanded = expandFma(B, *Call);
      else if (isRounding(Call->getIntrinsicID()) && !Rounds)
        Expanded = expandRounding(B, *Call);
      if (!Expanded)
        continue;
      Call->replaceAllUsesWith(Expanded);
      Call->eraseFromParent();
    }
}

/// Division by a constant of up to 32 bits becomes a multiplication later.
static bool needsDivision(const BinaryOperator &Operation) {
  if (!Operation.getType()->isIntegerTy())
    return false;
  return Operation.getType()->getIntegerBitWidth() > 32 ||
         !isa<ConstantInt>(Operation.getOperand(1));
}

static void expandDivisions(Function &F) {
  SmallVector<BinaryOperator *> Divisions, Remainders;
  for (Instruction &I : instructions(F)) {
    auto *Operation = dyn_cast<BinaryOperator>(&I);
    if (!Operation || !needsDivision(*Operation))
      continue;
    unsigned Code = Operation->getOpcode();
    if (Code == Instruction::SDiv || Code == Instruction::UDiv)
      Divisions.push_back(Operation);
    if (Code == Instruction::SRem || Code == Instruction::URem)
      Remainders.push_back(Operation);
  }
  for (BinaryOperator *Division : Divisions)
    expandDivisionUpTo64Bits(Division);
  for (BinaryOperator *Remainder : Remainders)
    expandRemainderUpTo64Bits(Remainder);
}

void tenon::expandIntegerOperations(Module &Module, const HostTarget &Target) {
  if (Target.architecture != Architecture::Arm)
    return;
  for (Function &F : Module)
    expandDivisions(F);
}
