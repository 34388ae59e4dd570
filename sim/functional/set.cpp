// Part of Tenon, under the Apache License v2.0.
//
// SET: a register of the engine that executes it; register 0 is none.

#include "sim/functional/instructions.h"

namespace tenon::sim::functional {

absl::Status execute(const isa::Set &set, State &state) {
  if (set.index != 0)
    state.registers[unsigned(set.engine)][set.index] = set.value;
  return absl::OkStatus();
}

} // namespace tenon::sim::functional
