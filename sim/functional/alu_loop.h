// Part of Tenon, under the Apache License v2.0.
//
// The one copy of what the ALU does lane by lane in its frequent operations:
// reductions, MAC, QUANT, QUANT_ADD. Included by one file per instruction set
// and vectorised by the compiler: lanes are independent, and their number is
// known in the usual sizes.
//
// Everything is in the unnamed namespace and only C headers are included, so
// that no code for one instruction set is shared with another.

#include "sim/functional/alu_work.h"

#include <string.h>

#define TENON_INLINE inline __attribute__((always_inline))

namespace tenon::sim::functional {
namespace {

TENON_INLINE int32_t wrap(uint32_t value) { return int32_t(value); }

TENON_INLINE int32_t clampTo(int32_t value, int32_t low, int32_t high) {
  value = value < low ? low : value;
  return value > high ? high : value;
}

// Low 32 bits of (value*multiplier + 2^(shift-1)) >> shift, in 64 bits.
TENON_INLINE int32_t rescaleLane(int32_t value, int32_t multiplier,
                                 uint32_t shift) {
  int64_t product = int64_t(value) * multiplier;
  int64_t half = int64_t(1) << (shift - 1);
  return wrap(uint32_t(uint64_t((product + half) >> shift)));
}

// Nine signed bits; of several values the results can be ored.
TENON_INLINE uint32_t nineBits(int32_t value) { return uint32_t(value) + 256; }

// Calls body(dst, src, third) for every iteration until it returns false.
template <typename Body>
TENON_INLINE uint64_t iterate(const AluWork &work, Body body) {
  uint64_t done = 0;
  Indices outer{0, 0, 0};
  for (uint32_t i = 0; i < work.outerCount; ++i) {
    Indices at = outer;
    for (uint32_t j = 0; j < work.innerCount; ++j) {
      for (uint32_t k = 0; k < work.uopCount; ++k) {
        const Indices &uop = work.uops[k];
        if (!body(at.dst + uop.dst, at.src + uop.src, at.third + uop.third))
          return done;
        ++done;
      }
      at.dst += work.innerStep.dst;
      at.src += work.innerStep.src;
      at.third += work.innerStep.third;
    }
    outer.dst += work.outerStep.dst;
    outer.src += work.outerStep.src;
    outer.third += work.outerStep.third;
  }
  return done;
}

// BlockOut 0: sizes come from the work; else batch is 1.
template <uint32_t BlockOut> struct AluLoops {
  static TENON_INLINE uint32_t lanesOf(const AluWork &work) {
    return BlockOut ? BlockOut : work.lanes;
  }

  // The running value of runs of equal destinations, written where one ends.
  template <typename Start, typename Step>
  static TENON_INLINE uint64_t reduce(const AluWork &work, Start start,
                                      Step step) {
    const uint32_t lanes = lanesOf(work);
    alignas(64) int32_t local[BlockOut ? BlockOut : 1];
    int32_t *sums = BlockOut ? local : work.scratch;
    const uint32_t none = ~0u; // no index is so large
    uint32_t current = none;
    bool legal = true;
    uint64_t done =
        iterate(work, [&](uint32_t dst, uint32_t src, uint32_t third) {
          bool starts = dst != current;
          if (starts) {
            if (current != none)
              memcpy(work.acc + size_t(current) * lanes, sums, lanes * 4);
            current = dst;
            if (start(sums, dst, src))
              return true;
          }
          return legal = step(sums, src, third);
        });
    if (legal) // else ACC stays as the error message wants to see it
      memcpy(work.acc + size_t(current) * lanes, sums, lanes * 4);
    return done;
  }

  // acc[dst] = combine(acc[dst], acc[src]); from acc[src] where it is first.
  template <typename Combine>
  static TENON_INLINE uint64_t combine(const AluWork &work, Combine combine) {
    const uint32_t lanes = lanesOf(work);
    return reduce(
        work,
        [&](int32_t *sums, uint32_t dst, uint32_t src) {
          memcpy(sums, work.acc + size_t(work.first ? src : dst) * lanes,
                 lanes * 4);
          return work.first;
        },
        [&](int32_t *sums, uint32_t src, uint32_t) {
          const int32_t *from = work.acc + size_t(src) * lanes;
          for (uint32_t l = 0; l < lanes; ++l)
            sums[l] = combine(sums[l], from[l]);
          return true;
        });
  }
  static uint64_t add(const AluWork &work) {
    return combine(work, [](int32_t a, int32_t b) {
      return wrap(uint32_t(a) + uint32_t(b));
    });
  }
  static uint64_t least(const AluWork &work) {
    return combine(work, [](int32_t a, int32_t b) { return a < b ? a : b; });
  }
  static uint64_t greatest(const AluWork &work) {
    return combine(work, [](int32_t a, int32_t b) { return a > b ? a : b; });
  }

  static uint64_t mac(const AluWork &work) {
    const uint32_t lanes = lanesOf(work);
    const uint32_t channels = BlockOut ? BlockOut : work.blockOut;
    const uint32_t batch = BlockOut ? 1 : work.batch;
    return reduce(
        work,
        [&](int32_t *sums, uint32_t dst, uint32_t) {
          if (work.first)
            memset(sums, 0, lanes * 4);
          else
            memcpy(sums, work.acc + size_t(dst) * lanes, lanes * 4);
          return false;
        },
        [&](int32_t *sums, uint32_t src, uint32_t third) {
          const int32_t *values = work.acc + size_t(src) * lanes;
          const int8_t *taps = work.dwt + size_t(third) * channels;
          uint32_t bits = 0;
          for (uint32_t n = 0; n < batch; ++n)
            for (uint32_t o = 0; o < channels; ++o) {
              int32_t value = values[n * channels + o];
              int32_t tap = taps[o] - work.tapZeroPoint;
              bits |= nineBits(value) | nineBits(tap);
              sums[n * channels + o] = wrap(uint32_t(sums[n * channels + o]) +
                                            uint32_t(value) * uint32_t(tap));
            }
          return bits < 512;
        });
  }

  // Zero point, clamp, target.
  static TENON_INLINE void write(const AluWork &work, uint32_t dst,
                                 int32_t *values) {
    const uint32_t lanes = lanesOf(work);
    for (uint32_t l = 0; l < lanes; ++l)
      values[l] = clampTo(wrap(uint32_t(values[l]) + uint32_t(work.zeroPoint)),
                          work.low, work.high);
    size_t at = size_t(dst) * lanes;
    if (!work.bytes)
      memcpy(work.acc + at, values, lanes * 4);
    else if (!work.byteOfLane)
      for (uint32_t l = 0; l < lanes; ++l)
        work.bytes[at + l] = int8_t(values[l]);
    else
      for (uint32_t l = 0; l < lanes; ++l)
        work.bytes[at + work.byteOfLane[l]] = int8_t(values[l]);
  }

  // Whether every shift of a parameter is 2 to 62.
  static TENON_INLINE bool shiftsAreLegal(const AluWork &work, uint32_t third) {
    const uint32_t channels = BlockOut ? BlockOut : work.blockOut;
    const uint8_t *shift = work.shift + size_t(third) * channels;
    bool legal = true;
    for (uint32_t o = 0; o < channels; ++o)
      legal &= uint8_t(shift[o] - 2) <= 60;
    return legal;
  }

  static TENON_INLINE void rescale(const AluWork &work, uint32_t src,
                                   uint32_t third, int32_t *values) {
    const uint32_t channels = BlockOut ? BlockOut : work.blockOut;
    const uint32_t batch = BlockOut ? 1 : work.batch;
    const int32_t *from = work.acc + size_t(src) * lanesOf(work);
    size_t parameter = size_t(third) * channels;
    for (uint32_t n = 0; n < batch; ++n)
      for (uint32_t o = 0; o < channels; ++o)
        values[n * channels + o] = rescaleLane(
            wrap(uint32_t(from[n * channels + o]) +
                 uint32_t(work.bias[parameter + o])),
            work.multiplier[parameter + o], work.shift[parameter + o]);
  }

  static uint64_t quant(const AluWork &work) {
    alignas(64) int32_t local[BlockOut ? BlockOut : 1];
    int32_t *values = BlockOut ? local : work.scratch;
    uint32_t checked = ~0u;
    return iterate(work, [&](uint32_t dst, uint32_t src, uint32_t third) {
      if (third != checked && !shiftsAreLegal(work, third))
        return false;
      checked = third;
      rescale(work, src, third, values);
      write(work, dst, values);
      return true;
    });
  }

  static uint64_t quantAdd(const AluWork &work) {
    const uint32_t lanes = lanesOf(work);
    alignas(64) int32_t local[BlockOut ? BlockOut : 1];
    int32_t *values = BlockOut ? local : work.scratch;
    const int64_t half = int64_t(1) << (work.addShift - 1);
    uint32_t checked = ~0u;
    return iterate(work, [&](uint32_t dst, uint32_t src, uint32_t third) {
      if (third != checked && !shiftsAreLegal(work, third))
        return false;
      checked = third;
      rescale(work, src, third, values);
      const int32_t *other =
          work.acc + size_t((src + work.offset) & work.accMask) * lanes;
      uint32_t bits = 0;
      for (uint32_t l = 0; l < lanes; ++l) {
        bits |= nineBits(other[l]);
        int64_t sum =
            int64_t(clampTo(values[l], work.addendLow, work.addendHigh)) *
                work.addendScale +
            int64_t(other[l]) * work.operandScale + half;
        values[l] = wrap(uint32_t(uint64_t(sum >> work.addShift)));
      }
      if (bits >= 512)
        return false;
      write(work, dst, values);
      return true;
    });
  }

  static AluKernels all() {
    return {add, least, greatest, mac, quant, quantAdd};
  }
};

inline AluKernels selectAluKernels(uint32_t batch, uint32_t blockOut) {
  if (batch == 1 && blockOut == 4)
    return AluLoops<4>::all();
  if (batch == 1 && blockOut == 8)
    return AluLoops<8>::all();
  if (batch == 1 && blockOut == 16)
    return AluLoops<16>::all();
  if (batch == 1 && blockOut == 32)
    return AluLoops<32>::all();
  if (batch == 1 && blockOut == 64)
    return AluLoops<64>::all();
  return AluLoops<0>::all();
}

} // namespace
} // namespace tenon::sim::functional
