// Part of Tenon, under the Apache License v2.0.
//
// GEMM for AVX-512 VNNI: four products of sixteen outputs in one instruction.
// It takes unsigned inputs, so they are biased by 128, and the corrections take
// 128 times the sum of weights off again; all sums wrap at 32 bits.

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

namespace {
struct Dot {
  static inline void accumulate(int32_t *sums, const int8_t *row,
                                const int8_t *weights,
                                const int32_t *corrections, uint32_t lanes,
                                uint32_t groups) {
    for (uint32_t lane = 0; lane < lanes; lane += 16) {
      __m512i sum = _mm512_add_epi32(_mm512_loadu_si512(sums + lane),
                                     _mm512_loadu_si512(corrections + lane));
      for (uint32_t g = 0; g < groups; ++g) {
        uint32_t four;
        memcpy(&four, row + g * 4, 4);
        __m512i x = _mm512_set1_epi32(int32_t(four ^ 0x80808080u));
        sum = _mm512_dpbusd_epi32(
            sum, x, _mm512_loadu_si512(weights + (g * lanes + lane) * 4));
      }
      _mm512_storeu_si512(sums + lane, sum);
    }
  }
};
} // namespace

#include "sim/functional/gemm_loop.h"

namespace tenon::sim::functional {
GemmKernel gemmKernelAvx512(uint32_t batch, uint32_t blockIn,
                            uint32_t blockOut) {
  return selectKernel(batch, blockIn, blockOut);
}
} // namespace tenon::sim::functional
