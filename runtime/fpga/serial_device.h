//===- runtime/fpga/serial_device.h - A board on a serial port --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FPGA_SERIAL_DEVICE_H
#define TENON_RUNTIME_FPGA_SERIAL_DEVICE_H

#include "runtime/fpga/block_mirror.h"
#include "runtime/fpga/link.h"
#include "runtime/fpga/registers.h"

#include "isa/isa.h"
#include "sim/device.h"
#include "sim/program_walk.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace tenon::runtime {

/// An accelerator behind the host bridge of hw/bridge. Its DRAM is the board's
/// memory from address 0 on.
///
/// Bytes are dear on a serial line: writes go to a copy on the host until a
/// launch needs them, and of what differs from the board only that is sent,
/// which checksums in the board tell; reads fetch only what has changed.
///
/// Beyond Device's errors: FailedPrecondition, port or board are not what they
/// should be (both are named), and where DRAM is touched while a launch is
/// outstanding; Unavailable, the port disappeared, or the board was reset under
/// a launch; DeadlineExceeded, the board stopped answering. Of a configuration
/// without counters cycles are 0.
class SerialDevice : public sim::Device {
public:
  static absl::StatusOr<std::unique_ptr<SerialDevice>>
  create(const std::string &port, const isa::Configuration &configuration,
         const LinkOptions &options = {});

  absl::string_view name() const override { return "fpga"; }
  const isa::Configuration &configuration() const override {
    return layout.config;
  }
  double clockMhz() const override { return link->board().clockHz / 1e6; }
  absl::Status allocate(uint64_t dramBytes) override;
  absl::Status write(uint64_t offset, absl::Span<const uint8_t> data) override;
  absl::Status read(uint64_t offset, absl::Span<uint8_t> data) const override;

  const LinkStatistics &statistics() const { return link->statistics(); }
  const HelloAnswer &board() const { return link->board(); }

protected:
  absl::Status start(const sim::Launch &launch) override;
  absl::StatusOr<sim::LaunchCounts>
  await(std::chrono::nanoseconds limit) override;

private:
  using Clock = std::chrono::steady_clock;

  /// The launch that the board executes.
  struct Running {
    sim::Launch launch;
    sim::StreamFacts facts;
    Clock::time_point begin;
    Clock::duration pause;            // before the next look at the status
    Clock::time_point nextCounters;   // when they are looked at again
    sim::LaunchCounts counts, active; // last seen; when they last showed work
  };

  SerialDevice(isa::Layout layout, std::unique_ptr<Link> link)
      : layout(std::move(layout)), link(std::move(link)) {}

  absl::Status claimBoard();
  absl::Status settle() const;
  absl::Status checkRange(uint64_t offset, uint64_t bytes,
                          absl::string_view what) const;
  absl::StatusOr<sim::StreamFacts> prepare(const sim::Launch &launch);
  sim::Stream streamOf(const sim::Launch &launch) const;
  absl::StatusOr<bool> look();
  absl::Status finish(const LaunchStatus &status);
  absl::Status checkProgress(Clock::time_point now);
  absl::Status checkTime(Clock::time_point now) const;
  absl::Status stopped(absl::Status error);

  const isa::Layout layout;
  std::unique_ptr<Link> link;
  uint64_t dramBytes = 0;     // that the program may touch
  mutable BlockMirror mirror; // reading brings it up to date
  std::optional<Running> running;
  // The board may be at a launch, that of a driver before this one at first:
  // none has been seen to end, and no stop has.
  mutable bool mayBeBusy = true;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FPGA_SERIAL_DEVICE_H
