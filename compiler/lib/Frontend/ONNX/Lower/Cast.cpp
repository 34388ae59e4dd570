//===- Cast.cpp - ONNX's conversions of elements -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon::frontend;

/// The least and the largest number of an integer type, in double.
static std::pair<double, double> rangeOf(IntegerType Of) {
  unsigned Width = Of.getWidth();
  if (Of.isUnsigned())
    return {0, std::ldexp(1.0, Width) - 1};
  return {-std::ldexp(1.0, Width - 1), std::ldexp(1.0, Width - 1) - 1};
}

static Value constant(OpBuilder &B, Location Loc, FloatType Type,
                      double Number) {
  APFloat Rounded(Number);
  bool Loses;
  Rounded.convert(Type.getFloatSemantics(), APFloat::rmTowardZero, &Loses);
  return arith::ConstantOp::create(B, Loc, FloatAttr::get(Type, Rounded));
}

/// Towards zero; what is outside of the type becomes its nearest number, NaN 0.
static Value toInteger(OpBuilder &B, Location Loc, Value Element,
                       IntegerType To, IntegerType Held) {
  auto Float = cast<FloatType>(Element.getType());
  if (Float.getWidth() < 32) {
    Float = B.getF32Type();
    Element = arith::ExtFOp::create(B, Loc, Float, Element);
  }
  auto [Least, Most] = rangeOf(To);
  Value Number = arith::CmpFOp::create(B, Loc, arith::CmpFPredicate::ORD,
                                       Element, Element);
  Element = arith::SelectOp::create(B, Loc, Number, Element,
                                    constant(B, Loc, Float, 0));
  Element =
      arith::MaxNumFOp::create(B, Loc, Element, constant(B, Loc, Float, Least));
  Element =
      arith::MinNumFOp::create(B, Loc, Element, constant(B, Loc, Float, Most));
  if (To.isUnsigned())
    return arith::FPToUIOp::create(B, Loc, Held, Element);
  return arith::FPToSIOp::create(B, Loc, Held, Element);
}

static Value toFloat(OpBuilder &B, Location Loc, Value Element, FloatType To) {
  auto From = cast<FloatType>(Element.getType());
  if (From == To)
    return Element;
  if (From.getWidth() == To.getWidth()) {
    Element = arith::ExtFOp::create(B, Loc, B.getF32Type(), Element);
    From = B.getF32Type();
  }
  if (From.getWidth() < To.getWidth())
    return arith::ExtFOp::create(B, Loc, To, Element);
  return arith::TruncFOp::create(B, Loc, To, Element);
}

Value Lowering::convertedElement(OpBuilder &B, Location Loc, Value Element,
                                 Type From, Type To) {
  if (From == To)
    return Element;
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
  if (isa<FloatType>(Element.getType())) {
    if (auto Integer = dyn_cast<IntegerType>(To))
      return toInteger(B, Loc, Element, Integer, cast<IntegerType>(Held));
    return toFloat(B, Loc, Element, cast<FloatType>(To));
  }
  bool IsUnsigned = From.isUnsignedInteger() || From.isInteger(1);
  if (isa<FloatType>(Held))
    return IsUnsigned ? Value(arith::UIToFPOp::create(B, Loc, Held, Element))
                      : Value(arith::SIToFPOp::create(B, Loc, Held, Element));
  unsigned Has = Element.getType().getIntOrFloatBitWidth();
  unsigned Wants = Held.getIntOrFloatBitWidth();
  if (Has == Wants)
    return Element;
  if (Has > Wants)
    return arith::TruncIOp::create(B, Loc, Held, Element);
  return IsUnsigned ? Value(arith::ExtUIOp::create(B, Loc, Held, Element))
                    : Value(arith::ExtSIOp::create(B, Loc, Held, Element));
}

Value Lowering::converted(Value Tensor, Type From, Type To) {
  if (From == To)
    return Tensor;
  return each(Tensor, heldType(To),
              [&](OpBuilder &B, Location Loc, ValueRange Elements) {
                return convertedElement(B, Loc, Elements[0], From, To);
              });
}
