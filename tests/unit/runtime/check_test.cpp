//===- check_test.cpp - Comparisons bite ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/check.h"

#include "gtest/gtest.h"

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

} // namespace
