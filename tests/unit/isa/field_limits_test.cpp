// Part of Tenon, under the Apache License v2.0.
//
// What the fields of instructions hold: counted by hand in isa/tenon.isa.

#include "isa/field_limits.h"
#include "support.h"

#include "gmock/gmock.h"

namespace tenon::isa {
namespace {

TEST(FieldLimits, AreThoseOfTheEncoding) {
  Layout layout = *Layout::get(*loadConfiguration("pynq"));
  EXPECT_EQ(*largestValue(layout, "load", "x_size"), 2047u);       // 11 bits
  EXPECT_EQ(*largestValue(layout, "store", "y_stride"), 1048575u); // 20
  EXPECT_EQ(*largestValue(layout, "load", "pad_left"), 15u);       // 4
  EXPECT_EQ(*largestValue(layout, "gemm", "inner_count"), 4095u);  // 12
  // An index of 2048 micro-ops.
  EXPECT_EQ(*largestValue(layout, "alu", "uop_begin"), 2047u);
}

TEST(FieldLimits, ANameThatIsNone) {
  Layout layout = *Layout::get(*loadConfiguration("tiny"));
  EXPECT_THAT(std::string(largestValue(layout, "load", "x").status().message()),
              testing::HasSubstr(
                  "the specification has no field 'x' in format 'load'"));
  EXPECT_FALSE(largestValue(layout, "none", "x_size").ok());
}

} // namespace
} // namespace tenon::isa
