// Part of Tenon, under the Apache License v2.0.
//
// What passes between GEMM and its kernels.  The kernels are compiled for
// different instruction sets, so this header holds plain data only: an inline
// function here could end up in the program in its AVX-512 form.

#ifndef SIM_FUNCTIONAL_GEMM_WORK_H
#define SIM_FUNCTIONAL_GEMM_WORK_H

#include <stdint.h>

namespace tenon::sim::functional {

/// Indices or steps of the three operands of a micro-op.
struct Indices {
  uint32_t dst, src, third;
};

/// One GEMM instruction, its bounds already proved.
struct GemmWork {
  const Indices *uops;
  uint32_t uopCount, outerCount, innerCount;
  Indices outerStep, innerStep;
  bool first;
  int32_t weightZeroPoint;

  uint32_t batch, blockIn, blockOut;
  uint32_t
      pieceBytes; // B: channels of a row that lie together in an INP element
  uint32_t lanes, groups; // of an element of weights, see weights.h

  int32_t *acc;               // [entry][batch][blockOut]
  const int8_t *inp;          // [entry][blockIn/B][batch][B]
  const int8_t *weights;      // [entry][groups][lanes][4]
  const int32_t *corrections; // [entry][lanes]
  int32_t *scratch; // batch*lanes sums, and a row of groups*4 bytes behind them
};

using GemmKernel = void (*)(const GemmWork &);

/// The kernel of one instruction set for these sizes; never null.
GemmKernel gemmKernelPortable(uint32_t batch, uint32_t blockIn,
                              uint32_t blockOut);
GemmKernel gemmKernelAvx2(uint32_t batch, uint32_t blockIn, uint32_t blockOut);
GemmKernel gemmKernelAvx512(uint32_t batch, uint32_t blockIn,
                            uint32_t blockOut);

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_GEMM_WORK_H
