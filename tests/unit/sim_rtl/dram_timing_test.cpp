// Part of Tenon, under the Apache License v2.0.
//
// Banked DRAM timing against calculations by hand; all times in nanoseconds
// there, cycles of 10 ns, beats of 8 bytes.

#include "sim/memory/dram_timing.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

namespace tenon::sim {
namespace {

constexpr uint32_t row = 4096, bytes = 32; // a burst takes the bus 40 ns

MemoryTiming timing() {
  MemoryTiming timing;
  timing.latency = 5;
  timing.dram.banks = 4;
  timing.dram.rowBytes = row;
  timing.dram.megabytes = 800;
  timing.dram.activate = 20000;
  timing.dram.column = 30000;
  timing.dram.precharge = 40000;
  timing.dram.rowActive = 100000;
  timing.dram.writeRecovery = 50000;
  timing.dram.readToWrite = 10000;
  timing.dram.writeToRead = 60000;
  timing.clockPicoseconds = 10000;
  return timing;
}

TEST(DramTiming, PlainIsTheLatency) {
  MemoryTiming plain;
  plain.latency = 7;
  DramTiming dram(plain, 8);
  EXPECT_EQ(dram.read(3, 12345 * 8, bytes).beat(9), 10u);
  EXPECT_EQ(dram.write(3, 0, bytes), 10u);
  EXPECT_EQ(dram.read(3, 1 << 20, bytes).first, 10u);
}

TEST(DramTiming, ClosedRowThenHit) {
  DramTiming dram(timing(), 8);
  // Opened at 0, column access at 20: two cycles more than a hit.
  EXPECT_EQ(dram.read(0, 0, bytes).first, 7u);
  EXPECT_EQ(dram.read(100, 64, bytes).first, 105u);
  // The next row is in another bank, which is closed.
  EXPECT_EQ(dram.read(200, row, bytes).first, 207u);
}

TEST(DramTiming, Conflict) {
  DramTiming dram(timing(), 8);
  dram.read(0, 0, bytes);
  // Row 4 is in bank 0 too: closed at 2000, opened at 2040, access at 2060.
  EXPECT_EQ(dram.read(200, 4 * row, bytes).first, 211u);
  // Arrives at 2010; the row opened at 2040 stays open until 2140, is closed
  // until 2180, access at 2200, data at 2230: 190 later than a hit.
  EXPECT_EQ(dram.read(201, 0, bytes).first, 225u);
}

TEST(DramTiming, ConflictAfterWriteRecovery) {
  DramTiming dram(timing(), 8);
  dram.write(0, 0, bytes);
  dram.write(100, 0, bytes);
  // Data of the last write from 1030 to 1070, its row stays until 1120; closed
  // until 1160, access at 1180 instead of 1010.
  EXPECT_EQ(dram.write(101, 4 * row, bytes), 123u);
}

TEST(DramTiming, OneBusForAllBanks) {
  DramTiming dram(timing(), 8);
  dram.read(0, 0, bytes);
  dram.read(50, row, bytes);
  EXPECT_EQ(dram.read(100, 0, bytes).first, 105u);
  // Data of the first from 1030 to 1070; the second could begin at 1040.
  EXPECT_EQ(dram.read(101, row, bytes).first, 109u);
}

TEST(DramTiming, Turnaround) {
  DramTiming dram(timing(), 8);
  dram.read(0, 0, bytes);
  EXPECT_EQ(dram.read(300, 0, bytes).first, 305u);
  // The read has the bus until 3070; the write could begin at 3040, and does
  // at 3080.
  EXPECT_EQ(dram.write(301, 64, bytes), 310u);
  // The write has it until 3120; data at 3180 instead of 3050.
  EXPECT_EQ(dram.read(302, 128, bytes).first, 320u);
}

TEST(DramTiming, Refresh) {
  MemoryTiming with = timing();
  with.dram.refreshInterval = 10000000;
  with.dram.refreshDuration = 200000;
  DramTiming dram(with, 8);
  dram.read(0, 0, bytes);
  EXPECT_EQ(dram.read(999, 0, bytes).first, 1004u);
  // Arrives at 10010, begins at 10200 and opens the row again: access at 10220.
  EXPECT_EQ(dram.read(1001, 0, bytes).first, 1027u);
  EXPECT_EQ(dram.read(1100, 0, bytes).first, 1105u);
  // Nothing was read for long: the last of 10 refreshes counts.
  EXPECT_EQ(dram.read(11000, 0, bytes).first, 11000 + 5 + 22u);
}

TEST(DramTiming, NoServiceIsLonger) {
  EXPECT_EQ(DramTiming(MemoryTiming{}, 8).longestService(bytes), 0u);
  MemoryTiming with = timing();
  with.dram.refreshInterval = 210000;
  with.dram.refreshDuration = 200000;
  DramTiming dram(with, 8);
  // Refresh 200, open for 100, closed 40, opened 20, access 30, turnaround 60,
  // bus 40.
  const uint64_t service = 49;
  EXPECT_EQ(dram.longestService(bytes), service);
  std::mt19937 random(3);
  uint64_t cycle = 0, before = 0, longest = 0;
  for (int i = 0; i < 100000; ++i) {
    cycle += random() % (random() % 8 ? 4 : 200);
    uint64_t offset = random() % 64 * row;
    uint64_t first = random() % 2 ? dram.write(cycle, offset, bytes)
                                  : dram.read(cycle, offset, bytes).first;
    uint64_t free = std::max(cycle + with.latency, before);
    ASSERT_LE(first, free + service);
    longest = std::max(longest, first - free);
    before = first;
  }
  EXPECT_GE(longest, 20u); // a refresh
}

TEST(DramTiming, SlowBusSpacesBeats) {
  MemoryTiming slow = timing();
  slow.dram.megabytes = 400; // 20 ns a beat
  DramTiming dram(slow, 8);
  ReadTimes times = dram.read(0, 0, bytes);
  EXPECT_EQ(times.first, 7u);
  EXPECT_EQ(times.beat(1), 9u);
  EXPECT_EQ(times.beat(3), 13u);
}

TEST(BeatPace, SavesUpForOneBeat) {
  MemoryTiming timing;
  timing.bytesPerCycle = 3;
  BeatPace pace(timing, 8);
  // 10 bytes by cycle 4; after a beat 2, then 5 and 8 in cycle 6.
  EXPECT_TRUE(pace.ready(4));
  pace.move(4);
  EXPECT_EQ(pace.earliest(5), 6u);
  EXPECT_FALSE(pace.ready(5));
  pace.move(6);
  EXPECT_EQ(pace.earliest(7), 9u);
}

} // namespace
} // namespace tenon::sim
