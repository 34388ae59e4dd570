// Part of Tenon, under the Apache License v2.0.
//
// GEMM for AVX2: bytes are widened to 16 bits in place (odd bytes by an
// arithmetic shift, even ones by a shift up and down) and multiplied in pairs.

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

namespace {
struct Dot {
  static inline void accumulate(int32_t *sums, const int8_t *row,
                                const int8_t *weights, const int32_t *,
                                uint32_t lanes, uint32_t groups) {
    for (uint32_t lane = 0; lane < lanes; lane += 8) {
      __m256i *to = reinterpret_cast<__m256i *>(sums + lane);
      __m256i sum = _mm256_loadu_si256(to);
      for (uint32_t g = 0; g < groups; ++g) {
        int32_t four;
        memcpy(&four, row + g * 4, 4);
        __m256i x = _mm256_set1_epi32(four);
        __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(
            weights + (g * lanes + lane) * 4));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(even(x), even(w)));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(odd(x), odd(w)));
      }
      _mm256_storeu_si256(to, sum);
    }
  }

  // Two chains a vector of eight lanes: even and odd bytes.
  template <uint32_t Lanes, uint32_t Groups, uint32_t BlockOut> struct Sums {
    static constexpr uint32_t vectors = (BlockOut + 7) / 8;
    __m256i sum[vectors][2];

    inline __attribute__((always_inline)) void start(const int32_t *acc) {
      alignas(32) int32_t from[vectors * 8] = {};
      if (acc)
        memcpy(from, acc, BlockOut * 4);
      for (uint32_t v = 0; v < vectors; ++v) {
        sum[v][0] =
            _mm256_load_si256(reinterpret_cast<const __m256i *>(from + v * 8));
        sum[v][1] = _mm256_setzero_si256();
      }
    }
    inline __attribute__((always_inline)) void
    add(const int8_t *row, const int8_t *weights, const int32_t *) {
#pragma clang loop unroll(full)
      for (uint32_t g = 0; g < Groups; ++g) {
        int32_t four;
        memcpy(&four, row + g * 4, 4);
        __m256i x = _mm256_set1_epi32(four), xEven = even(x), xOdd = odd(x);
#pragma clang loop unroll(full)
        for (uint32_t v = 0; v < vectors; ++v) {
          __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(
              weights + (g * Lanes + v * 8) * 4));
          sum[v][0] =
              _mm256_add_epi32(sum[v][0], _mm256_madd_epi16(xEven, even(w)));
          sum[v][1] =
              _mm256_add_epi32(sum[v][1], _mm256_madd_epi16(xOdd, odd(w)));
        }
      }
    }
    inline __attribute__((always_inline)) void finish(int32_t *acc,
                                                      int32_t less) {
      alignas(32) int32_t to[vectors * 8];
      for (uint32_t v = 0; v < vectors; ++v)
        _mm256_store_si256(
            reinterpret_cast<__m256i *>(to + v * 8),
            _mm256_sub_epi32(_mm256_add_epi32(sum[v][0], sum[v][1]),
                             _mm256_set1_epi32(less)));
      memcpy(acc, to, BlockOut * 4);
    }
  };

private:
  static inline __m256i even(__m256i bytes) {
    return _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8);
  }
  static inline __m256i odd(__m256i bytes) {
    return _mm256_srai_epi16(bytes, 8);
  }
};
} // namespace

#include "sim/functional/gemm_loop.h"

namespace tenon::sim::functional {
GemmKernel gemmKernelAvx2(uint32_t batch, uint32_t blockIn, uint32_t blockOut) {
  return selectKernel(batch, blockIn, blockOut);
}
} // namespace tenon::sim::functional
