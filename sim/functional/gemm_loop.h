// Part of Tenon, under the Apache License v2.0.
//
// The one copy of GEMM's semantics: loops, runs, zero point.  Included by one
// file per instruction set, which defines `Dot` before:
//   static void Dot::accumulate(int32_t *sums, const int8_t *row,
//                               const int8_t *weights,
//                               const int32_t *corrections,
//                               uint32_t lanes, uint32_t groups)
// adds to sums[lane] the dot product of the row and that lane's weights.
//
// Everything is in the unnamed namespace and only C headers are included, so
// that no code for one instruction set is shared with another.

#include "sim/functional/gemm_work.h"

#include <string.h>

#define TENON_INLINE inline __attribute__((always_inline))

namespace tenon::sim::functional {
namespace {

TENON_INLINE int32_t wrapAdd(int32_t a, int32_t b) {
  return int32_t(uint32_t(a) + uint32_t(b));
}

// Row `n` of INP element `element`, in groups*4 consecutive bytes: where they
// lie if they lie together, else gathered into `buffer`.
TENON_INLINE const int8_t *inputRow(const GemmWork &work, uint32_t batch,
                                    uint32_t blockIn, bool together,
                                    const int8_t *element, uint32_t n,
                                    int8_t *buffer) {
  if (together)
    return element + n * blockIn;
  memset(buffer, 0, work.groups * 4);
  uint32_t piece = work.pieceBytes;
  for (uint32_t c = 0; c < blockIn; ++c)
    buffer[c] = element[c / piece * batch * piece + n * piece + c % piece];
  return buffer;
}

// sums -= weightZeroPoint * (sum of the row).
TENON_INLINE void subtractZeroPoint(int32_t *sums, const int8_t *row,
                                    uint32_t blockIn, uint32_t blockOut,
                                    int32_t zeroPoint) {
  int32_t sum = 0;
  for (uint32_t c = 0; c < blockIn; ++c)
    sum += row[c];
  for (uint32_t o = 0; o < blockOut; ++o)
    sums[o] = wrapAdd(sums[o], -zeroPoint * sum);
}

// Sizes that are 0 come from `work`; `Together`: rows of INP are contiguous and
// a multiple of four.
template <uint32_t Batch, uint32_t BlockIn, uint32_t BlockOut, bool Together>
void gemmLoop(const GemmWork &work) {
  const uint32_t batch = Batch ? Batch : work.batch;
  const uint32_t blockIn = BlockIn ? BlockIn : work.blockIn;
  const uint32_t blockOut = BlockOut ? BlockOut : work.blockOut;
  const uint32_t lanes = BlockOut ? (BlockOut + 15) / 16 * 16 : work.lanes;
  const uint32_t groups = BlockIn ? (BlockIn + 3) / 4 : work.groups;
  alignas(64) int32_t local[BlockOut ? Batch * ((BlockOut + 15) / 16 * 16) : 1];
  int32_t *sums = BlockOut ? local : work.scratch;
  int8_t *buffer = reinterpret_cast<int8_t *>(work.scratch + batch * lanes);

  auto write = [&](uint32_t dst) {
    int32_t *acc = work.acc + size_t(dst) * batch * blockOut;
    for (uint32_t n = 0; n < batch; ++n)
      memcpy(acc + n * blockOut, sums + n * lanes, blockOut * 4);
  };
  auto start = [&](uint32_t dst) {
    const int32_t *acc = work.acc + size_t(dst) * batch * blockOut;
    memset(sums, 0, batch * lanes * 4);
    if (!work.first)
      for (uint32_t n = 0; n < batch; ++n)
        memcpy(sums + n * lanes, acc + n * blockOut, blockOut * 4);
  };

  const uint32_t none = ~0u; // no index is so large
  uint32_t current = none;
  Indices outer{0, 0, 0};
  for (uint32_t i = 0; i < work.outerCount; ++i) {
    Indices at = outer;
    for (uint32_t j = 0; j < work.innerCount; ++j) {
      for (uint32_t k = 0; k < work.uopCount; ++k) {
        const Indices &uop = work.uops[k];
        const uint32_t dst = at.dst + uop.dst;
        if (dst != current) {
          if (current != none)
            write(current);
          start(dst);
          current = dst;
        }
        const size_t third = at.third + uop.third;
        const int8_t *element =
            work.inp + size_t(at.src + uop.src) * batch * blockIn;
        for (uint32_t n = 0; n < batch; ++n) {
          const int8_t *row =
              inputRow(work, batch, blockIn, Together, element, n, buffer);
          Dot::accumulate(sums + n * lanes, row,
                          work.weights + third * groups * lanes * 4,
                          work.corrections + third * lanes, lanes, groups);
          if (work.weightZeroPoint != 0)
            subtractZeroPoint(sums + n * lanes, row, blockIn, blockOut,
                              work.weightZeroPoint);
        }
      }
      at.dst += work.innerStep.dst;
      at.src += work.innerStep.src;
      at.third += work.innerStep.third;
    }
    outer.dst += work.outerStep.dst;
    outer.src += work.outerStep.src;
    outer.third += work.outerStep.third;
  }
  write(current);
}

inline GemmKernel selectKernel(uint32_t batch, uint32_t blockIn,
                               uint32_t blockOut) {
  bool together = (batch == 1 || blockIn <= blockOut) && blockIn % 4 == 0;
  if (!together)
    return gemmLoop<0, 0, 0, false>;
  auto is = [&](uint32_t n, uint32_t in, uint32_t out) {
    return batch == n && blockIn == in && blockOut == out;
  };
  if (is(1, 4, 4))
    return gemmLoop<1, 4, 4, true>;
  if (is(1, 8, 8))
    return gemmLoop<1, 8, 8, true>;
  if (is(1, 16, 16))
    return gemmLoop<1, 16, 16, true>;
  if (is(1, 32, 32))
    return gemmLoop<1, 32, 32, true>;
  if (is(1, 64, 64))
    return gemmLoop<1, 64, 64, true>;
  if (is(4, 16, 16))
    return gemmLoop<4, 16, 16, true>;
  return gemmLoop<0, 0, 0, true>;
}

} // namespace
} // namespace tenon::sim::functional
