//===- sim/tlm/memory.h - The memory port, a burst at a time ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The port's registers (axi_read.sv, axi_write.sv) and the DRAM behind it
// (sim/memory/dram_timing.h), for whole bursts: when the address is accepted,
// when the first and the last beat move, when the response comes.
//
// Reads: an address that enters the port's register in cycle t is accepted in
// t + 1, the beats leave the memory from then + latency on, one a cycle, in the
// order of the addresses, and are taken a cycle later, or as late as the master
// is ready for them; two that are not taken hold up the rest.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_MEMORY_H
#define TENON_SIM_TLM_MEMORY_H

#include "sim/memory/dram_timing.h"
#include "sim/tlm/clock.h"

#include <vector>

namespace tenon::sim::tlm {

/// One burst; `in` from the master, `out` from the memory.
struct Transfer {
  enum Step { Read, WriteRequest, WriteComplete };
  // in
  Step step = Read;
  uint64_t offset = 0; // in DRAM, bytes
  uint32_t beats = 0;
  Cycle issue = 0; // the address enters the port's register
  Cycle from = 0;  // read: the master takes data; write: it has them
  // out
  Cycle accepted = 0;
  Cycle first = 0, last = 0; // beats taken by the master, or by the memory
  Cycle response = 0;        // WriteComplete: seen by the master
  Cycle next = 0;            // read: the first cycle that may accept another
};

/// Whether what a burst takes depends on those before it. Then a read must be
/// asked for in the cycle in which it is accepted, a WriteComplete in that of
/// its last beat and before the read of the same cycle; else as soon as it is
/// issued.
inline bool isOrdered(const MemoryTiming &timing) {
  return timing.dram.banks != 0;
}

class Memory {
public:
  Memory(const MemoryTiming &timing, uint32_t beatBytes)
      : beatBytes(beatBytes), dram(timing, beatBytes),
        readPace(timing, beatBytes), writePace(timing, beatBytes),
        reads(timing.outstanding), writes(timing.outstanding) {}

  void transfer(Transfer &burst) {
    switch (burst.step) {
    case Transfer::Read:
      return read(burst);
    case Transfer::WriteRequest:
      return writeRequest(burst);
    case Transfer::WriteComplete:
      return writeComplete(burst);
    }
  }

private:
  // Cycles of the memory before the first of the launch: the machine clears its
  // counters in one (sim/rtl/model.cpp). Refresh comes by the memory's clock.
  static constexpr Cycle memoryBefore = 1;

  // The bursts accepted and not answered. The end of one may be told after
  // others were accepted, but before the one that takes its place.
  class Outstanding {
  public:
    explicit Outstanding(uint32_t limit) : ends(std::max(limit, 1u)) {}
    // The first cycle from `cycle` on in which one more is accepted.
    Cycle accept(Cycle cycle) {
      accepted = std::max({cycle, ends[begun], accepted + 1});
      begun = behind(begun);
      return accepted;
    }
    // The first cycle in which one more may be accepted.
    Cycle next() const { return std::max(ends[begun], accepted + 1); }
    // The place of the oldest one is free from `cycle` on.
    void end(Cycle cycle) {
      ends[ended] = cycle;
      ended = behind(ended);
    }

  private:
    size_t behind(size_t place) const {
      return place + 1 == ends.size() ? 0 : place + 1;
    }

    std::vector<Cycle> ends; // by place: of the burst that had it last
    size_t begun = 0, ended = 0;
    Cycle accepted = 0;
  };

  void read(Transfer &burst) {
    burst.accepted = reads.accept(burst.issue + 1);
    ReadTimes times = dram.read(burst.accepted + memoryBefore, burst.offset,
                                burst.beats * beatBytes);
    times.first -= memoryBefore;
    Cycle moved = readBeat(times.first, burst.from);
    burst.first = taken;
    if (!readPace.limited() && times.interval == 0) {
      readAtPace(burst.beats - 1, moved);
    } else {
      for (uint32_t i = 1; i < burst.beats; ++i)
        moved = readBeat(times.beat(i), burst.from);
    }
    burst.last = taken;
    reads.end(lastMoved + 1);
    burst.next = reads.next();
  }

  // One beat, from `due` on; the master takes it from `ready` on.
  Cycle readBeat(Cycle due, Cycle ready) {
    Cycle moved = std::max({due, lastMoved + 1, takenBefore + 1});
    moved = readPace.earliest(moved);
    readPace.move(moved);
    takenBefore = taken;
    taken = std::max({moved + 1, taken + 1, ready});
    return lastMoved = moved;
  }

  // `beats` further ones of a burst, one a cycle.
  void readAtPace(uint32_t beats, Cycle moved) {
    if (beats == 0)
      return;
    Cycle first = taken;
    taken += beats;
    takenBefore = taken - 1;
    lastMoved =
        beats == 1 ? moved + 1 : std::max(moved + beats, first + beats - 1);
  }

  void writeRequest(Transfer &burst) {
    burst.accepted = writes.accept(burst.issue + 1);
    // Through the port's register; the memory takes them behind the address.
    Cycle moved =
        std::max({burst.from + 1, burst.accepted + 1, lastWritten + 1});
    if (!writePace.limited()) {
      burst.first = moved;
      burst.last = moved + burst.beats - 1;
    } else {
      for (uint32_t i = 0; i < burst.beats; ++i) {
        moved = writePace.earliest(i == 0 ? moved : moved + 1);
        writePace.move(moved);
        burst.first = i == 0 ? moved : burst.first;
      }
      burst.last = moved;
    }
    lastWritten = burst.last;
  }

  void writeComplete(Transfer &burst) {
    Cycle answered = dram.write(burst.last + memoryBefore, burst.offset,
                                burst.beats * beatBytes) -
                     memoryBefore;
    lastAnswered = std::max(answered, lastAnswered + 1);
    writes.end(lastAnswered + 1);
    burst.response = lastAnswered + 1;
  }

  const uint32_t beatBytes;
  DramTiming dram;
  BeatPace readPace, writePace;
  Outstanding reads, writes;
  Cycle lastMoved = 0;              // of the reads, at the memory
  Cycle taken = 0, takenBefore = 0; // of the last two beats, by their master
  Cycle lastWritten = 0, lastAnswered = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_MEMORY_H
