//===- Scratchpad.h - Ring allocation of scratchpads ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Regions are taken one behind the other and start over at the end of the
// memory, so that consecutive tiles lie in disjoint contexts. A region with a
// key is found again until another one overwrites it. Who may overwrite when is
// no concern of the ring: tokens order what overlaps.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_SCRATCHPAD_H
#define TENON_SCHEDULING_SCRATCHPAD_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::scheduling {

struct Range {
  uint32_t Begin = 0, Size = 0;
  uint32_t end() const { return Begin + Size; }
  bool overlaps(const Range &R) const {
    return Begin < R.end() && R.Begin < end();
  }
};

class Ring {
public:
  /// Of the entries from `First` on.
  explicit Ring(uint32_t Entries, uint32_t First = 0)
      : First(First), Entries(Entries) {}

  uint32_t entries() const { return Entries; }

  /// The next `Size` entries, at most all; forgets what they held.
  Range take(uint32_t Size) {
    if (Head + Size > Entries)
      Head = 0;
    Range R{First + Head, Size};
    Head += Size;
    for (size_t I = 0; I < Kept.size();)
      if (Kept[I].Where.overlaps(R)) {
        Kept[I] = Kept.back();
        Kept.pop_back();
      } else {
        ++I;
      }
    return R;
  }
  Range take(uint32_t Size, uint64_t Key) {
    Range R = take(Size);
    Kept.push_back({Key, R});
    return R;
  }
  /// The next `Size` entries in one piece that are none of `Used`, which
  /// Size * (Used.size() + 1) entries beside those always have.
  Range takeBeside(const std::vector<Range> &Used, uint32_t Size,
                   uint64_t Key) {
    // Behind the end the search starts over, once.
    for (size_t Tries = 0; Tries <= 2 * Used.size() + 1; ++Tries) {
      if (Head + Size > Entries)
        Head = 0;
      const Range R{First + Head, Size};
      auto InTheWay =
          std::find_if(Used.begin(), Used.end(),
                       [&](const Range &U) { return U.overlaps(R); });
      if (InTheWay == Used.end())
        break;
      Head = InTheWay->end() - First;
    }
    return take(Size, Key);
  }
  std::optional<Range> find(uint64_t Key) const {
    for (const Entry &E : Kept)
      if (E.Key == Key)
        return E.Where;
    return std::nullopt;
  }
  void forget() { Kept.clear(); }
  /// The next region is the first one: one context only.
  void rewind() { Head = 0; }

private:
  struct Entry {
    uint64_t Key;
    Range Where;
  };
  uint32_t First, Entries;
  uint32_t Head = 0;
  std::vector<Entry> Kept;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_SCRATCHPAD_H
