// Part of Tenon, under the Apache License v2.0.
//
// The strided DRAM side that LOAD and STORE share.

#ifndef SIM_FUNCTIONAL_TRANSFER_H
#define SIM_FUNCTIONAL_TRANSFER_H

#include "absl/status/status.h"

#include <cstdint>

namespace tenon::sim::functional {

/// Rows of elements in DRAM, in bytes.
struct Transfer {
  uint64_t start;
  uint64_t rowStride, elementStride;
  uint32_t rows, elements; // elements in a row
  uint32_t elementBytes;

  template <typename Instruction>
  Transfer(const Instruction &in, uint64_t beatBytes, uint32_t elementBytes)
      : start(in.dram * beatBytes), rowStride(in.yStride * beatBytes),
        elementStride(in.xStride * beatBytes), rows(in.ySize),
        elements(in.xSize), elementBytes(elementBytes) {}

  uint64_t address(uint64_t y, uint64_t x) const {
    return start + y * rowStride + x * elementStride;
  }
  /// Elements of a row follow each other without gaps.
  bool dense() const { return elementStride == elementBytes; }
  uint64_t bytes() const { return uint64_t(rows) * elements * elementBytes; }
};

/// OK if every element lies in `dramBytes` bytes; else names the first that
/// does not.
absl::Status checkDram(const Transfer &transfer, uint64_t dramBytes);

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_TRANSFER_H
