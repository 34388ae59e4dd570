//===- sim/tlm/tlm_device.h - The SystemC model as a device -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_TLM_DEVICE_H
#define TENON_SIM_TLM_TLM_DEVICE_H

#include "sim/functional/state.h"
#include "sim/simulator.h"

#include <memory>
#include <vector>

namespace tenon::sim {

/// Bit-exact memory, and the cycles of the RTL within the error that
/// docs/tlm.md publishes, at many times its speed. States, token waits, layers,
/// events and traffic as the RTL reports them.
///
/// A program that does not end is reported as soon as nothing can act any more
/// (Aborted, with who waits for whom), so LaunchOptions::idleLimit means
/// nothing here. A cycleLimit of 0 is none: what can act ends in finitely many
/// cycles.
///
/// Launches of different devices take turns, whatever thread they come from:
/// SystemC has one simulation a process.
class TlmDevice : public Simulator {
public:
  /// A device without DRAM; an error if the configuration is not legal.
  static absl::StatusOr<std::unique_ptr<TlmDevice>>
  create(const isa::Configuration &configuration);

  absl::string_view name() const override { return "tlm"; }
  const isa::Configuration &configuration() const override {
    return layout.config;
  }
  absl::Status allocate(uint64_t dramBytes) override;
  absl::Status write(uint64_t offset, absl::Span<const uint8_t> data) override;
  absl::Status read(uint64_t offset, absl::Span<uint8_t> data) const override;
  absl::StatusOr<LaunchResult> launch(const LaunchOptions &options) override;

private:
  explicit TlmDevice(const isa::Layout &layout)
      : layout(layout), state(layout) {}

  absl::Status checkRange(absl::string_view what, uint64_t offset,
                          uint64_t bytes) const;
  absl::Status checkOptions(const LaunchOptions &options) const;

  isa::Layout layout;
  functional::State state;
  std::vector<uint8_t> dram;
};

} // namespace tenon::sim

#endif // TENON_SIM_TLM_TLM_DEVICE_H
