//===- sim/memory/axi_memory.h - DRAM behind an AXI port --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The memory of dram_timing.h behind one AXI read channel and one write
// channel, with bytes a cycle and a limit of outstanding bursts (timing.h).
// Data come in the order of their addresses, whatever their ids, unless it is
// disturbed (disturbance.h). The protocol is watched (axi_checker.h). What lies
// outside of the memory is answered with DECERR, as an interconnect does where
// nothing is, a byte that has failed with SLVERR: beats of reads, whose data
// are noise then, and bursts of writes, which write nothing.
//
// It is stepped once a cycle and does not know what drives it:
//
//   memory.drive();                    // decides its outputs of this cycle
//   ... apply memory.outputs() to the design and let it settle ...
//   beats = memory.sample(requests);   // what happens at the clock edge
//
// Timing. An address accepted in cycle t has its first beat valid in cycle
// t + latency at the earliest, the next beats follow as bandwidth and RREADY
// allow. The response to a write whose last beat is accepted in cycle t is
// valid in t + latency. With banked DRAM both may be later. Write data are
// accepted from the cycle after their address on, by a hostile memory also
// before. A burst is outstanding until its last beat or response is taken.
//
// Standard library only: this header is also compiled into the Verilated
// simulators. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_AXI_MEMORY_H
#define TENON_SIM_MEMORY_AXI_MEMORY_H

#include "sim/memory/axi_checker.h"
#include "sim/memory/axi_port.h"
#include "sim/memory/disturbance.h"
#include "sim/memory/dram_timing.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace tenon::sim {

/// The memory behind the port.
struct AxiRange {
  uint8_t *data = nullptr; // owned by the caller; `bytes` long
  uint64_t base = 0;       // byte address of data[0]
  uint64_t bytes = 0;
};

/// A queue of at most `capacity` elements, in one piece of memory.
template <typename Element> class Ring {
public:
  explicit Ring(uint32_t capacity) {
    uint32_t size = 1;
    while (size < capacity)
      size *= 2;
    elements.resize(size);
    mask = size - 1;
  }
  bool empty() const { return head == tail; }
  uint32_t size() const { return tail - head; }
  Element &front() { return elements[head & mask]; }
  void push(const Element &element) { elements[tail++ & mask] = element; }
  void pop() { ++head; }
  Element &at(uint32_t place) { return elements[(head + place) & mask]; }

private:
  std::vector<Element> elements;
  uint32_t mask, head = 0, tail = 0;
};

class AxiMemory {
public:
  /// `beatBytes`: bytes of a beat, a power of two up to 128; `burstBeats`: the
  /// longest burst the master may ask for.
  AxiMemory(const MemoryTiming &timing, const AxiRange &range,
            uint32_t beatBytes, uint32_t burstBeats,
            const MemoryDisturbance &disturbance = {})
      : range(range), beatBytes(beatBytes), strobeBytes((beatBytes + 7) / 8),
        outstanding(std::max<uint32_t>(timing.outstanding, 1)),
        checker(beatBytes, burstBeats), dram(timing, beatBytes),
        readPace(timing, beatBytes), writePace(timing, beatBytes),
        reads(outstanding), writes(outstanding), responses(outstanding),
        faultOffset(disturbance.faultOffset),
        mostDelay(disturbance.mostDelay()), hostile(mostDelay != 0),
        whim(disturbance.jitterSeed) {
    if (!hostile)
      return;
    dataFirst = whim.oneIn(3);
    mostEarly = whim.oneIn(2) ? 0 : uint32_t(whim.number(64));
    if (dataFirst)
      mostEarly += 1;
  }

  const AxiOutputs &outputs() const { return out; }

  void drive() {
    if (hostile)
      sampleEarly();
    out.arReady = reads.size() < outstanding && !hesitates();
    if (!reads.empty() && !out.rValid) // once valid, held until it is taken
      driveRead();
    if (quietWrites && !hostile)
      return;
    out.awReady = writes.size() + responses.size() < outstanding &&
                  !hesitates() && (!dataFirst || wWaits || !early.empty());
    out.wReady = (!writes.empty() || early.size() < mostEarly) &&
                 writePace.ready(now) && !hesitates();
    if (!out.bValid && !responses.empty() && responses.front().due <= now &&
        !hesitates()) {
      out.bValid = true;
      out.bResponse = responses.front().response;
    }
  }

