//===- sim/memory/axi_memory.h - DRAM behind an AXI port --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The memory model behind everything that has a clock: one AXI read channel and
// one write channel, independent of each other, with latency, bytes a cycle and
// a limit of outstanding bursts (timing.h). Data come in the order of their
// addresses, whatever their ids. It checks the protocol: burst type and size,
// alignment, burst length, 4 KiB rule, range, stable requests, place of WLAST.
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
// valid in t + latency. Write data are accepted from the cycle after their
// address on. A burst is outstanding until its last beat or response is taken.
//
// Standard library only: this header is also compiled into the Verilated
// simulators. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_AXI_MEMORY_H
#define TENON_SIM_MEMORY_AXI_MEMORY_H

#include "sim/memory/timing.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>

namespace tenon::sim {

/// Read ids of the accelerator's master.
constexpr uint32_t axiLoad = 0;
constexpr uint32_t axiFetch = 1;

/// The memory behind the port. FETCH runs ahead of FINISH, so it may read past
/// the end of DRAM; LOAD and STORE may not.
struct AxiRange {
  uint8_t *data = nullptr; // owned by the caller; `fetchBytes` long
  uint64_t base = 0;       // byte address of data[0]
  uint64_t bytes = 0;      // that LOAD and STORE may touch
  uint64_t fetchBytes = 0; // that FETCH may read, at least `bytes`
};

/// What the memory drives in a cycle.
struct AxiOutputs {
  bool arReady = false, awReady = false, wReady = false;
  bool rValid = false, rLast = false, bValid = false;
  uint32_t rId = 0;
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

class AxiMemory {
public:
  /// `beatBytes`: bytes of a beat, a power of two up to 128; `burstBeats`: the
  /// longest burst the master may ask for.
  AxiMemory(const MemoryTiming &timing, const AxiRange &range,
            uint32_t beatBytes, uint32_t burstBeats)
      : range(range), beatBytes(beatBytes), burstBeats(burstBeats),
        latency(std::max<uint32_t>(timing.latency, 1)),
        outstanding(std::max<uint32_t>(timing.outstanding, 1)),
        rate(timing.bytesPerCycle >= beatBytes ? 0 : timing.bytesPerCycle) {
    for (uint32_t bytes = beatBytes; bytes > 1; bytes /= 2)
      ++beatSize;
  }

  const AxiOutputs &outputs() const { return out; }

  void drive() {
    readCredit.earn(rate, beatBytes);
    writeCredit.earn(rate, beatBytes);
    out.arReady = reads.size() < outstanding;
    out.awReady = writes.size() + responses.size() < outstanding;
    driveRead();
    out.wReady = !writes.empty() && writeCredit.enough(rate, beatBytes);
    out.bValid = !responses.empty() && responses.front() <= now;
  }

  AxiBeats sample(const AxiRequests &in) {
    AxiBeats beats;
    if (out.rValid && in.rReady)
      takeRead(beats);
    if (out.bValid && in.bReady)
      responses.pop_front();
    if (in.wValid)
      sampleWriteData(in, beats);
    else if (wPending)
      fail("STORE withdrew WVALID before its data were accepted");
    sampleAddress(in.ar, out.arReady, arPending, in.ar.id ? "FETCH" : "LOAD",
                  in.ar.id ? range.fetchBytes : range.bytes, reads);
    sampleAddress(in.aw, out.awReady, awPending, "STORE", range.bytes, writes);
    ++now;
    return beats;
  }

  /// The first violation, naming engine and address; empty while there is none.
  const std::string &error() const { return message; }
  bool failed() const { return !message.empty(); }

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
  struct Burst {
    uint64_t due;    // cycle in which the first beat is valid
    uint64_t offset; // of the next beat, in DRAM
    uint32_t left;   // beats
    uint32_t id;
  };

  // Bandwidth below a beat a cycle: bytes earned and not yet spent. Idle cycles
  // save up for one beat at most.
  struct Credit {
    uint32_t bytes = 0;
    void earn(uint32_t rate, uint32_t beatBytes) {
      if (rate)
        bytes = std::min(bytes + rate, beatBytes + rate - 1);
    }
    bool enough(uint32_t rate, uint32_t beatBytes) const {
      return rate == 0 || bytes >= beatBytes;
    }
    void spend(uint32_t rate, uint32_t beatBytes) {
      if (rate)
        bytes -= beatBytes;
    }
  };

  void driveRead() {
    if (out.rValid) // held until it is taken
      return;
    if (reads.empty() || reads.front().due > now ||
        !readCredit.enough(rate, beatBytes))
      return;
    const Burst &burst = reads.front();
    readCredit.spend(rate, beatBytes);
    out.rValid = true;
    out.rLast = burst.left == 1;
    out.rId = burst.id;
    out.rData = range.data + burst.offset;
  }

  void takeRead(AxiBeats &beats) {
    Burst &burst = reads.front();
    (burst.id ? beats.fetch : beats.load) = true;
    burst.offset += beatBytes;
    if (--burst.left == 0)
      reads.pop_front();
    out.rValid = false;
  }

  void sampleWriteData(const AxiRequests &in, AxiBeats &beats) {
    wPending = !out.wReady;
    if (!out.wReady)
      return;
    Burst &burst = writes.front();
    if (in.wLast != (burst.left == 1))
      fail("STORE " + std::string(in.wLast ? "sets" : "does not set") +
           " WLAST with " + std::to_string(burst.left) +
           " beats of its burst left, at DRAM offset " + hex(burst.offset));
    writeCredit.spend(rate, beatBytes);
    store(range.data + burst.offset, in.wData, in.wStrobe);
    beats.store = true;
    burst.offset += beatBytes;
    if (--burst.left == 0) {
      writes.pop_front();
      responses.push_back(now + latency);
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

  void sampleAddress(const AxiAddress &in, bool ready, AxiAddress &pending,
                     const char *engine, uint64_t limit,
                     std::deque<Burst> &queue) {
    if (pending.valid && !(in == pending))
      fail(std::string(engine) +
           " changed its address request before it was accepted: first " +
           hex(pending.address) + ", now " +
           (in.valid ? hex(in.address) : std::string("none")));
    pending.valid = false;
    if (!in.valid)
      return;
    if (!ready) {
      pending = in;
      return;
    }
    if (check(in, engine, limit))
      queue.push_back(
          {now + latency, in.address - range.base, in.length + 1, in.id});
  }

  bool check(const AxiAddress &in, const char *engine, uint64_t limit) {
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
    if (in.address < range.base || in.address - range.base > limit ||
        limit - (in.address - range.base) < bytes)
      return failBurst(" is outside of DRAM, which has " +
                       std::to_string(range.bytes) + " bytes from " +
                       hex(range.base) + " on");
    return true;
  }

  bool fail(std::string text) {
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
  const uint32_t beatBytes, burstBeats, latency, outstanding;
  const uint32_t rate; // bytes a cycle; 0: a beat a cycle
  uint32_t beatSize = 0;

  uint64_t now = 0;
  AxiOutputs out;
  Credit readCredit, writeCredit;
  std::deque<Burst> reads, writes; // writes: not all data accepted
  std::deque<uint64_t> responses;  // cycles in which they are due
  AxiAddress arPending, awPending;
  bool wPending = false;
  std::string message;
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_AXI_MEMORY_H
