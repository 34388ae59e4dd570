// Part of Tenon, under the Apache License v2.0.
//
// Who has touched the units of one space last: for every unit the last writer
// and each engine's last reader since. That is enough to find a conflict that
// nothing orders: if every conflict so far was ordered, who is behind the last
// writer is behind all that came before it.

#ifndef TENON_ISA_VERIFIER_LAST_ACCESSES_H
#define TENON_ISA_VERIFIER_LAST_ACCESSES_H

#include "isa/intervals.h"
#include "isa/isa.h"

#include <array>
#include <map>

namespace tenon::isa {

class LastAccesses {
public:
  /// Records that instruction `index` of `engine` reads the units. Calls
  /// visit(index of the earlier instruction, whether that wrote, interval) for
  /// each conflict with an access of another engine.
  template <typename Visit>
  void read(Interval units, Engine engine, uint32_t index, Visit &&visit) {
    auto it = splitAt(units.begin);
    while (units.begin < units.end) {
      it = cover(it, units);
      uint64_t end = it->second.end;
      visitWriter(it, engine, visit);
      it->second.readers[size_t(engine)] = index;
      units.begin = end;
      ++it;
    }
  }

  /// The same for a write, which conflicts with reads as well.
  template <typename Visit>
  void write(Interval units, Engine engine, uint32_t index, Visit &&visit) {
    auto it = splitAt(units.begin);
    while (it != spans.end() && it->first < units.end) {
      if (it->second.end > units.end)
        splitAt(units.end);
      visitWriter(it, engine, visit);
      for (uint32_t e = 0; e < engineCount; ++e)
        if (Engine(e) != engine && it->second.readers[e] != none)
          visit(it->second.readers[e], false,
                Interval{it->first, it->second.end});
      it = spans.erase(it);
    }
    spans.emplace_hint(it, units.begin,
                       Span{units.end, index, engine, noReaders});
  }

private:
  static constexpr uint32_t none = ~uint32_t{0};
  static constexpr std::array<uint32_t, engineCount> noReaders{none, none, none,
                                                               none};
  /// Units from its key to `end`, all with the same past.
  struct Span {
    uint64_t end;
    uint32_t writer;
    Engine writerEngine;
    std::array<uint32_t, engineCount> readers;
  };
  using Spans = std::map<uint64_t, Span>;

  /// Makes a span begin at `unit` if one holds it; the first span from there.
  Spans::iterator splitAt(uint64_t unit) {
    auto it = spans.lower_bound(unit);
    if (it == spans.begin())
      return it;
    auto before = std::prev(it);
    if (before->second.end <= unit)
      return it;
    Span rest = before->second;
    before->second.end = unit;
    return spans.emplace_hint(it, unit, rest);
  }

  /// The span that begins at units.begin and does not reach beyond units.end;
  /// `it` is the first span from there.
  Spans::iterator cover(Spans::iterator it, Interval units) {
    if (it == spans.end() || it->first > units.begin) {
      uint64_t end =
          it == spans.end() ? units.end : std::min(units.end, it->first);
      return spans.emplace_hint(it, units.begin,
                                Span{end, none, Engine::Load, noReaders});
    }
    if (it->second.end > units.end)
      splitAt(units.end);
    return it;
  }

  template <typename Visit>
  static void visitWriter(Spans::iterator it, Engine engine, Visit &visit) {
    const Span &span = it->second;
    if (span.writer != none && span.writerEngine != engine)
      visit(span.writer, true, Interval{it->first, span.end});
  }

  Spans spans;
};

} // namespace tenon::isa

#endif // TENON_ISA_VERIFIER_LAST_ACCESSES_H
