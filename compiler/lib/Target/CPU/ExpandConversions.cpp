//===- ExpandConversions.cpp - Between kinds of numbers -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// LLVM calls a library for conversions that a target has no instruction for,
// and leaves open what becomes of a number that no integer of the type is near:
// the targets differ. Here the first are calls of Math/conversions.c, and the
// second is the nearest integer, or 0 of a NaN.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

#include <cmath>

using namespace llvm;
using tenon::isa::Architecture;
using tenon::isa::HostTarget;

namespace {

class Expander {
public:
  Expander(Module &M, const HostTarget &Target)
      : M(M), Target(Target), Small(Type::getInt16Ty(M.getContext())) {}

  /// What stands for the conversion, or null for one of another kind.
  Value *expand(CastInst &Cast);

private:
  bool hasHalves() const;
  bool has(absl::string_view Feature) const {
    return is_contained(Target.features, Feature);
  }
  Value *expandVector(IRBuilder<> &B, CastInst &Cast);
  Value *narrowHere(IRBuilder<> &B, Value *From);
  Value *extend(IRBuilder<> &B, Value *From, Type *To);
  Value *truncate(IRBuilder<> &B, Value *From, Type *To);
  Value *toInteger(IRBuilder<> &B, CastInst &Cast);
  Value *fromInteger(IRBuilder<> &B, Value *From, bool IsSigned, Type *To);
  Value *call(IRBuilder<> &B, const Twine &Name, Type *Result, Value *Operand);

  Module &M;
  const HostTarget &Target;
  Type *Small;
};

} // namespace

static StringRef nameOf(Type *T) {
  return T->isHalfTy()     ? "f16"
         : T->isBFloatTy() ? "bf16"
         : T->isFloatTy()  ? "f32"
                           : "f64";
}

/// 64-bit Arm converts between halves and any float. x86 has F16C between
/// halves and floats alone, and what LLVM makes of halves there calls a library
/// for doubles: so it never sees them but in the conversions of vectors.
bool Expander::hasHalves() const {
  return Target.architecture == Architecture::AArch64;
}

/// F16C's conversion of as many floats as a register holds, or null. LLVM's own
/// operation would not stay what it is: arithmetic in front of it becomes
/// arithmetic of halves, which no register of these has.
Value *Expander::narrowHere(IRBuilder<> &B, Value *From) {
  auto *T = cast<FixedVectorType>(From->getType());
  auto *Halves = FixedVectorType::get(Small, std::max(T->getNumElements(), 8u));
  Value *ToEven = B.getInt32(0);
  switch (T->getNumElements()) {
  case 16:
    if (!has("avx512f"))
      return nullptr;
    return B.CreateIntrinsic(
        Intrinsic::x86_avx512_mask_vcvtps2ph_512, {},
        {From, ToEven, Constant::getNullValue(Halves), B.getInt16(0xffff)});
  case 8:
    return B.CreateIntrinsic(Intrinsic::x86_vcvtps2ph_256, {}, {From, ToEven});
  case 4:
    return B.CreateShuffleVector(
        B.CreateIntrinsic(Intrinsic::x86_vcvtps2ph_128, {}, {From, ToEven}),
        {0, 1, 2, 3});
  default:
    return nullptr;
  }
}

/// Of vectors, which tiles of results are made of.
Value *Expander::expandVector(IRBuilder<> &B, CastInst &Cast) {
  Value *From = Cast.getOperand(0);
  auto *T = dyn_cast<FixedVectorType>(Cast.getType());
  const bool Widens = Cast.getOpcode() == Instruction::FPExt &&
                      From->getType()->getScalarType()->isHalfTy();
  const bool Narrows = Cast.getOpcode() == Instruction::FPTrunc &&
                       Cast.getType()->getScalarType()->isHalfTy();
  if (!T || hasHalves() || !(Widens || Narrows))
    return nullptr;
  if (has("f16c")) {
    if (Widens)
      return nullptr;
    if (Value *Narrow = narrowHere(B, From))
      return B.CreateBitCast(Narrow, T);
  }
  Value *Result = PoisonValue::get(T);
  for (unsigned I = 0; I < T->getNumElements(); ++I) {
    Value *Element = B.CreateExtractElement(From, I);
    Element = Widens ? extend(B, Element, T->getElementType())
                     : truncate(B, Element, T->getElementType());
    Result = B.CreateInsertElement(Result, Element, I);
  }
  return Result;
}

Value *Expander::call(IRBuilder<> &B, const Twine &Name, Type *Result,
                      Value *Operand) {
  FunctionCallee Function = M.getOrInsertFunction(
      ("tenon_" + Name).str(),
      FunctionType::get(Result, {Operand->getType()}, false));
  return B.CreateCall(Function, {Operand});
}

