// Part of Tenon, under the Apache License v2.0.
//
// What every instruction of a program must write: the functional simulator,
// executed one instruction at a time.

#ifndef TESTS_DIFFERENTIAL_EXPECTED_RUN_H
#define TESTS_DIFFERENTIAL_EXPECTED_RUN_H

#include "isa/proto/program.pb.h"
#include "tests/differential/regions.h"

#include "absl/status/statusor.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tenon::differential {

/// One element of a scratchpad (a line in the memories of micro-ops), or a beat
/// of DRAM.
struct ExpectedWrite {
  Space space;
  uint64_t index;
  /// What the memory holds, as in DRAM (ACC: int32).  Empty where the
  /// instruction writes the element again: only that write's value is known.
  std::vector<uint8_t> data;
};

struct ExpectedInstruction {
  uint64_t number; // in the stream
  isa::Instruction instruction;
  std::vector<ExpectedWrite> writes; // in order; LOAD's may come in any
};

/// Each engine's instructions in its order.
struct ExpectedRun {
  std::array<std::vector<ExpectedInstruction>, isa::engineCount> engines;
};

/// Executes the program's only launch in the order of its stream, which a
/// program without races may be executed in.  An error if it cannot be.
absl::StatusOr<ExpectedRun> expectedRun(const isa::Layout &layout,
                                        const isa::Program &program);

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_EXPECTED_RUN_H