  AxiBeats sample(const AxiRequests &in) {
    AxiBeats beats;
    checker.watch(in, out);
    if (out.rValid && in.rReady)
      takeRead(beats);
    if (!quietWrites || in.aw.valid || in.wValid)
      sampleWrites(in, beats);
    if (in.ar.valid && out.arReady)
      takeReadAddress(in.ar);
    ++now;
    return beats;
  }

  /// The first violation, naming engine and address; empty while there is none.
  const std::string &error() const { return checker.error(); }
  bool failed() const { return checker.failed(); }

  /// Whether bursts are under way.
  bool idle() const {
    return reads.empty() && writes.empty() && responses.empty() &&
           early.empty();
  }
  uint64_t cycle() const { return now; }
  uint64_t readsOutstanding() const { return reads.size(); }
  uint64_t writesOutstanding() const {
    return writes.size() + responses.size();
  }

private:
  using Bytes = std::vector<uint8_t>;

  struct ReadBurst {
    ReadTimes times;
    uint64_t offset; // of the next beat, in DRAM
    uint32_t beat;   // the next one's number
    uint32_t left;   // beats
    uint32_t id;
    uint64_t sampleAt; // cycle in which DRAM is read for all of it; 0: with
                       // each beat
    Bytes sampled;
  };
  // A hostile memory keeps what is written until it answers.
  struct WriteBurst {
    uint64_t offset; // of the next beat, in DRAM
    uint32_t beats, left, response;
    Bytes data, strobes;
  };
  struct Response {
    uint64_t due; // cycle
    uint32_t response;
    uint64_t offset;
    Bytes data, strobes;
  };
  struct EarlyBeat {
    Bytes data, strobes;
  };

  void driveRead() {
    if (hostile)
      overtake();
    const ReadBurst &burst = reads.front();
    if (burst.times.beat(burst.beat) > now || !readPace.ready(now) ||
        hesitates())
      return;
    readPace.move(now);
    out.rValid = true;
    out.rLast = burst.left == 1;
    out.rId = burst.id;
    out.rResponse = responseTo(burst.offset, beatBytes);
    out.rData = out.rResponse != axiOkay ? makeNoise()
                : burst.sampled.empty()
                    ? range.data + burst.offset
                    : burst.sampled.data() + uint64_t(burst.beat) * beatBytes;
  }

  void takeRead(AxiBeats &beats) {
    ReadBurst &burst = reads.front();
    (burst.id ? beats.fetch : beats.load) = true;
    burst.offset += beatBytes;
    ++burst.beat;
    if (--burst.left == 0)
      reads.pop();
    out.rValid = false;
  }

  void sampleWrites(const AxiRequests &in, AxiBeats &beats) {
    if (out.bValid && in.bReady) {
      const Response &answered = responses.front();
      for (uint64_t at = 0; at < answered.data.size(); at += beatBytes)
        store(range.data + answered.offset + at, &answered.data[at],
              &answered.strobes[at / beatBytes * strobeBytes]);
      responses.pop();
      out.bValid = false;
    }
    wWaits = in.wValid && !out.wReady;
    if (in.wValid && out.wReady) {
      writePace.move(now);
      beats.store = true;
      if (writes.empty())
        early.push_back({Bytes(in.wData, in.wData + beatBytes),
                         Bytes(in.wStrobe, in.wStrobe + strobeBytes)});
      else
        takeWrite(in.wData, in.wStrobe);
    }
    if (in.aw.valid && out.awReady)
      takeWriteAddress(in.aw);
    quietWrites = writes.empty() && responses.empty() && early.empty();
    if (quietWrites) {
      out.awReady = true;
      out.wReady = false;
    }
  }

  // A beat of the oldest burst that is not complete.
  void takeWrite(const uint8_t *data, const uint8_t *strobe) {
    WriteBurst &burst = writes.front();
    if (burst.response == axiOkay && hostile) {
      burst.data.insert(burst.data.end(), data, data + beatBytes);
      burst.strobes.insert(burst.strobes.end(), strobe, strobe + strobeBytes);
    } else if (burst.response == axiOkay) {
      store(range.data + burst.offset, data, strobe);
    }
    burst.offset += beatBytes;
    if (--burst.left)
      return;
    const uint32_t bytes = burst.beats * beatBytes;
    const uint64_t offset = burst.offset - bytes;
    responses.push({dram.write(now, offset, bytes) + delay(), burst.response,
                    offset, std::move(burst.data), std::move(burst.strobes)});
    writes.pop();
  }

