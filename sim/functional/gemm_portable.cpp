// Part of Tenon, under the Apache License v2.0.
//
// GEMM for any host.

#include <stdint.h>
#include <string.h>

namespace {
struct Dot {
  static inline void accumulate(int32_t *sums, const int8_t *row,
                                const int8_t *weights, const int32_t *,
                                uint32_t lanes, uint32_t groups) {
    for (uint32_t g = 0; g < groups; ++g)
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        const int8_t *w = weights + (g * lanes + lane) * 4;
        const int8_t *x = row + g * 4;
        int32_t sum = x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3];
        sums[lane] = int32_t(uint32_t(sums[lane]) + uint32_t(sum));
      }
  }

  template <uint32_t Lanes, uint32_t Groups, uint32_t BlockOut> struct Sums {
    int32_t sum[Lanes];

    void start(const int32_t *acc) {
      memset(sum, 0, sizeof sum);
      if (acc)
        memcpy(sum, acc, BlockOut * 4);
    }
    void add(const int8_t *row, const int8_t *weights,
             const int32_t *corrections) {
      accumulate(sum, row, weights, corrections, Lanes, Groups);
    }
    void finish(int32_t *acc, int32_t less) {
      for (uint32_t o = 0; o < BlockOut; ++o)
        acc[o] = int32_t(uint32_t(sum[o]) - uint32_t(less));
    }
  };
};
} // namespace

#include "sim/functional/gemm_loop.h"

namespace tenon::sim::functional {
GemmKernel gemmKernelPortable(uint32_t batch, uint32_t blockIn,
                              uint32_t blockOut) {
  return selectKernel(batch, blockIn, blockOut);
}
} // namespace tenon::sim::functional
