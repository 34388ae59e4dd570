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

Alu::Alu(Context &context, Load &load, Gemm &gemm)
    : Compute(context, isa::Engine::Alu), load(load), gemm(gemm),
      groups(context.layout.config.batch() * context.layout.config.block_out() /
             context.layout.config.alu_lanes()),
      multiply(context.layout.config.alu_multiply_cycles()),
      accMask(context.layout.config.acc_entries() - 1),
      rowBits(log2(context.layout.config.acc_entries() /
                   context.layout.config.acc_banks())),
      accFree(context.layout.config.acc_entries()),
      accLast(context.layout.config.acc_entries()) {}

// A SET for the lanes waits for a cycle in which they were empty, or, where it
// changes nothing, for the cycle that it takes to see that.
Cycle Alu::setFrom(const Work &work) {
  const auto &set = std::get<isa::Set>(work.instruction);
  auto reg = isa::AluRegister(set.index);
  if (reg == isa::AluRegister::None || reg == isa::AluRegister::AluBase ||
      reg == isa::AluRegister::OperandOffset)
    return 0;
  bool changes = uint32_t(context.state.reg(reg)) != set.value;
  Cycle empty = firstJob == endJob ? idleFrom + 1 : never;
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

Cycle Alu::start(const Work &work, Cycle now, Cycle begin) {
  if (work.isSet) {
    ledger.busy(now, now + 1);
    return now + 1;
  }
  if (!context.status.ok())
    return now + 1;
  Job &next = job(endJob++);
  next.kind = kindOf(std::get<isa::Alu>(work.instruction));
  next.walk.begin(context.state.loops); // it has just been executed
  next.accepted = now;
  next.go = begin;
  next.entered = false;
  next.entry = retirement.end();
  last = never;
  return never;
}

// Issues and writes whatever is known to be in some cycle. What is not known
// now happens in portFrom or readFrom at the earliest, and nobody sees it
// before: by then as many cycles are known as LOAD and GEMM are known ahead.
Cycle Alu::resolve(Cycle now) {
  if (firstJob == endJob && results == writes)
    return never;
  loadUntil = load.knownUntil(now);
  gemmUntil = gemm.writesUntil(now);
  readsUntil = gemm.readsUntil(now);
  gemm.writes.forget(results == writes ? now : std::min(now, portFrom));
  bool more = true;
  while (more) {
    bool issued = issueSome();
    more = writeResults() || issued;
  }
  Cycle next = never;
  if (results != writes) {
    next = std::max(now + 1, portFrom);
  }
  if (firstJob == endJob)
    return next;
  const Job &oldest = job(firstJob);
  Cycle arrives = exits[0] + 1;
  if (readFrom < readsUntil) {
    stand(oldest, isa::State::Drain, arrives, portFrom + 1);
    return next;
  }
  stand(oldest, isa::State::Bank, std::max(arrives, lanesFree), readFrom);
  return std::min(next, std::max(now + 1, readFrom));
}

// A micro-op of `job` waits in r, at least until `until`.
void Alu::stand(const Job &job, isa::State state, Cycle from, Cycle until) {
  if (!job.entered)
    return;
  bool steps = job.kind.hold > 1 || job.walk.remaining() >= stages;
  ledger.busy(job.go, steps ? until : last + 1);
  if (from < until)
    ledger.stall(state, from, until);
}

// Whether anything could be.
bool Alu::issueSome() {
  bool any = false;
  while (firstJob != endJob) {
    Job &oldest = job(firstJob);
    if (!oldest.entered && !begin(oldest))
      return any;
    // The last iteration enters with the exit of one that is in front of it: as
    // soon as that is known.
    while (uint64_t left = oldest.walk.remaining()) {
      if (left < stages)
        find(oldest, exits[stages - 1 - left]);
      if (!(oldest.runs ? issueRun(oldest) : issueNext(oldest)))
        return any;
      any = true;
    }
    find(oldest, exits[stages - 1]);
    ledger.busy(oldest.go,
                (oldest.kind.hold > 1 ? exits[0] : exits[stages - 1]) + 1);
    idleFrom = exits[0] + oldest.kind.result;
    ++firstJob;
    any = true;
  }
  return any;
}

// Its last iteration enters in `step`: known also to the one behind it.
void Alu::find(Job &job, Cycle step) {
  step = std::max(step, job.go + 1);
  if (firstJob + 1 == endJob) {
    last = step;
    return;
  }
  Job &next = this->job(firstJob + 1);
  if (next.go != never)
    return;
  next.go = std::max(step, next.accepted + 1);
  roomFrom = next.go + 1;
}

bool Alu::begin(Job &job) {
  if (job.go == never)
    return false;
  enter(job.go);
  gemm.reads.forget(exits[0] + 1);
  job.entered = true;
  job.starts = true;
  job.runs = isRuns(job);
  if (isSmooth(job.kind))
    issueAll(job);
  return true;
}

// Whether no micro-op can wait for anything but the lanes: one operand, which
// nothing in flight writes, a result that none of them reads, and a table of
// results that does not fill up.
bool Alu::isSmooth(const Kind &kind) const {
  Cycle arrives = exits[0] + 1;
  return !kind.quantAdd && !kind.reduces && !kind.needsSecond && !kind.toAcc &&
         results == writes && accBusy <= arrives && kind.result < tableDepth &&
         lastWritten < arrives + kind.result && readsUntil == never &&
         gemm.reads.none();
}

void Alu::issueAll(Job &job) {
  const Kind &kind = job.kind;
  uint64_t count = job.walk.remaining();
  Cycle first = std::max({exits[0] + 1, lanesFree, quantAddsDone});
  if (quantAddsDone > std::max(exits[0] + 1, lanesFree))
    ledger.stall(isa::State::Drain, exits[0] + 1, quantAddsDone);
  auto at = [&](uint64_t i) { return first + i * kind.hold; };
  uint64_t tail = std::min<uint64_t>(count, tableDepth);
  for (uint64_t i = count - tail; i < count; ++i) {
    leave(kind, at(i));
    lastWritten = at(i) + kind.result;
    written[results++ % tableDepth] = lastWritten;
  }
  writes = results;
  retirement.complete(job.entry, lastWritten + 1);
  job.walk.finish();
}

// Whether no micro-op of a reduction can wait for an operand: its runs start
// from `first`, and neither its own results nor those in flight are among its
// sources.
bool Alu::isRuns(const Job &job) const {
  Cycle arrives = exits[0] + 1;
  if (!job.kind.reduces || !job.kind.first || accBusy > arrives ||
      quantAddsDone > arrives)
    return false;
  const functional::Loops &loops = job.walk.all();
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
  for (uint64_t i = writes; i < results; ++i) {
    const Result &result = table[i % tableDepth];
    if (result.toAcc && srcLow <= result.dst && result.dst <= srcHigh)
      return false;
  }
  return dstHigh < srcLow || srcHigh < dstLow;
}

// The micro-ops of a run, as far as they need not wait for what is not known;
// whether there was one.
bool Alu::issueRun(Job &job) {
  const Kind &kind = job.kind;
  LoopWalk &walk = job.walk;
  uint64_t before = walk.remaining();
  for (bool ends = false; !ends;) {
    ends = walk.endsRun();
    Cycle arrives = exits[0] + 1, may = arrives;
    if (ends && isFull())
      return walk.remaining() != before;
    if (ends && results >= tableDepth)
      may = std::max(may, written[results % tableDepth] + 1);
    Cycle lanes = std::max(may, lanesFree);
    Cycle at = openFrom(walk.src(), lanes);
    if (at == never)
      return walk.remaining() != before;
    if (may > arrives)
      ledger.stall(isa::State::Drain, arrives, may);
    if (at > lanes)
      ledger.stall(isa::State::Bank, lanes, at);
    leave(kind, at);
    uint32_t dst = walk.dst();
    walk.step();
    if (ends)
      push(job, dst, at + kind.result);
  }
  return true;
}

// The next micro-op, unless it waits for what is not known.
bool Alu::issueNext(Job &job) {
  const Kind &kind = job.kind;
  LoopWalk &walk = job.walk;
  uint32_t dst = walk.dst(), src = walk.src();
  bool ends = walk.endsRun();
  bool gives = !kind.reduces || ends;
  bool second = kind.needsSecond || (kind.reduces && job.starts && !kind.first);
  Cycle arrives = exits[0] + 1;
  Cycle may = operandsFrom(kind, dst, src, second, gives, arrives);
  if (may == never)
    return false;
  Cycle at = readsFrom(kind, dst, src, second, may);
  if (at == never)
    return false;
  if (may > arrives)
    ledger.stall(isa::State::Drain, arrives, may);
  Cycle lanes = std::max(may, lanesFree);
  if (at > lanes && !kind.quantAdd)
    ledger.stall(isa::State::Bank, lanes, at);

  leave(kind, at);
  afterQuantAdd = kind.quantAdd;
  if (kind.quantAdd) {
    lastQuantAdd = at;
    quantAddsDone = at + kind.done;
  }
  job.starts = ends;
  walk.step();
  if (gives)
    push(job, dst, at + kind.result);
  return true;
}

// A micro-op leaves r.
void Alu::leave(const Kind &kind, Cycle at) {
  for (unsigned i = stages - 1; i > 0; --i)
    exits[i] = exits[i - 1];
  exits[0] = at;
  lanesFree = at + kind.hold;
  afterQuantAdd = false;
  readFrom = 0;
}

void Alu::push(const Job &job, uint32_t dst, Cycle ready) {
  if (job.kind.toAcc) {
    accFree[dst] = never;
    accLast[dst] = results;
  }
  table[results++ % tableDepth] = {ready, dst, job.kind.toAcc,
                                   job.walk.remaining() == 0, job.entry};
}

// Writes results, in order; whether there was one whose cycle is known.
bool Alu::writeResults() {
  bool any = false;
  for (; writes != results; ++writes) {
    const Result &oldest = table[writes % tableDepth];
    portFrom = std::max({portFrom, oldest.ready, lastWritten + 1});
    if (oldest.toAcc) {
      uint32_t bank = bankOf(oldest.dst);
      Cycle until = std::min(loadUntil, gemmUntil);
      while (portFrom < until && (load.accWrites.isTaken(portFrom, bank) ||
                                  gemm.writes.isTaken(portFrom, bank)))
        ++portFrom;
      if (portFrom >= until)
        return any;
    }
    any = true;
    lastWritten = portFrom;
    written[writes % tableDepth] = lastWritten;
    if (oldest.toAcc && accLast[oldest.dst] == writes) {
      accFree[oldest.dst] = lastWritten + 1;
      accBusy = lastWritten + 1;
    }
    if (oldest.completes)
      retirement.complete(oldest.entry, lastWritten + 1);
  }
  return any;
}

// When no operand is on its way to ACC and the table of results has room.
Cycle Alu::operandsFrom(const Kind &kind, uint32_t dst, uint32_t src,
                        bool second, bool gives, Cycle from) const {
  if (kind.needsFirst)
    from = std::max(from, accFree[src]);
  if (second)
    from = std::max(
        from, accFree[kind.quantAdd ? (src + kind.offset) & accMask : dst]);
  if (!kind.quantAdd)
    from = std::max(from, quantAddsDone);
  if (gives && isFull())
    return never;
  if (gives && results >= tableDepth)
    from = std::max(from, written[results % tableDepth] + 1);
  return from;
}

// When GEMM leaves the bank of `index`, from `from` on; never, if that is not
// known.
Cycle Alu::openFrom(uint32_t index, Cycle from) {
  while (from < readsUntil && gemm.reads.isTaken(from, bankOf(index)))
    ++from;
  if (from < readsUntil)
    return from;
  readFrom = from;
  return never;
}

// When both operands have been read and the lanes take the micro-op; never, if
// that is not known.
Cycle Alu::readsFrom(const Kind &kind, uint32_t dst, uint32_t src, bool second,
                     Cycle from) {
  Cycle lanes = std::max(from, lanesFree);
  Cycle firstAt = lanes;
  if (afterQuantAdd && kind.quantAdd) {
    Cycle early = 3 * multiply - 1;
    firstAt = std::max(from, lanesFree > early ? lanesFree - early : 0);
  }
  if (kind.needsFirst)
    firstAt = openFrom(src, firstAt);
  if (!second || firstAt == never)
    return kind.needsFirst ? std::max(firstAt, lanes) : lanes;
  uint32_t other = kind.quantAdd ? (src + kind.offset) & accMask : dst;
  Cycle secondAt = lanes;
  if (kind.needsFirst && bankOf(src) == bankOf(other))
    secondAt = std::max(lanes, firstAt + 1);
  secondAt = openFrom(other, secondAt);
  if (secondAt == never)
    return never;
  Cycle at = std::max(firstAt, secondAt);
  if (kind.quantAdd && at < quantAddsDone) {
    Cycle period = 3 * multiply;
    at = lastQuantAdd + (at - lastQuantAdd + period - 1) / period * period;
    at = std::min(at, std::max(quantAddsDone, secondAt));
  }
  return at;
}

} // namespace tenon::sim::tlm
