// Part of Tenon, under the Apache License v2.0.
//
// The one copy of GEMM's semantics: loops, runs, zero point.  Included by one
// file per instruction set, which defines `Dot` before:
//   static void Dot::accumulate(int32_t *sums, const int8_t *row,
//                               const int8_t *weights,
//                               const int32_t *corrections,
//                               uint32_t lanes, uint32_t groups)
// adds to sums[lane] the dot product of the row and that lane's weights; and
//   template <uint32_t Lanes, uint32_t Groups, uint32_t BlockOut>
//   struct Dot::Sums
// does the same for one row and sizes that are known, in registers: `start`
// takes the sums to begin with (null: zeros), `add` a row's products, `finish`
// writes them, less what is the same for all.  Sums wrap, so their order is
// free.
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

TENON_INLINE int32_t sumOfRow(const int8_t *row, uint32_t blockIn) {
  int32_t sum = 0;
  for (uint32_t c = 0; c < blockIn; ++c)
    sum += row[c];
  return sum;
}

// The sums of one row where sizes are known at run time only.
struct ScratchSums {
  int32_t *sums;
  uint32_t lanes, groups, blockOut;

  TENON_INLINE void start(const int32_t *acc) {
    memset(sums, 0, lanes * 4);
    if (acc)
      memcpy(sums, acc, blockOut * 4);
  }
  TENON_INLINE void add(const int8_t *row, const int8_t *weights,
                        const int32_t *corrections) {
    Dot::accumulate(sums, row, weights, corrections, lanes, groups);
  }
  TENON_INLINE void finish(int32_t *acc, int32_t less) {
    for (uint32_t o = 0; o < blockOut; ++o)
      acc[o] = int32_t(uint32_t(sums[o]) - uint32_t(less));
  }
};

// A run: what follows is the same for every size.
template <typename Sums>
TENON_INLINE void gemmRuns(const GemmWork &work, Sums *sums, uint32_t batch,
                           uint32_t blockIn, uint32_t blockOut, uint32_t lanes,
                           uint32_t groups, bool together, int32_t *rowSums) {
  int8_t *buffer = reinterpret_cast<int8_t *>(work.scratch + batch * lanes);
  auto write = [&](uint32_t dst) {
    int32_t *acc = work.acc + size_t(dst) * batch * blockOut;
    for (uint32_t n = 0; n < batch; ++n)
      sums[n].finish(
          acc + n * blockOut,
          int32_t(uint32_t(work.weightZeroPoint) * uint32_t(rowSums[n])));
  };
  auto start = [&](uint32_t dst) {
    const int32_t *acc = work.acc + size_t(dst) * batch * blockOut;
    for (uint32_t n = 0; n < batch; ++n) {
      sums[n].start(work.first ? nullptr : acc + n * blockOut);
      rowSums[n] = 0;
    }
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
              inputRow(work, batch, blockIn, together, element, n, buffer);
          sums[n].add(row, work.weights + third * groups * lanes * 4,
                      work.corrections + third * lanes);
          if (work.weightZeroPoint != 0)
            rowSums[n] = wrapAdd(rowSums[n], sumOfRow(row, blockIn));
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

// Rows of INP that are contiguous and a multiple of four: their sizes known.
template <uint32_t Batch, uint32_t BlockIn, uint32_t BlockOut>
void gemmFixed(const GemmWork &work) {
  constexpr uint32_t lanes = (BlockOut + 15) / 16 * 16, groups = BlockIn / 4;
  typename Dot::template Sums<lanes, groups, BlockOut> sums[Batch];
  int32_t rowSums[Batch];
  gemmRuns(work, sums, Batch, BlockIn, BlockOut, lanes, groups, true, rowSums);
}

// Any sizes; the rows' sums are what is left of the scratch memory.
template <bool Together> void gemmAny(const GemmWork &work) {
  constexpr uint32_t most = 64; // rows of any configuration
  ScratchSums sums[most];
  int32_t rowSums[most];
  for (uint32_t n = 0; n < work.batch; ++n)
    sums[n] = {work.scratch + n * work.lanes, work.lanes, work.groups,
               work.blockOut};
  gemmRuns(work, sums, work.batch, work.blockIn, work.blockOut, work.lanes,
           work.groups, Together, rowSums);
}

inline GemmKernel selectKernel(uint32_t batch, uint32_t blockIn,
                               uint32_t blockOut) {
  bool together = (batch == 1 || blockIn <= blockOut) && blockIn % 4 == 0;
  if (!together)
    return gemmAny<false>;
  auto is = [&](uint32_t n, uint32_t in, uint32_t out) {
    return batch == n && blockIn == in && blockOut == out;
  };
  if (is(1, 4, 4))
    return gemmFixed<1, 4, 4>;
  if (is(1, 8, 8))
    return gemmFixed<1, 8, 8>;
  if (is(1, 16, 16))
    return gemmFixed<1, 16, 16>;
  if (is(1, 32, 32))
    return gemmFixed<1, 32, 32>;
  if (is(1, 64, 64))
    return gemmFixed<1, 64, 64>;
  if (is(4, 16, 16))
    return gemmFixed<4, 16, 16>;
  return gemmAny<true>;
}

} // namespace
} // namespace tenon::sim::functional
