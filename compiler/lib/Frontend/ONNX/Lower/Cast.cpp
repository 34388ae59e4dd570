//===- Cast.cpp - ONNX's conversions of elements -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

static Value constant(OpBuilder &B, Location Loc, FloatType Type,
                      double Number) {
  return arith::ConstantOp::create(B, Loc, FloatAttr::get(Type, Number));
}

/// The float nearest to the least or the largest number of `Of`, from inside.
static Value bound(OpBuilder &B, Location Loc, FloatType Type, IntegerType Of,
                   bool IsMost) {
  auto Number = IsMost ? APSInt::getMaxValue(Of.getWidth(), Of.isUnsigned())
                       : APSInt::getMinValue(Of.getWidth(), Of.isUnsigned());
  APFloat Inside(Type.getFloatSemantics());
  Inside.convertFromAPInt(Number, Number.isSigned(), APFloat::rmTowardZero);
  return arith::ConstantOp::create(B, Loc, FloatAttr::get(Type, Inside));
}

/// Floats of 16 bits as f32.
static Value atLeastF32(OpBuilder &B, Location Loc, Value Element) {
  return Element.getType().getIntOrFloatBitWidth() < 32
             ? Value(arith::ExtFOp::create(B, Loc, B.getF32Type(), Element))
             : Element;
}

/// Towards zero; what is outside of the type becomes the nearest float that is
/// inside, NaN 0.
static Value toInteger(OpBuilder &B, Location Loc, Value Element,
                       IntegerType To, IntegerType Held) {
  auto Float = cast<FloatType>(Element.getType());
  Value Number = arith::CmpFOp::create(B, Loc, arith::CmpFPredicate::ORD,
                                       Element, Element);
  Element = arith::SelectOp::create(B, Loc, Number, Element,
                                    constant(B, Loc, Float, 0));
  Element = arith::MaxNumFOp::create(
      B, Loc, Element, bound(B, Loc, Float, To, /*IsMost=*/false));
  Element = arith::MinNumFOp::create(B, Loc, Element,
                                     bound(B, Loc, Float, To, /*IsMost=*/true));
  if (To.isUnsigned())
    return arith::FPToUIOp::create(B, Loc, Held, Element);
  return arith::FPToSIOp::create(B, Loc, Held, Element);
}

/// The same; what is outside of the type becomes its nearest number.
static Value toNearestInteger(OpBuilder &B, Location Loc, Value Element,
                              IntegerType To, IntegerType Held) {
  Element = atLeastF32(B, Loc, Element);
  auto Float = cast<FloatType>(Element.getType());
  Value Result = toInteger(B, Loc, Element, To, Held);
  // The largest number may be none of the floats; the one behind it is.
  unsigned Bits = To.getWidth() - !To.isUnsigned();
  if (Bits <= Float.getFPMantissaWidth())
    return Result;
  Value IsBehind =
      arith::CmpFOp::create(B, Loc, arith::CmpFPredicate::OGE, Element,
                            constant(B, Loc, Float, std::ldexp(1.0, Bits)));
  APInt Most = APInt::getLowBitsSet(Held.getWidth(), Bits);
  return arith::SelectOp::create(
      B, Loc, IsBehind,
      arith::ConstantOp::create(B, Loc, IntegerAttr::get(Held, Most)), Result);
}

static bool isNarrow(Type Of) {
  auto Float = dyn_cast<FloatType>(Of);
  return Float && Float.getWidth() < 16;
}

/// From f16 on.  f64 is rounded once, by its bits: no host has an instruction
/// for it.
static Value toFloat(OpBuilder &B, Location Loc, Value Element, FloatType To,
                     const Narrowing &How) {
  auto From = cast<FloatType>(Element.getType());
  if (From == To)
    return Element;
  if (isNarrow(To) || To.getWidth() < 32) {
    Element = atLeastF32(B, Loc, Element);
    From = cast<FloatType>(Element.getType());
  }
  if (isNarrow(To) || (From.isF64() && To.getWidth() < 32)) {
    Narrowing ToInfinity = {/*Saturates=*/false, Narrowing::Up};
    Scalar Bits = encoded(Scalar(B, Loc, Element, From), To,
                          isNarrow(To) ? How : ToInfinity);
    return isNarrow(To) ? Bits.held() : Bits.bits(To).held();
  }
  if (From.getWidth() < To.getWidth())
    return arith::ExtFOp::create(B, Loc, To, Element);
  return arith::TruncFOp::create(B, Loc, To, Element);
}

