//===- tools/fpga/area_blocks.h - Block RAMs and multipliers ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Formulas for what synthesis makes of the accelerator's memories and products.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_AREA_BLOCKS_H
#define TENON_TOOLS_FPGA_AREA_BLOCKS_H

#include "isa/expression.h"
#include "tools/fpga/proto/area.pb.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <vector>

namespace tenon::fpga {

/// A memory with one write and one clocked read port, written `lanes` lanes of
/// `laneBits` at a time each on its own.
struct MemoryShape {
  int64_t entries = 0, lanes = 1, laneBits = 0;
};

/// Block RAMs of the cheapest arrangement of a family's blocks; 0 where the
/// memory is so small that synthesis puts it into LUTs or registers, unless the
/// RTL forces it into block RAM.
double blockRams(absl::string_view family, const MemoryShape &shape,
                 bool forced = false);

/// The memories of a configuration that may become block RAMs.
absl::StatusOr<std::vector<AreaMemory>> blockMemories(absl::string_view family,
                                                      const isa::Names &names);

/// Multipliers, in the family's unit.
absl::StatusOr<double> multipliers(absl::string_view family,
                                   const isa::Names &names);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_AREA_BLOCKS_H
