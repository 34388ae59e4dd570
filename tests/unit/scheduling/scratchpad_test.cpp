// Part of Tenon, under the Apache License v2.0.

#include "tenon/Scheduling/Scratchpad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tenon::scheduling {

static bool operator==(const Range &a, const Range &b) {
  return a.Begin == b.Begin && a.Size == b.Size;
}

static std::ostream &operator<<(std::ostream &out, const Range &range) {
  return out << "[" << range.Begin << ", " << range.end() << ")";
}

namespace {

TEST(Ring, FindsWhatNothingHasOverwritten) {
  Ring ring(4, /*First=*/10);
  EXPECT_EQ(ring.take(3, 1), (Range{10, 3}));
  EXPECT_EQ(ring.find(1), (Range{10, 3}));
  EXPECT_EQ(ring.take(2, 2), (Range{10, 2})); // not in two pieces
  EXPECT_EQ(ring.find(1), std::nullopt);
  EXPECT_EQ(ring.find(2), (Range{10, 2}));
}

// What was found is used beside what is taken next.
TEST(Ring, TakesBesideWhatIsInUse) {
  Ring ring(4, /*First=*/10);
  ring.take(1, 1);
  const Range used = ring.take(2, 2);
  ring.take(1, 3);
  ring.take(1, 4); // the ring goes on at `used`
  EXPECT_EQ(ring.takeBeside({used}, 1, 5), (Range{13, 1}));
  EXPECT_EQ(ring.find(2), used);
  EXPECT_EQ(ring.find(3), std::nullopt);
}

TEST(Ring, HasRoomBesideWhatIsInUse) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  auto below = [&](uint32_t most) { return uint32_t(random() % most); };
  for (int trial = 0; trial < 10000; ++trial) {
    const uint32_t size = 1 + below(4), first = below(100);
    std::vector<Range> used(below(4));
    uint32_t entries = size * (used.size() + 1);
    for (Range &range : used)
      entries += range.Size = 1 + below(5);
    // In any order, with what is free anywhere between them.
    uint32_t at = first, free = size * (used.size() + 1);
    for (Range &range : used) {
      const uint32_t gap = below(free + 1);
      free -= gap;
      range.Begin = at + gap;
      at = range.end();
    }
    std::shuffle(used.begin(), used.end(), random);
    Ring ring(entries, first);
    for (uint32_t i = below(10); i > 0; --i)
      ring.take(1 + below(entries));
    const Range taken = ring.takeBeside(used, size, 1);
    EXPECT_GE(taken.Begin, first);
    EXPECT_LE(taken.end(), first + entries);
    EXPECT_EQ(taken.Size, size);
    for (const Range &range : used)
      EXPECT_FALSE(range.overlaps(taken)) << range << " " << taken;
  }
}

} // namespace
} // namespace tenon::scheduling
