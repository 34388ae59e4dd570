//===- runtime/fpga/uio_device.h - A board with Linux on it -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FPGA_UIO_DEVICE_H
#define TENON_RUNTIME_FPGA_UIO_DEVICE_H

#include "runtime/fpga/uio_files.h"

#include "isa/isa.h"
#include "sim/device.h"
#include "sim/program_walk.h"

#include "absl/strings/string_view.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace tenon::runtime {

struct UioOptions {
  std::string registers;                     // "/dev/uio0"
  std::string buffer = "/dev/udmabuf-tenon"; // u-dma-buf device
  /// The processor caches the buffer and the driver moves data between caches
  /// and memory before and after a launch; otherwise it is mapped uncached.
  bool cached = true;
  /// Wait for the interrupt; otherwise look at the status once a millisecond.
  bool interrupt = true;
  double clockMhz = 0; // of the accelerator; 0: what its configuration says
  /// Seconds that a launch may take; 0: a multiple of what its instructions
  /// take if nothing overlaps, and a second.
  double timeLimit = 0;
  // For tests, where the files stand elsewhere and are no devices.
  std::string sysfs = "/sys";
  int interruptDescriptor = -1; // in place of the device's own
};

/// Parses `/dev/uio0,buffer=/dev/udmabuf0,cache=off,wait=poll,clock=100,
/// timeout=10`: the UIO device, then keys in any order, each at most once.
/// InvalidArgument names the key.
absl::StatusOr<UioOptions> parseUioTarget(absl::string_view text);

/// An accelerator in the fabric of a chip whose processor runs this program.
/// Its DRAM is a contiguous buffer of the processor's.
///
/// Beyond Device's errors: FailedPrecondition, a device file is missing, the
/// accelerator is another one (named), or DRAM is touched while a launch is
/// outstanding; DeadlineExceeded, a launch did not end in its time and was
/// stopped, with how far it came.
class UioDevice : public sim::Device {
public:
  /// Stops what the accelerator may be at.
  ~UioDevice() override;

  static absl::StatusOr<std::unique_ptr<UioDevice>>
  create(const isa::Configuration &configuration, const UioOptions &options);

  absl::string_view name() const override { return "fpga"; }
  const isa::Configuration &configuration() const override {
    return layout.config;
  }
  double clockMhz() const override { return options.clockMhz; }
  absl::Status allocate(uint64_t dramBytes) override;
  absl::Status write(uint64_t offset, absl::Span<const uint8_t> data) override;
  absl::Status read(uint64_t offset, absl::Span<uint8_t> data) const override;

protected:
  absl::Status start(const sim::Launch &launch) override;
  absl::StatusOr<sim::LaunchCounts>
  await(std::chrono::nanoseconds limit) override;

private:
  using Clock = std::chrono::steady_clock;

  /// The launch that the accelerator executes.
  struct Running {
    sim::Launch launch;
    std::chrono::duration<double> limit;
    Clock::time_point begin;
  };

  UioDevice(isa::Layout layout, UioOptions options,
            std::unique_ptr<UioRegisters> registers,
            std::unique_ptr<DmaBuffer> buffer)
      : layout(std::move(layout)), options(std::move(options)),
        registers(std::move(registers)), buffer(std::move(buffer)) {}

  absl::Status settle() const;
  absl::Status stopped(absl::Status error);
  absl::Status takeBack(absl::string_view what) const;
  absl::Status checkRange(uint64_t offset, uint64_t bytes,
                          absl::string_view what) const;
  sim::Stream streamOf(const sim::Launch &launch) const;
  absl::StatusOr<sim::StreamFacts> examine(const sim::Launch &launch) const;
  std::chrono::duration<double> limitOf(const sim::StreamFacts &facts) const;
  absl::Status startHardware(const sim::Launch &launch);
  absl::StatusOr<bool> mayHaveEnded(std::chrono::nanoseconds limit);
  absl::StatusOr<LaunchStatus> look(std::chrono::nanoseconds limit);
  absl::StatusOr<sim::LaunchCounts> finish(const LaunchStatus &status);
  absl::Status tooLate(const LaunchStatus &status);

  const isa::Layout layout;
  const UioOptions options;
  const std::unique_ptr<UioRegisters> registers;
  const std::unique_ptr<DmaBuffer> buffer;
  uint64_t dramBytes = 0; // that the program may touch; 0: not allocated
  std::optional<Running> running;
  // The accelerator may be at a launch: it was started, and neither has it been
  // seen to end nor has a stop.
  mutable bool mayBeBusy = false;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FPGA_UIO_DEVICE_H
