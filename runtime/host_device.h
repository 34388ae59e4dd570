//===- runtime/host_device.h - For programs without launches ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_HOST_DEVICE_H
#define TENON_RUNTIME_HOST_DEVICE_H

#include "sim/device.h"

namespace tenon::runtime {

/// What a session is given for a program of host kernels alone: no DRAM, no
/// accelerator. Anything else of a program is Unimplemented.
class HostDevice : public sim::Device {
public:
  /// Of the configuration that the program names.
  explicit HostDevice(isa::Configuration configuration)
      : config(std::move(configuration)) {}

  absl::string_view name() const override { return "cpu"; }
  const isa::Configuration &configuration() const override { return config; }
  absl::Status allocate(uint64_t dramBytes) override;
  absl::Status write(uint64_t offset, absl::Span<const uint8_t> data) override;
  absl::Status read(uint64_t offset, absl::Span<uint8_t> data) const override;

protected:
  absl::Status start(const sim::Launch &launch) override;
  absl::StatusOr<sim::LaunchCounts>
  await(std::chrono::nanoseconds limit) override;

private:
  isa::Configuration config;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_HOST_DEVICE_H
