// Part of Tenon, under the Apache License v2.0.
//
// ALU: operations on ACC that take an immediate or a second ACC operand, and
// MAC.  Requantisation is in quant.cpp.

#include "sim/functional/alu.h"

#include "absl/strings/str_format.h"
#include "sim/functional/instructions.h"

#include <algorithm>

namespace tenon::sim::functional {
namespace {

int32_t add(int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); }
int32_t subtract(int32_t a, int32_t b) {
  return int32_t(uint32_t(a) - uint32_t(b));
}
int32_t least(int32_t a, int32_t b) { return std::min(a, b); }
int32_t greatest(int32_t a, int32_t b) { return std::max(a, b); }
int32_t multiply(int32_t a, int32_t b) {
  return int32_t(uint32_t(a) * uint32_t(b));
}
int32_t second(int32_t, int32_t b) { return b; }
int32_t shiftLeft(int32_t a, int32_t b) { return int32_t(uint32_t(a) << b); }
int32_t shiftRight(int32_t a, int32_t b) { return a >> b; }
int32_t shiftRightRounding(int32_t a, int32_t b) {
  int64_t half = b > 0 ? int64_t(1) << (b - 1) : 0;
  return int32_t((a + half) >> b);
}

// acc[dst] = combine(acc[src], immediate), complete in each iteration.
template <int32_t combine(int32_t, int32_t)>
void withImmediate(State &state, const Loops &loops) {
  int32_t b = state.reg(isa::AluRegister::Immediate);
  forEachIteration(loops, [&](uint32_t dst, uint32_t src, uint32_t) {
    int32_t *to = accElement(state, dst);
    const int32_t *from = accElement(state, src);
    for (uint32_t lane = 0; lane < state.lanes; ++lane)
      to[lane] = combine(from[lane], b);
    return true;
  });
}

// acc[dst] = combine(acc[dst], acc[src]), complete in each iteration.
template <int32_t combine(int32_t, int32_t)>
void withOperand(State &state, const Loops &loops) {
  forEachIteration(loops, [&](uint32_t dst, uint32_t src, uint32_t) {
    int32_t *to = accElement(state, dst);
    const int32_t *from = accElement(state, src);
    for (uint32_t lane = 0; lane < state.lanes; ++lane)
      to[lane] = combine(to[lane], from[lane]);
    return true;
  });
}

// With an operand in ACC the kernel reduces runs of equal destinations.
template <int32_t combine(int32_t, int32_t)>
void reducing(State &state, const isa::Alu &alu, const Loops &loops,
              AluKernel kernel) {
  if (alu.operand == isa::Operand::Immediate)
    withImmediate<combine>(state, loops);
  else
    kernel(aluWork(alu, loops, state));
}

template <int32_t combine(int32_t, int32_t)>
void plain(State &state, const isa::Alu &alu, const Loops &loops) {
  if (alu.operand == isa::Operand::Immediate)
    withImmediate<combine>(state, loops);
  else
    withOperand<combine>(state, loops);
}

template <int32_t combine(int32_t, int32_t)>
absl::Status shift(State &state, const Loops &loops) {
  int32_t amount = state.reg(isa::AluRegister::Immediate);
  if (amount < 0 || amount > 31)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the shift, register immediate, is %d; it must be 0 to 31", amount));
  withImmediate<combine>(state, loops);
  return absl::OkStatus();
}

void clamp(State &state, const Loops &loops) {
  int32_t low = state.reg(isa::AluRegister::ClampMin);
  int32_t high = state.reg(isa::AluRegister::ClampMax);
  forEachIteration(loops, [&](uint32_t dst, uint32_t src, uint32_t) {
    int32_t *to = accElement(state, dst);
    const int32_t *from = accElement(state, src);
    for (uint32_t lane = 0; lane < state.lanes; ++lane)
      to[lane] = std::min(std::max(from[lane], low), high);
    return true;
  });
}

absl::Status macOperandError(const State &state, const Loops &loops,
                             uint64_t iteration) {
  auto [dst, src, third] = indicesOf(loops, iteration);
  int32_t zeroPoint = state.reg(isa::AluRegister::DwtZeroPoint);
  const int32_t *values = &state.acc[size_t(src) * state.lanes];
  for (uint32_t lane = 0; lane < state.lanes; ++lane) {
    if (!fitsNineBits(values[lane]))
      return nineBitError(absl::StrFormat("ACC[%d] lane %d", src, lane),
                          values[lane], loops, iteration);
    int32_t tap =
        state.dwt[size_t(third) * state.blockOut + lane % state.blockOut] -
        zeroPoint;
    if (!fitsNineBits(tap))
      return nineBitError(
          absl::StrFormat("DWT[%d] lane %d minus the zero point %d", third,
                          lane % state.blockOut, zeroPoint),
          tap, loops, iteration);
  }
  return absl::OkStatus();
}

absl::Status mac(const isa::Alu &alu, const Loops &loops, State &state) {
  uint64_t done = state.aluKernels.mac(aluWork(alu, loops, state));
  return done == loops.iterations() ? absl::OkStatus()
                                    : macOperandError(state, loops, done);
}

absl::Status operate(const isa::Alu &alu, const Loops &loops, State &state) {
  switch (alu.op) {
  case isa::AluOp::Mov:
    if (alu.operand == isa::Operand::Immediate)
      withImmediate<second>(state, loops);
    else
      withOperand<second>(state, loops);
    break;
  case isa::AluOp::Add:
    reducing<add>(state, alu, loops, state.aluKernels.add);
    break;
  case isa::AluOp::Sub:
    plain<subtract>(state, alu, loops);
    break;
  case isa::AluOp::Min:
    reducing<least>(state, alu, loops, state.aluKernels.least);
    break;
  case isa::AluOp::Max:
    reducing<greatest>(state, alu, loops, state.aluKernels.greatest);
    break;
  case isa::AluOp::Mul:
    plain<multiply>(state, alu, loops);
    break;
  case isa::AluOp::Shl:
    return shift<shiftLeft>(state, loops);
  case isa::AluOp::Shr:
    return shift<shiftRight>(state, loops);
  case isa::AluOp::Shrr:
    return shift<shiftRightRounding>(state, loops);
  case isa::AluOp::Clamp:
    clamp(state, loops);
    break;
  case isa::AluOp::Mac:
    return mac(alu, loops, state);
  case isa::AluOp::Quant:
    return quant(alu, loops, state);
  case isa::AluOp::QuantAdd:
    return quantAdd(alu, loops, state);
  }
  return absl::OkStatus();
}

IndexedMemory destination(const isa::Alu &alu, const isa::Layout &layout) {
  switch (alu.target) {
  case isa::Target::Acc:
    break;
  case isa::Target::Inp:
    return {"INP", layout.config.inp_entries()};
  case isa::Target::Out:
    return {"OUT", layout.config.out_entries()};
  }
  return {"ACC", layout.config.acc_entries()};
}

// A move of an immediate reads no source; only MAC, QUANT and QUANT_ADD use the
// third index.
IndexedMemory source(const isa::Alu &alu, const isa::Layout &layout) {
  if (alu.op == isa::AluOp::Mov && alu.operand == isa::Operand::Immediate)
    return {};
  return {"ACC", layout.config.acc_entries()};
}

IndexedMemory third(const isa::Alu &alu, const isa::Layout &layout) {
  if (alu.op == isa::AluOp::Mac)
    return {"DWT", layout.config.dwt_entries()};
  if (alu.op == isa::AluOp::Quant || alu.op == isa::AluOp::QuantAdd)
    return {"PRM", layout.config.prm_entries()};
  return {};
}

} // namespace

