//===- sim/tlm/store.h - Timing of STORE ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// store.sv and store_read.sv: the instruction at the front takes its tokens;
// its bursts are issued while OUT is read, beats follow without a gap from one
// STORE to the next; an instruction retires when its last response is there.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_STORE_H
#define TENON_SIM_TLM_STORE_H

#include "sim/tlm/bursts.h"
#include "sim/tlm/context.h"
#include "sim/tlm/ledger.h"
#include "sim/tlm/ports.h"
#include "sim/tlm/retirement.h"

#include <functional>

namespace tenon::sim::tlm {

class Store {
public:
  /// `ordered`: as isOrdered. `retired` is called after each retirement.
  Store(Context &context, MemoryPort &port, bool ordered,
        std::function<void()> retired);

  Cycle act(Cycle now);
  bool isIdle() const { return !front && !issuing && flight == 0; }
  Ledger ledger;

private:
  // A burst whose response is not known yet.
  struct Pending {
    Transfer burst;
    const Work *work; // of its instruction, if it is the last one
    uint32_t bytes;
    uint32_t behind;
  };

  bool retire(Cycle now);
  bool issue(Cycle now);
  void start(Cycle now);
  void complete(Pending pending);
  void describe(Cycle now);
  Cycle issueFrom() const;
  Cycle lastAsked() const;

  Context &context;
  MemoryPort &port;
  const bool ordered;
  const std::function<void()> retired;
  const uint32_t mostBursts;

  const Work *front = nullptr;
  Cycle frontFrom = 0;
  uint32_t missing = 0;
  uint32_t flight = 0; // gone and not retired

  BurstWalk bursts;
  bool issuing = false;
  const Work *current = nullptr; // whose bursts go out
  Cycle askFrom = 0;
  // The port's register of two has room; the last burst leaves it.
  Cycle portFrom = 0, acceptedLast = 0;
  uint32_t issuedOfCurrent = 0, bytesOfCurrent = 0;
  std::vector<Cycle> freed; // by burst: its place in the retirement queue
  uint64_t issuedBursts = 0, completedBursts = 0;
  Queue<Pending> pendings{64};

  // How the elements of a STORE leave OUT.
  struct Reading {
    Cycle taken = 0; // it began
    uint64_t elements = 0;
    Cycle first = 0, last = 0; // beats sent
    // When its first `count` elements have been sent.
    Cycle sentBy(uint64_t count) const {
      return first + (last - first + 1) * count / elements - 1;
    }
  };

  // STOREs whose elements are not all asked for, at most four; the last two.
  static constexpr unsigned readDepth = 4;
  std::array<Cycle, readDepth> readTaken{}; // when each of the last was taken
  uint64_t reads = 0;
  Reading reading, before;
  Cycle dataFrom = 0;
  uint32_t elementBeats;

  Retirement retirement;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_STORE_H
