//===- sim/tlm/retirement.h - Giving tokens and retiring in order -*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The instructions of an engine that have had their effect, or will have it in
// a cycle that is known, or will be. The head gives each of its tokens as soon
// as its channel has room and retires with the last one, one instruction a
// cycle (token_give.sv, core_order.sv).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_RETIREMENT_H
#define TENON_SIM_TLM_RETIREMENT_H

#include "sim/tlm/context.h"

namespace tenon::sim::tlm {

class Retirement {
public:
  struct Entry {
    Cycle at; // first cycle in which it may give its tokens; never: not known
    const Work *work;
    uint32_t bytes = 0;  // moved by it
    uint32_t behind = 1; // cycles it needs at least after the one before
  };

  Retirement(Context &context, isa::Engine engine)
      : context(context), engine(engine) {}

  void push(const Entry &entry) {
    if (entries.empty())
      owed = entry.work->signals;
    entries.push(entry);
  }
  /// The number of the entry that is pushed next.
  uint32_t end() const { return entries.end(); }
  /// An entry may give its tokens from `at` on, which was not known.
  void complete(uint32_t number, Cycle at) { entries.at(number).at = at; }
  bool empty() const { return entries.empty(); }
  uint32_t size() const { return entries.size(); }
  const Entry &head() { return entries.front(); }
  bool isDue(Cycle now) { return !entries.empty() && headAt() <= now; }
  bool isFresh() const { return !begun; }

  /// Gives what the head owes, if it is due; whether it may retire: then `pop`.
  bool give(Cycle now) {
    begun = true;
    owed = context.giveTokens(engine, owed, now);
    return owed == 0;
  }
  void pop(Cycle now) {
    entries.pop();
    begun = false;
    last = now;
    if (!entries.empty())
      owed = entries.front().work->signals;
  }
  /// The channels without room that the head waits for.
  uint32_t blocked() const { return begun ? owed : 0; }

  /// The next cycle in which something may happen, after `now`.
  Cycle next(Cycle now) {
    if (entries.empty() || blocked())
      return never;
    return std::max(headAt(), now + 1);
  }

private:
  Cycle headAt() {
    const Entry &entry = entries.front();
    return last == never ? entry.at : std::max(entry.at, last + entry.behind);
  }

  Context &context;
  const isa::Engine engine;
  Queue<Entry> entries{64};
  uint32_t owed = 0;
  bool begun = false; // the head has tried to give
  Cycle last = never; // retirement
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_RETIREMENT_H