Value *Expander::extend(IRBuilder<> &B, Value *From, Type *To) {
  Type *T = From->getType();
  if (!T->is16bitFPTy() || (T->isHalfTy() && hasHalves()))
    return B.CreateFPExt(From, To);
  return call(B, nameOf(To) + "_from_" + nameOf(T), To,
              B.CreateBitCast(From, Small));
}

Value *Expander::truncate(IRBuilder<> &B, Value *From, Type *To) {
  Type *T = From->getType();
  if (!To->is16bitFPTy() || (To->isHalfTy() && hasHalves()))
    return B.CreateFPTrunc(From, To);
  return B.CreateBitCast(
      call(B, nameOf(To) + "_from_" + nameOf(T), Small, From), To);
}

/// What Arm has an instruction for. Of LLVM's intrinsic, x86's code generator
/// makes branches, and no vectors.
static Value *saturate(IRBuilder<> &B, Value *From, bool IsSigned, Type *To) {
  unsigned Bits = To->getIntegerBitWidth();
  APInt Least = IsSigned ? APInt::getSignedMinValue(Bits) : APInt(Bits, 0);
  APInt Most =
      IsSigned ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits);
  // Both are exact: 0 or a power of two.
  auto number = [&](double Of) { return ConstantFP::get(From->getType(), Of); };
  double Magnitude = std::ldexp(1.0, int(Bits) - IsSigned);
  Value *Low = number(IsSigned ? -Magnitude : 0), *High = number(Magnitude);
  Value *IsLow = B.CreateFCmpOLT(From, Low);
  Value *IsHigh = B.CreateFCmpOGE(From, High);
  // NaNs are neither, and 0.
  Value *IsWithin =
      B.CreateAnd(B.CreateFCmpOGE(From, Low), B.CreateFCmpOLT(From, High));
  Value *Within = B.CreateSelect(IsWithin, From, number(0));
  Value *Result =
      IsSigned ? B.CreateFPToSI(Within, To) : B.CreateFPToUI(Within, To);
  Result = B.CreateSelect(IsLow, ConstantInt::get(To, Least), Result);
  return B.CreateSelect(IsHigh, ConstantInt::get(To, Most), Result);
}

Value *Expander::toInteger(IRBuilder<> &B, CastInst &Cast) {
  const bool IsSigned = Cast.getOpcode() == Instruction::FPToSI;
  Type *To = Cast.getDestTy();
  Value *From = Cast.getOperand(0);
  if (From->getType()->is16bitFPTy())
    From = extend(B, From, B.getFloatTy());
  if (To->isIntegerTy(64) && Target.architecture == Architecture::Arm)
    return call(B, (IsSigned ? "i" : "u") + Twine("64_from_f64"), To,
                B.CreateFPExt(From, B.getDoubleTy()));
  if (Target.architecture == Architecture::X86_64)
    return saturate(B, From, IsSigned, To);
  return B.CreateIntrinsic(IsSigned ? Intrinsic::fptosi_sat
                                    : Intrinsic::fptoui_sat,
                           {To, From->getType()}, {From});
}

Value *Expander::fromInteger(IRBuilder<> &B, Value *From, bool IsSigned,
                             Type *To) {
  // Integers of 32 bits are exact in doubles; of more, a float comes between.
  if (To->is16bitFPTy()) {
    Type *Wide = From->getType()->getIntegerBitWidth() > 32 ? B.getFloatTy()
                                                            : B.getDoubleTy();
    return truncate(B, fromInteger(B, From, IsSigned, Wide), To);
  }
  if (From->getType()->isIntegerTy(64) &&
      Target.architecture == Architecture::Arm)
    return call(B, nameOf(To) + "_from_" + (IsSigned ? "i64" : "u64"), To,
                From);
  return IsSigned ? B.CreateSIToFP(From, To) : B.CreateUIToFP(From, To);
}

Value *Expander::expand(CastInst &Cast) {
  IRBuilder<> B(&Cast);
  if (Cast.getType()->isVectorTy())
    return expandVector(B, Cast);
  switch (Cast.getOpcode()) {
  case Instruction::FPExt:
    return extend(B, Cast.getOperand(0), Cast.getDestTy());
  case Instruction::FPTrunc:
    return truncate(B, Cast.getOperand(0), Cast.getDestTy());
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return toInteger(B, Cast);
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return fromInteger(B, Cast.getOperand(0),
                       Cast.getOpcode() == Instruction::SIToFP,
                       Cast.getDestTy());
  default:
    return nullptr;
  }
}

void tenon::expandConversions(Module &Module, const HostTarget &Target) {
  Expander E(Module, Target);
  SmallVector<CastInst *> Casts;
  for (Function &F : Module)
    for (Instruction &I : instructions(F))
      if (auto *Cast = dyn_cast<CastInst>(&I))
        Casts.push_back(Cast);
  for (CastInst *Cast : Casts)
    if (Value *Expanded = E.expand(*Cast)) {
      Cast->replaceAllUsesWith(Expanded);
      Cast->eraseFromParent();
    }
}
