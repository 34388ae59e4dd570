//===- SmallFloats.cpp - Floats as their bits ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// How a format lays out its bits: sign, exponent, fraction.
struct Format {
  explicit Format(FloatType Of);

  int Width;
  int Fraction;    ///< bits
  int MinExponent; ///< of the least normal number
  int64_t Most;    ///< the largest finite number, as bits
  std::optional<int64_t> Infinity, NaN;

  int bias() const { return 1 - MinExponent; }
  int64_t signBit() const { return int64_t(1) << (Width - 1); }
  /// NaN stands where minus zero would.
  bool hasOneZero() const { return NaN == signBit(); }
};
} // namespace

Format::Format(FloatType Of) : Width(Of.getWidth()) {
  const llvm::fltSemantics &Semantics = Of.getFloatSemantics();
  auto Bits = [](const APFloat &Number) {
    return int64_t(Number.bitcastToAPInt().getZExtValue());
  };
  Fraction = APFloat::semanticsPrecision(Semantics) - 1;
  MinExponent = APFloat::semanticsMinExponent(Semantics);
  Most = Bits(APFloat::getLargest(Semantics));
  if (APFloat::semanticsHasInf(Semantics))
    Infinity = Bits(APFloat::getInf(Semantics));
  if (APFloat::semanticsHasNaN(Semantics))
    NaN = Bits(APFloat::getQNaN(Semantics));
}

static Type unsignedType(Scalar Like, unsigned Width) {
  return IntegerType::get(Like.builder().getContext(), Width,
                          IntegerType::Unsigned);
}

/// The bits of a float as an unsigned integer.
static Scalar bitsOf(Scalar X) {
  Type Held = X.builder().getIntegerType(X.width());
  return X.of(X.bits(Held).held(), unsignedType(X, X.width()));
}

/// 2^Exponent as bits of a format with so many bits of fraction.
static int64_t powerBits(int Exponent, int Bias, int Fraction) {
  return int64_t(Exponent + Bias) << Fraction;
}

//===----------------------------------------------------------------------===//
// To f32
//===----------------------------------------------------------------------===//

/// A power of two without sign or fraction.
static Scalar decodedExponent(Scalar Code) {
  // 2^-127, which f32 has no normal form for.
  constexpr int64_t Least = 0x00400000, NaN = 0x7fc00000;
  Scalar Shifted = Code << Code.integer(23);
  return choose(Code == Code.integer(0), Code.integer(Least),
                choose(Code == Code.integer(0xff), Code.integer(NaN), Shifted));
}

Scalar tenon::frontend::decoded(Scalar Code) {
  OpBuilder &B = Code.builder();
  auto From = cast<FloatType>(Code.element());
  Type F32 = B.getF32Type(), I32 = B.getI32Type();
  Scalar Bits =
      Code.of(Code.held(), unsignedType(Code, 8)).as(unsignedType(Code, 32));
  auto Float = [&](Scalar Bits) { return Bits.of(Bits.held(), I32).bits(F32); };
  if (isa<Float8E8M0FNUType>(From))
    return Float(decodedExponent(Bits));
  Format Of(From);
  Scalar Magnitude = Bits & Bits.integer(Of.signBit() - 1);
  Scalar Sign = (Bits & Bits.integer(Of.signBit()))
                << Bits.integer(32 - Of.Width);
  Scalar Normal =
      (Magnitude << Bits.integer(23 - Of.Fraction)) +
      Bits.integer(powerBits(127 - Of.bias(), /*Bias=*/0, /*Fraction=*/23));
  // A subnormal one is its fraction, in units of the least.
  Scalar Unit =
      Float(Bits.integer(powerBits(Of.MinExponent - Of.Fraction, 127, 23)));
  Scalar Subnormal = bitsOf(Magnitude.as(F32) * Unit);
  Scalar IsSmall = Magnitude < Bits.integer(int64_t(1) << Of.Fraction);
  Scalar Result = choose(IsSmall, Subnormal, Normal);
  if (Of.Infinity)
    Result = choose(Magnitude == Bits.integer(*Of.Infinity),
                    Bits.integer(0x7f800000), Result);
  if (Of.NaN) {
    Scalar IsNaN =
        Of.hasOneZero()
            ? Bits == Bits.integer(*Of.NaN)
            : Magnitude > Bits.integer(Of.Infinity.value_or(Of.Most));
    Result = choose(IsNaN, Bits.integer(0x7fc00000), Result);
  }
  return Float(Result | Sign);
}

