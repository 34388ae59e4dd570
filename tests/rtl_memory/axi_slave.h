// Part of Tenon, under the Apache License v2.0.
//
// An AXI memory that is as unhelpful as the protocol allows: random latency,
// gaps and back-pressure on every channel, read IDs interleaved burst by burst.
// It checks the master: 4 KiB, lengths, stable payload, data after their
// address, reads within the allocation.

#ifndef TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H
#define TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H

#include "tests/rtl_memory/common.h"

#include <algorithm>
#include <array>
#include <deque>

namespace tenon::test {

/// Chances in per cent, latencies in cycles.
struct SlaveOptions {
  unsigned arReady = 100, rValid = 100, awReady = 100, wReady = 100;
  unsigned bValid = 100;
  unsigned latency = 32, spread = 0, outstanding = 64;
  unsigned loadLatency = 0; // on top, of LOAD's reads
  bool reorder = false;     // between IDs
};

inline SlaveOptions randomSlave(Chance &chance) {
  auto some = [&] { return chance.percent(50) ? 100u : chance.in(10, 90); };
  SlaveOptions options;
  options.arReady = some();
  options.rValid = some();
  options.awReady = some();
  options.wReady = some();
  options.latency = chance.in(1, 80);
  options.spread = chance.percent(30) ? chance.in(0, 50) : 0;
  options.outstanding = chance.in(1, 64);
  options.bValid = some();
  options.reorder = chance.percent(50);
  return options;
}

/// Whose bursts: the IDs of reads, then writes.
enum Master : unsigned { LoadReads, FetchReads, StoreWrites, masters };

/// One beat of one burst, or one write's response, that answers with an error.
/// The data of such a beat are any; a write is not done.
struct SlaveFault {
  Master of = LoadReads;
  uint64_t burst = ~0ull;           // that one of its master, from 0
  unsigned beat = 0;                // of a read, from 0, or its last
  unsigned response = 2;            // or 3
  uint64_t address = 0, beatAt = 0; // of the burst, of the beat; filled in
  bool answered = false;            // likewise
};

template <typename Top> class AxiSlave {
public:
  AxiSlave(Top &top, const isa::Layout &layout, Chance &chance,
           SlaveOptions options, uint64_t base, std::vector<uint8_t> &dram)
      : top(top), layout(layout), chance(chance), options(options), base(base),
        dram(dram) {}

  /// Drives the slave's outputs before the model settles.
  void drive() {
    top.m_axi_arready_i =
        reads() < options.outstanding && chance.percent(options.arReady);
    top.m_axi_awready_i = chance.percent(options.awReady);
    top.m_axi_wready_i = !writes.empty() && chance.percent(options.wReady);
    driveRead();
    answering =
        answering || (!responses.empty() && responses.front().due <= cycle &&
                      chance.percent(options.bValid));
    top.m_axi_bvalid_i = answering;
    top.m_axi_bresp_i = answering && responses.front().bad ? fault.response : 0;
  }

  /// Takes part in the handshakes of this cycle.
  void sample() {
    if ((top.m_axi_arvalid_o && top.m_axi_arready_i) ||
        (top.m_axi_awvalid_o && top.m_axi_awready_i) ||
        (top.m_axi_wvalid_o && top.m_axi_wready_i) ||
        (top.m_axi_rvalid_i && top.m_axi_rready_o) || top.m_axi_bvalid_i)
      lastMove = cycle;
    takeAddress();
    if (top.m_axi_rvalid_i && top.m_axi_rready_o)
      finishRead();
    if (top.m_axi_bvalid_i && top.m_axi_bready_o) {
      fault.answered |= responses.front().bad;
      responses.pop_front();
      answering = false;
    }
    takeWrite();
    takeWriteAddress();
    ++cycle;
  }

  bool quiet() const { return reads() == 0 && !writing(); }
  bool writing() const { return !writes.empty() || !responses.empty(); }

  /// As the master's reset does where both have it: nothing is under way.
  void reset() {
    for (auto &reads : queue)
      reads.clear();
    order.clear();
    writes.clear();
    responses.clear();
    offering = inBurst = answering = false;
    withdraw();
  }

  /// The master is in reset: it may take back what it asked for.
  void withdraw() { arPending = awPending = wPending = false; }

  /// From the next burst on: its master's bursts count from 0 again.
  void breaks(const SlaveFault &how) {
    fault = how;
    bursts = {};
  }
  const SlaveFault &broken() const { return fault; }
  /// Bursts asked for since then.
  uint64_t burstsOf(Master master) const { return bursts[master]; }

  uint64_t readBeats = 0, writeBeats = 0;
  /// Cycles since anything moved on the port.
  uint64_t idleFor() const { return cycle - lastMove; }

private:
  struct Read {
    uint64_t due, address;
    unsigned left, badIn; // beats before the bad one
    bool bad;
  };
  struct Write {
    uint64_t address;
    unsigned left;
    bool bad;
  };
  struct Response {
    uint64_t due;
    bool bad;
  };

  // Whether the burst at `address` is the one that answers with an error.
  bool isBad(Master master, uint64_t address) {
    bool bad = bursts[master]++ == fault.burst && fault.of == master;
    if (bad)
      fault.address = address;
    return bad;
  }

  size_t reads() const { return queue[0].size() + queue[1].size(); }
  uint64_t due() {
    return cycle + options.latency + chance.in(0, options.spread);
  }

  void driveRead() {
    if (!offering) {
      unsigned id = order.empty() ? 0 : order.front();
      if (!inBurst && options.reorder && chance.percent(50))
        id ^= 1;
      if (inBurst)
        id = current;
      bool can = !queue[id].empty() && queue[id].front().due <= cycle &&
                 chance.percent(options.rValid);
      if (can) {
        offering = inBurst = true;
        current = id;
      }
    }
    top.m_axi_rvalid_i = offering;
    if (!offering)
      return;
    const Read &read = queue[current].front();
    top.m_axi_rid_i = current;
    top.m_axi_rlast_i = read.left == 1;
    bool bad = read.bad && read.badIn == 0;
    top.m_axi_rresp_i = bad ? fault.response : 0;
    for (uint32_t b = 0; b < layout.beatBytes; ++b)
      bytesOf(top.m_axi_rdata_i)[b] = bad ? noise(b) : at(read.address + b);
  }

  // Any bytes, an instruction among them, and the same while a beat stands.
  uint8_t noise(uint32_t b) const {
    return uint8_t((fault.burst + 1) * 0x9e3779b97f4a7c15ull >> 8 * (b % 8));
  }

  void finishRead() {
    Read &read = queue[current].front();
    if (read.bad && read.badIn-- == 0) {
      fault.answered = true;
      fault.beatAt = read.address;
      read.bad = false;
    }
    read.address += layout.beatBytes;
    offering = false;
    ++readBeats;
    if (--read.left)
      return;
    queue[current].pop_front();
    inBurst = false;
    for (size_t i = 0; i < order.size(); ++i)
      if (order[i] == current) {
        order.erase(order.begin() + i);
        break;
      }
  }

  void checkBurst(uint64_t address, unsigned beats, unsigned size,
                  unsigned kind) {
    uint64_t bytes = uint64_t(beats) * layout.beatBytes;
    expect((address & 4095) + bytes <= 4096, chance, "a burst crosses 4 KiB");
    expect(beats <= layout.config.burst_beats(), chance, "a burst is too long");
    expect((1u << size) == layout.beatBytes && kind == 1, chance, "AXI size");
    expect(address >= base && address + bytes <= base + dram.size(), chance,
           "a burst of " + std::to_string(beats) + " beats leaves the " +
               std::to_string(dram.size()) + " bytes of DRAM at offset " +
               std::to_string(int64_t(address - base)));
  }

  void takeAddress() {
    uint64_t now =
        top.m_axi_araddr_o << 9 | top.m_axi_arlen_o << 1 | top.m_axi_arid_o;
    expect(!arPending || (top.m_axi_arvalid_o && now == arPayload), chance,
           "AR changes while it waits");
    arPending = top.m_axi_arvalid_o && !top.m_axi_arready_i;
    arPayload = now;
    if (!top.m_axi_arvalid_o || !top.m_axi_arready_i)
      return;
    checkBurst(top.m_axi_araddr_o, top.m_axi_arlen_o + 1, top.m_axi_arsize_o,
               top.m_axi_arburst_o);
    const unsigned beats = top.m_axi_arlen_o + 1u;
    const bool bad = isBad(Master(top.m_axi_arid_o), top.m_axi_araddr_o);
    const uint64_t more = top.m_axi_arid_o ? 0 : options.loadLatency;
    queue[top.m_axi_arid_o].push_back({due() + more, top.m_axi_araddr_o, beats,
                                       std::min(fault.beat, beats - 1), bad});
    order.push_back(top.m_axi_arid_o);
  }

  void takeWriteAddress() {
    uint64_t now = top.m_axi_awaddr_o << 8 | top.m_axi_awlen_o;
    expect(!awPending || (top.m_axi_awvalid_o && now == awPayload), chance,
           "AW changes while it waits");
    awPending = top.m_axi_awvalid_o && !top.m_axi_awready_i;
    awPayload = now;
    if (!top.m_axi_awvalid_o || !top.m_axi_awready_i)
      return;
    checkBurst(top.m_axi_awaddr_o, top.m_axi_awlen_o + 1, top.m_axi_awsize_o,
               top.m_axi_awburst_o);
    writes.push_back({top.m_axi_awaddr_o, top.m_axi_awlen_o + 1u,
                      isBad(StoreWrites, top.m_axi_awaddr_o)});
  }

  void takeWrite() {
    std::string now(reinterpret_cast<char *>(bytesOf(top.m_axi_wdata_o)),
                    layout.beatBytes);
    expect(!wPending || (top.m_axi_wvalid_o && now == wPayload), chance,
           "W changes while it waits");
    wPending = top.m_axi_wvalid_o && !top.m_axi_wready_i;
    wPayload = now;
    expect(!top.m_axi_wvalid_o || !writes.empty(), chance,
           "data before their address");
    if (!top.m_axi_wvalid_o || !top.m_axi_wready_i)
      return;
    Write &write = writes.front();
    for (uint32_t b = 0; b < layout.beatBytes; ++b) {
      expect(bytesOf(top.m_axi_wstrb_o)[b / 8] >> b % 8 & 1, chance, "strobe");
      if (!write.bad)
        at(write.address + b) = uint8_t(now[b]);
    }
    write.address += layout.beatBytes;
    ++writeBeats;
    bool last = --write.left == 0;
    expect(last == bool(top.m_axi_wlast_o), chance, "wlast");
    if (!last)
      return;
    responses.push_back({due(), write.bad});
    writes.pop_front();
  }

  uint8_t &at(uint64_t address) { return dram[address - base]; }

  Top &top;
  const isa::Layout &layout;
  Chance &chance;
  SlaveOptions options;
  uint64_t base;
  std::vector<uint8_t> &dram;
  uint64_t cycle = 0, lastMove = 0;
  std::deque<Read> queue[2];
  std::deque<unsigned> order; // IDs of the bursts in flight
  std::deque<Write> writes;
  std::deque<Response> responses;
  SlaveFault fault;
  std::array<uint64_t, masters> bursts{};
  bool offering = false, inBurst = false, answering = false;
  unsigned current = 0;
  bool arPending = false, awPending = false, wPending = false;
  uint64_t arPayload = 0, awPayload = 0;
  std::string wPayload;
};

} // namespace tenon::test

#endif // TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H
