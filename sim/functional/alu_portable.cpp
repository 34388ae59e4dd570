// Part of Tenon, under the Apache License v2.0.
//
// ALU's kernels for any host.

#include "sim/functional/alu_loop.h"
#include "sim/functional/instructions.h"

namespace tenon::sim::functional {
AluKernels aluKernelsPortable(uint32_t batch, uint32_t blockOut) {
  return selectAluKernels(batch, blockOut);
}

int32_t rescale(int32_t value, int32_t multiplier, uint32_t shift) {
  return rescaleLane(value, multiplier, shift);
}
} // namespace tenon::sim::functional
