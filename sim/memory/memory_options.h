//===- sim/memory/memory_options.h - Text form of MemoryTiming --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_MEMORY_MEMORY_OPTIONS_H
#define TENON_SIM_MEMORY_MEMORY_OPTIONS_H

#include "sim/memory/timing.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <string>
#include <vector>

namespace tenon::sim {

/// Parses `latency=32,bytes-per-cycle=8,outstanding=64,dram=ddr3-1066`: keys in
/// any order, each at most once, what is missing keeps its default; the empty
/// text is the default. Ranges: latency 1..100000 cycles, bytes-per-cycle
/// 0..1024 (0: one beat), outstanding 1..1024 bursts. `dram` turns banked
/// timing on: one of dramPresets(), whose parameters further keys override,
/// named and measured as in DramParameters (banks=8, trcd-ps=13125, ...).
/// InvalidArgument names the key.
absl::StatusOr<MemoryTiming> parseMemoryTiming(absl::string_view text);

/// The text that parseMemoryTiming reads; of `dram` the preset and what differs
/// from it.
std::string printMemoryTiming(const MemoryTiming &timing);

/// The names that `dram` takes.
std::vector<absl::string_view> dramPresets();

} // namespace tenon::sim

#endif // TENON_SIM_MEMORY_MEMORY_OPTIONS_H
