//===- noise_test.cpp - What quantisation adds to a tensor
//---------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Noise.h"

#include "gtest/gtest.h"

using tenon::quantization::Noise;

namespace {

TEST(Noise, IsTheRatioOfAllRuns) {
  Noise N;
  const float First[] = {3, 0}, Near[] = {3, 1};
  N.add(First, Near, 2);
  const float Second[] = {-1, 0}, Nearer[] = {-1, 0};
  N.add(Second, Nearer, 2);
  EXPECT_DOUBLE_EQ(N.decibels(), 10); // (9 + 1) / 1
}

TEST(Noise, NoneIsInfinite) {
  Noise N;
  EXPECT_TRUE(std::isinf(N.decibels()));
  const float Same[] = {1, 2};
  N.add(Same, Same, 2);
  EXPECT_TRUE(std::isinf(N.decibels()));
}

TEST(Noise, WhatIsNotFiniteDoesNotCount) {
  Noise N;
  const float Infinite = std::numeric_limits<float>::infinity();
  const float From[] = {10, Infinite}, To[] = {9, 1};
  N.add(From, To, 2);
  EXPECT_DOUBLE_EQ(N.decibels(), 20);
}

} // namespace
