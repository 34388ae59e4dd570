//===- check_test.cpp - Comparisons bite ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/check.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace tenon;
using namespace tenon::runtime;

namespace {

TEST(Check, NamesTheFirstMismatch) {
  Check check;
  check.compare("a", std::vector<uint8_t>{1, 2, 3},
                std::vector<uint8_t>{1, 2, 3});
  check.compare("b", std::vector<uint8_t>{1, 0x80, 9},
                std::vector<uint8_t>{1, 2, 3});
  check.conclude();
  EXPECT_EQ(check.status, Check::Differs);
  EXPECT_EQ(check.tensors, 2u);
  EXPECT_EQ(check.elements, 6u);
  EXPECT_EQ(check.mismatches, 2u);
  EXPECT_EQ(check.layer, "b");
  EXPECT_EQ(check.index, 1u);
  EXPECT_EQ(check.got, -128);
  EXPECT_EQ(check.want, 2);
}

TEST(Check, DifferentLengthsAreMismatches) {
  Check check;
  check.compare("a", std::vector<uint8_t>{1}, std::vector<uint8_t>{1, 2});
  check.conclude();
  EXPECT_EQ(check.status, Check::Differs);
  EXPECT_EQ(check.mismatches, 1u);
  EXPECT_EQ(check.layer, "a");
  EXPECT_EQ(check.index, 1u);
  EXPECT_TRUE(std::isnan(check.got));
  EXPECT_EQ(check.want, 2);
}

TEST(Check, NothingComparedIsNotBitExact) {
  Check check;
  check.conclude();
  EXPECT_EQ(check.status, Check::Skipped);
  EXPECT_FALSE(check.reason.empty());
}

TEST(CompareTensors, ComparesByName) {
  NamedTensors got{{"x", {isa::INT8, {2}, {1, 2}}},
                   {"only here", {isa::INT8, {1}, {5}}}};
  NamedTensors want{{"x", {isa::INT8, {2}, {1, 3}}}};
  Check check = compareTensors(got, want);
  EXPECT_EQ(check.status, Check::Differs);
  EXPECT_EQ(check.tensors, 1u);
  EXPECT_EQ(check.layer, "x");
}

/// 1.0, 1.5 and -2.0 against 1.0, -0.0 and 0.0, by IEEE 754 in binary32.
TEST(CompareTensors, CountsElements) {
  NamedTensors got{{"x",
                    {isa::FLOAT32,
                     {3},
                     {0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0}}}};
  NamedTensors want{
      {"x",
       {isa::FLOAT32, {3}, {0, 0, 0x80, 0x3f, 0, 0, 0, 0x80, 0, 0, 0, 0}}}};
  Check check = compareTensors(got, want);
  EXPECT_EQ(check.elements, 3u);
  EXPECT_EQ(check.mismatches, 2u);
  EXPECT_EQ(check.index, 1u);
  EXPECT_EQ(check.got, 1.5);
  EXPECT_EQ(check.want, 0);
}

TEST(Difference, CountsInUnitsOfTheType) {
  Array got{isa::UINT8, {3}, {10, 200, 30}};
  Array want{isa::UINT8, {3}, {10, 203, 30}};
  Difference difference = runtime::difference(got, want);
  EXPECT_EQ(difference.largest, 3);
  EXPECT_EQ(difference.mismatches, 1u);
  EXPECT_TRUE(difference.sameTop1);
  want.bytes = {255, 203, 30};
  EXPECT_FALSE(runtime::difference(got, want).sameTop1);
  want.type = isa::INT8;
  EXPECT_EQ(runtime::difference(got, want).mismatches, 3u);
}

template <typename T>
Array arrayOf(isa::ElementType type, const std::vector<T> &values) {
  Array array{type, {int64_t(values.size())}, {}};
  array.bytes.resize(values.size() * sizeof(T));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

/// Of two arrays of a float each.
Difference ofFloats(float got, float want, const Tolerance &tolerance) {
  return runtime::difference(arrayOf<float>(isa::FLOAT32, {got}),
                             arrayOf<float>(isa::FLOAT32, {want}), tolerance);
}

TEST(Difference, OnlyAnInfinityIsNearAnInfinity) {
  const Tolerance some{1e-3, 1e-7}, any{0, INFINITY};
  EXPECT_EQ(ofFloats(5, INFINITY, some).mismatches, 1u);
  EXPECT_EQ(ofFloats(5, INFINITY, some).largest, INFINITY);
  EXPECT_EQ(ofFloats(-INFINITY, INFINITY, some).mismatches, 1u);
  EXPECT_EQ(ofFloats(INFINITY, -INFINITY, some).mismatches, 1u);
  EXPECT_EQ(ofFloats(INFINITY, 5, some).mismatches, 1u);
  EXPECT_EQ(ofFloats(NAN, INFINITY, any).mismatches, 1u);
  EXPECT_EQ(ofFloats(INFINITY, NAN, any).mismatches, 1u);
  EXPECT_EQ(ofFloats(INFINITY, INFINITY, some).mismatches, 0u);
  EXPECT_EQ(ofFloats(NAN, NAN, some).mismatches, 0u);
  EXPECT_EQ(ofFloats(5, INFINITY, any).mismatches, 0u);
}

TEST(Difference, ComparesShapes) {
  Array got{isa::UINT8, {3, 2}, {1, 2, 3, 4, 5, 6}};
  Array want{isa::UINT8, {2, 3}, {1, 2, 3, 4, 5, 6}};
  Difference difference = runtime::difference(got, want);
  EXPECT_EQ(difference.mismatches, 6u);
  EXPECT_EQ(difference.largest, INFINITY);
  EXPECT_EQ(difference.reason, "is uint8 3x2, expected uint8 2x3");
  got.shape = want.shape;
  EXPECT_EQ(runtime::difference(got, want).mismatches, 0u);
  EXPECT_EQ(runtime::difference(got, want).reason, "");
}

/// Neighbours that no double tells apart.
TEST(Difference, IsExactOfWideIntegers) {
  constexpr int64_t wide = int64_t{1} << 53;
  Difference difference =
      runtime::difference(arrayOf<int64_t>(isa::INT64, {wide, wide + 1}),
                          arrayOf<int64_t>(isa::INT64, {wide + 1, wide}));
  EXPECT_EQ(difference.mismatches, 2u);
  EXPECT_EQ(difference.largest, 1);
  EXPECT_FALSE(difference.sameTop1);
  difference = runtime::difference(
      arrayOf<uint64_t>(isa::UINT64, {UINT64_MAX - 2, 0}),
      arrayOf<uint64_t>(isa::UINT64, {UINT64_MAX, 0}), {0, 1});
  EXPECT_EQ(difference.mismatches, 1u);
  EXPECT_EQ(difference.largest, 2);
  EXPECT_TRUE(difference.sameTop1);
  difference = runtime::difference(arrayOf<int64_t>(isa::INT64, {INT64_MIN}),
                                   arrayOf<int64_t>(isa::INT64, {INT64_MAX}));
  EXPECT_EQ(difference.largest, 0x1p64);
}

} // namespace
