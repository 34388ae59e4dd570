// Part of Tenon, under the Apache License v2.0.
//
// The GEMM kernels: one source (gemm_loop.h) with three dot products, each
// compiled for the host it needs, the best one chosen at run time.

#ifndef SIM_FUNCTIONAL_GEMM_KERNELS_H
#define SIM_FUNCTIONAL_GEMM_KERNELS_H

#include "sim/functional/gemm_work.h"

#include <vector>

namespace tenon::sim::functional {

struct GemmVariant {
  const char *name;
  GemmKernel kernel;
};

/// The kernels this host can run, fastest first; at least one.
std::vector<GemmVariant> gemmVariants(uint32_t batch, uint32_t blockIn,
                                      uint32_t blockOut);

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_GEMM_KERNELS_H
