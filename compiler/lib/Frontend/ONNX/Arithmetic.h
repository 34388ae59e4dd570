//===- Arithmetic.h - Scales to TOSA's integers -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// TOSA 1.0, apply_scale_32 with SINGLE_ROUND:
//   rescale(v, multiplier, shift) = (v*multiplier + 2^(shift-1)) >> shift
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_ARITHMETIC_H
#define TENON_LIB_FRONTEND_ONNX_ARITHMETIC_H

#include <cstdint>
#include <optional>

namespace tenon::frontend {

struct MultiplierShift {
  int32_t Multiplier; // 0 .. 2^31 - 1
  int8_t Shift;       // 2 .. 62
};

/// The identity as a rescale.
constexpr MultiplierShift UnitScale{1 << 30, 30};

/// The nearest 31-bit multiplier of a positive real scale; none when the scale
/// is 2^29 or more, which TOSA cannot express.
std::optional<MultiplierShift> multiplierShift(double Scale);

/// Of a sum that becomes Low to High: what the float product sum * Factor,
/// rounded half way to even, becomes, as onnxruntime has it.  A result begins
/// at the same sums for as many results as one multiplier can, those nearest
/// to 0 first; beyond that the multiplier is the nearest to `Scale`, which is
/// `Factor` before it was rounded.  None as above.
std::optional<MultiplierShift> floatMultiplierShift(double Scale, float Factor,
                                                    int64_t Low, int64_t High);

/// a*First + b*Second, rounded by one shift: the scales of a quantised addition
/// with at most 21 bits each, so that the sum fits 32.
struct AdditionScale {
  int32_t First, Second;
  int8_t Shift; // 2 .. 62
};

/// none when a ratio is outside of what the shift can express.
std::optional<AdditionScale> additionScale(double First, double Second);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_ARITHMETIC_H