  void takeReadAddress(const AxiAddress &in) {
    const uint64_t offset = in.address - range.base;
    const uint32_t beats = in.length + 1, bytes = beats * beatBytes;
    ReadTimes times = dram.read(now, offset, bytes);
    times.first += delay();
    const bool whole = hostile && responseTo(offset, bytes) == axiOkay;
    const uint64_t sampleAt =
        whole && whim.oneIn(2) ? now + whim.number(times.first - now) + 1 : 0;
    reads.push({times, offset, 0, beats, in.id, sampleAt, {}});
  }

  void takeWriteAddress(const AxiAddress &in) {
    const uint64_t offset = in.address - range.base;
    const uint32_t beats = in.length + 1;
    writes.push(
        {offset, beats, beats, responseTo(offset, beats * beatBytes), {}, {}});
    for (; !early.empty() && !writes.empty(); early.pop_front())
      takeWrite(early.front().data.data(), early.front().strobes.data());
  }

  uint32_t responseTo(uint64_t offset, uint64_t bytes) const {
    if (offset > range.bytes || range.bytes - offset < bytes)
      return axiDecodeError;
    return faultOffset - offset < bytes ? axiSlaveError : axiOkay;
  }

  // Any bytes, an instruction among them, and others in each beat.
  const uint8_t *makeNoise() {
    for (uint32_t i = 0; i < beatBytes; ++i)
      noise[i] = uint8_t(noiseSource.number(256));
    return noise;
  }

  bool hesitates() { return hostile && whim.oneIn(3); }

  // Most bursts are little late, one in sixteen very much.
  uint64_t delay() {
    if (!hostile)
      return 0;
    return whim.number(whim.oneIn(16) ? mostDelay : 32);
  }

  // The oldest burst of the other id goes on, between any two beats.
  void overtake() {
    if (!whim.oneIn(2))
      return;
    for (uint32_t i = 1; i < reads.size(); ++i) {
      if (reads.at(i).id == reads.front().id)
        continue;
      for (; i > 0; --i)
        std::swap(reads.at(i), reads.at(i - 1));
      return;
    }
  }

  // Reads of DRAM before their data are due.
  void sampleEarly() {
    for (uint32_t i = 0; i < reads.size(); ++i) {
      ReadBurst &burst = reads.at(i);
      if (burst.sampleAt != now)
        continue;
      const uint8_t *begin = range.data + burst.offset;
      burst.sampled.assign(begin, begin + uint64_t(burst.left) * beatBytes);
    }
  }

  void store(uint8_t *to, const uint8_t *from, const uint8_t *strobe) {
    bool whole = true;
    for (uint32_t i = 0; i < beatBytes; i += 8)
      whole &= strobe[i / 8] == (beatBytes < 8 ? (1u << beatBytes) - 1 : 0xff);
    if (whole) {
      std::memcpy(to, from, beatBytes);
      return;
    }
    for (uint32_t i = 0; i < beatBytes; ++i)
      if (strobe[i / 8] >> (i % 8) & 1)
        to[i] = from[i];
  }

  const AxiRange range;
  const uint32_t beatBytes, strobeBytes, outstanding;

  uint64_t now = 0;
  AxiOutputs out;
  AxiChecker checker;
  DramTiming dram;
  BeatPace readPace, writePace;
  Ring<ReadBurst> reads;
  Ring<WriteBurst> writes; // not all data accepted
  Ring<Response> responses;
  std::deque<EarlyBeat> early; // accepted before their address
  bool quietWrites = false;    // no write is under way
  bool wWaits = false;         // data were offered and not taken
  const uint64_t faultOffset, mostDelay;
  const bool hostile;
  JitterSource whim, noiseSource{1};
  // The address only behind data that are offered; beats taken without one.
  bool dataFirst = false;
  uint32_t mostEarly = 0;
  uint8_t noise[128] = {};
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_AXI_MEMORY_H
