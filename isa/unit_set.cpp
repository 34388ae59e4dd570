// Part of Tenon, under the Apache License v2.0.

#include "isa/unit_set.h"

#include <algorithm>

namespace tenon::isa {

bool UnitSet::intersects(const UnitSet &other) const {
  uint64_t end = std::min(words.size(), other.words.size());
  for (uint64_t w = std::max(low, other.low);
       w <= std::min(high, other.high) && w < end; ++w)
    if (words[w] & other.words[w])
      return true;
  return false;
}

// From the last word down, so that a set can be added to itself.
void UnitSet::addShifted(const UnitSet &other, uint64_t distance) {
  if (other.isEmpty())
    return;
  uint64_t first = other.low + distance / 64;
  uint64_t last =
      std::min<uint64_t>(other.high + (distance + 63) / 64, words.size() - 1);
  uint64_t bits = distance % 64;
  for (uint64_t w = last + 1; w-- > first;) {
    uint64_t from = w - distance / 64;
    uint64_t word = from <= other.high ? other.words[from] << bits : 0;
    if (bits && from > other.low)
      word |= other.words[from - 1] >> (64 - bits);
    words[w] |= word;
  }
  widen(first, last);
}

Units UnitSet::take() {
  Units units;
  for (uint64_t w = low; w <= high && w < words.size(); ++w) {
    uint64_t word = words[w];
    words[w] = 0;
    while (word) {
      uint64_t first = __builtin_ctzll(word);
      uint64_t rest = ~(word >> first);
      uint64_t length = rest ? __builtin_ctzll(rest) : 64;
      uint64_t begin = w * 64 + first;
      if (!units.empty() && units.back().end == begin)
        units.back().end = begin + length;
      else
        units.push_back({begin, begin + length});
      if (first + length >= 64)
        break;
      word &= ~uint64_t{0} << (first + length);
    }
  }
  low = ~uint64_t{0};
  high = 0;
  return units;
}

void UnitSet::clear() {
  if (!isEmpty())
    std::fill(words.begin() + low, words.begin() + high + 1, 0);
  low = ~uint64_t{0};
  high = 0;
}

} // namespace tenon::isa
