// Part of Tenon, under the Apache License v2.0.
//
// Units of one scratchpad as bits, collected in any order.

#ifndef TENON_ISA_UNIT_SET_H
#define TENON_ISA_UNIT_SET_H

#include "isa/intervals.h"

namespace tenon::isa {

/// A set of units below a limit. Whoever adds has checked the limit.
class UnitSet {
public:
  explicit UnitSet(uint64_t limit = 0) : words((limit + 63) / 64) {}

  void add(uint64_t unit) {
    words[unit / 64] |= uint64_t{1} << unit % 64;
    widen(unit / 64, unit / 64);
  }
  bool contains(uint64_t unit) const {
    return words[unit / 64] >> unit % 64 & 1;
  }
  bool intersects(const UnitSet &other) const;

  /// Adds every unit of `other`, which may be this set, plus `distance`.
  void addShifted(const UnitSet &other, uint64_t distance);

  /// The units as intervals; the set is empty afterwards.
  Units take();
  void clear();

private:
  bool isEmpty() const { return low > high; }
  void widen(uint64_t first, uint64_t last) {
    low = low < first ? low : first;
    high = high > last ? high : last;
  }

  std::vector<uint64_t> words;
  uint64_t low = ~uint64_t{0}, high = 0; // words that may hold units
};

} // namespace tenon::isa

#endif // TENON_ISA_UNIT_SET_H
