//===- sim/memory/axi_memory.h - DRAM behind an AXI port --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The memory of dram_timing.h behind one AXI read channel and one write
// channel, with bytes a cycle and a limit of outstanding bursts (timing.h).
// Data come in the order of their addresses, whatever their ids, unless it is
// disturbed (disturbance.h). It checks the protocol: burst type and size,
// alignment, burst length, 4 KiB rule, stable requests, place of WLAST. What
// lies outside of the memory is answered with DECERR, as an interconnect does
// where nothing is, a byte that has failed with SLVERR: beats of reads, whose
// data are noise then, and bursts of writes, which write nothing.
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
// accepted from the cycle after their address on. A burst is outstanding until
// its last beat or response is taken.
//
// Standard library only: this header is also compiled into the Verilated
// simulators. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_AXI_MEMORY_H
#define TENON_SIM_MEMORY_AXI_MEMORY_H

#include "sim/memory/disturbance.h"
#include "sim/memory/dram_timing.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tenon::sim {

/// Read ids of the accelerator's master.
constexpr uint32_t axiLoad = 0;
constexpr uint32_t axiFetch = 1;
/// RRESP and BRESP.
constexpr uint32_t axiOkay = 0, axiSlaveError = 2, axiDecodeError = 3;

/// The memory behind the port.
struct AxiRange {
  uint8_t *data = nullptr; // owned by the caller; `bytes` long
  uint64_t base = 0;       // byte address of data[0]
  uint64_t bytes = 0;
};

/// What the memory drives in a cycle.
struct AxiOutputs {
  bool arReady = false, awReady = false, wReady = false;
  bool rValid = false, rLast = false, bValid = false;
  uint32_t rId = 0, rResponse = axiOkay, bResponse = axiOkay;
  const uint8_t *rData = nullptr; // one beat, when rValid
};

/// A read or write address channel, as the master drives it.
struct AxiAddress {
  bool valid = false;
  uint64_t address = 0;
  uint32_t length = 0; // ARLEN: beats - 1
  uint32_t size = 0;   // ARSIZE: log2 of bytes in a beat
  uint32_t burst = 0;  // 1: incrementing
  uint32_t id = 0;

  bool operator==(const AxiAddress &other) const {
    return valid == other.valid && address == other.address &&
           length == other.length && size == other.size &&
           burst == other.burst && id == other.id;
  }
};

/// What the master drives in a cycle.
struct AxiRequests {
  AxiAddress ar, aw;
  bool rReady = false, bReady = false;
  bool wValid = false, wLast = false;
  const uint8_t *wData = nullptr;   // one beat
  const uint8_t *wStrobe = nullptr; // one bit a byte
};

/// Beats moved in a cycle.
struct AxiBeats {
  bool load = false, fetch = false, store = false;
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
      : range(range), beatBytes(beatBytes), burstBeats(burstBeats),
        outstanding(std::max<uint32_t>(timing.outstanding, 1)),
        dram(timing, beatBytes), readPace(timing, beatBytes),
        writePace(timing, beatBytes), reads(outstanding), writes(outstanding),
        responses(outstanding), faultOffset(disturbance.faultOffset),
        mostDelay(disturbance.mostDelay()), jitters(mostDelay != 0),
        jitter(disturbance.jitterSeed) {
    for (uint32_t bytes = beatBytes; bytes > 1; bytes /= 2)
      ++beatSize;
  }

  const AxiOutputs &outputs() const { return out; }

  void drive() {
    out.arReady = reads.size() < outstanding && !hesitates();
    if (!reads.empty() && !out.rValid) // once valid, held until it is taken
      driveRead();
    if (quietWrites && !jitters)
      return;
    out.awReady =
        writes.size() + responses.size() < outstanding && !hesitates();
    out.wReady = !writes.empty() && writePace.ready(now) && !hesitates();
    if (!out.bValid && !responses.empty() && responses.front().due <= now &&
        !hesitates()) {
      out.bValid = true;
      out.bResponse = responses.front().response;
    }
  }

  AxiBeats sample(const AxiRequests &in) {
    AxiBeats beats;
    if (out.rValid && in.rReady)
      takeRead(beats);
    if (!quietWrites || in.aw.valid || in.wValid || awPending.valid || wPending)
      sampleWrites(in, beats);
    if (in.ar.valid || arPending.valid)
      sampleReadAddress(in.ar);
    ++now;
    return beats;
  }

  /// The first violation, naming engine and address; empty while there is none.
  const std::string &error() const { return message; }
  bool failed() const { return violated; }

  /// Whether bursts are under way.
  bool idle() const {
    return reads.empty() && writes.empty() && responses.empty();
  }
  uint64_t cycle() const { return now; }
  uint64_t readsOutstanding() const { return reads.size(); }
  uint64_t writesOutstanding() const {
    return writes.size() + responses.size();
  }

private:
  struct ReadBurst {
    ReadTimes times;
    uint64_t offset; // of the next beat, in DRAM
    uint32_t beat;   // the next one's number
    uint32_t left;   // beats
    uint32_t id;
  };
  struct WriteBurst {
    uint64_t offset; // of the next beat, in DRAM
    uint32_t beats, left, response;
  };
  struct Response {
    uint64_t due; // cycle
    uint32_t response;
  };

