//===- sim/memory/dram_timing.h - When DRAM answers a burst -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Answers for each burst when its data or its response come. Everything that
// has a clock asks this class, so that they all see one memory: AxiMemory,
// which is stepped cycle by cycle behind the RTL, and the SystemC model, which
// moves a burst at a time.
//
// Plain timing (no banks): `latency` cycles, read and write channels
// independent; how fast beats follow is a matter of the port.
//
// Banked timing: bursts are served in the order in which they are accepted,
// reads with their address, writes with their last beat. Row r of the address
// space (`rowBytes` long) is in bank r mod banks, so streams walk through the
// banks, and no burst (inside 4 KiB) crosses a row. Rows stay open. In
// picoseconds from the acceptance:
//   hit       column access, data after tCAS
//   closed    tRCD before it
//   conflict  tRP and tRCD before it; the row that is closed has been open for
//             tRAS at least, its last write is older than tWR
//   data bus  one burst after another, reads and writes alike, and a gap where
//             the direction changes
//   refresh   every tREFI all rows are closed and nothing begins for tRFC
// `latency` is that of a hit while the bus is free; what a burst takes longer
// comes on top, in whole cycles. So banked timing is never faster than plain.
//
// Standard library only: this header is also compiled into the Verilated
// simulators. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_DRAM_TIMING_H
#define TENON_SIM_MEMORY_DRAM_TIMING_H

#include "sim/memory/timing.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tenon::sim {

/// When the beats of a read burst can be valid: beat i in cycle
/// first + floor(i * interval / 1024), or later as the port allows.
struct ReadTimes {
  static constexpr uint32_t unit = 1024; // of a cycle

  uint64_t first = 0;
  uint32_t interval = 0; // 0: the DRAM is no slower than the port

  uint64_t beat(uint64_t i) const { return first + i * interval / unit; }
};

class DramTiming {
public:
  DramTiming(const MemoryTiming &timing, uint32_t beatBytes)
      : latency(std::max<uint32_t>(timing.latency, 1)), dram(timing.dram),
        clock(std::max<uint32_t>(timing.clockPicoseconds, 1)),
        nextRefresh(dram.refreshInterval ? dram.refreshInterval : never),
        banks(dram.banks) {
    uint64_t beat = banked() ? transferTime(beatBytes) : 0;
    if (beat > clock)
      interval = static_cast<uint32_t>(beat * ReadTimes::unit / clock);
  }

  bool banked() const { return dram.banks != 0; }

  /// A read of `bytes` bytes at `offset`, its address accepted in `cycle`.
  /// Calls of read and write come in ascending order of cycles.
  ReadTimes read(uint64_t cycle, uint64_t offset, uint32_t bytes) {
    if (!banked())
      return {cycle + latency, 0};
    return {cycle + latency + delay(cycle, offset, bytes, false), interval};
  }

  /// The cycle of the response to a write whose last beat is accepted in
  /// `cycle`.
  uint64_t write(uint64_t cycle, uint64_t offset, uint32_t bytes) {
    if (!banked())
      return cycle + latency;
    return cycle + latency + delay(cycle, offset, bytes, true);
  }

  /// Cycles in which the last data of a burst of `bytes` bytes move after the
  /// last of the burst before it and `latency` after its acceptance, whatever
  /// state it finds the DRAM in; 0 for plain timing.
  uint64_t longestService(uint32_t bytes) const {
    if (!banked())
      return 0;
    uint64_t time = uint64_t(dram.refreshDuration) +
                    std::max(dram.rowActive, dram.writeRecovery) +
                    dram.precharge + dram.activate + dram.column +
                    std::max(dram.readToWrite, dram.writeToRead) +
                    transferTime(bytes);
    return (time + clock - 1) / clock;
  }

private:
  static constexpr uint64_t never = ~0ull;

  struct Bank {
    uint64_t row = never;   // open; never: none
    uint64_t ready = 0;     // a command may come from here on
    uint64_t closeable = 0; // the row may be closed from here on
  };

