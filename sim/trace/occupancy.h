//===- sim/trace/occupancy.h - How full the scratchpads are -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An entry of a scratchpad is occupied from the retirement of the instruction
// that wrote its value to the retirement of the last one that read it before it
// was written again; a value that nobody reads occupies nothing. What was there
// before the launch counts from its start.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TRACE_OCCUPANCY_H
#define TENON_SIM_TRACE_OCCUPANCY_H

#include "isa/accesses.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tenon::sim {

/// Occupied entries of one scratchpad over time.
class Occupancy {
public:
  explicit Occupancy(uint64_t entries) : values(entries) {}

  /// The next instruction, in the order of retirement: `cycle` is when.
  void retire(uint64_t cycle, const isa::Units &reads,
              const isa::Units &writes);

  /// The most entries occupied at once in each bucket of `bucketCycles` cycles,
  /// of a launch of `cycles` cycles. Nothing may be retired afterwards.
  std::vector<uint32_t> peaks(uint64_t cycles, uint64_t bucketCycles);

private:
  struct Value {
    uint64_t written = 0, lastRead = 0;
    bool isRead = false;
  };
  struct Step {
    uint64_t cycle;
    int64_t change;
  };
  void end(Value &value);

  std::vector<Value> values;
  std::vector<Step> steps;
};

} // namespace tenon::sim

#endif // TENON_SIM_TRACE_OCCUPANCY_H
