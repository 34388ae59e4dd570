// Part of Tenon, under the Apache License v2.0.
//
// Values and errors of width expressions.

#include "isa/expression.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::isa {
namespace {

using ::testing::HasSubstr;

const Names names = {{"a", 12}, {"b_2", 5}, {"zero", 0}};

TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(*evaluate("a + b_2 * 3 - 8 / 2", names), 23);
  EXPECT_EQ(*evaluate("(a + b_2) * 3", names), 51);
  EXPECT_EQ(*evaluate("a - b_2 - 1", names), 6);
  EXPECT_EQ(*evaluate("100 / a / 2", names), 4);
  EXPECT_EQ(*evaluate("-a + 1", names), -11);
}

TEST(Expression, HasClog2MinMax) {
  EXPECT_EQ(*evaluate("clog2(1)", names), 0);
  EXPECT_EQ(*evaluate("clog2(2)", names), 1);
  EXPECT_EQ(*evaluate("clog2(a)", names), 4);
  EXPECT_EQ(*evaluate("clog2(1024)", names), 10);
  EXPECT_EQ(*evaluate("max(min(a, b_2), 7)", names), 7);
}

std::string errorOf(absl::string_view text) {
  auto value = evaluate(text, names);
  return value.ok() ? "" : std::string(value.status().message());
}

TEST(Expression, NamesTheColumnOfAnError) {
  EXPECT_THAT(errorOf("a + c"), HasSubstr("column 6: unknown name 'c'"));
  EXPECT_THAT(errorOf("a / zero"), HasSubstr("division by zero"));
  EXPECT_THAT(errorOf("clog2(zero)"), HasSubstr("clog2 of 0"));
  EXPECT_THAT(errorOf("a +"), HasSubstr("expected a number"));
  EXPECT_THAT(errorOf("(a"), HasSubstr("expected ')'"));
  EXPECT_THAT(errorOf("a a"), HasSubstr("unexpected text"));
  EXPECT_THAT(errorOf("foo(1)"), HasSubstr("unknown function 'foo'"));
  EXPECT_THAT(errorOf("min(1)"), HasSubstr("expected ','"));
  EXPECT_THAT(errorOf("99999999999999999999"), HasSubstr("64 bits"));
  EXPECT_THAT(errorOf("9223372036854775807 + 1"), HasSubstr("64 bits"));
  EXPECT_THAT(errorOf(std::string(1000, '(')), HasSubstr("too deeply"));
}

} // namespace
} // namespace tenon::isa
