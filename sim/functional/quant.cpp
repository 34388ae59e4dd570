// Part of Tenon, under the Apache License v2.0.
//
// QUANT and QUANT_ADD: from accumulators to int8, in INP or OUT, or to 32 bits
// in ACC.

#include "absl/strings/str_format.h"
#include "sim/functional/alu.h"
#include "sim/functional/instructions.h"

namespace tenon::sim::functional {

namespace {

constexpr uint32_t minShift = 2, maxShift = 62;

// Why a kernel stopped in `iteration`: the first illegal shift, if there is
// one.
absl::Status checkShifts(const State &state, const Loops &loops,
                         uint64_t iteration) {
  uint32_t third = indicesOf(loops, iteration).third;
  for (uint32_t o = 0; o < state.blockOut; ++o) {
    uint32_t shift = state.prm.shift[size_t(third) * state.blockOut + o];
    if (shift < minShift || shift > maxShift)
      return absl::InvalidArgumentError(absl::StrFormat(
          "the shift of PRM[%d] lane %d is %d in %s; it must be 2 to 62", third,
          o, shift, iterationName(loops, iteration)));
  }
  return absl::OkStatus();
}

// The first operand that does not fit.
absl::Status checkOperand(const State &state, const Loops &loops,
                          uint64_t iteration, const AluWork &work) {
  uint32_t src = indicesOf(loops, iteration).src;
  uint32_t other = (src + work.offset) & work.accMask;
  for (uint32_t lane = 0; lane < state.lanes; ++lane) {
    int32_t operand = state.acc[size_t(other) * state.lanes + lane];
    if (!fitsNineBits(operand))
      return nineBitError(
          absl::StrFormat("the second operand, ACC[%d] lane %d", other, lane),
          operand, loops, iteration);
  }
  return absl::OkStatus();
}

} // namespace

absl::Status quant(const isa::Alu &alu, const Loops &loops, State &state) {
  uint64_t done = state.aluKernels.quant(aluWork(alu, loops, state));
  return done == loops.iterations() ? absl::OkStatus()
                                    : checkShifts(state, loops, done);
}

absl::Status quantAdd(const isa::Alu &alu, const Loops &loops, State &state) {
  AluWork work = aluWork(alu, loops, state);
  work.addShift = uint32_t(state.reg(isa::AluRegister::AddShift));
  if (work.addShift < minShift || work.addShift > maxShift)
    return absl::InvalidArgumentError(absl::StrFormat(
        "register add_shift is %d; it must be 2 to 62", work.addShift));
  work.addendLow = state.reg(isa::AluRegister::AddendMin);
  work.addendHigh = state.reg(isa::AluRegister::AddendMax);
  work.addendScale = state.reg(isa::AluRegister::AddendScale);
  work.operandScale = state.reg(isa::AluRegister::OperandScale);
  // The offset is an ACC index modulo the entries: the operand may lie in front
  // of the source.
  work.offset = uint32_t(state.reg(isa::AluRegister::OperandOffset));
  work.accMask = state.layout.config.acc_entries() - 1;
  uint64_t done = state.aluKernels.quantAdd(work);
  if (done == loops.iterations())
    return absl::OkStatus();
  if (absl::Status s = checkShifts(state, loops, done); !s.ok())
    return s;
  return checkOperand(state, loops, done, work);
}

} // namespace tenon::sim::functional
