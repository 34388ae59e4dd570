// Part of Tenon, under the Apache License v2.0.
//
// QUANT and QUANT_ADD: from accumulators to int8, in INP or OUT, or to 32 bits
// in ACC.

#include "absl/strings/str_format.h"
#include "sim/functional/alu.h"
#include "sim/functional/instructions.h"

#include <algorithm>

namespace tenon::sim::functional {

int32_t rescale(int32_t value, int32_t multiplier, uint32_t shift) {
  int64_t product = int64_t(value) * multiplier;
  int64_t half = int64_t(1) << (shift - 1);
  return int32_t(uint32_t((product + half) >> shift));
}

namespace {

constexpr uint32_t minShift = 2, maxShift = 62;

int32_t wrapAdd(int32_t a, int32_t b) {
  return int32_t(uint32_t(a) + uint32_t(b));
}

// The end of both operations: zero point, clamp, and the write to the target.
class Output {
public:
  Output(const isa::Alu &alu, State &state)
      : state(state), target(alu.target),
        zeroPoint(state.reg(isa::AluRegister::OutputZeroPoint)),
        low(state.reg(isa::AluRegister::ClampMin)),
        high(state.reg(isa::AluRegister::ClampMax)) {}

  void write(uint32_t dst, uint32_t lane, int32_t value) {
    value = std::min(std::max(wrapAdd(value, zeroPoint), low), high);
    size_t at = size_t(dst) * state.lanes;
    if (target == isa::Target::Acc)
      state.acc[at + lane] = value;
    else if (target == isa::Target::Out)
      state.out[at + state.byteOfLane[lane]] = int8_t(value);
    else // INP: blockIn = blockOut, so both are laid out alike
      state.inp[at + state.byteOfLane[lane]] = int8_t(value);
  }

private:
  State &state;
  isa::Target target;
  int32_t zeroPoint, low, high;
};

absl::Status checkShifts(const State &state, const Loops &loops,
                         uint64_t iteration, uint32_t third) {
  for (uint32_t o = 0; o < state.blockOut; ++o) {
    uint32_t shift = state.prm.shift[size_t(third) * state.blockOut + o];
    if (shift < minShift || shift > maxShift)
      return absl::InvalidArgumentError(absl::StrFormat(
          "the shift of PRM[%d] lane %d is %d in %s; it must be 2 to 62", third,
          o, shift, iterationName(loops, iteration)));
  }
  return absl::OkStatus();
}

// rescale(acc[src] + bias) of one lane.
int32_t rescaled(const State &state, uint32_t src, uint32_t third,
                 uint32_t lane) {
  size_t channel = size_t(third) * state.blockOut + lane % state.blockOut;
  int32_t value = wrapAdd(state.acc[size_t(src) * state.lanes + lane],
                          state.prm.bias[channel]);
  return rescale(value, state.prm.multiplier[channel],
                 state.prm.shift[channel]);
}

} // namespace

absl::Status quant(const isa::Alu &alu, const Loops &loops, State &state) {
  Output output(alu, state);
  absl::Status status;
  uint64_t iteration = 0;
  forEachIteration(loops, [&](uint32_t dst, uint32_t src, uint32_t third) {
    status = checkShifts(state, loops, iteration++, third);
    if (!status.ok())
      return false;
    for (uint32_t lane = 0; lane < state.lanes; ++lane)
      output.write(dst, lane, rescaled(state, src, third, lane));
    return true;
  });
  return status;
}

absl::Status quantAdd(const isa::Alu &alu, const Loops &loops, State &state) {
  uint32_t shift = uint32_t(state.reg(isa::AluRegister::AddShift));
  if (shift < minShift || shift > maxShift)
    return absl::InvalidArgumentError(
        absl::StrFormat("register add_shift is %d; it must be 2 to 62", shift));
  int32_t low = state.reg(isa::AluRegister::AddendMin);
  int32_t high = state.reg(isa::AluRegister::AddendMax);
  int64_t addendScale = state.reg(isa::AluRegister::AddendScale);
  int64_t operandScale = state.reg(isa::AluRegister::OperandScale);
  int64_t half = int64_t(1) << (shift - 1);
  // The offset is an ACC index modulo the entries: the operand may lie in front
  // of the source.
  uint32_t offset = uint32_t(state.reg(isa::AluRegister::OperandOffset));
  uint32_t indexMask = state.layout.config.acc_entries() - 1;

  Output output(alu, state);
  absl::Status status;
  uint64_t iteration = 0;
  forEachIteration(loops, [&](uint32_t dst, uint32_t src, uint32_t third) {
    status = checkShifts(state, loops, iteration, third);
    if (!status.ok())
      return false;
    uint32_t other = (src + offset) & indexMask;
    for (uint32_t lane = 0; lane < state.lanes; ++lane) {
      int32_t operand = state.acc[size_t(other) * state.lanes + lane];
      if (!fitsNineBits(operand)) {
        status = nineBitError(
            absl::StrFormat("the second operand, ACC[%d] lane %d", other, lane),
            operand, loops, iteration);
        return false;
      }
      int64_t q =
          std::min(std::max(rescaled(state, src, third, lane), low), high);
      int64_t sum = q * addendScale + operand * operandScale + half;
      output.write(dst, lane, int32_t(uint32_t(sum >> shift)));
    }
    ++iteration;
    return true;
  });
  return status;
}

} // namespace tenon::sim::functional
