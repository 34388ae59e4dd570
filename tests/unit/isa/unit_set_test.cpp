// Part of Tenon, under the Apache License v2.0.
//
// Sets of units against std::set, element by element.

#include "isa/intervals.h"
#include "isa/unit_set.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

namespace tenon::isa {
namespace {

std::set<uint64_t> elements(const Units &units) {
  std::set<uint64_t> result;
  uint64_t gapEnd = 0;
  for (Interval interval : units) {
    EXPECT_LT(interval.begin, interval.end);
    EXPECT_TRUE(result.empty() || interval.begin > gapEnd) << "no gap";
    gapEnd = interval.end;
    for (uint64_t at = interval.begin; at < interval.end; ++at)
      result.insert(at);
  }
  return result;
}

TEST(UnitSet, ShiftsAreThoseOfEveryElement) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    UnitSet from(512), to(512);
    std::set<uint64_t> want, source;
    for (int i = 0; i < 5; ++i) {
      source.insert(random() % 256);
      want.insert(random() % 512);
    }
    for (uint64_t unit : source)
      from.add(unit);
    for (uint64_t unit : want)
      to.add(unit);
    uint64_t distance = random() % 256;
    to.addShifted(from, distance);
    for (uint64_t unit : source)
      want.insert(unit + distance);
    EXPECT_EQ(elements(to.take()), want);
    EXPECT_TRUE(to.take().empty());
    from.addShifted(from, distance); // to itself
    for (uint64_t unit : std::set<uint64_t>(source))
      source.insert(unit + distance);
    EXPECT_EQ(elements(from.take()), source);
  }
}

TEST(UnitSet, IntersectionNeedsACommonElement) {
  UnitSet a(200), b(200);
  EXPECT_FALSE(a.intersects(b));
  a.add(70);
  b.add(71);
  EXPECT_FALSE(a.intersects(b));
  b.add(70);
  EXPECT_TRUE(a.intersects(b));
  a.clear();
  EXPECT_FALSE(a.intersects(b));
  EXPECT_FALSE(a.contains(70));
}

TEST(IntervalSet, AnswersAsASetOfElements) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    IntervalSet set;
    std::set<uint64_t> want;
    for (int i = 0; i < 12; ++i) {
      Interval units{random() % 60, 0};
      units.end = units.begin + 1 + random() % 8;
      set.add(units);
      for (uint64_t at = units.begin; at < units.end; ++at)
        want.insert(at);
      Interval ask{random() % 60, 0};
      ask.end = ask.begin + 1 + random() % 12;
      uint64_t missing = ask.begin;
      while (missing < ask.end && want.count(missing))
        ++missing;
      auto first = want.lower_bound(ask.begin);
      EXPECT_EQ(set.firstMissing(ask), missing);
      EXPECT_EQ(set.intersects(ask), first != want.end() && *first < ask.end);
    }
  }
}

} // namespace
} // namespace tenon::isa
