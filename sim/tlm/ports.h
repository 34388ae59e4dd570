//===- sim/tlm/ports.h - How FETCH and the engines reach memory -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The SystemC side of a master: one transaction a burst. Which socket it leaves
// through is the system's business (system.h).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_PORTS_H
#define TENON_SIM_TLM_PORTS_H

#include "sim/tlm/memory.h"

#include <array>

namespace tenon::sim::tlm {

class MemoryPort {
public:
  virtual ~MemoryPort() = default;
  virtual void transport(Transfer &transfer) = 0;
};

/// The read port's address side, shared by FETCH and LOAD (axi_read.sv): one
/// burst a cycle; FETCH's go first, but never twice in a row while LOAD has
/// one; a register of two that the memory has not accepted is full.
class ReadArbiter {
public:
  /// `ordered`: as isOrdered.
  explicit ReadArbiter(bool ordered) : ordered(ordered) {}

  bool isFree(Cycle now) const { return lastIssue != now && freeFrom <= now; }
  Cycle nextFree(Cycle now) const { return std::max(freeFrom, now + 1); }
  bool fetchWasLast() const { return fetchLast; }

  /// A burst enters the register. If it cannot be put before the memory at
  /// once, then in the cycle that `due` names.
  void issue(Cycle now, bool fetch) {
    lastIssue = now;
    fetchLast = fetch;
    if (ordered) {
      freeFrom = count ? never : now + 1;
      waiting[count++] = {fetch, now};
    }
  }
  const bool ordered;

  // ---- not ordered
  /// The memory accepts, or will accept, the burst that was issued last.
  void accept(Cycle accepted) {
    // The one before this one has left the register for the memory.
    freeFrom = acceptedLast == never ? 0 : acceptedLast + 1;
    acceptedLast = accepted;
  }

  // ---- ordered
  /// The cycle in which the memory accepts the oldest burst; never, if that
  /// belongs to the other one.
  Cycle due(bool fetch) const {
    return count && waiting[0].fetch == fetch ? oldestFrom() : never;
  }
  /// The memory accepts the oldest burst, and the next one from `next` on.
  void leave(Agenda &agenda, Cycle now, Cycle next) {
    memoryFrom = next;
    waiting[0] = waiting[1];
    if (--count == 0)
      return;
    freeFrom = now + 1;
    agenda.wake(FetchActor, freeFrom);
    agenda.wake(LoadActor, freeFrom);
    agenda.wake(waiting[0].fetch ? FetchActor : LoadActor, oldestFrom());
  }

private:
  struct Waiting {
    bool fetch;
    Cycle issue;
  };

  Cycle oldestFrom() const {
    return std::max(memoryFrom, waiting[0].issue + 1);
  }

  Cycle lastIssue = never, freeFrom = 0, acceptedLast = never;
  bool fetchLast = false;
  std::array<Waiting, 2> waiting{};
  uint32_t count = 0;
  Cycle memoryFrom = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_PORTS_H
