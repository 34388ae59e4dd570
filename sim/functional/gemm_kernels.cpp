// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/gemm_kernels.h"

namespace tenon::sim::functional {

std::vector<GemmVariant> gemmVariants(uint32_t batch, uint32_t blockIn,
                                      uint32_t blockOut) {
  std::vector<GemmVariant> variants;
#ifdef TENON_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vnni"))
    variants.push_back(
        {"avx512vnni", gemmKernelAvx512(batch, blockIn, blockOut)});
  if (__builtin_cpu_supports("avx2"))
    variants.push_back({"avx2", gemmKernelAvx2(batch, blockIn, blockOut)});
#endif
  variants.push_back(
      {"portable", gemmKernelPortable(batch, blockIn, blockOut)});
  return variants;
}

} // namespace tenon::sim::functional
