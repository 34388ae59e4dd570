// Part of Tenon, under the Apache License v2.0.
//
// The functional simulator as a device: bit-exact memory, no time.

#ifndef SIM_FUNCTIONAL_FUNCTIONAL_DEVICE_H
#define SIM_FUNCTIONAL_FUNCTIONAL_DEVICE_H

#include "sim/functional/machine.h"
#include "sim/simulator.h"

#include <memory>
#include <optional>
#include <vector>

namespace tenon::sim {

/// Cycles and states stay 0; retired counts, bytes and snapshots are exact.
/// A layer's bytes are those of the elements it moves: beats that an RTL LOAD
/// without `gather` drops are not counted.  LaunchOptions::cycleLimit and
/// idleLimit mean nothing here: a program is a finite stream, and a stuck one
/// is reported at once.
class FunctionalDevice : public Simulator {
public:
  /// A device of this configuration, without DRAM; an error if the
  /// configuration is not legal.  With `seed`, launches draw one of the legal
  /// interleavings of the engines: race-free programs do not notice.  With
  /// `detectRaces`, a launch that is not race-free in any interleaving fails
  /// (race_detector.h).
  static absl::StatusOr<std::unique_ptr<FunctionalDevice>>
  create(const isa::Configuration &configuration,
         std::optional<uint64_t> seed = std::nullopt, bool detectRaces = false);

  absl::string_view name() const override { return "functional"; }
  const isa::Configuration &configuration() const override {
    return layout.config;
  }
  absl::Status allocate(uint64_t dramBytes) override;
  absl::Status write(uint64_t offset, absl::Span<const uint8_t> data) override;
  absl::Status read(uint64_t offset, absl::Span<uint8_t> data) const override;
  absl::StatusOr<LaunchResult> launch(const LaunchOptions &options) override;

  /// With `detectRaces`: the first byte of these that neither the host nor a
  /// STORE has written; offset + bytes if there is none.
  uint64_t firstUndefined(uint64_t offset, uint64_t bytes) const {
    return races ? races->firstUndefined(offset, bytes) : offset + bytes;
  }

private:
  FunctionalDevice(const isa::Layout &layout, std::optional<uint64_t> seed,
                   bool detectRaces)
      : layout(layout), seed(seed), machine(layout) {
    if (detectRaces)
      races = std::make_unique<functional::RaceDetector>(layout);
  }

  absl::Status checkRegion(absl::string_view what, uint64_t offset,
                           uint64_t bytes) const;

  isa::Layout layout;
  std::optional<uint64_t> seed;
  functional::Machine machine;
  std::unique_ptr<functional::RaceDetector> races; // or null
  std::vector<uint8_t> dram;
};

} // namespace tenon::sim

#endif // SIM_FUNCTIONAL_FUNCTIONAL_DEVICE_H
