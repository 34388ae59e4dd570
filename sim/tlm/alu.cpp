//===- sim/tlm/alu.cpp - Timing of ALU ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/alu.h"

namespace tenon::sim::tlm {
namespace {

uint32_t log2(uint32_t value) {
  uint32_t bits = 0;
  while (value >>= 1)
    ++bits;
  return bits;
}

bool multiplies(isa::AluOp op) {
  return op == isa::AluOp::Mul || op == isa::AluOp::Mac ||
         op == isa::AluOp::Quant;
}

} // namespace

Alu::Alu(Context &context)
    : Compute(context, isa::Engine::Alu),
      groups(context.layout.config.batch() * context.layout.config.block_out() /
             context.layout.config.alu_lanes()),
      multiply(context.layout.config.alu_multiply_cycles()),
      accMask(context.layout.config.acc_entries() - 1),
      rowBits(log2(context.layout.config.acc_entries() /
                   context.layout.config.acc_banks())),
      accFree(context.layout.config.acc_entries()) {}

// A SET for the lanes waits for a cycle in which they were empty, or, where it
// changes nothing, for the cycle that it takes to see that.
Cycle Alu::setFrom(const Work &work) {
  const auto &set = std::get<isa::Set>(work.instruction);
  auto reg = isa::AluRegister(set.index);
  if (reg == isa::AluRegister::None || reg == isa::AluRegister::AluBase ||
      reg == isa::AluRegister::OperandOffset)
    return 0;
  bool changes = uint32_t(context.state.reg(reg)) != set.value;
  Cycle empty = idleFrom + 1;
  return changes ? empty : std::min(empty, frontSince + 1);
}

Alu::Kind Alu::kindOf(const isa::Alu &alu) const {
  Kind kind;
  bool acc = alu.operand == isa::Operand::Acc;
  kind.quantAdd = alu.op == isa::AluOp::QuantAdd;
  kind.reduces = isa::isReducing(alu);
  kind.first = alu.first;
  kind.needsFirst = alu.op != isa::AluOp::Mov || acc;
  kind.needsSecond =
      kind.quantAdd ||
      (acc && (alu.op == isa::AluOp::Sub || alu.op == isa::AluOp::Mul));
  kind.toAcc = alu.target == isa::Target::Acc;
  kind.offset = uint32_t(context.state.reg(isa::AluRegister::OperandOffset));
  Cycle period = 3 * multiply;
  // A multiplier of whole words has two registers more; its lanes take an
  // addend a cycle earlier.
  Cycle extra = multiply == 1 ? 2 : 0;
  Cycle held = multiply == 1 ? 0 : 1;
  if (kind.quantAdd) {
    kind.hold = groups * period;
    // Three passes; the third one stands in the third place of the grid's first
    // round after the result of the first one.
    Cycle third = 2 + 2 * multiply;
    while (third < 7 + held + multiply + extra)
      third += period;
    third += (groups - 1) * period;
    kind.done = third + 1 + multiply;
    kind.result = third + 6 + multiply + extra;
  } else {
    Cycle step = multiplies(alu.op) ? multiply : 1;
    kind.hold = groups * step;
    kind.result = 9 + extra + (groups - 1) * step + (step - 1);
  }
  return kind;
}

// An instruction accepted in `go` stands in stage 0 from the next cycle on.
// What was nothing in front of it leaves stage r a cycle after the one before.
void Alu::enter(Cycle go) {
  if (!anyExit || go > exits[0] + stages) {
    for (unsigned i = 0; i < stages; ++i)
      exits[i] = go + stages - 1 - i;
    anyExit = true;
    return;
  }
  // Entry k leaves stage 0 with the exit of entry k - 4.
  while (exits[stages - 2] <= go) {
    for (unsigned i = stages - 1; i > 0; --i)
      exits[i] = exits[i - 1];
    ++exits[0];
  }
}

Cycle Alu::start(const Work &work, Cycle now) {
  if (work.isSet) {
    ledger.busy(now, now + 1);
    return now + 1;
  }
  const auto &alu = std::get<isa::Alu>(work.instruction);
  if (!context.status.ok())
    return now + 1;
  // It has just been executed.
  const functional::Loops &loops = context.state.loops;
  Kind kind = kindOf(alu);
  enter(now);
  if (isSmooth(kind))
    issueAll(kind, loops.iterations());
  else if (isSmoothReduction(kind, loops))
    issueRuns(kind, loops);
  else
    issueEach(kind, loops);

  // Busy while something stands in stage 0, or waits for lanes at work.
  last = std::max(exits[stages - 1], now + 1);
  ledger.busy(now, (kind.hold > 1 ? exits[0] : last) + 1);
  idleFrom = exits[0] + kind.result;
  return lastWritten;
}

// Whether no micro-op can wait for anything but the lanes: one operand, which
// nothing in flight writes, a result that none of them reads, and a table of
// results that does not fill up.
bool Alu::isSmooth(const Kind &kind) const {
  Cycle arrives = exits[0] + 1;
  return !kind.quantAdd && !kind.reduces && !kind.needsSecond && !kind.toAcc &&
         accBusy <= arrives && kind.result < tableDepth &&
         lastWritten < arrives + kind.result;
}

// The same of a reduction whose runs start from `first` and whose results are
// not among its own sources.
bool Alu::isSmoothReduction(const Kind &kind,
                            const functional::Loops &loops) const {
  Cycle arrives = exits[0] + 1;
  if (!kind.reduces || !kind.first || accBusy > arrives ||
      quantAddsDone > arrives || kind.result >= tableDepth ||
      lastWritten >= arrives + kind.result)
    return false;
  using Index = uint32_t functional::Indices::*;
  auto rangeOf = [&](Index index) {
    uint64_t low = never, high = 0;
    for (const functional::Indices &uop : loops.uops) {
      low = std::min<uint64_t>(low, uop.*index);
      high = std::max<uint64_t>(high, uop.*index);
    }
    high += uint64_t(loops.outerCount - 1) * (loops.outerStep.*index) +
            uint64_t(loops.innerCount - 1) * (loops.innerStep.*index);
    return std::make_pair(low, high);
  };
  auto [dstLow, dstHigh] = rangeOf(&functional::Indices::dst);
  auto [srcLow, srcHigh] = rangeOf(&functional::Indices::src);
  return dstHigh < srcLow || srcHigh < dstLow;
}

void Alu::issueRuns(const Kind &kind, const functional::Loops &loops) {
  Cycle first = std::max(exits[0] + 1, lanesFree);
  Cycle at = first - kind.hold; // of the last micro-op
  uint32_t current = ~0u;
  auto write = [&] {
    lastWritten = at + kind.result;
    written[results++ % tableDepth] = lastWritten;
    accFree[current] = accBusy = lastWritten + 1;
  };
  functional::forEachIteration(loops, [&](uint32_t dst, uint32_t, uint32_t) {
    if (dst != current && current != ~0u)
      write();
    current = dst;
    at += kind.hold;
    return true;
  });
  write();
  uint64_t count = std::min<uint64_t>(loops.iterations(), stages);
  for (uint64_t i = count; i > 0; --i) {
    for (unsigned s = stages - 1; s > 0; --s)
      exits[s] = exits[s - 1];
    exits[0] = at - (i - 1) * kind.hold;
  }
  lanesFree = at + kind.hold;
  afterQuantAdd = false;
}

void Alu::issueAll(const Kind &kind, uint64_t count) {
  Cycle first = std::max({exits[0] + 1, lanesFree, quantAddsDone});
  if (quantAddsDone > std::max(exits[0] + 1, lanesFree))
    ledger.stall(isa::State::Drain, exits[0] + 1, quantAddsDone);
  auto at = [&](uint64_t i) { return first + i * kind.hold; };
  uint64_t tail = std::min<uint64_t>(count, tableDepth);
  for (uint64_t i = count - tail; i < count; ++i) {
    for (unsigned s = stages - 1; s > 0; --s)
      exits[s] = exits[s - 1];
    exits[0] = at(i);
    lastWritten = at(i) + kind.result;
    written[results++ % tableDepth] = lastWritten;
  }
  lanesFree = at(count - 1) + kind.hold;
  afterQuantAdd = false;
}

void Alu::issueEach(const Kind &kind, const functional::Loops &loops) {
  bool any = false, starts = true;
  uint32_t dst = 0, src = 0;
  functional::forEachIteration(
      loops, [&](uint32_t nextDst, uint32_t nextSrc, uint32_t) {
        if (any) {
          bool differs = nextDst != dst;
          issue(kind, dst, src, starts, differs);
          starts = differs;
        }
        any = true;
        dst = nextDst;
        src = nextSrc;
        return true;
      });
  issue(kind, dst, src, starts, true);
}

void Alu::issue(const Kind &kind, uint32_t dst, uint32_t src, bool starts,
                bool ends) {
  bool writes = !kind.reduces || ends;
  bool second = kind.needsSecond || (kind.reduces && starts && !kind.first);
  Cycle arrives = exits[0] + 1;
  Cycle may = operandsFrom(kind, dst, src, second, writes, arrives);
  Cycle at = readsFrom(kind, dst, src, second, may);
  if (may > arrives)
    ledger.stall(isa::State::Drain, arrives, may);
  Cycle lanes = std::max(may, lanesFree);
  if (at > lanes && !kind.quantAdd)
    ledger.stall(isa::State::Bank, lanes, at);

  lanesFree = at + kind.hold;
  afterQuantAdd = kind.quantAdd;
  if (kind.quantAdd) {
    lastQuantAdd = at;
    quantAddsDone = at + kind.done;
  }
  for (unsigned i = stages - 1; i > 0; --i)
    exits[i] = exits[i - 1];
  exits[0] = at;
  if (!writes)
    return;
  lastWritten = std::max(at + kind.result, lastWritten + 1);
  written[results++ % tableDepth] = lastWritten;
  if (kind.toAcc)
    accFree[dst] = accBusy = lastWritten + 1;
}

// When no operand is on its way to ACC and the table of results has room.
Cycle Alu::operandsFrom(const Kind &kind, uint32_t dst, uint32_t src,
                        bool second, bool writes, Cycle from) const {
  if (kind.needsFirst)
    from = std::max(from, accFree[src]);
  if (second)
    from = std::max(
        from, accFree[kind.quantAdd ? (src + kind.offset) & accMask : dst]);
  if (!kind.quantAdd)
    from = std::max(from, quantAddsDone);
  if (writes && results >= tableDepth)
    from = std::max(from, written[results % tableDepth] + 1);
  return from;
}

// When both operands have been read and the lanes take the micro-op.
Cycle Alu::readsFrom(const Kind &kind, uint32_t dst, uint32_t src, bool second,
                     Cycle from) const {
  Cycle lanes = std::max(from, lanesFree);
  Cycle firstAt = lanes;
  if (afterQuantAdd && kind.quantAdd) {
    Cycle early = 3 * multiply - 1;
    firstAt = std::max(from, lanesFree > early ? lanesFree - early : 0);
  }
  if (!second)
    return kind.needsFirst ? std::max(firstAt, lanes) : lanes;
  uint32_t other = kind.quantAdd ? (src + kind.offset) & accMask : dst;
  Cycle secondAt = lanes;
  if (firstAt == secondAt && bankOf(src) == bankOf(other))
    ++secondAt;
  Cycle at = std::max(firstAt, secondAt);
  if (kind.quantAdd && at < quantAddsDone) {
    Cycle period = 3 * multiply;
    at = lastQuantAdd + (at - lastQuantAdd + period - 1) / period * period;
    at = std::min(at, std::max(quantAddsDone, secondAt));
  }
  return at;
}

} // namespace tenon::sim::tlm
