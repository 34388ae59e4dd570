//===- sim/memory/timing.h - Parameters of the DRAM model -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Plain data, standard library only: this header is also compiled into the
// Verilated simulators.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_TIMING_H
#define TENON_SIM_MEMORY_TIMING_H

#include <cstdint>

namespace tenon::sim {

/// DRAM chips behind the port, as their data sheets give them; times in
/// picoseconds. dram_timing.h says what happens with them.
struct DramParameters {
  uint32_t banks = 0;           // power of two up to 64; 0: no banked timing
  uint32_t rowBytes = 4096;     // of a bank; power of two, 4096 at least
  uint32_t megabytes = 4264;    // MB/s of the data bus
  uint32_t activate = 0;        // tRCD: row opened to column access
  uint32_t column = 0;          // tCAS: column access to data
  uint32_t precharge = 0;       // tRP: row closed
  uint32_t rowActive = 0;       // tRAS: a row stays open at least
  uint32_t writeRecovery = 0;   // tWR: last write data to closing its row
  uint32_t readToWrite = 0;     // the data bus turns around
  uint32_t writeToRead = 0;     // (with tWTR)
  uint32_t refreshInterval = 0; // tREFI, more than tRFC; 0: no refresh
  uint32_t refreshDuration = 0; // tRFC

  bool operator==(const DramParameters &o) const {
    return banks == o.banks && rowBytes == o.rowBytes &&
           megabytes == o.megabytes && activate == o.activate &&
           column == o.column && precharge == o.precharge &&
           rowActive == o.rowActive && writeRecovery == o.writeRecovery &&
           readToWrite == o.readToWrite && writeToRead == o.writeToRead &&
           refreshInterval == o.refreshInterval &&
           refreshDuration == o.refreshDuration;
  }
};

/// How fast DRAM is. The defaults are those every comparison uses: one beat a
/// cycle each way, 32 cycles of latency, 64 outstanding bursts. Read and write
/// channels are independent unless `dram` is on; one address a cycle is
/// accepted on each.
struct MemoryTiming {
  /// Cycles from the one an address is accepted in to the first in which its
  /// first beat of data is valid; for writes, from the last beat accepted to
  /// the response. At least 1. With `dram`, that of a hit in an open row while
  /// the data bus is free.
  uint32_t latency = 32;
  /// Bytes a cycle, of each channel; 0 is one beat a cycle. More than a beat a
  /// cycle is a beat a cycle.
  uint32_t bytesPerCycle = 0;
  /// Bursts accepted and not yet answered, of each channel. At least 1.
  uint32_t outstanding = 64;
  /// Rows, banks and refresh behind both channels.
  DramParameters dram;
  /// The accelerator's clock period, which turns times of `dram` into cycles.
  /// Devices set it from their configuration.
  uint32_t clockPicoseconds = 10000;

  bool operator==(const MemoryTiming &other) const {
    return latency == other.latency && bytesPerCycle == other.bytesPerCycle &&
           outstanding == other.outstanding && dram == other.dram &&
           clockPicoseconds == other.clockPicoseconds;
  }
};

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_TIMING_H
