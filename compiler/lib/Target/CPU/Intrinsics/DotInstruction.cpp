//===- DotInstruction.cpp - Products of bytes by what a host has ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "DotInstruction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tenon;

/// Sums that `Instruction` leaves of the four products of a result.
static int64_t partialSums(DotInstruction Instruction) {
  switch (Instruction) {
  case DotInstruction::None:
    return 4;
  case DotInstruction::Pairs:
    return 2;
  case DotInstruction::Quads:
  case DotInstruction::SignedQuads:
    return 1;
  }
  llvm_unreachable("an instruction");
}

int64_t DotWriter::lanes(const RegisterFile &Registers) {
  return std::max<int64_t>(
      Registers.VectorBits / 32 / partialSums(Registers.Dot), 1);
}

/// Fewer results than fill the smallest register are multiplied without.
static DotInstruction fitting(DotInstruction Instruction, int64_t Lanes) {
  return Lanes * partialSums(Instruction) * 32 >= 128 ? Instruction
                                                      : DotInstruction::None;
}

DotWriter::DotWriter(OpBuilder &B, Location Loc, DotInstruction Instruction,
                     int64_t Lanes, int32_t ZeroPoint)
    : B(B), Loc(Loc), Instruction(fitting(Instruction, Lanes)), Lanes(Lanes),
      ZeroPoint(ZeroPoint), Partial(partialSums(this->Instruction)) {}

VectorType DotWriter::vector(int64_t Count, unsigned Bits) {
  return VectorType::get({Count}, B.getIntegerType(Bits));
}

Value DotWriter::zero() {
  auto Type = vector(Lanes * Partial, 32);
  return arith::ConstantOp::create(B, Loc, Type, B.getZeroAttr(Type));
}

/// `Bytes` with their sign bits turned: plus 128, without a sign.
static Value flip(OpBuilder &B, Location Loc, Value Bytes) {
  Value Signs = arith::ConstantOp::create(
      B, Loc,
      DenseElementsAttr::get(cast<VectorType>(Bytes.getType()),
                             APInt::getSignMask(8)));
  return arith::XOrIOp::create(B, Loc, Bytes, Signs);
}

Value DotWriter::activations(Value Bytes) {
  unsigned Bits = 32 / (4 / Partial);
  if (Instruction == DotInstruction::SignedQuads)
    return repeat(Bytes, Bits);
  // One instruction loads, repeats and flips them.
  if (Bits == 8)
    return flip(B, Loc, repeat(Bytes, Bits));
  return repeat(
      arith::ExtUIOp::create(B, Loc, vector(4, Bits), flip(B, Loc, Bytes)),
      Bits);
}

Value DotWriter::repeat(Value Four, unsigned Bits) {
  // As one number, where there is one so wide.
  if (4 * Bits > 64) {
    SmallVector<int64_t> Order;
    for (int64_t I = 0; I < 4 * Lanes; ++I)
      Order.push_back(I % 4);
    return vector::ShuffleOp::create(B, Loc, Four, Four, Order);
  }
  Value One = vector::BitCastOp::create(B, Loc, vector(1, 4 * Bits), Four);
  One = vector::ExtractOp::create(B, Loc, One, 0);
  Value All = vector::BroadcastOp::create(B, Loc, vector(Lanes, 4 * Bits), One);
  return vector::BitCastOp::create(B, Loc, vector(4 * Lanes, Bits), All);
}

Value DotWriter::weights(Value Bytes) {
  unsigned Bits = 32 / (4 / Partial);
  auto Type = vector(4 * Lanes, Bits);
  if (Bits == 8)
    return Bytes;
  Value Wide = arith::ExtSIOp::create(B, Loc, Type, Bytes);
  if (!ZeroPoint)
    return Wide;
  Value Zero = arith::ConstantOp::create(
      B, Loc, DenseElementsAttr::get(Type, APInt(Bits, ZeroPoint, true)));
  return arith::SubIOp::create(B, Loc, Wide, Zero);
}

