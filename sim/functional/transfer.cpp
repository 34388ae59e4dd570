// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/transfer.h"

#include "absl/strings/str_format.h"

namespace tenon::sim::functional {

absl::Status checkDram(const Transfer &transfer, uint64_t dramBytes) {
  auto outside = [&](uint64_t y, uint64_t x) {
    return transfer.address(y, x) + transfer.elementBytes > dramBytes;
  };
  // Strides are unsigned: the last element has the largest address.
  if (!outside(transfer.rows - 1, transfer.elements - 1))
    return absl::OkStatus();
  uint64_t y = 0;
  while (!outside(y, transfer.elements - 1))
    ++y;
  uint64_t x = 0;
  while (!outside(y, x))
    ++x;
  return absl::InvalidArgumentError(absl::StrFormat(
      "element (y %d, x %d) is at DRAM offset 0x%x, outside of the %d bytes of "
      "DRAM",
      y, x, transfer.address(y, x), dramBytes));
}

} // namespace tenon::sim::functional
