//===- sim/device.h - What every executor of programs implements -*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A device has DRAM and runs accelerator launches on it. The functional
// simulator, the SystemC model, the RTL and hardware implement this interface
// and leave bit-identical DRAM.
//
// Use: allocate, write the program's segments and inputs, launch, read. All
// offsets are bytes from the DRAM base. Memory that was never written holds
// poisonByte(offset), in every device, so that DRAM can be compared as a whole
// and a read of what nobody wrote does not look like zeros.
//
// Threads: a device is used by one thread at a time; different devices are
// independent. Errors: InvalidArgument, the program or the options are bad
// (undefined encoding, access out of bounds, ...); OutOfRange, an offset lies
// outside DRAM; ResourceExhausted, there is not so much memory, or cycleLimit
// was reached; Aborted, the launch does not make progress (deadlock);
// FailedPrecondition, a tool or the device is missing, or allocate was not
// called; Unavailable, the device does not answer or its memory fails;
// Internal, a defect of Tenon's. After a failed launch the contents of DRAM are
// unspecified and the device can be used again.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_DEVICE_H
#define TENON_SIM_DEVICE_H

#include "sim/accounting.h"
#include "sim/memory/poison.h"
#include "sim/memory/timing.h"
#include "sim/trace/launch_trace.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "isa/proto/configuration.pb.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tenon::sim {

/// Copy `bytes` bytes of DRAM at `offset` when STORE has retired `afterStores`
/// instructions of this launch (SET included); 0 copies before the launch.
struct Watch {
  uint64_t afterStores = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct LaunchOptions {
  uint64_t programOffset = 0;    // of the first instruction; whole beats
  uint64_t instructionCount = 0; // with FINISH
  std::vector<Watch> watches;    // in any order
  LayerRuns runs;                // empty: everything is one layer
  MemoryTiming memory;           // ignored by untimed devices
  /// Filled with the launch's events, if given; untimed devices leave it empty.
  LaunchTrace *trace = nullptr;
  /// Most cycles the launch may take; 0 derives a bound from the program that
  /// no sound execution reaches.
  uint64_t cycleLimit = 0;
  /// Cycles without any retirement, beat of memory or busy engine after which
  /// the launch is given up.
  uint64_t idleLimit = 100000;
  /// What lies at an offset of DRAM, for messages: "tensor 'conv2d_3'"; ""
  /// where nothing is known. May be empty.
  std::function<std::string(uint64_t offset)> nameOf;
  /// Called about ten times a second while the launch runs, from the calling
  /// thread; `retired` counts all engines. May be empty.
  std::function<void(uint64_t cycles, uint64_t retired)> progress;
};

/// `layers` has at least one entry. Untimed devices leave cycles, states,
/// tokenWaits and each layer's lastRetirement 0.
struct LaunchResult {
  uint64_t cycles = 0; // from start to done
  std::array<EngineStates, numEngines> states;
  std::array<uint64_t, numChannels> tokenWaits{}; // by channel, isa order
  std::vector<LayerResult> layers;
  std::array<uint64_t, numEngines> retired{};  // instructions, SET included
  uint64_t fetchBytes = 0;                     // read by FETCH
  std::vector<std::vector<uint8_t>> snapshots; // one for each watch, its order
  double seconds = 0;                          // host time of the launch
};

class Device {
public:
  virtual ~Device() = default;

  /// "functional", "tlm", "rtl", ...
  virtual absl::string_view name() const = 0;

  /// The machine this device is. Valid as long as the device.
  virtual const isa::Configuration &configuration() const = 0;

  /// Of the clock that cycles are counted in, MHz.
  virtual double clockMhz() const { return configuration().clock_mhz(); }

  /// DRAM of `dramBytes` bytes, poisoned; what was there before is gone.
  virtual absl::Status allocate(uint64_t dramBytes) = 0;

  virtual absl::Status write(uint64_t offset,
                             absl::Span<const uint8_t> data) = 0;
  virtual absl::Status read(uint64_t offset,
                            absl::Span<uint8_t> data) const = 0;

  /// Whether launches can copy DRAM while they run (LaunchOptions::watches);
  /// real hardware cannot, and refuses a launch that asks for it.
  virtual bool takesWatches() const { return true; }

  /// Runs the program in DRAM to its end. Scratchpads keep their contents from
  /// launch to launch, registers start from their reset values.
  virtual absl::StatusOr<LaunchResult> launch(const LaunchOptions &options) = 0;
};

} // namespace tenon::sim

#endif // TENON_SIM_DEVICE_H
