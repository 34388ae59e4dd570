//===- sim/memory/axi_checker.h - The rules of AXI at a port ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Watches a port of one read and one write channel, cycle by cycle, and names
// the first rule that is broken, of master or memory:
//
//  * what is valid stays valid, and as it is, until it is taken;
//  * bursts are INCR, of whole aligned beats, no longer than the master may ask
//    for, and stay within 4 KiB;
//  * the n-th burst of data written is as long as the n-th address says, its
//  last
//    beat and no other has WLAST, whichever of the two comes first;
//  * a burst written is answered once, behind its address and its last beat;
//  * a read is answered with as many beats as it has, RLAST in the last one,
//    bursts of one id in order.
//
// That nobody waits for a channel for which he must not wait shows in a memory
// that waits for the other one (disturbance.h): the launch does not end.
//
// Standard library only: this header is also compiled into the Verilated
// simulators. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_AXI_CHECKER_H
#define TENON_SIM_MEMORY_AXI_CHECKER_H

#include "sim/memory/axi_port.h"

#include <array>
#include <cstring>
#include <deque>
#include <string>
#include <utility>

namespace tenon::sim {

class AxiChecker {
public:
  /// `beatBytes`: bytes of a beat, a power of two up to 128; `burstBeats`: the
  /// longest burst the master may ask for.
  AxiChecker(uint32_t beatBytes, uint32_t burstBeats)
      : beatBytes(beatBytes), burstBeats(burstBeats) {
    for (uint32_t bytes = beatBytes; bytes > 1; bytes /= 2)
      ++beatSize;
  }

  /// One cycle, whose end is that of its handshakes.
  void watch(const AxiRequests &in, const AxiOutputs &out) {
    if (in.ar.valid || arStands.valid)
      if (address(in.ar, out.arReady, arStands, in.ar.id ? "FETCH" : "LOAD"))
        reads[in.ar.id & 1].push_back(in.ar.length + 1);
    if (in.wValid || wStands)
      data(in, out.wReady);
    if (in.aw.valid || awStands.valid)
      if (address(in.aw, out.awReady, awStands, "STORE"))
        writeAddress(in.aw);
    if (out.bValid || bStands)
      response(in, out);
    if (out.rValid || rStands)
      readData(in, out);
    ++now;
  }

  /// The first rule broken, naming engine and address; empty while none is.
  const std::string &error() const { return message; }
  bool failed() const { return violated; }

  /// Both sides are in reset: nothing is under way.
  void reset() {
    for (std::deque<uint32_t> &queue : reads)
      queue.clear();
    addressed.clear();
    written.clear();
    beats = answerable = 0;
    withdraw();
    bStands = rStands = false;
  }
  /// The master is in reset: it may take back what it asks for.
  void withdraw() { arStands.valid = awStands.valid = wStands = false; }

private:
  struct Burst {
    uint64_t address;
    uint32_t beats;
  };

  // Whether a burst is taken.
  bool address(const AxiAddress &in, bool ready, AxiAddress &stands,
               const char *engine) {
    if (stands.valid && !(in == stands))
      fail(std::string(engine) +
           " changed its address request before it was accepted: first " +
           hex(stands.address) + ", now " +
           (in.valid ? hex(in.address) : std::string("none")));
    stands.valid = false;
    if (in.valid && !ready)
      stands = in;
    if (!in.valid || !ready)
      return false;
    legal(in, engine);
    return true;
  }

  void legal(const AxiAddress &in, const char *engine) {
    const uint64_t bytes = uint64_t(in.length + 1) * beatBytes;
    auto failBurst = [&](const std::string &text) {
      fail(std::string(engine) + "'s burst of " +
           std::to_string(in.length + 1) + " beats at address " +
           hex(in.address) + text);
    };
    if (in.burst != 1 || in.size != beatSize)
      failBurst(" has burst type " + std::to_string(in.burst) + " and size " +
                std::to_string(in.size) + "; expected 1 and " +
                std::to_string(beatSize));
    else if (in.length >= burstBeats)
      failBurst(" is longer than " + std::to_string(burstBeats) + " beats");
    else if (in.address % beatBytes)
      failBurst(" is not aligned to a beat of " + std::to_string(beatBytes) +
                " bytes");
    else if (in.address / 4096 != (in.address + bytes - 1) / 4096)
      failBurst(" crosses a 4 KiB boundary");
  }

