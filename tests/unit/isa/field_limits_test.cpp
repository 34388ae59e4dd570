// Part of Tenon, under the Apache License v2.0.
//
// What the fields of instructions and registers hold: counted by hand in
// isa/tenon.isa and hw/rtl.

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

// PROGRAM has 28 bits of beats; of 8 GiB of addresses, or 2^29 beats where
// those are more, 4 GiB may lie before the DRAM.
TEST(FieldLimits, OfALaunch) {
  struct Case {
    const char *configuration;
    uint64_t lastProgramOffset, dramGiB;
  };
  for (Case c : {Case{"tiny", 1073741820, 4},
                 {"pynq", 2147483640, 4},
                 {"wide", 8589934560, 12},
                 {"huge", 17179869120, 28}}) {
    Layout layout = *Layout::get(*loadConfiguration(c.configuration));
    EXPECT_EQ(lastProgramOffset(layout), c.lastProgramOffset);
    EXPECT_EQ(mostDramBytes(layout), c.dramGiB << 30) << c.configuration;
  }
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
