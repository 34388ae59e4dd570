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
