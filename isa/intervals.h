// Part of Tenon, under the Apache License v2.0.
//
// Ranges of units (elements, micro-ops, bytes), and sets of them.

#ifndef TENON_ISA_INTERVALS_H
#define TENON_ISA_INTERVALS_H

#include <cstdint>
#include <map>
#include <vector>

namespace tenon::isa {

/// [begin, end), not empty.
struct Interval {
  uint64_t begin = 0;
  uint64_t end = 0;
};
inline bool operator==(const Interval &a, const Interval &b) {
  return a.begin == b.begin && a.end == b.end;
}

/// The units of a space: ascending intervals with a gap between any two.
using Units = std::vector<Interval>;

/// A set of units that only grows. Work is logarithmic in its intervals.
class IntervalSet {
public:
  void add(Interval units);
  bool intersects(Interval units) const;
  /// The first of `units` that is not in the set; units.end where all are.
  uint64_t firstMissing(Interval units) const;

private:
  std::map<uint64_t, uint64_t> ends; // begin to end; a gap between any two
};

} // namespace tenon::isa

#endif // TENON_ISA_INTERVALS_H
