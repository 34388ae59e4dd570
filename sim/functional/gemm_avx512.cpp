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

  // Several chains a vector of lanes, so that products of one micro-op do not
  // wait for each other.
  template <uint32_t Lanes, uint32_t Groups, uint32_t BlockOut> struct Sums {
    static constexpr uint32_t vectors = Lanes / 16;
    static constexpr uint32_t chains = vectors >= 4  ? 1
                                       : Groups >= 4 ? 4 / vectors
                                                     : 1;
    __m512i sum[vectors][chains];

    static inline __mmask16 used(uint32_t vector) {
      uint32_t left = BlockOut - vector * 16;
      return left >= 16 ? __mmask16(0xffff) : __mmask16((1u << left) - 1);
    }
    inline __attribute__((always_inline)) void start(const int32_t *acc) {
#pragma clang loop unroll(full)
      for (uint32_t v = 0; v < vectors; ++v) {
#pragma clang loop unroll(full)
        for (uint32_t c = 0; c < chains; ++c)
          sum[v][c] = _mm512_setzero_si512();
        if (acc)
          sum[v][0] = _mm512_maskz_loadu_epi32(used(v), acc + v * 16);
      }
    }
    inline __attribute__((always_inline)) void
    add(const int8_t *row, const int8_t *weights, const int32_t *corrections) {
#pragma clang loop unroll(full)
      for (uint32_t v = 0; v < vectors; ++v)
        sum[v][chains - 1] = _mm512_add_epi32(
            sum[v][chains - 1], _mm512_loadu_si512(corrections + v * 16));
#pragma clang loop unroll(full)
      for (uint32_t g = 0; g < Groups; ++g) {
        uint32_t four;
        memcpy(&four, row + g * 4, 4);
        __m512i x = _mm512_set1_epi32(int32_t(four ^ 0x80808080u));
#pragma clang loop unroll(full)
        for (uint32_t v = 0; v < vectors; ++v)
          sum[v][g % chains] = _mm512_dpbusd_epi32(
              sum[v][g % chains], x,
              _mm512_loadu_si512(weights + (g * Lanes + v * 16) * 4));
      }
    }
    inline __attribute__((always_inline)) void finish(int32_t *acc,
                                                      int32_t less) {
#pragma clang loop unroll(full)
      for (uint32_t v = 0; v < vectors; ++v) {
        __m512i total = _mm512_sub_epi32(sum[v][0], _mm512_set1_epi32(less));
#pragma clang loop unroll(full)
        for (uint32_t c = 1; c < chains; ++c)
          total = _mm512_add_epi32(total, sum[v][c]);
        _mm512_mask_storeu_epi32(acc + v * 16, used(v), total);
      }
    }
  };
};
} // namespace

#include "sim/functional/gemm_loop.h"

namespace tenon::sim::functional {
GemmKernel gemmKernelAvx512(uint32_t batch, uint32_t blockIn,
                            uint32_t blockOut) {
  return selectKernel(batch, blockIn, blockOut);
}
} // namespace tenon::sim::functional
