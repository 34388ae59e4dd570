// Part of Tenon, under the Apache License v2.0.
//
// An AXI memory that is as unhelpful as the protocol allows: random latency,
// gaps and back-pressure on every channel, read IDs interleaved beat by beat,
// data of writes before their address or only behind it, an address only behind
// its data; what is written is there with its response, and a read sees DRAM as
// it was in any cycle between its address and its data. The protocol is watched
// (sim/memory/axi_checker.h), and that no burst leaves the window.

#ifndef TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H
#define TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H

#include "sim/memory/axi_checker.h"
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
  bool reorder = false;     // between IDs, beat by beat
  bool dataFirst = false;   // an address only when data are offered
  unsigned ahead = 0;       // beats taken before their address
  bool late = false;        // what is written is there with its response
  bool early = false;       // reads see DRAM before their data are due
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
  options.dataFirst = chance.percent(33);
  options.ahead = chance.percent(50) ? chance.in(1, 600) : 0;
  options.late = chance.percent(50);
  options.early = chance.percent(50);
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
        dram(dram), checker(layout.beatBytes, layout.config.burst_beats()) {
    allow(base, dram.size());
  }

  /// The pages that a burst may be in from now on: those of these bytes.
  void allow(uint64_t address, uint64_t bytes) {
    first = address / page * page;
    end = (address + bytes + page - 1) / page * page;
  }

  /// Drives the slave's outputs before the model settles.
  void drive() {
    top.m_axi_arready_i =
        reads() < options.outstanding && chance.percent(options.arReady);
    const bool dataThere = wWaits || owed < 0;
    top.m_axi_awready_i =
        (!options.dataFirst || dataThere) && chance.percent(options.awReady);
    top.m_axi_wready_i =
        owed > -int64_t(options.ahead) && chance.percent(options.wReady);
    driveRead();
    answering =
        answering || (!responses.empty() && responses.front().due <= cycle &&
                      chance.percent(options.bValid));
    top.m_axi_bvalid_i = answering;
    top.m_axi_bresp_i = answering && responses.front().bad ? fault.response : 0;
  }

  /// Takes part in the handshakes of this cycle.
  void sample() {
    watch();
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
      for (const Beat &beat : responses.front().held)
        store(beat);
      responses.pop_front();
      answering = false;
    }
    takeWrite();
    takeWriteAddress();
    completeWrites();
    ++cycle;
  }

  bool quiet() const { return reads() == 0 && !writing(); }
  bool writing() const {
    return !writes.empty() || !responses.empty() || !data.empty();
  }

  /// As the master's reset does where both have it: nothing is under way.
  void reset() {
    for (auto &reads : queue)
      reads.clear();
    order.clear();
    writes.clear();
    data.clear();
    responses.clear();
    owed = 0;
    offering = answering = wWaits = false;
    checker.reset();
  }

  /// The master is in reset: it may take back what it asked for.
  void withdraw() { checker.withdraw(); }

  /// From the next burst on: its master's bursts count from 0 again.
  void breaks(const SlaveFault &how) {
    fault = how;
    bursts = {};
  }
  const SlaveFault &broken() const { return fault; }
  /// Bursts asked for since then.
  uint64_t burstsOf(Master master) const { return bursts[master]; }

  uint64_t readBeats = 0, writeBeats = 0;
  /// Beats of writes that came with their strobes.
  uint64_t storedBeats = 0;
  /// Cycles since anything moved on the port.
  uint64_t idleFor() const { return cycle - lastMove; }