  uint64_t transferTime(uint64_t bytes) const {
    return bytes * 1000000 / std::max<uint32_t>(dram.megabytes, 1);
  }

  // Cycles that a burst takes longer than a hit while the bus is free.
  uint64_t delay(uint64_t cycle, uint64_t offset, uint32_t bytes, bool write) {
    uint64_t arrival = cycle * clock;
    uint64_t rowNumber = offset / dram.rowBytes;
    Bank &bank = banks[rowNumber % dram.banks];
    uint64_t access = columnAccess(bank, rowNumber / dram.banks, arrival);
    uint64_t turn = write == lastWasWrite ? 0
                    : write               ? dram.readToWrite
                                          : dram.writeToRead;
    uint64_t data = std::max(access + dram.column, busFree + turn);
    busFree = data + transferTime(bytes);
    lastWasWrite = write;
    bank.closeable =
        std::max(bank.closeable, busFree + (write ? dram.writeRecovery : 0));
    return (data - arrival - dram.column + clock - 1) / clock;
  }

  // When the column of `row` can be accessed; opens the row.
  uint64_t columnAccess(Bank &bank, uint64_t row, uint64_t arrival) {
    uint64_t start = std::max(arrival, bank.ready);
    if (start >= nextRefresh) {
      // Of many the last alone is felt: each ends before the next.
      nextRefresh +=
          (start - nextRefresh) / dram.refreshInterval * dram.refreshInterval;
      refresh();
      start = std::max(arrival, bank.ready);
    }
    if (bank.row != row) {
      if (bank.row != never)
        start = std::max(start, bank.closeable) + dram.precharge;
      bank.row = row;
      bank.closeable = start + dram.rowActive;
      start += dram.activate;
    }
    bank.ready = start;
    return start;
  }

  void refresh() {
    for (Bank &bank : banks) {
      bank.row = never;
      bank.ready = std::max(bank.ready, nextRefresh + dram.refreshDuration);
    }
    nextRefresh += dram.refreshInterval;
  }

  const uint32_t latency;
  const DramParameters dram;
  const uint64_t clock; // picoseconds
  uint32_t interval = 0;

  uint64_t nextRefresh, busFree = 0; // picoseconds
  bool lastWasWrite = false;
  std::vector<Bank> banks;
};

/// The pace of one channel of the port: a beat a cycle, or fewer where `rate`
/// bytes a cycle are less than a beat. Idle cycles save up for one beat at
/// most. Cycles ascend from call to call.
class BeatPace {
public:
  BeatPace(const MemoryTiming &timing, uint32_t beatBytes)
      : beatBytes(beatBytes),
        rate(timing.bytesPerCycle >= beatBytes ? 0 : timing.bytesPerCycle) {}

  bool limited() const { return rate != 0; }

  /// Whether a beat may move in `cycle`.
  bool ready(uint64_t cycle) {
    if (rate == 0)
      return true;
    earn(cycle);
    return bytes >= beatBytes;
  }

  /// The first cycle from `cycle` on in which a beat may move.
  uint64_t earliest(uint64_t cycle) {
    if (ready(cycle))
      return cycle;
    return cycle + (beatBytes - bytes + rate - 1) / rate;
  }

  /// A beat moves in `cycle`, in which it may.
  void move(uint64_t cycle) {
    if (rate == 0)
      return;
    earn(cycle);
    bytes -= beatBytes;
  }

private:
  void earn(uint64_t cycle) {
    if (cycle < next)
      return;
    uint64_t earned = bytes + (cycle + 1 - next) * rate;
    bytes =
        static_cast<uint32_t>(std::min<uint64_t>(earned, beatBytes + rate - 1));
    next = cycle + 1;
  }

  const uint32_t beatBytes;
  const uint32_t rate; // bytes a cycle; 0: a beat a cycle
  uint32_t bytes = 0;  // earned and not spent
  uint64_t next = 0;   // first cycle whose bytes are not earned
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_DRAM_TIMING_H
