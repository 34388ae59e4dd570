//===- runtime/host_device.cpp - For programs without launches ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/host_device.h"

namespace tenon::runtime {

static absl::Status missing() {
  return absl::UnimplementedError(
      "cpu: the program has work for an accelerator, and there is none");
}

absl::Status HostDevice::allocate(uint64_t dramBytes) {
  return dramBytes ? missing() : absl::OkStatus();
}

absl::Status HostDevice::write(uint64_t, absl::Span<const uint8_t> data) {
  return data.empty() ? absl::OkStatus() : missing();
}

absl::Status HostDevice::read(uint64_t, absl::Span<uint8_t> data) const {
  return data.empty() ? absl::OkStatus() : missing();
}

absl::Status HostDevice::start(const sim::Launch &) { return missing(); }

absl::StatusOr<sim::LaunchCounts> HostDevice::await(std::chrono::nanoseconds) {
  return missing();
}

} // namespace tenon::runtime
