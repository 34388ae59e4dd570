// Part of Tenon, under the Apache License v2.0.
//
// ALU's kernels for AVX2.

#include "sim/functional/alu_loop.h"

namespace tenon::sim::functional {
AluKernels aluKernelsAvx2(uint32_t batch, uint32_t blockOut) {
  return selectAluKernels(batch, blockOut);
}
} // namespace tenon::sim::functional
