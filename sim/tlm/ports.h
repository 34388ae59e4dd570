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
  bool isFree(Cycle now) const { return lastIssue != now && freeFrom <= now; }
  Cycle nextFree(Cycle now) const { return std::max(freeFrom, now + 1); }
  bool fetchWasLast() const { return fetchLast; }

  void issue(Cycle now, bool fetch, Cycle accepted) {
    lastIssue = now;
    fetchLast = fetch;
    // The one before this one has left the register for the memory.
    freeFrom = acceptedLast == never ? 0 : acceptedLast + 1;
    acceptedLast = accepted;
  }

private:
  Cycle lastIssue = never, freeFrom = 0, acceptedLast = never;
  bool fetchLast = false;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_PORTS_H
