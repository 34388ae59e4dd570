//===- parameters_test.cpp - Scale and zero point
//---------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Parameters.h"

#include "gtest/gtest.h"

using namespace tenon::quantization;

namespace {

TEST(Parameters, CoverTheRangeWithAnExactZero) {
  const Parameters P = parametersOf({-1, 4.1}, {});
  EXPECT_FLOAT_EQ(P.Scale, 5.1 / 255);
  EXPECT_EQ(P.ZeroPoint, -78); // -128 + 1 / 0.02
  EXPECT_EQ(P.quantize(0), P.ZeroPoint);
  EXPECT_EQ(P.dequantize(P.ZeroPoint), 0);
  EXPECT_EQ(P.quantize(-1), -128);
  EXPECT_EQ(P.quantize(4.1f), 127);
  EXPECT_EQ(P.quantize(-100), -128);
  EXPECT_EQ(P.quantize(100), 127);
}

/// What ReLU left begins at the least integer.
TEST(Parameters, OneSidedRangesReachZero) {
  EXPECT_EQ(parametersOf({2, 6}, {}).ZeroPoint, -128);
  EXPECT_FLOAT_EQ(parametersOf({2, 6}, {}).Scale, 6. / 255);
  EXPECT_EQ(parametersOf({-6, -2}, {}).ZeroPoint, 127);
}

TEST(Parameters, TiesGoToEven) {
  Parameters P;
  EXPECT_EQ(P.quantize(0.5f), 0);
  EXPECT_EQ(P.quantize(1.5f), 2);
  EXPECT_EQ(P.quantize(-2.5f), -2);
}

TEST(Parameters, OfNothing) {
  EXPECT_EQ(parametersOf({}, {}).Scale, 1);
  EXPECT_EQ(parametersOf({0, 0}, {}).ZeroPoint, 0);
}

TEST(Parameters, SymmetricAndPowersOfTwo) {
  const Parameters P = parametersOf({-1, 4}, {8, /*Symmetric=*/true, false});
  EXPECT_EQ(P.ZeroPoint, 0);
  EXPECT_FLOAT_EQ(P.Scale, 4. / 127);
  const Parameters Q = parametersOf({-1, 4}, {8, true, /*PowerOfTwo=*/true});
  EXPECT_EQ(Q.Scale, 1. / 16); // 4 / 127 is less, 1 / 32 would cut it off
  // 2^-5 is a power of two already.
  EXPECT_EQ(parametersOf({0, 255. / 32}, {8, false, true}).Scale, 1. / 32);
  const Parameters Wide = parametersOf({-1, 4}, {16, false, false});
  EXPECT_FLOAT_EQ(Wide.Scale, 5. / 65535);
  EXPECT_EQ(Wide.quantize(-1), -32768);
  EXPECT_EQ(Wide.quantize(4), 32767);
}

} // namespace
