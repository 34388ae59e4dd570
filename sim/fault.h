//===- sim/fault.h - What the hardware says went wrong ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_FAULT_H
#define TENON_SIM_FAULT_H

#include "sim/device.h"
#include "sim/program_walk.h"

#include "absl/status/status.h"

namespace tenon::sim {

/// Bits of register STATUS (isa/tenon.isa).
constexpr uint32_t statusDone = 1 << 0, statusRunning = 1 << 1,
                   statusError = 1 << 2;
constexpr unsigned statusFaultShift = 4;
constexpr uint32_t statusFaultMask = 15;
/// Bits of register CONTROL; resetting stops as well.
constexpr uint32_t controlStart = 1 << 0, controlStop = 1 << 1,
                   controlReset = 1 << 2;

/// Register WINDOW for `bytes` of DRAM from address `base` on: pages of 4 KiB.
constexpr uint32_t windowPages(uint64_t base, uint64_t bytes) {
  return static_cast<uint32_t>((base % 4096 + bytes + 4095) / 4096);
}

/// A launch that ended with the error bit, and what is known about it.
struct FaultyLaunch {
  absl::string_view device; // its name, begins the message
  const isa::Layout &layout;
  Stream stream;
  uint64_t dramBase = 0; // as the accelerator sees it
  const Launch &launch;
};

/// The message for registers STATUS and FAULT of such a launch: engine, place
/// in DRAM, instruction. InvalidArgument: the program leaves DRAM or has an
/// undefined opcode; Unavailable: the memory failed; Cancelled: the host
/// stopped it.
absl::Status faultStatus(const FaultyLaunch &launch, uint32_t status,
                         uint32_t where);

} // namespace tenon::sim

#endif // TENON_SIM_FAULT_H
