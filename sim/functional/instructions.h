// Part of Tenon, under the Apache License v2.0.
//
// What each instruction does to the state, one function and one file per kind.
// An error says what in the instruction is wrong; Machine adds which one it
// is.  After an error the state is undefined.

#ifndef SIM_FUNCTIONAL_INSTRUCTIONS_H
#define SIM_FUNCTIONAL_INSTRUCTIONS_H

#include "absl/status/status.h"
#include "sim/functional/state.h"

namespace tenon::sim::functional {

absl::Status execute(const isa::Load &load, State &state);
absl::Status execute(const isa::Store &store, State &state);
absl::Status execute(const isa::Gemm &gemm, State &state);
absl::Status execute(const isa::Alu &alu, State &state);
absl::Status execute(const isa::Set &set, State &state);

/// The arithmetic of RESCALE: low 32 bits of (value*multiplier +
/// 2^(shift-1)) >> shift, in 64 bits; 2 <= shift <= 62.
int32_t rescale(int32_t value, int32_t multiplier, uint32_t shift);

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_INSTRUCTIONS_H
