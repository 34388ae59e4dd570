//===- sim/tlm/gemm.h - Timing of GEMM --------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// gemm.sv: a micro-op a cycle, whatever it accumulates into. A run that starts
// from ACC reads it in stage 6, a run's end is written nine cycles behind its
// first stage; both go before what ALU does in the bank.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_GEMM_H
#define TENON_SIM_TLM_GEMM_H

#include "sim/tlm/compute.h"
#include "sim/tlm/loop_walk.h"

#include <deque>

namespace tenon::sim::tlm {

/// One kind of GEMM's accesses to ACC: the banks in its cycles.
class GemmAccesses {
public:
  /// Of a run's end, or of its start, `behind` its first stage.
  GemmAccesses(bool ofEnds, Cycle behind, uint32_t bankRows)
      : ofEnds(ofEnds), behind(behind), bankRows(bankRows) {}

  /// An instruction whose first iteration is in the first stage in `cycle`.
  void add(Cycle cycle, const functional::Loops &loops) {
    walks.push_back({cycle + behind, true, {}});
    walks.back().loops.begin(loops);
  }
  bool none() const { return walks.empty() && accesses.empty(); }
  /// Nothing will be asked for before `cycle`.
  void forget(Cycle cycle) {
    while (!walks.empty() &&
           walks.front().cycle + walks.front().loops.remaining() <= cycle)
      walks.pop_front();
    advance(cycle);
    while (!accesses.empty() && accesses.front().cycle < cycle)
      accesses.pop_front();
  }
  bool isTaken(Cycle cycle, uint32_t bank) {
    advance(cycle + 1);
    for (auto at = accesses.rbegin(); at != accesses.rend(); ++at)
      if (at->cycle <= cycle)
        return at->cycle == cycle && at->bank == bank;
    return false;
  }

private:
  struct Access {
    Cycle cycle;
    uint32_t bank;
  };
  struct Walk {
    Cycle cycle; // of the current iteration
    bool starts; // it does, a run
    LoopWalk loops;
  };

  void advance(Cycle until) {
    while (!walks.empty()) {
      Walk &walk = walks.front();
      for (; walk.loops.remaining() && walk.cycle < until; ++walk.cycle) {
        bool ends = walk.loops.endsRun();
        if (ofEnds ? ends : walk.starts)
          accesses.push_back({walk.cycle, walk.loops.dst() / bankRows});
        walk.starts = ends;
        walk.loops.step();
      }
      if (walk.loops.remaining())
        return;
      walks.pop_front();
    }
  }

  const bool ofEnds;
  const Cycle behind;
  const uint32_t bankRows;
  std::deque<Walk> walks;
  std::deque<Access> accesses;
};

class Gemm : public Compute<Gemm> {
public:
  explicit Gemm(Context &context)
      : Compute(context, isa::Engine::Gemm),
        reads(false, readStage, bankRows(context)),
        writes(true, pipeline, bankRows(context)) {
    const std::vector<Work> &works = context.program.engines[unsigned(engine)];
    ahead.assign(works.size() + 1, {never, never});
    for (size_t i = works.size(); i-- > 0;) {
      ahead[i] = ahead[i + 1];
      if (const auto *gemm = std::get_if<isa::Gemm>(&works[i].instruction)) {
        ahead[i].write = i;
        if (!gemm->first)
          ahead[i].read = i;
      }
    }
    for (const Work &work : context.program.engines[unsigned(isa::Engine::Alu)])
      if (const auto *alu = std::get_if<isa::Alu>(&work.instruction))
        aluWrites |= alu->target == isa::Target::Acc;
  }

  Cycle setFrom(const Work &) const { return 0; }
  Cycle lastStep() const { return last; }
  Cycle resolve(Cycle) const { return never; }

  Cycle start(const Work &work, Cycle, Cycle now) {
    if (work.isSet) {
      ledger.busy(now, now + 1);
      return now + 1;
    }
    const auto &gemm = std::get<isa::Gemm>(work.instruction);
    uint64_t steps =
        uint64_t(gemm.outerCount) * gemm.innerCount * gemm.uopCount;
    ledger.busy(now, now + 1 + steps);
    last = now + steps;
    if (!context.status.ok())
      return last + pipeline;
    // It has just been executed.
    if (!gemm.first)
      reads.add(now + 1, context.state.loops);
    if (aluWrites)
      writes.add(now + 1, context.state.loops);
    return last + pipeline;
  }

  /// Its accesses in cycles before these are known, after it has acted in
  /// `now`; never: all of them.
  Cycle readsUntil(Cycle now) const {
    return knownUntil(now, ahead[context.poppedOf(engine)].read, readStage);
  }
  Cycle writesUntil(Cycle now) const {
    return knownUntil(now, ahead[context.poppedOf(engine)].write, pipeline);
  }

private:
  static constexpr Cycle readStage = 6; // of ACC, behind the first stage
  static constexpr Cycle pipeline = 9;  // first stage to ACC's write port

  static uint32_t bankRows(const Context &context) {
    return context.layout.config.acc_entries() /
           context.layout.config.acc_banks();
  }
  // The next one is in the first stage in two cycles, those behind it later.
  Cycle knownUntil(Cycle now, Cycle next, Cycle stage) const {
    return next == never ? never
                         : now + 2 + stage + (next - context.poppedOf(engine));
  }

  Cycle last = 0; // its last step
  // By instruction: the next one that reads ACC, that writes it.
  struct Ahead {
    Cycle read, write;
  };
  std::vector<Ahead> ahead;
  bool aluWrites = false; // ACC: else nobody asks for GEMM's writes

public:
  GemmAccesses reads, writes;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_GEMM_H
