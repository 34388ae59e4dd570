//===- Conversions.cpp - Other element types -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../ElementTypes.h"
#include "Formulas.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Cast, CastLike
//===----------------------------------------------------------------------===//

/// The element type that the attribute `to` names.
static FailureOr<Type> targetType(Lowering &L) {
  FailureOr<int64_t> Number = L.N.integer("to", 0);
  if (failed(Number))
    return failure();
  Type To = elementType(L.B.getContext(), *Number);
  if (!To || !heldType(To))
    return L.error() << "it converts to " << describeElement(*Number)
                     << ", expected a type of numbers or BOOL";
  return To;
}

static FailureOr<Narrowing> narrowing(Lowering &L) {
  FailureOr<int64_t> Saturates = L.N.integer("saturate", 1);
  FailureOr<std::string> Mode = L.N.string("round_mode", "up");
  if (failed(Saturates) || failed(Mode))
    return failure();
  auto Rounding = llvm::StringSwitch<std::optional<Narrowing::Rounding>>(*Mode)
                      .Case("up", Narrowing::Up)
                      .Case("down", Narrowing::Down)
                      .Case("nearest", Narrowing::Nearest)
                      .Default(std::nullopt);
  if (!Rounding)
    return L.error() << "round_mode is '" << *Mode
                     << "', expected 'up', 'down' or 'nearest'";
  return Narrowing{*Saturates != 0, *Rounding};
}

static LogicalResult lowerTo(Lowering &L, Type To) {
  FailureOr<Narrowing> How = narrowing(L);
  if (failed(How))
    return failure();
  const Plain &In = L.in(0);
  return L.define({L.converted(In.Tensor, In.Element, To, *How), To});
}

static LogicalResult lowerCast(Lowering &L) {
  FailureOr<Type> To = targetType(L);
  return failed(To) ? failure() : lowerTo(L, *To);
}

static LogicalResult lowerCastLike(Lowering &L) {
  return lowerTo(L, L.in(1).Element);
}

//===----------------------------------------------------------------------===//
// BitCast
//===----------------------------------------------------------------------===//

/// An integer of as many bits; BOOL is one of 8.
static IntegerType bitsOf(Type Of) {
  unsigned Width = Of.isInteger(1) ? 8 : Of.getIntOrFloatBitWidth();
  return IntegerType::get(Of.getContext(), Width, IntegerType::Unsigned);
}

static LogicalResult lowerBitCast(Lowering &L) {
  FailureOr<Type> To = targetType(L);
  if (failed(To))
    return failure();
  const Plain &In = L.in(0);
  Type From = In.Element;
  if (bitsOf(From) != bitsOf(*To))
    return L.error() << "its input is " << describeType(From)
                     << " and its result " << describeType(*To)
                     << ", which have not as many bits";
  Value Result = L.each(
      In.Tensor, heldType(*To), [&](OpBuilder &B, Location Loc, ValueRange X) {
        Scalar Bits(B, Loc, X[0], From);
        if (From.isInteger(1))
          Bits = Bits.as(bitsOf(From));
        else if (isa<FloatType>(Bits.held().getType()))
          Bits = Bits.bits(B.getIntegerType(Bits.width()));
        Bits = Bits.of(Bits.held(), bitsOf(From));
        // Behind those of 2 or 4 bits are others where they are held.
        if (unsigned Width = bitsOf(From).getWidth(); Width < 8)
          Bits = Bits & Bits.integer((1 << Width) - 1);
        if (isa<FloatType>(heldType(*To)))
          return Bits.bits(*To).held();
        // Floats of 8 bits and less are held as their bits.
        return Bits.as(isa<FloatType>(*To) ? bitsOf(*To) : *To).held();
      });
  return L.define({Result, *To});
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

/// Of inference: nothing is dropped.
static LogicalResult lowerDropout(Lowering &L) {
  if (L.has(2)) {
    auto Training = L.integers(2);
    if (!Training || llvm::any_of(*Training, [](int64_t Is) { return Is; }))
      return L.error() << "it is in training mode, which drops at random: "
                          "leave training_mode out or store false";
  }
  const Plain &In = L.in(0);
  if (failed(L.define(In)))
    return failure();
  if (L.N.outputCount() < 2)
    return success();
  // The mask was of the input's type once.
  Type Mask = L.N.opset() < 10 ? In.Element : Type(L.B.getI1Type());
  return L.define(
      1, L.filled(L.extentsOf(In.Tensor), L.number(heldType(Mask), 1)), Mask);
}

ArrayRef<LoweredOperator> tenon::frontend::conversionOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "BitCast", 26, lowerBitCast},
      {"", "Cast", 6, lowerCast},
      {"", "CastLike", 15, lowerCastLike},
      {"", "Dropout", 7, lowerDropout},
  };
  return Table;
}