AluWork aluWork(const isa::Alu &alu, const Loops &loops, State &state) {
  AluWork work{};
  work.uops = loops.uops.data();
  work.uopCount = loops.uops.size();
  work.outerCount = loops.outerCount;
  work.innerCount = loops.innerCount;
  work.outerStep = loops.outerStep;
  work.innerStep = loops.innerStep;
  work.first = alu.first;
  work.batch = state.batch;
  work.blockOut = state.blockOut;
  work.lanes = state.lanes;
  work.acc = state.acc.data();
  work.dwt = state.dwt.data();
  work.tapZeroPoint = state.reg(isa::AluRegister::DwtZeroPoint);
  work.bias = state.prm.bias.data();
  work.multiplier = state.prm.multiplier.data();
  work.shift = state.prm.shift.data();
  // In INP, blockIn = blockOut, so that both are laid out alike.
  work.bytes = alu.target == isa::Target::Out   ? state.out.data()
               : alu.target == isa::Target::Inp ? state.inp.data()
                                                : nullptr;
  work.byteOfLane = state.bytesAreLanes ? nullptr : state.byteOfLane.data();
  work.zeroPoint = state.reg(isa::AluRegister::OutputZeroPoint);
  work.low = state.reg(isa::AluRegister::ClampMin);
  work.high = state.reg(isa::AluRegister::ClampMax);
  work.scratch = state.aluScratch.data();
  return work;
}

absl::Status nineBitError(const std::string &what, int32_t value,
                          const Loops &loops, uint64_t iteration) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %d in %s; it must fit 9 signed bits, -256 to 255",
                      what, value, iterationName(loops, iteration)));
}

absl::Status execute(const isa::Alu &alu, State &state) {
  const isa::Layout &layout = state.layout;
  isa::MicroOp base =
      isa::decodeAluUop(layout, uint32_t(state.reg(isa::AluRegister::AluBase)));
  Loops &loops = state.loops;
  if (absl::Status s = makeLoops(alu, base, state.uopAlu, loops); !s.ok())
    return s;
  absl::Status bounds = checkBounds(loops, destination(alu, layout),
                                    source(alu, layout), third(alu, layout));
  if (!bounds.ok())
    return bounds;
  return operate(alu, loops, state);
}

} // namespace tenon::sim::functional