/// Higher bits are discarded; integers of less than 8 bits are held by value.
static Value toNarrowerInteger(OpBuilder &B, Location Loc, Value Element,
                               IntegerType To) {
  Type Held = heldType(To);
  if (Element.getType() != Held)
    Element = arith::TruncIOp::create(B, Loc, Held, Element);
  if (To.getWidth() >= 8)
    return Element;
  Scalar X(B, Loc, Element, To);
  Scalar Unused = X.integer(8 - To.getWidth());
  return ((X << Unused) >> Unused).held();
}

/// Floats as f32; of f64 its own.
static Value integerToFloat(OpBuilder &B, Location Loc, Value Element,
                            bool IsUnsigned, FloatType To) {
  Type Held = To.getWidth() < 32 ? B.getF32Type() : To;
  return IsUnsigned ? Value(arith::UIToFPOp::create(B, Loc, Held, Element))
                    : Value(arith::SIToFPOp::create(B, Loc, Held, Element));
}

Value Lowering::convertedElement(OpBuilder &B, Location Loc, Value Element,
                                 Type From, Type To, const Narrowing &How) {
  if (From == To)
    return Element;
  if (isNarrow(From)) {
    Element = decoded(Scalar(B, Loc, Element, From)).held();
    From = B.getF32Type();
  }
  Type Held = heldType(To);
  if (To.isInteger(1)) {
    if (auto Float = dyn_cast<FloatType>(Element.getType()))
      return arith::CmpFOp::create(B, Loc, arith::CmpFPredicate::UNE, Element,
                                   constant(B, Loc, Float, 0));
    Value Zero = arith::ConstantOp::create(
        B, Loc, IntegerAttr::get(Element.getType(), 0));
    return arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::ne, Element,
                                 Zero);
  }
  bool IsUnsigned = From.isUnsignedInteger() || From.isInteger(1);
  if (auto Float = dyn_cast<FloatType>(To)) {
    if (isa<IntegerType>(Element.getType()))
      Element = integerToFloat(B, Loc, Element, IsUnsigned, Float);
    return toFloat(B, Loc, Element, Float, How);
  }
  auto Integer = cast<IntegerType>(To);
  if (isa<FloatType>(Element.getType()) && Integer.getWidth() < 8) {
    // Of less than 8 bits ONNX has the nearest integer, half to even; by way of
    // wider ones, whose higher bits are discarded.
    Element = atLeastF32(B, Loc, Element);
    Element = math::RoundEvenOp::create(B, Loc, Element);
    From = B.getI32Type();
    Element = toInteger(B, Loc, Element, B.getI32Type(), B.getI32Type());
  }
  if (isa<FloatType>(Element.getType()))
    return toNearestInteger(B, Loc, Element, Integer, cast<IntegerType>(Held));
  if (From.getIntOrFloatBitWidth() >= Integer.getWidth())
    return toNarrowerInteger(B, Loc, Element, Integer);
  if (Element.getType() == Held)
    return toNarrowerInteger(B, Loc, Element, Integer);
  return IsUnsigned ? Value(arith::ExtUIOp::create(B, Loc, Held, Element))
                    : Value(arith::ExtSIOp::create(B, Loc, Held, Element));
}

Value Lowering::converted(Value Tensor, Type From, Type To,
                          const Narrowing &How) {
  if (From == To)
    return Tensor;
  return each(Tensor, heldType(To),
              [&](OpBuilder &B, Location Loc, ValueRange Elements) {
                return convertedElement(B, Loc, Elements[0], From, To, How);
              });
}
