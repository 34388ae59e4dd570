// Part of Tenon, under the Apache License v2.0.
//
// The kernels of GEMM (gemm_loop.h with three dot products) and of ALU
// (alu_loop.h): one source each, compiled for the host it needs, the best one
// chosen at run time.

#ifndef SIM_FUNCTIONAL_KERNELS_H
#define SIM_FUNCTIONAL_KERNELS_H

#include "sim/functional/alu_work.h"
#include "sim/functional/gemm_work.h"

#include <vector>

namespace tenon::sim::functional {

struct GemmVariant {
  const char *name;
  GemmKernel kernel;
};

struct AluVariant {
  const char *name;
  AluKernels kernels;
};

/// The kernels this host can run, fastest first; at least one.
std::vector<GemmVariant> gemmVariants(uint32_t batch, uint32_t blockIn,
                                      uint32_t blockOut);
std::vector<AluVariant> aluVariants(uint32_t batch, uint32_t blockOut);

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_KERNELS_H
