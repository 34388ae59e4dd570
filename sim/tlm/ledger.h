//===- sim/tlm/ledger.h - The states of one engine --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Turns what an engine knows about its time into the intervals that
// sim/accounting.h is fed with. Of each cycle the first that holds counts:
//   1. a stall of its pipeline (bank, drain),
//   2. busy, announced for cycles to come,
//   3. memory, up to a cycle that is known or for as long as nothing changes,
//   4. the background: what the engine waits for since it last acted.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_LEDGER_H
#define TENON_SIM_TLM_LEDGER_H

#include "isa/isa.h"
#include "sim/accounting.h"
#include "sim/tlm/queues.h"

namespace tenon::sim::tlm {

class Ledger {
public:
  Ledger(Accounting &accounting, isa::Engine engine)
      : accounting(accounting), engine(unsigned(engine)) {}

  /// Busy in this cycle, in which the engine acts.
  void busyNow(Cycle now) { mark = now; }
  /// Busy in [from, to); calls come with ascending `from`.
  void busy(Cycle from, Cycle to) {
    add(busyTimes, isa::State::Busy, from, to);
  }
  /// Held up in [from, to), likewise.
  void stall(isa::State state, Cycle from, Cycle to) {
    add(stalls, state, from, to);
  }
  /// The state from the next cycle to account on.
  void background(isa::State state, uint32_t tokenWait = 0,
                  uint32_t roomWait = 0) {
    backgroundState = state;
    token = tokenWait;
    room = roomWait;
  }
  /// In front of the background, memory until `cycle`.
  void memory(Cycle until) { memoryUntil = until; }

  /// Accounts all cycles before `cycle`, which have been described.
  void advance(Cycle cycle) {
    while (cursor < cycle)
      step(cycle);
  }
  /// The engine retires an instruction in the last cycle accounted.
  void retire() {
    accounting.retireAt(engine);
    retiredAt = cursor;
  }
  /// The cycle behind the last retirement.
  Cycle lastRetirement() const { return retiredAt; }
  /// The cycle behind the last in which the engine is busy.
  Cycle lastBusy() const {
    return mark == never ? busyEnd : std::max(busyEnd, mark + 1);
  }
  isa::State waitsIn() const { return backgroundState; }
  uint32_t tokenWait() const { return token; }
  uint32_t roomWait() const { return room; }

private:
  struct Interval {
    isa::State state;
    Cycle from, to;
  };

  void add(Queue<Interval> &queue, isa::State state, Cycle from, Cycle to) {
    if (!queue.empty()) {
      Interval &last = queue.back();
      if (last.state == state && from <= last.to && from >= last.from) {
        last.to = std::max(last.to, to);
        busyEnd = std::max(busyEnd, to);
        return;
      }
      from = std::max(from, last.to);
    }
    if (from >= to)
      return;
    queue.push({state, from, to});
    busyEnd = std::max(busyEnd, to);
  }

  // The interval at the cursor, or the cycle where the next one begins.
  const Interval *at(Queue<Interval> &queue, Cycle &limit) {
    while (!queue.empty() && queue.front().to <= cursor)
      queue.pop();
    if (queue.empty())
      return nullptr;
    const Interval &first = queue.front();
    limit = std::min(limit, first.from > cursor ? first.from : first.to);
    return first.from <= cursor ? &first : nullptr;
  }

  void step(Cycle limit) {
    const Interval *interval = at(stalls, limit);
    if (!interval && mark != never && mark >= cursor)
      limit = std::min(limit, mark == cursor ? cursor + 1 : mark);
    if (!interval && mark == cursor)
      return spend(isa::State::Busy, limit, 0, 0);
    if (!interval)
      interval = at(busyTimes, limit);
    if (interval) {
      spend(interval->state, limit, 0, 0);
    } else if (memoryUntil > cursor) {
      spend(isa::State::Memory, std::min(limit, memoryUntil), 0, 0);
    } else {
      bool waits = backgroundState == isa::State::Token;
      spend(backgroundState, limit, waits ? token : 0, waits ? room : 0);
    }
  }

  void spend(isa::State state, Cycle to, uint32_t tokenMask,
             uint32_t roomMask) {
    accounting.spend(engine, unsigned(state), to - cursor, tokenMask, roomMask);
    cursor = to;
  }

  Accounting &accounting;
  const unsigned engine;
  Cycle cursor = 0; // cycles before it are accounted
  Cycle retiredAt = 0;
  Cycle mark = never; // the last cycle of busyNow
  Cycle busyEnd = 0, memoryUntil = 0;
  Queue<Interval> busyTimes{64}, stalls{64};
  isa::State backgroundState = isa::State::Empty;
  uint32_t token = 0, room = 0; // one-hot
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_LEDGER_H