private:
  static constexpr uint64_t page = 4096;

  struct Read {
    uint64_t due, address;
    unsigned left, badIn; // beats before the bad one
    bool bad;
    uint64_t sampleAt;            // cycle; 0: with each beat
    std::vector<uint8_t> sampled; // of the beats left
  };
  struct Beat {
    std::vector<uint8_t> bytes;
    bool stored;
    uint64_t address;
  };
  struct Write {
    uint64_t address;
    unsigned left;
    bool bad;
    std::vector<Beat> held;
  };
  struct Response {
    uint64_t due;
    bool bad;
    std::vector<Beat> held;
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

  void watch() {
    sim::AxiRequests in;
    in.ar = {bool(top.m_axi_arvalid_o), top.m_axi_araddr_o,  top.m_axi_arlen_o,
             top.m_axi_arsize_o,        top.m_axi_arburst_o, top.m_axi_arid_o};
    in.aw = {bool(top.m_axi_awvalid_o), top.m_axi_awaddr_o,  top.m_axi_awlen_o,
             top.m_axi_awsize_o,        top.m_axi_awburst_o, 0};
    in.rReady = top.m_axi_rready_o;
    in.bReady = top.m_axi_bready_o;
    in.wValid = top.m_axi_wvalid_o;
    in.wLast = top.m_axi_wlast_o;
    in.wData = bytesOf(top.m_axi_wdata_o);
    in.wStrobe = bytesOf(top.m_axi_wstrb_o);
    sim::AxiOutputs out;
    out.arReady = top.m_axi_arready_i;
    out.awReady = top.m_axi_awready_i;
    out.wReady = top.m_axi_wready_i;
    out.rValid = top.m_axi_rvalid_i;
    out.rLast = top.m_axi_rlast_i;
    out.rId = top.m_axi_rid_i;
    out.bValid = top.m_axi_bvalid_i;
    checker.watch(in, out);
    expect(!checker.failed(), chance, checker.error());
  }

  void driveRead() {
    for (auto &reads : queue)
      for (Read &read : reads)
        if (read.sampleAt == cycle && cycle)
          read.sampled.assign(&at(read.address),
                              &at(read.address) + read.left * layout.beatBytes);
    if (!offering) {
      unsigned id = order.empty() ? 0 : order.front();
      if (options.reorder && chance.percent(50))
        id ^= 1;
      bool can = !queue[id].empty() && queue[id].front().due <= cycle &&
                 chance.percent(options.rValid);
      if (can) {
        offering = true;
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
    const uint8_t *from =
        read.sampled.empty()
            ? &at(read.address)
            : &*(read.sampled.end() - read.left * layout.beatBytes);
    for (uint32_t b = 0; b < layout.beatBytes; ++b)
      bytesOf(top.m_axi_rdata_i)[b] = bad ? noise(b) : from[b];
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
    order.erase(std::find(order.begin(), order.end(), current));
  }

  void checkPlace(uint64_t address, unsigned beats) {
    const uint64_t bytes = uint64_t(beats) * layout.beatBytes;
    expect(address >= first && address + bytes <= end, chance,
           "a burst of " + std::to_string(beats) + " beats at offset " +
               std::to_string(int64_t(address - base)) + " leaves the window");
  }

  void takeAddress() {
    if (!top.m_axi_arvalid_o || !top.m_axi_arready_i)
      return;
    const uint64_t address = top.m_axi_araddr_o;
    const unsigned beats = top.m_axi_arlen_o + 1u;
    checkPlace(address, beats);
    const bool bad = isBad(Master(top.m_axi_arid_o), address);
    const uint64_t more = top.m_axi_arid_o ? 0 : options.loadLatency;
    const uint64_t from = due() + more;
    const uint64_t sampleAt = options.early && chance.percent(70)
                                  ? chance.in(1, uint32_t(from - cycle)) + cycle
                                  : 0;
    queue[top.m_axi_arid_o].push_back({from,
                                       address,
                                       beats,
                                       std::min(fault.beat, beats - 1),
                                       bad,
                                       sampleAt,
                                       {}});
    order.push_back(top.m_axi_arid_o);
  }

  void takeWriteAddress() {
    if (!top.m_axi_awvalid_o || !top.m_axi_awready_i)
      return;
    const unsigned beats = top.m_axi_awlen_o + 1u;
    checkPlace(top.m_axi_awaddr_o, beats);
    writes.push_back({top.m_axi_awaddr_o,
                      beats,
                      isBad(StoreWrites, top.m_axi_awaddr_o),
                      {}});
    owed += beats;
  }

  void takeWrite() {
    wWaits = top.m_axi_wvalid_o && !top.m_axi_wready_i;
    if (!top.m_axi_wvalid_o || !top.m_axi_wready_i)
      return;
    unsigned strobes = 0;
    for (uint32_t b = 0; b < layout.beatBytes; ++b)
      strobes += bytesOf(top.m_axi_wstrb_o)[b / 8] >> b % 8 & 1;
    expect(strobes == 0 || strobes == layout.beatBytes, chance, "strobes");
    const uint8_t *bytes = bytesOf(top.m_axi_wdata_o);
    data.push_back({{bytes, bytes + layout.beatBytes}, strobes != 0, 0});
    --owed;
    ++writeBeats;
    storedBeats += strobes != 0;
  }

  // Beats to the bursts whose address is known.
  void completeWrites() {
    while (!writes.empty() && !data.empty()) {
      Write &write = writes.front();
      Beat beat = std::move(data.front());
      data.pop_front();
      beat.address = write.address;
      if (write.bad)
        beat.stored = false;
      if (options.late)
        write.held.push_back(std::move(beat));
      else
        store(beat);
      write.address += layout.beatBytes;
      if (--write.left)
        continue;
      responses.push_back({due(), write.bad, std::move(write.held)});
      writes.pop_front();
    }
  }

  void store(const Beat &beat) {
    if (beat.stored)
      std::copy(beat.bytes.begin(), beat.bytes.end(), &at(beat.address));
  }

  uint8_t &at(uint64_t address) { return dram[address - base]; }

  Top &top;
  const isa::Layout &layout;
  Chance &chance;
  SlaveOptions options;
  uint64_t base, first = 0, end = 0;
  std::vector<uint8_t> &dram;
  sim::AxiChecker checker;
  uint64_t cycle = 0, lastMove = 0;
  std::deque<Read> queue[2];
  std::deque<unsigned> order; // IDs of the bursts in flight
  std::deque<Write> writes;
  std::deque<Beat> data; // of bursts whose address has not come
  std::deque<Response> responses;
  int64_t owed = 0; // beats of addresses taken, less beats taken
  SlaveFault fault;
  std::array<uint64_t, masters> bursts{};
  bool offering = false, answering = false, wWaits = false;
  unsigned current = 0;
};

} // namespace tenon::test

#endif // TENON_TESTS_RTL_MEMORY_AXI_SLAVE_H