/// x86's sums of two products of 16 bits.
static StringRef pairsIntrinsic(int64_t Sums) {
  return Sums == 16  ? "llvm.x86.avx512.pmaddw.d.512"
         : Sums == 8 ? "llvm.x86.avx2.pmadd.wd"
                     : "llvm.x86.sse2.pmadd.wd";
}

/// And of four of bytes, and a sum; with and without AVX-512.
static StringRef quadsIntrinsic(int64_t Sums) {
  return Sums == 16  ? "llvm.x86.avx512.vpdpbusd.512"
         : Sums == 8 ? "llvm.x86.avx512.vpdpbusd.256"
                     : "llvm.x86.avx512.vpdpbusd.128";
}

Value tenon::multiplyNeighbours(OpBuilder &B, Location Loc,
                                DotInstruction Instruction, Value Sum, Value X,
                                Value W) {
  int64_t Sums = cast<VectorType>(Sum.getType()).getNumElements();
  auto call = [&](StringRef Intrinsic, ValueRange Operands) {
    return LLVM::CallIntrinsicOp::create(B, Loc, Sum.getType(),
                                         B.getStringAttr(Intrinsic), Operands)
        .getResult(0);
  };
  if (Instruction == DotInstruction::Quads)
    return call(quadsIntrinsic(Sums), {Sum, X, W});
  if (Instruction == DotInstruction::SignedQuads)
    return call("llvm.aarch64.neon.sdot.v4i32.v16i8", {Sum, X, W});
  return arith::AddIOp::create(B, Loc, Sum, call(pairsIntrinsic(Sums), {X, W}));
}

Value DotWriter::step(Value Sum, Value Activations, Value Weights) {
  if (Instruction != DotInstruction::None)
    return multiplyNeighbours(B, Loc, Instruction, Sum, Activations, Weights);
  Value Products = arith::MulIOp::create(B, Loc, Activations, Weights);
  return arith::AddIOp::create(B, Loc, Sum, Products);
}

Value DotWriter::step(Value Sum, Value Activations) {
  auto Type = cast<VectorType>(Activations.getType());
  Value Ones = arith::ConstantOp::create(
      B, Loc, DenseElementsAttr::get(Type, APInt(8, 1)));
  return step(Sum, Activations, Ones);
}

Value DotWriter::offsets(Value Sum, Value Weights) {
  auto All = [&](Type T, APInt Number) {
    return arith::ConstantOp::create(
        B, Loc, DenseElementsAttr::get(cast<VectorType>(T), Number));
  };
  if (Instruction == DotInstruction::SignedQuads) {
    // No byte with a sign is 128.
    Value Half = All(Weights.getType(), APInt(8, 64));
    Sum = step(step(Sum, Half, Weights), Half, Weights);
  } else {
    Sum = step(Sum, All(Weights.getType(), APInt::getSignMask(8)), Weights);
  }
  if (!ZeroPoint)
    return Sum;
  Value OfZero = All(Sum.getType(), APInt(32, 4 * 128 * ZeroPoint, true));
  return arith::SubIOp::create(B, Loc, Sum, OfZero);
}

Value DotWriter::finish(Value Sum, Value OfActivations) {
  if (OfActivations) {
    auto Type = cast<VectorType>(Sum.getType());
    Value Zero = arith::ConstantOp::create(
        B, Loc, DenseElementsAttr::get(Type, APInt(32, ZeroPoint, true)));
    Value Less = arith::MulIOp::create(B, Loc, OfActivations, Zero);
    Sum = arith::SubIOp::create(B, Loc, Sum, Less);
  }
  for (int64_t Each = Partial; Each > 1; Each /= 2) {
    SmallVector<int64_t> Even, Odd;
    for (int64_t I = 0; I < Lanes * Each; I += 2) {
      Even.push_back(I);
      Odd.push_back(I + 1);
    }
    Sum = arith::AddIOp::create(
        B, Loc, vector::ShuffleOp::create(B, Loc, Sum, Sum, Even),
        vector::ShuffleOp::create(B, Loc, Sum, Sum, Odd));
  }
  return Lanes == 1 ? Value(vector::ExtractOp::create(B, Loc, Sum, 0)) : Sum;
}
