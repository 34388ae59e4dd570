//===- sim/tlm/alu.h - Timing of ALU ----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// alu.sv, alu_issue.sv, alu_execute.sv, alu_results.sv, micro-op by micro-op.
// Stages 0 to r move together; in r a micro-op waits until its operands are in
// ACC (not among results in flight), their banks' read ports are free, the
// table of 16 results has room and the lanes are free. Behind r nothing stops.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_ALU_H
#define TENON_SIM_TLM_ALU_H

#include "sim/functional/loops.h"
#include "sim/tlm/compute.h"

namespace tenon::sim::tlm {

class Alu : public Compute<Alu> {
public:
  explicit Alu(Context &context);

  Cycle setFrom(const Work &work);
  Cycle lastStep() const { return last; }
  Cycle start(const Work &work, Cycle now);

private:
  // What an instruction's micro-ops have in common.
  struct Kind {
    bool quantAdd, reduces, first;
    bool needsFirst, needsSecond; // second: also where a run starts
    bool toAcc;
    uint32_t offset; // of quant_add's operand
    Cycle hold;      // cycles the lanes are taken
    Cycle result;    // from issue to the write port
    Cycle done;      // of a quant_add: from issue to another operation's
  };
  Kind kindOf(const isa::Alu &alu) const;

  void enter(Cycle go);
  bool isSmooth(const Kind &kind) const;
  void issueAll(const Kind &kind, uint64_t count);
  bool isSmoothReduction(const Kind &kind,
                         const functional::Loops &loops) const;
  void issueRuns(const Kind &kind, const functional::Loops &loops);
  void issueEach(const Kind &kind, const functional::Loops &loops);
  void issue(const Kind &kind, uint32_t dst, uint32_t src, bool starts,
             bool ends);
  Cycle operandsFrom(const Kind &kind, uint32_t dst, uint32_t src, bool second,
                     bool writes, Cycle from) const;
  Cycle readsFrom(const Kind &kind, uint32_t dst, uint32_t src, bool second,
                  Cycle from) const;
  uint32_t bankOf(uint32_t index) const { return index >> rowBits; }

  static constexpr unsigned stages = 5, tableDepth = 16;

  const Cycle groups, multiply;
  const uint32_t accMask, rowBits;

  // The last cycles in which stage r let go of what it held, micro-op or
  // nothing, newest first.
  std::array<Cycle, stages> exits{};
  bool anyExit = false;
  Cycle last = 0;     // its last step in stage 0
  Cycle idleFrom = 0; // nothing in the pipeline, nothing in the lanes

  Cycle lanesFree = 0;
  bool afterQuantAdd = false;
  Cycle lastQuantAdd = 0, quantAddsDone = 0;

  std::vector<Cycle> accFree; // by entry: no result for it is in flight
  Cycle accBusy = 0;          // the latest of them
  std::array<Cycle, tableDepth> written{}; // the last results, by number
  uint64_t results = 0;
  Cycle lastWritten = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_ALU_H
