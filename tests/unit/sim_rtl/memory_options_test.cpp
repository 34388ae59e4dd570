// Part of Tenon, under the Apache License v2.0.
//
// The text form of the memory's timing.

#include "sim/memory/memory_options.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::sim {
namespace {

using ::testing::HasSubstr;

TEST(MemoryOptions, EmptyTextIsTheDefault) {
  auto timing = parseMemoryTiming("");
  ASSERT_TRUE(timing.ok()) << timing.status();
  EXPECT_EQ(timing->latency, 32u);
  EXPECT_EQ(timing->bytesPerCycle, 0u);
  EXPECT_EQ(timing->outstanding, 64u);
}

TEST(MemoryOptions, KeysInAnyOrder) {
  auto timing = parseMemoryTiming("outstanding=3,latency=100");
  ASSERT_TRUE(timing.ok()) << timing.status();
  EXPECT_EQ(timing->latency, 100u);
  EXPECT_EQ(timing->bytesPerCycle, 0u);
  EXPECT_EQ(timing->outstanding, 3u);
}

TEST(MemoryOptions, PrintsWhatItParses) {
  MemoryTiming timing;
  timing.latency = 7;
  timing.bytesPerCycle = 6;
  timing.outstanding = 5;
  EXPECT_EQ(printMemoryTiming(timing),
            "latency=7,bytes-per-cycle=6,outstanding=5");
  auto parsed = parseMemoryTiming(printMemoryTiming(timing));
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(*parsed == timing);
}

TEST(MemoryOptions, PresetAndItsOverrides) {
  auto timing = parseMemoryTiming("trp-ps=20000,dram=ddr3-1066,latency=9");
  ASSERT_TRUE(timing.ok()) << timing.status();
  EXPECT_EQ(timing->latency, 9u);
  EXPECT_EQ(timing->dram.banks, 8u);
  EXPECT_EQ(timing->dram.megabytes, 4264u);
  EXPECT_EQ(timing->dram.precharge, 20000u);
  EXPECT_EQ(timing->dram.refreshInterval, 7800000u);
  EXPECT_EQ(printMemoryTiming(*timing),
            "latency=9,bytes-per-cycle=0,outstanding=64,dram=ddr3-1066,"
            "trp-ps=20000");
}

TEST(MemoryOptions, EveryPresetPrintsAndParses) {
  ASSERT_GE(dramPresets().size(), 3u);
  for (absl::string_view name : dramPresets()) {
    std::string text = "dram=" + std::string(name);
    auto timing = parseMemoryTiming(text);
    ASSERT_TRUE(timing.ok()) << timing.status();
    EXPECT_THAT(printMemoryTiming(*timing), HasSubstr(text));
    auto again = parseMemoryTiming(printMemoryTiming(*timing));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(*again == *timing);
  }
}

TEST(MemoryOptions, RefreshEndsBeforeTheNext) {
  for (const char *text :
       {"dram=ddr3-1066,trefi-ps=160001", "dram=ddr3-1066,trefi-ps=0"})
    EXPECT_TRUE(parseMemoryTiming(text).ok()) << text;
}

TEST(MemoryOptions, ErrorsNameTheKey) {
  struct Case {
    const char *text, *message;
  };
  for (Case c : {Case{"latncy=3", "unknown key \"latncy\"; expected latency, "
                                  "bytes-per-cycle, outstanding"},
                 Case{"latency=0", "latency must be a number from 1 to 100000, "
                                   "found \"0\""},
                 Case{"latency=many", "found \"many\""},
                 Case{"latency", "latency must be a number"},
                 Case{"latency=-1", "found \"-1\""},
                 Case{"latency=4\t", "found \"4\t\""},
                 Case{"bytes-per-cycle=2000",
                      "bytes-per-cycle must be a number from 0 to 1024"},
                 Case{"outstanding=0", "outstanding must be"},
                 Case{"latency=1,latency=1", "latency is given twice"},
                 Case{"dram=sdram", "unknown dram \"sdram\"; expected "
                                    "ddr3-1066, ddr4-2400, lpddr4-3200"},
                 Case{"banks=8", "banks needs dram="},
                 Case{"dram=ddr3-1066,banks=6", "banks must be a power of two"},
                 Case{"dram=ddr3-1066,row-bytes=2048",
                      "row-bytes must be a number from 4096"},
                 Case{"dram=ddr3-1066,trefi-ps=160000",
                      "trefi-ps must be 0 or more than trfc-ps, which is "
                      "160000, found 160000"},
                 Case{"trfc-ps=7800000,dram=ddr3-1066",
                      "which is 7800000, found 7800000"},
                 Case{"latency=1,", "unknown key \"\""}}) {
    auto timing = parseMemoryTiming(c.text);
    EXPECT_FALSE(timing.ok()) << c.text;
    EXPECT_THAT(std::string(timing.status().message()), HasSubstr(c.message));
  }
}

} // namespace
} // namespace tenon::sim