  void driveRead() {
    if (jitters && reads.front().beat == 0)
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
    out.rData =
        out.rResponse == axiOkay ? range.data + burst.offset : makeNoise();
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
      responses.pop();
      out.bValid = false;
    }
    if (wPending && !in.wValid)
      fail("STORE withdrew WVALID before its data were accepted");
    wPending = in.wValid && !out.wReady;
    if (in.wValid && out.wReady)
      takeWrite(in, beats);
    sampleWriteAddress(in.aw);
    quietWrites = writes.empty() && responses.empty();
    if (quietWrites) {
      out.awReady = true;
      out.wReady = false;
    }
  }

  void takeWrite(const AxiRequests &in, AxiBeats &beats) {
    WriteBurst &burst = writes.front();
    if (in.wLast != (burst.left == 1))
      fail("STORE " + std::string(in.wLast ? "sets" : "does not set") +
           " WLAST with " + std::to_string(burst.left) +
           " beats of its burst left, at DRAM offset " + hex(burst.offset));
    writePace.move(now);
    if (burst.response == axiOkay)
      store(range.data + burst.offset, in.wData, in.wStrobe);
    beats.store = true;
    burst.offset += beatBytes;
    if (--burst.left)
      return;
    uint32_t bytes = burst.beats * beatBytes;
    responses.push({dram.write(now, burst.offset - bytes, bytes) + delay(),
                    burst.response});
    writes.pop();
  }

  void sampleReadAddress(const AxiAddress &in) {
    if (!accept(in, out.arReady, arPending, in.id ? "FETCH" : "LOAD"))
      return;
    uint64_t offset = in.address - range.base;
    uint32_t beats = in.length + 1;
    ReadTimes times = dram.read(now, offset, beats * beatBytes);
    times.first += delay();
    reads.push({times, offset, 0, beats, in.id});
  }

  void sampleWriteAddress(const AxiAddress &in) {
    uint64_t offset = in.address - range.base;
    if (accept(in, out.awReady, awPending, "STORE"))
      writes.push({offset, in.length + 1, in.length + 1,
                   responseTo(offset, (in.length + 1) * beatBytes)});
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

  bool hesitates() { return jitters && jitter.oneIn(3); }

  // Most bursts are little late, one in sixteen very much.
  uint64_t delay() {
    if (!jitters)
      return 0;
    return jitter.number(jitter.oneIn(16) ? mostDelay : 32);
  }

  // The oldest burst of the other id goes first.
  void overtake() {
    if (!jitter.oneIn(2))
      return;
    for (uint32_t i = 1; i < reads.size(); ++i) {
      if (reads.at(i).id == reads.front().id)
        continue;
      for (; i > 0; --i)
        std::swap(reads.at(i), reads.at(i - 1));
      return;
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

  // Whether a legal burst enters its queue.
  bool accept(const AxiAddress &in, bool ready, AxiAddress &pending,
              const char *engine) {
    if (pending.valid && !(in == pending))
      fail(std::string(engine) +
           " changed its address request before it was accepted: first " +
           hex(pending.address) + ", now " +
           (in.valid ? hex(in.address) : std::string("none")));
    pending.valid = false;
    if (in.valid && !ready)
      pending = in;
    return in.valid && ready && check(in, engine);
  }

  bool check(const AxiAddress &in, const char *engine) {
    uint64_t bytes = uint64_t(in.length + 1) * beatBytes;
    auto failBurst = [&](const std::string &text) {
      return fail(std::string(engine) + "'s burst of " +
                  std::to_string(in.length + 1) + " beats at address " +
                  hex(in.address) + text);
    };
    if (in.burst != 1 || in.size != beatSize)
      return failBurst(" has burst type " + std::to_string(in.burst) +
                       " and size " + std::to_string(in.size) +
                       "; expected 1 and " + std::to_string(beatSize));
    if (in.length >= burstBeats)
      return failBurst(" is longer than " + std::to_string(burstBeats) +
                       " beats");
    if (in.address % beatBytes)
      return failBurst(" is not aligned to a beat of " +
                       std::to_string(beatBytes) + " bytes");
    if (in.address / 4096 != (in.address + bytes - 1) / 4096)
      return failBurst(" crosses a 4 KiB boundary");
    return true;
  }

  bool fail(std::string text) {
    violated = true;
    if (message.empty())
      message = std::move(text) + " (cycle " + std::to_string(now) + ")";
    return false;
  }

  static std::string hex(uint64_t value) {
    char text[19];
    char *digit = text + sizeof text;
    do {
      *--digit = "0123456789abcdef"[value & 15];
      value >>= 4;
    } while (value);
    return "0x" + std::string(digit, text + sizeof text);
  }

  const AxiRange range;
  const uint32_t beatBytes, burstBeats, outstanding;
  uint32_t beatSize = 0;

  uint64_t now = 0;
  AxiOutputs out;
  DramTiming dram;
  BeatPace readPace, writePace;
  Ring<ReadBurst> reads;
  Ring<WriteBurst> writes; // not all data accepted
  Ring<Response> responses;
  bool quietWrites = false; // no write is under way
  AxiAddress arPending, awPending;
  bool wPending = false;
  const uint64_t faultOffset, mostDelay;
  const bool jitters;
  JitterSource jitter, noiseSource{1};
  uint8_t noise[128] = {};
  bool violated = false;
  std::string message;
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_AXI_MEMORY_H
