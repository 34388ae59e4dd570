// Part of Tenon, under the Apache License v2.0.

#include "isa/intervals.h"

#include <algorithm>

namespace tenon::isa {

void IntervalSet::add(Interval units) {
  auto it = ends.upper_bound(units.end);
  while (it != ends.begin()) {
    auto before = std::prev(it);
    if (before->second < units.begin)
      break;
    if (before->first <= units.begin && before->second >= units.end)
      return;
    units.begin = std::min(units.begin, before->first);
    units.end = std::max(units.end, before->second);
    it = ends.erase(before);
  }
  ends[units.begin] = units.end;
}

bool IntervalSet::intersects(Interval units) const {
  auto after = ends.lower_bound(units.end);
  return after != ends.begin() && std::prev(after)->second > units.begin;
}

uint64_t IntervalSet::firstMissing(Interval units) const {
  auto after = ends.upper_bound(units.begin);
  if (after == ends.begin() || std::prev(after)->second <= units.begin)
    return units.begin;
  return std::min(std::prev(after)->second, units.end);
}

} // namespace tenon::isa
