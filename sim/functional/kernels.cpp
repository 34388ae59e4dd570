// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/kernels.h"

namespace tenon::sim::functional {
namespace {

#ifdef TENON_X86_KERNELS
bool hasAvx512() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni");
}

bool hasAvx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2");
}
#endif

} // namespace

std::vector<GemmVariant> gemmVariants(uint32_t batch, uint32_t blockIn,
                                      uint32_t blockOut) {
  std::vector<GemmVariant> variants;
#ifdef TENON_X86_KERNELS
  if (hasAvx512())
    variants.push_back(
        {"avx512vnni", gemmKernelAvx512(batch, blockIn, blockOut)});
  if (hasAvx2())
    variants.push_back({"avx2", gemmKernelAvx2(batch, blockIn, blockOut)});
#endif
  variants.push_back(
      {"portable", gemmKernelPortable(batch, blockIn, blockOut)});
  return variants;
}

std::vector<AluVariant> aluVariants(uint32_t batch, uint32_t blockOut) {
  std::vector<AluVariant> variants;
#ifdef TENON_X86_KERNELS
  if (hasAvx512())
    variants.push_back({"avx512", aluKernelsAvx512(batch, blockOut)});
  if (hasAvx2())
    variants.push_back({"avx2", aluKernelsAvx2(batch, blockOut)});
#endif
  variants.push_back({"portable", aluKernelsPortable(batch, blockOut)});
  return variants;
}

} // namespace tenon::sim::functional
