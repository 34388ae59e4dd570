//===- sim/tlm/fetch.h - Timing of FETCH ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// fetch.sv: bursts of eight beats into a buffer of 64 with room reserved
// before; from beats to instructions; each into its engine's queue, in order,
// stopped by a full one. What was asked for beyond FINISH is read and dropped.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_FETCH_H
#define TENON_SIM_TLM_FETCH_H

#include "sim/tlm/context.h"
#include "sim/tlm/load.h"
#include "sim/tlm/ports.h"

namespace tenon::sim::tlm {

class Fetch {
public:
  Fetch(Context &context, MemoryPort &port, ReadArbiter &arbiter,
        const Load &load);

  /// Acts in cycle `now`; the next one in which it can.
  Cycle act(Cycle now);

  /// FINISH was seen: from the cycle after `finishAt` it is known.
  bool ended() const { return finishAt != never; }
  Cycle finishAt = never;
  /// All beats have arrived and been dropped; after ended().
  Cycle finished() const;
  uint64_t dispatched() const { return next; }

private:
  static constexpr uint32_t burstBeats = 8, ring = 128;

  bool mayIssue(Cycle now) const;
  void issue(Cycle now);
  Transfer read(Transfer burst);
  void dispatch(Cycle now);
  void prepare();
  Cycle issueFrom() const;
  Cycle pop(Cycle from);

  Context &context;
  MemoryPort &port;
  ReadArbiter &arbiter;
  const Load &load;
  const uint32_t bufferBeats, beatsPerInstruction, instructionsPerBeat;

  uint64_t beat = 0; // of the next burst
  uint64_t asked = 0, known = 0, poppedBeats = 0;
  std::array<Cycle, ring> arrival; // of each beat asked for, if known
  std::array<Cycle, ring> popTime; // of each beat popped
  uint64_t next = 0;               // instruction in the stream
  uint32_t piece = 0;              // of its beat
  Cycle takenAt = 0;               // the one before, from the cycle after start
  Cycle validFrom = never;         // it can be put into its queue
  // Bursts that the memory has not accepted, if that must be waited for.
  Queue<Transfer> waiting{2};
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_FETCH_H
