// Part of Tenon, under the Apache License v2.0.
//
// ALU: operations on ACC that take an immediate or a second ACC operand, and
// MAC.  Requantisation is in quant.cpp.

#include "sim/functional/alu.h"

#include "absl/strings/str_format.h"
#include "sim/functional/instructions.h"

#include <algorithm>
#include <optional>

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

// The running value of a run of equal destinations.  acc[dst] is written where
// the run ends, so sources that name it read what was there before the run.
class Run {
public:
  explicit Run(State &state) : state(state), sums(state.lanes) {}
  ~Run() {
    if (dst)
      write();
  }

  /// Enters iteration `to`.  Returns whether it starts a run; then value() is
  /// undefined until the caller has set it, unless `load` is set.
  bool enter(uint32_t to, bool load) {
    if (dst && *dst == to)
      return false;
    if (dst)
      write();
    dst = to;
    if (load)
      std::copy_n(accElement(state, to), state.lanes, sums.data());
    return true;
  }
  int32_t *value() { return sums.data(); }

private:
  void write() {
    std::copy_n(sums.data(), state.lanes, accElement(state, *dst));
  }

  State &state;
  std::vector<int32_t> sums;
  std::optional<uint32_t> dst;
};

// Reducing combine(running, acc[src]); with `first` a run starts from acc[src].
template <int32_t combine(int32_t, int32_t)>
void reduce(State &state, const Loops &loops, bool first) {
  Run run(state);
  forEachIteration(loops, [&](uint32_t dst, uint32_t src, uint32_t) {
    bool starts = run.enter(dst, !first);
    const int32_t *from = accElement(state, src);
    int32_t *to = run.value();
    if (starts && first) {
      std::copy_n(from, state.lanes, to);
      return true;
    }
    for (uint32_t lane = 0; lane < state.lanes; ++lane)
      to[lane] = combine(to[lane], from[lane]);
    return true;
  });
}

template <int32_t combine(int32_t, int32_t)>
void reducing(State &state, const isa::Alu &alu, const Loops &loops) {
  if (alu.operand == isa::Operand::Immediate)
    withImmediate<combine>(state, loops);
  else
    reduce<combine>(state, loops, alu.first);
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

// One MAC; false if an operand does not fit 9 bits.
bool multiplyAdd(const State &state, int32_t *sums, const int32_t *values,
                 const int8_t *taps, int32_t zeroPoint) {
  bool fit = true;
  for (uint32_t n = 0; n < state.batch; ++n)
    for (uint32_t o = 0; o < state.blockOut; ++o) {
      uint32_t lane = n * state.blockOut + o;
      int32_t tap = taps[o] - zeroPoint;
      fit &= fitsNineBits(values[lane]);
      fit &= fitsNineBits(tap);
      sums[lane] = add(sums[lane], multiply(values[lane], tap));
    }
  return fit;
}

absl::Status macOperandError(const State &state, const Loops &loops,
                             uint64_t iteration, uint32_t src, uint32_t third,
                             int32_t zeroPoint) {
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

absl::Status mac(State &state, const Loops &loops, bool first) {
  int32_t zeroPoint = state.reg(isa::AluRegister::DwtZeroPoint);
  Run run(state);
  absl::Status status;
  uint64_t iteration = 0;
  forEachIteration(loops, [&](uint32_t dst, uint32_t src, uint32_t third) {
    if (run.enter(dst, !first) && first)
      std::fill_n(run.value(), state.lanes, 0);
    if (!multiplyAdd(state, run.value(), accElement(state, src),
                     &state.dwt[size_t(third) * state.blockOut], zeroPoint))
      status = macOperandError(state, loops, iteration, src, third, zeroPoint);
    ++iteration;
    return status.ok();
  });
  return status;
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
    reducing<add>(state, alu, loops);
    break;
  case isa::AluOp::Sub:
    plain<subtract>(state, alu, loops);
    break;
  case isa::AluOp::Min:
    reducing<least>(state, alu, loops);
    break;
  case isa::AluOp::Max:
    reducing<greatest>(state, alu, loops);
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
    return mac(state, loops, alu.first);
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
  Loops loops;
  if (absl::Status s = makeLoops(alu, base, state.uopAlu, loops); !s.ok())
    return s;
  absl::Status bounds = checkBounds(loops, destination(alu, layout),
                                    source(alu, layout), third(alu, layout));
  if (!bounds.ok())
    return bounds;
  return operate(alu, loops, state);
}

} // namespace tenon::sim::functional
