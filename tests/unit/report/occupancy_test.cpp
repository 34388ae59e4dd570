// Part of Tenon, under the Apache License v2.0.

#include "sim/trace/occupancy.h"

#include "gmock/gmock.h"

namespace tenon::sim {
namespace {

using testing::ElementsAre;

TEST(Occupancy, ValuesCountFromWriteToLastRead) {
  Occupancy curve(16);
  curve.retire(5, {}, {{0, 4}});          // four values
  curve.retire(12, {{0, 2}}, {});         // two are read and not again
  curve.retire(18, {{2, 3}}, {{8, 11}});  // three more, of which one is read
  curve.retire(25, {{2, 3}, {8, 9}}, {}); // entry 2 is read a last time
  curve.retire(31, {}, {{0, 16}});        // never read
  // 0: three from 5 (entry 3 is never read); 12: one; 18: two; 25: none.
  EXPECT_THAT(curve.peaks(40, 10), ElementsAre(3, 3, 2, 0));
}

TEST(Occupancy, AnAccumulatorIsOneEntryAllTheTime) {
  Occupancy curve(4);
  curve.retire(10, {}, {{1, 3}});
  curve.retire(20, {{1, 3}}, {{1, 3}});
  curve.retire(30, {{1, 3}}, {{1, 3}});
  curve.retire(40, {{1, 3}}, {});
  EXPECT_THAT(curve.peaks(50, 10), ElementsAre(0, 2, 2, 2, 0));
}

TEST(Occupancy, WhatWasThereBeforeCountsFromTheStart) {
  Occupancy curve(4);
  curve.retire(15, {{0, 1}}, {});
  EXPECT_THAT(curve.peaks(30, 10), ElementsAre(1, 1, 0));
}

TEST(Occupancy, APeakInsideABucketIsSeen) {
  Occupancy curve(100);
  curve.retire(3, {}, {{0, 90}});
  curve.retire(4, {{0, 90}}, {});
  curve.retire(8, {}, {{0, 7}});
  curve.retire(99, {{0, 7}}, {});
  EXPECT_THAT(curve.peaks(100, 50), ElementsAre(90, 7));
}

} // namespace
} // namespace tenon::sim