//===----------------------------------------------------------------------===//
// From f32 and f64
//===----------------------------------------------------------------------===//

/// To a power of two; the sign is dropped.
static Scalar encodedExponent(Scalar X, const Narrowing &How) {
  X = X.as(X.builder().getF64Type());
  Scalar Bits = bitsOf(X);
  Bits = Bits.of(Bits.held(), X.builder().getI64Type());
  constexpr int64_t Hidden = int64_t(1) << 52;
  Scalar Magnitude = Bits & Bits.integer(llvm::maxIntN(64));
  int64_t Up = How.Exponents == Narrowing::Up     ? Hidden - 1
               : How.Exponents == Narrowing::Down ? 0
                                                  : Hidden / 2;
  // The exponent takes what the fraction carries; its bias becomes 127.
  Scalar Code = ((Magnitude + Bits.integer(Up)) >> Bits.integer(52)) -
                Bits.integer(1023 - 127);
  Scalar NaN = Bits.integer(0xff), Least = Bits.integer(0),
         Most = Bits.integer(0xfe);
  Scalar Result = choose(Code < Least, How.Saturates ? Least : NaN,
                         choose(Code > Most, How.Saturates ? Most : NaN, Code));
  return choose(isNaN(X), NaN, Result);
}

/// Without sign; what is too large is dealt with by the caller.
static Scalar roundedBits(Scalar Magnitude, Scalar X, const Format &To) {
  bool IsWide = X.width() == 64;
  int Fraction = IsWide ? 52 : 23, Bias = IsWide ? 1023 : 127;
  Scalar Shift = Magnitude.integer(Fraction - To.Fraction);
  Scalar IsOdd = (Magnitude >> Shift) & Magnitude.integer(1);
  int64_t BelowHalf = (int64_t(1) << (Fraction - To.Fraction - 1)) - 1;
  Scalar Normal =
      ((Magnitude + Magnitude.integer(BelowHalf) + IsOdd) >> Shift) -
      Magnitude.integer(powerBits(Bias - To.bias(), /*Bias=*/0, To.Fraction));
  // The last bit of this sum is the unit of subnormal numbers.
  int64_t Carrier =
      powerBits(To.MinExponent - To.Fraction + Fraction, Bias, Fraction);
  Scalar Raised = Magnitude.integer(Carrier);
  Scalar AsFloat = X.of(Raised.held(), X.builder().getIntegerType(X.width()))
                       .bits(X.element());
  Scalar Subnormal = bitsOf(abs(X) + AsFloat) - Raised;
  int64_t Least = powerBits(To.MinExponent, Bias, Fraction);
  return choose(Magnitude < Magnitude.integer(Least), Subnormal, Normal);
}

Scalar tenon::frontend::encoded(Scalar X, FloatType To, const Narrowing &How) {
  unsigned Held = To.getWidth() <= 8 ? 8 : 16;
  Type Narrow = unsignedType(X, Held);
  if (isa<Float8E8M0FNUType>(To))
    return encodedExponent(X, How).as(Narrow);
  Format Of(To);
  Scalar Bits = bitsOf(X);
  Scalar Magnitude = Bits & Bits.integer(llvm::maxIntN(int64_t(X.width())));
  Scalar Code = roundedBits(Magnitude, X, Of);
  bool Saturates = How.Saturates || !(Of.Infinity || Of.NaN);
  int64_t Above =
      Saturates ? Of.Most : Of.Infinity.value_or(Of.NaN.value_or(0));
  Code = choose(Code > Bits.integer(Of.Most), Bits.integer(Above), Code);
  // A format without NaN gives minus zero.
  Code = choose(isNaN(X), Bits.integer(Of.NaN.value_or(Of.signBit())), Code);
  Scalar Sign = (Bits >> Bits.integer(X.width() - 1))
                << Bits.integer(Of.Width - 1);
  Scalar Signed = Code | Sign;
  if (Of.hasOneZero())
    Signed = choose(Code == Bits.integer(0), Code, Signed);
  return Signed.as(Narrow);
}
