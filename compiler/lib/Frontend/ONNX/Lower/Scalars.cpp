//===- Scalars.cpp - Arithmetic on single values -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

static bool isFloat(Value Of) { return isa<FloatType>(Of.getType()); }

Value Scalars::index(int64_t Of) {
  return arith::ConstantIndexOp::create(B, Loc, Of);
}

Value Scalars::number(Type Of, double Number) {
  if (auto Float = dyn_cast<FloatType>(Of))
    return arith::ConstantOp::create(B, Loc, B.getFloatAttr(Float, Number));
  return arith::ConstantOp::create(B, Loc,
                                   B.getIntegerAttr(Of, int64_t(Number)));
}

Value Scalars::truth(bool Of) {
  return arith::ConstantOp::create(B, Loc, B.getBoolAttr(Of));
}

Value Scalars::add(Value A, Value B) {
  return isFloat(A) ? make<arith::AddFOp>(A, B) : make<arith::AddIOp>(A, B);
}
Value Scalars::sub(Value A, Value B) {
  return isFloat(A) ? make<arith::SubFOp>(A, B) : make<arith::SubIOp>(A, B);
}
Value Scalars::mul(Value A, Value B) {
  return isFloat(A) ? make<arith::MulFOp>(A, B) : make<arith::MulIOp>(A, B);
}
Value Scalars::div(Value A, Value By) {
  return isFloat(A) ? make<arith::DivFOp>(A, By) : make<arith::DivSIOp>(A, By);
}
Value Scalars::floorDiv(Value A, Value By) {
  return make<arith::FloorDivSIOp>(A, By);
}
Value Scalars::modulo(Value A, Value By) {
  Value Rest = make<arith::RemSIOp>(A, By);
  return choose(less(Rest, like(Rest, 0)), add(Rest, By), Rest);
}
Value Scalars::min(Value A, Value B) {
  return isFloat(A) ? make<arith::MinNumFOp>(A, B) : make<arith::MinSIOp>(A, B);
}
Value Scalars::max(Value A, Value B) {
  return isFloat(A) ? make<arith::MaxNumFOp>(A, B) : make<arith::MaxSIOp>(A, B);
}
Value Scalars::floor(Value A) { return make<math::FloorOp>(A); }
Value Scalars::ceil(Value A) { return make<math::CeilOp>(A); }
Value Scalars::roundEven(Value A) { return make<math::RoundEvenOp>(A); }

Value Scalars::less(Value A, Value B) {
  return isFloat(A) ? make<arith::CmpFOp>(arith::CmpFPredicate::OLT, A, B)
                    : make<arith::CmpIOp>(arith::CmpIPredicate::slt, A, B);
}
Value Scalars::atMost(Value A, Value B) {
  return isFloat(A) ? make<arith::CmpFOp>(arith::CmpFPredicate::OLE, A, B)
                    : make<arith::CmpIOp>(arith::CmpIPredicate::sle, A, B);
}
Value Scalars::equal(Value A, Value B) {
  return isFloat(A) ? make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, A, B)
                    : make<arith::CmpIOp>(arith::CmpIPredicate::eq, A, B);
}
Value Scalars::both(Value A, Value B) { return make<arith::AndIOp>(A, B); }
Value Scalars::either(Value A, Value B) { return make<arith::OrIOp>(A, B); }
Value Scalars::isNot(Value A) { return make<arith::XOrIOp>(A, truth(true)); }
Value Scalars::flipped(Value A, const APInt &Mask) {
  return make<arith::XOrIOp>(
      A,
      arith::ConstantOp::create(B, Loc, IntegerAttr::get(A.getType(), Mask)));
}
Value Scalars::choose(Value Condition, Value Then, Value Else) {
  return make<arith::SelectOp>(Condition, Then, Else);
}

Value Scalars::within(Value Index, Value Extent) {
  Value Last = sub(Extent, like(Extent, 1));
  return max(min(Index, Last), like(Extent, 0));
}

Value Scalars::isWithin(Value Index, Value Extent) {
  return both(atMost(like(Index, 0), Index), less(Index, Extent));
}

Value Scalars::toIndex(Value Integer, bool IsUnsigned) {
  if (Integer.getType().isIndex())
    return Integer;
  if (IsUnsigned)
    return make<arith::IndexCastUIOp>(B.getIndexType(), Integer);
  return make<arith::IndexCastOp>(B.getIndexType(), Integer);
}

Value Scalars::fromIndex(Value Index, Type Integer) {
  return make<arith::IndexCastOp>(Integer, Index);
}

Value Scalars::toFloat(Value Integer, Type Float) {
  if (Integer.getType().isIndex())
    Integer = fromIndex(Integer, B.getI64Type());
  return make<arith::SIToFPOp>(Float, Integer);
}

Value Scalars::floatToIndex(Value Float) {
  // Far beyond any extent, and exact in every float that has such numbers.
  double Most = Float.getType().getIntOrFloatBitWidth() < 32
                    ? 32768.0
                    : 1125899906842624.0;
  Value Kept = min(max(Float, like(Float, -Most)), like(Float, Most));
  return toIndex(make<arith::FPToSIOp>(B.getI64Type(), Kept));
}

Value Scalars::at(Value Tensor, ValueRange Indices) {
  return tensor::ExtractOp::create(B, Loc, Tensor, Indices);
}
