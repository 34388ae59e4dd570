//===- sim/rtl/rtl_device.h - The Verilated hardware as a device -*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_RTL_DEVICE_H
#define TENON_SIM_RTL_RTL_DEVICE_H

#include "isa/isa.h"
#include "sim/memory/disturbance.h"
#include "sim/program_walk.h"
#include "sim/rtl/build.h"
#include "sim/rtl/loaded_model.h"
#include "sim/rtl/model_api.h"
#include "sim/simulator.h"

#include <memory>
#include <vector>

namespace tenon::sim {

/// Cycle-accurate: the RTL of hw/rtl behind the AXI memory of sim/memory. A
/// launch goes through the control port as it does on hardware; afterwards the
/// hardware's counters are compared with what the trace ports showed.
class RtlDevice : public Simulator {
public:
  /// Builds the simulator where the cache does not have it (see simulatorFor
  /// for the errors) and checks that it is of this configuration.
  static absl::StatusOr<std::unique_ptr<RtlDevice>>
  create(const isa::Configuration &configuration,
         const BuildProgress &progress = {});

  /// The same with a simulator that is already built; one of another
  /// configuration is refused.
  static absl::StatusOr<std::unique_ptr<RtlDevice>>
  createFrom(const isa::Configuration &configuration,
             const std::string &simulator);

  /// With a simulator that has the probe of sim/rtl/probe: `observer` is told
  /// what the machine does during launches. Its context outlives the device;
  /// one such device of a configuration at a time.
  static absl::StatusOr<std::unique_ptr<RtlDevice>> createObserved(
      const isa::Configuration &configuration, const ModelObserver &observer,
      Bodies bodies = Bodies::Simulation, const BuildProgress &progress = {});

  absl::string_view name() const override { return "rtl"; }
  const isa::Configuration &configuration() const override {
    return layout.config;
  }
  absl::Status allocate(uint64_t dramBytes) override;
  absl::Status write(uint64_t offset, absl::Span<const uint8_t> data) override;
  absl::Status read(uint64_t offset, absl::Span<uint8_t> data) const override;
  absl::StatusOr<LaunchResult> launch(const LaunchOptions &options) override;

  /// What the memory does in the launches from now on.
  void disturb(const MemoryDisturbance &how) { disturbance = how; }

  /// The host writes `value` to register CONTROL behind `cycles` cycles of
  /// every launch from now on (fault.h: controlStop, controlReset); 0: it does
  /// not.
  void stopAfter(uint64_t cycles, uint32_t value) {
    stopCycles = cycles;
    stopValue = value;
  }

  /// Parts of the machine that sleep get their clock as well: nothing but the
  /// simulator's speed may depend on it.
  void keepAwake() { allAwake = true; }

  /// Another machine, whose registers and scratchpads begin with random bits of
  /// this seed.
  void powerUp(uint64_t seed) { model->restart(seed); }

private:
  RtlDevice(isa::Layout layout, std::unique_ptr<LoadedModel> model)
      : layout(std::move(layout)), model(std::move(model)) {}

  absl::Status checkRange(uint64_t offset, uint64_t bytes,
                          absl::string_view what) const;
  absl::Status checkIdentity();
  absl::Status checkOptions(const LaunchOptions &options) const;
  absl::Status writeRegisters(const LaunchOptions &options);
  absl::Status checkOutcome(const LaunchOptions &options, const Stream &stream,
                            const StreamFacts &facts, const ModelLaunch &launch,
                            const ModelResult &result);
  absl::Status checkFault(const LaunchOptions &options, const Stream &stream);
  absl::Status checkCounters(const ModelResult &result);
  absl::Status expectRegister(uint32_t offset, uint64_t expected,
                              absl::string_view what);

  const isa::Layout layout;
  std::unique_ptr<LoadedModel> model;
  std::vector<uint8_t> dram;
  MemoryDisturbance disturbance;
  uint64_t stopCycles = 0;
  uint32_t stopValue = 0;
  bool allAwake = false;
};

} // namespace tenon::sim

#endif // TENON_SIM_RTL_RTL_DEVICE_H
