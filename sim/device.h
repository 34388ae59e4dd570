//===- sim/device.h - What every executor of programs implements -*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A device has DRAM and runs accelerator launches on it. The functional
// simulator, the SystemC model, the RTL and hardware implement this interface
// and leave bit-identical DRAM. What only simulators can do stands beside it,
// in sim/simulator.h.
//
// Use: allocate, write the program's segments and inputs, submit, wait, read.
// All offsets are bytes from the DRAM base. Memory that was never written holds
// poisonByte(offset), in every device, so that DRAM can be compared as a whole
// and a read of what nobody wrote does not look like zeros.
//
// Launches: they run one after the other in the order in which they were
// submitted, beside the caller where the device is hardware. DRAM is the
// caller's while no launch is outstanding, that is until submit and again when
// wait has said that the last one is done. A device gives up a launch that
// takes longer than its instructions can; one that is destroyed leaves
// outstanding launches to themselves.
//
// Threads: a device is used by one thread at a time; different devices are
// independent. Errors: InvalidArgument, the program is bad (undefined encoding,
// access out of bounds, ...); OutOfRange, an offset lies outside DRAM;
// ResourceExhausted, there is not so much memory, or the launch took more
// cycles than its instructions can; Aborted, the launch does not make progress
// (deadlock); FailedPrecondition, a tool or the device is missing, allocate was
// not called, or there is no launch to wait for; Unavailable, the device does
// not answer or its memory fails; Internal, a defect of Tenon's. After a failed
// launch, or an exception (std::bad_alloc) out of submit or wait, the contents
// of DRAM are unspecified, all outstanding launches are dropped, and the device
// can be used again.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_DEVICE_H
#define TENON_SIM_DEVICE_H

#include "sim/accounting.h"
#include "sim/memory/poison.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "isa/proto/configuration.pb.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

namespace tenon::sim {

/// A program in DRAM that the accelerator is to run.
struct Launch {
  uint64_t programOffset = 0;    // of the first instruction; whole beats
  uint64_t instructionCount = 0; // with FINISH
  /// What lies at an offset of DRAM, for messages: "tensor 'conv2d_3'"; ""
  /// where nothing is known. May be empty.
  std::function<std::string(uint64_t offset)> nameOf;
};

/// What a device has counted of a launch so far, 0 where it does not count.
struct LaunchCounts {
  bool done = false;
  uint64_t cycles = 0; // from the start
  std::array<EngineStates, numEngines> states;
  std::array<uint64_t, numChannels> tokenWaits{}; // by channel, isa order
  std::array<uint64_t, numEngines> retired{};     // instructions, with SET
  uint64_t fetchBytes = 0;                        // read by FETCH
  double seconds = 0; // of the host's time that the launch took
};

class Simulator;

class Device {
public:
  virtual ~Device() = default;

  /// "functional", "tlm", "rtl", ...
  virtual absl::string_view name() const = 0;

  /// The machine this device is. Valid as long as the device.
  virtual const isa::Configuration &configuration() const = 0;

  /// Of the clock that cycles are counted in, MHz.
  virtual double clockMhz() const { return configuration().clock_mhz(); }

  /// What can be asked of it beyond this interface; null of hardware.
  virtual Simulator *simulator() { return nullptr; }

  /// DRAM of `dramBytes` bytes, poisoned; what was there before is gone.
  virtual absl::Status allocate(uint64_t dramBytes) = 0;

  virtual absl::Status write(uint64_t offset,
                             absl::Span<const uint8_t> data) = 0;
  virtual absl::Status read(uint64_t offset,
                            absl::Span<uint8_t> data) const = 0;

  /// Whether `owner` is who was here last; from now on it is. Whoever keeps
  /// something in DRAM asks this before relying on it.
  bool claim(const void *owner) {
    return std::exchange(lastOwner, owner) == owner;
  }

  /// Puts a launch behind those that are outstanding. Scratchpads keep their
  /// contents from launch to launch, registers start from their reset values.
  absl::Status submit(Launch launch);

  /// Waits for the oldest outstanding launch, at most `limit`, and says how far
  /// it has come; when it is done it is no longer outstanding. A limit of 0
  /// only looks. A simulator simulates here, to the end whatever the limit.
  absl::StatusOr<LaunchCounts> wait(std::chrono::nanoseconds limit);

protected:
  /// Starts a launch while none runs.
  virtual absl::Status start(const Launch &launch) = 0;
  /// `wait` for the one that was started; after an error none runs.
  virtual absl::StatusOr<LaunchCounts>
  await(std::chrono::nanoseconds limit) = 0;

private:
  std::deque<Launch> queue; // the first has been started
  absl::Status started;     // how that went
  const void *lastOwner = nullptr;
};

/// Submits `launch` and waits until it has ended.
absl::StatusOr<LaunchCounts> runLaunch(Device &device, Launch launch);

} // namespace tenon::sim

#endif // TENON_SIM_DEVICE_H
