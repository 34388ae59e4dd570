// Part of Tenon, under the Apache License v2.0.
//
// What passes between ALU and its kernels, as gemm_work.h for GEMM: plain data,
// since the kernels are compiled for different instruction sets.

#ifndef SIM_FUNCTIONAL_ALU_WORK_H
#define SIM_FUNCTIONAL_ALU_WORK_H

#include "sim/functional/gemm_work.h"

#include <stdint.h>

namespace tenon::sim::functional {

/// One ALU instruction, the bounds of its indices already proved.
struct AluWork {
  const Indices *uops;
  uint32_t uopCount, outerCount, innerCount;
  Indices outerStep, innerStep;
  bool first;

  uint32_t batch, blockOut, lanes;
  int32_t *acc;      // [entry][batch][blockOut]
  const int8_t *dwt; // [entry][blockOut]
  int32_t tapZeroPoint;
  const int32_t *bias, *multiplier; // [entry][blockOut]
  const uint8_t *shift;

  int8_t *bytes;              // of INP or OUT; null: results go to ACC
  const uint32_t *byteOfLane; // null: byte i is lane i
  int32_t zeroPoint, low, high;

  // quant_add: acc[(src + offset) & accMask] is the second operand
  uint32_t offset, accMask, addShift;
  int32_t addendLow, addendHigh, addendScale, operandScale;

  int32_t *scratch; // an ACC element
};

/// Returns the number of the first iteration whose operands break a rule (9
/// bits, shift), or the number of iterations.
using AluKernel = uint64_t (*)(const AluWork &);

struct AluKernels {
  AluKernel add, least, greatest; // with an operand in ACC
  AluKernel mac, quant, quantAdd;
};

/// The kernels of one instruction set for these sizes.
AluKernels aluKernelsPortable(uint32_t batch, uint32_t blockOut);
AluKernels aluKernelsAvx2(uint32_t batch, uint32_t blockOut);
AluKernels aluKernelsAvx512(uint32_t batch, uint32_t blockOut);

} // namespace tenon::sim::functional

#endif // SIM_FUNCTIONAL_ALU_WORK_H
