// Part of Tenon, under the Apache License v2.0.
//
// An AXI memory that is as unhelpful as the protocol allows: random latency,
// gaps and back-pressure on every channel, read IDs interleaved burst by burst.
// It checks the master: 4 KiB, lengths, stable payload, data after their
// address, reads within the allocation.

#ifndef TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H
#define TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H

#include "tests/rtl_memory/common.h"

#include <deque>

namespace tenon::test {

/// Chances in per cent, latencies in cycles.
struct SlaveOptions {
  unsigned arReady = 100, rValid = 100, awReady = 100, wReady = 100;
  unsigned latency = 32, spread = 0, outstanding = 64;
  bool reorder = false;      // between IDs
  uint64_t errorAddress = 0; // reads and writes here answer SLVERR
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
    top.m_axi_bvalid_i = !responses.empty() && responses.front().due <= cycle;
    top.m_axi_bresp_i = !responses.empty() && responses.front().bad ? 2 : 0;
  }

  /// Takes part in the handshakes of this cycle.
  void sample() {
    takeAddress();
    if (top.m_axi_rvalid_i && top.m_axi_rready_o)
      finishRead();
    if (top.m_axi_bvalid_i && top.m_axi_bready_o)
      responses.pop_front();
    takeWrite();
    takeWriteAddress();
    ++cycle;
  }

  bool quiet() const {
    return reads() == 0 && writes.empty() && responses.empty();
  }

  uint64_t readBeats = 0, writeBeats = 0;

private:
  struct Read {
    uint64_t due, address;
    unsigned left;
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
    top.m_axi_rresp_i = options.errorAddress == read.address ? 2 : 0;
    for (uint32_t b = 0; b < layout.beatBytes; ++b)
      bytesOf(top.m_axi_rdata_i)[b] = at(read.address + b);
  }

  void finishRead() {
    Read &read = queue[current].front();
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
           "a burst leaves the allocation");
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
    queue[top.m_axi_arid_o].push_back(
        {due(), top.m_axi_araddr_o, top.m_axi_arlen_o + 1u});
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
    writes.push_back({top.m_axi_awaddr_o, top.m_axi_awlen_o + 1u, false});
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
    write.bad |= options.errorAddress == write.address;
    for (uint32_t b = 0; b < layout.beatBytes; ++b) {
      expect(bytesOf(top.m_axi_wstrb_o)[b / 8] >> b % 8 & 1, chance, "strobe");
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
  uint64_t cycle = 0;
  std::deque<Read> queue[2];
  std::deque<unsigned> order; // IDs of the bursts in flight
  std::deque<Write> writes;
  std::deque<Response> responses;
  bool offering = false, inBurst = false;
  unsigned current = 0;
  bool arPending = false, awPending = false, wPending = false;
  uint64_t arPayload = 0, awPayload = 0;
  std::string wPayload;
};

} // namespace tenon::test

#endif // TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H
