//===- runtime/fpga/registers.h - A launch, register by register *- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What every driver of real hardware does at the control port, whatever the
// registers are reached through: who is there, start, is it done, what did it
// count. The registers are those of isa/tenon.isa (docs/isa.md).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FPGA_REGISTERS_H
#define TENON_RUNTIME_FPGA_REGISTERS_H

#include "isa/isa.h"
#include "sim/device.h"
#include "sim/fault.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstdint>

namespace tenon::runtime {

/// The control port of an accelerator. One thread at a time.
class RegisterPort {
public:
  virtual ~RegisterPort() = default;

  /// Who it is, for messages: "/dev/ttyUSB1".
  virtual absl::string_view name() const = 0;

  /// Writes one register; `offset` in bytes, a multiple of 4.
  virtual absl::Status write(uint32_t offset, uint32_t value) = 0;

  /// Reads `values.size()` registers that follow each other.
  virtual absl::Status read(uint32_t offset, absl::Span<uint32_t> values) = 0;
};

/// Whether the accelerator has this version of the instruction set and this
/// configuration. FailedPrecondition: it has not (with both numbers).
absl::Status checkIdentity(RegisterPort &port, const isa::Layout &layout);

struct LaunchStatus {
  bool done = false, running = false;
  uint32_t value = 0; // of the register
};
absl::StatusOr<LaunchStatus> readStatus(RegisterPort &port);

/// DRAM as the accelerator sees it; no launch reaches more, but for what is
/// left of its first and last pages of 4 KiB.
struct DramWindow {
  uint64_t base = 0, bytes = 0;
};

/// Starts the program whose first instruction stands `programOffset` bytes
/// (whole beats) from the window's base. When it returns, the start has
/// arrived: the status is that of this launch. FailedPrecondition: one runs;
/// DeadlineExceeded: the start was not taken in a second.
absl::Status startLaunch(RegisterPort &port, const isa::Layout &layout,
                         const DramWindow &window, uint64_t programOffset);

/// Ends what runs, if something does, be it of a driver before this one, and
/// sets the registers back. When it returns, no burst is under way.
/// DeadlineExceeded: bursts were not answered in a second.
absl::Status stopLaunch(RegisterPort &port);

/// The error of a launch whose `status` has the error bit (sim::faultStatus).
absl::Status checkStatus(RegisterPort &port, const sim::FaultyLaunch &launch,
                         const LaunchStatus &status);

/// Cycles, retired instructions, states and token waits, as far as the
/// configuration counts them (the rest stays 0); counters have 32 bits.
absl::StatusOr<sim::LaunchCounts> readCounters(RegisterPort &port,
                                               const isa::Layout &layout);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FPGA_REGISTERS_H
