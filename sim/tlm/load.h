//===- sim/tlm/load.h - Timing of LOAD --------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// load.sv and load_write.sv: the instruction at the front takes its tokens; its
// bursts are issued while data of those before it arrive, up to 64 bursts and
// 256 beats ahead; data and padding are written; instructions retire in order.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_LOAD_H
#define TENON_SIM_TLM_LOAD_H

#include "sim/tlm/acc_writes.h"
#include "sim/tlm/bursts.h"
#include "sim/tlm/context.h"
#include "sim/tlm/ledger.h"
#include "sim/tlm/ports.h"
#include "sim/tlm/retirement.h"

namespace tenon::sim::tlm {

class Load {
public:
  Load(Context &context, MemoryPort &port, ReadArbiter &arbiter);

  Cycle act(Cycle now);
  /// Whether it has a burst for the read port in this cycle.
  bool asks(Cycle now) const { return issuing && askFrom <= now; }
  bool isIdle() const { return !front && flight == 0; }
  /// What it writes into ACC in the cycles before `knownUntil(now)`, after it
  /// has acted in `now`; never: it will write nothing more.
  Cycle knownUntil(Cycle now);
  AccWrites accWrites;
  Ledger ledger;

private:
  // The LOADs whose addresses are going out or waiting to: the walk over their
  // elements begins when the one before is written.
  struct Walk {
    const Work *work;
    Cycle go;
  };
  struct Interval {
    Cycle from, to;
  };

  bool retire(Cycle now);
  bool issue(Cycle now);
  Transfer read(Transfer burst, bool last);
  void readWaiting(Cycle now);
  void start(Cycle now);
  Region regionOf(const isa::Load &load, uint32_t &skip) const;
  const isa::Load *accWalk();
  void finishWalks();
  void finishWalk(const Walk &walk, Cycle dataDone);
  Cycle paddingDone(const isa::Load &load, Cycle start) const;
  Cycle afterFree(Cycle at, uint64_t count) const;
  Cycle walkStart(const Walk &walk) const;
  void note(const Transfer &burst);
  Cycle limitedUntil();
  void describe(Cycle now);

  Context &context;
  MemoryPort &port;
  ReadArbiter &arbiter;
  const uint32_t aheadBeats = 256, aheadBursts;

  const Work *front = nullptr; // waits for its tokens
  Cycle frontFrom = 0;
  uint32_t missing = 0;
  uint32_t flight = 0; // gone and not retired

  BurstWalk bursts;
  bool issuing = false;
  Cycle askFrom = 0;    // the next burst, if issuing
  uint32_t skipped = 0; // beats dropped of those between two elements
  uint32_t elementBeats = 1;
  Queue<Walk> walks{64}; // not written; the last is the one that is issuing
  Cycle written = 0;     // the walk before the first of `walks` ends
  bool anyWritten = false;
  std::vector<Interval> data; // beats of the first walk
  Cycle lastBeat = 0;

  // Bursts issued, to tell how many beats and bursts are under way: the cycles
  // of those that have been read.
  struct Issued {
    uint64_t end; // beats issued with it
    uint32_t beats;
    Cycle first, last;
  };
  static constexpr uint32_t ring = 512;
  std::array<Issued, ring> issued;
  uint64_t issuedBursts = 0, issuedBeats = 0, oldest = 0;
  uint64_t readBursts = 0; // whose beats are known
  // Those that the memory has not accepted, if that must be waited for.
  struct Waiting {
    Transfer burst;
    bool last; // of its instruction
  };
  Queue<Waiting> waiting{2};

  // The LOAD whose elements `accWrites` walks over; by LOAD, the next one into
  // ACC and the next one there with padding.
  const Work *accWork = nullptr;
  struct Ahead {
    uint32_t acc, padded;
  };
  std::vector<Ahead> ahead;

  Retirement retirement;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_LOAD_H