  void writeAddress(const AxiAddress &in) {
    const Burst burst{in.address, in.length + 1};
    if (written.empty()) {
      addressed.push_back(burst);
      return;
    }
    // Its data came first.
    if (written.front() != burst.beats)
      misplaced(burst, written.front());
    written.pop_front();
    ++answerable;
  }

  void data(const AxiRequests &in, bool ready) {
    const uint32_t strobeBytes = (beatBytes + 7) / 8;
    if (wStands && !in.wValid)
      fail("STORE withdrew WVALID before its data were accepted");
    else if (wStands && (in.wLast != wLast ||
                         std::memcmp(in.wData, wData.data(), beatBytes) ||
                         std::memcmp(in.wStrobe, wStrobe.data(), strobeBytes)))
      fail("STORE changed its data before they were accepted");
    const bool stood = wStands;
    wStands = in.wValid && !ready;
    if (wStands && !stood) {
      std::memcpy(wData.data(), in.wData, beatBytes);
      std::memcpy(wStrobe.data(), in.wStrobe, strobeBytes);
      wLast = in.wLast;
    }
    if (!in.wValid || !ready)
      return;
    ++beats;
    const bool known = !addressed.empty();
    if (known && in.wLast != (beats == addressed.front().beats))
      misplaced(addressed.front(), beats);
    if (!in.wLast)
      return;
    if (known) {
      addressed.pop_front();
      ++answerable;
    } else {
      written.push_back(beats);
    }
    beats = 0;
  }

  // WLAST of a burst is not where its address says.
  void misplaced(const Burst &burst, uint32_t beat) {
    fail("STORE " + std::string(beat == burst.beats ? "does not set" : "sets") +
         " WLAST in beat " + std::to_string(beat) + " of its burst of " +
         std::to_string(burst.beats) + " at address " + hex(burst.address));
  }

  void response(const AxiRequests &in, const AxiOutputs &out) {
    if (bStands && !out.bValid)
      fail("the memory withdrew BVALID");
    if (out.bValid && !bStands) {
      if (answerable == 0)
        fail("the memory answers a write that is not complete");
      else
        --answerable;
    }
    bStands = out.bValid && !in.bReady;
  }

  void readData(const AxiRequests &in, const AxiOutputs &out) {
    if (rStands && (!out.rValid || out.rId != rId || out.rLast != rLast ||
                    out.rData != rData))
      fail("the memory changed read data before they were accepted");
    rStands = out.rValid && !in.rReady;
    rId = out.rId;
    rLast = out.rLast;
    rData = out.rData;
    if (!out.rValid || !in.rReady)
      return;
    std::deque<uint32_t> &queue = reads[out.rId & 1];
    if (queue.empty())
      return fail("the memory answers a read that nobody asked for");
    if (out.rLast != (queue.front() == 1))
      fail("the memory misplaces RLAST");
    if (--queue.front() == 0)
      queue.pop_front();
  }

  void fail(std::string text) {
    violated = true;
    if (message.empty())
      message = std::move(text) + " (cycle " + std::to_string(now) + ")";
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

  const uint32_t beatBytes, burstBeats;
  uint32_t beatSize = 0;
  uint64_t now = 0;
  // What stood and was not taken.
  AxiAddress arStands, awStands;
  bool wStands = false, wLast = false, bStands = false;
  bool rStands = false, rLast = false;
  uint32_t rId = 0;
  const uint8_t *rData = nullptr;
  std::array<uint8_t, 128> wData{};
  std::array<uint8_t, 16> wStrobe{};
  // Beats left of the reads, by id.
  std::array<std::deque<uint32_t>, 2> reads;
  std::deque<Burst> addressed;  // writes whose data are not complete
  std::deque<uint32_t> written; // lengths of those whose address has not come
  uint32_t beats = 0;           // of the burst that is written
  uint64_t answerable = 0;
  bool violated = false;
  std::string message;
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_AXI_CHECKER_H
