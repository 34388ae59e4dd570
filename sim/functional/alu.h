// Part of Tenon, under the Apache License v2.0.
//
// What the files of the ALU share.

#ifndef SIM_FUNCTIONAL_ALU_H
#define SIM_FUNCTIONAL_ALU_H

#include "absl/status/status.h"
#include "sim/functional/loops.h"
#include "sim/functional/state.h"

#include <string>

namespace tenon::sim::functional {

inline int32_t *accElement(State &state, uint32_t index) {
  return &state.acc[size_t(index) * state.lanes];
}

inline bool fitsNineBits(int32_t value) { return uint32_t(value) + 256 < 512; }

/// What the kernels need of an instruction, but for quant_add's registers.
AluWork aluWork(const isa::Alu &alu, const Loops &loops, State &state);

absl::Status nineBitError(const std::string &what, int32_t value,
                          const Loops &loops, uint64_t iteration);

absl::Status quant(const isa::Alu &alu, const Loops &loops, State &state);
absl::Status quantAdd(const isa::Alu &alu, const Loops &loops, State &state);

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_ALU_H
