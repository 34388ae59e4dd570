//===- sim/tlm/alu.h - Timing of ALU ----------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// alu.sv, alu_issue.sv, alu_execute.sv, alu_results.sv, micro-op by micro-op.
// Stages 0 to r move together; in r a micro-op waits until its operands are in
// ACC (not among results in flight), their banks' read ports are free, the
// table of 16 results has room and the lanes are free. Behind r nothing stops
// but a result for ACC whose bank LOAD or GEMM writes. What they do is known
// for some cycles ahead only: as far as that, micro-ops are issued and results
// written; the rest follows when more is known, by the cycle it matters in.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_ALU_H
#define TENON_SIM_TLM_ALU_H

#include "sim/tlm/compute.h"
#include "sim/tlm/gemm.h"
#include "sim/tlm/load.h"

namespace tenon::sim::tlm {

class Alu : public Compute<Alu> {
public:
  Alu(Context &context, Load &load, Gemm &gemm);

  Cycle setFrom(const Work &work);
  Cycle lastStep() const { return last; }
  Cycle start(const Work &work, Cycle now, Cycle begin);
  Cycle resolve(Cycle now);

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
  // An instruction of which not all micro-ops are issued.
  struct Job {
    Kind kind;
    LoopWalk walk;
    Cycle accepted, go; // go: never, until the one before is known
    bool entered;
    bool runs;      // of a reduction none of whose operands is waited for
    bool starts;    // the next micro-op does, a run
    uint32_t entry; // of the retirement
  };
  struct Result {
    Cycle ready; // at the write port
    uint32_t dst;
    bool toAcc;
    bool completes; // its instruction, the retirement's entry
    uint32_t entry;
  };
  Kind kindOf(const isa::Alu &alu) const;

  Job &job(uint32_t number) { return jobs[number % tableDepth]; }
  bool issueSome();
  bool begin(Job &job);
  void stand(const Job &job, isa::State state, Cycle from, Cycle until);
  void find(Job &job, Cycle step);
  void enter(Cycle go);
  bool isSmooth(const Kind &kind) const;
  void issueAll(Job &job);
  bool isRuns(const Job &job) const;
  bool issueRun(Job &job);
  bool issueNext(Job &job);
  void leave(const Kind &kind, Cycle at);
  void push(const Job &job, uint32_t dst, Cycle ready);
  bool writeResults();
  bool isFull() const { return results - writes == tableDepth; }
  Cycle operandsFrom(const Kind &kind, uint32_t dst, uint32_t src, bool second,
                     bool gives, Cycle from) const;
  Cycle readsFrom(const Kind &kind, uint32_t dst, uint32_t src, bool second,
                  Cycle from);
  Cycle openFrom(uint32_t index, Cycle from);
  uint32_t bankOf(uint32_t index) const { return index >> rowBits; }

  static constexpr unsigned stages = 5, tableDepth = 16;

  Load &load;
  Gemm &gemm;
  const Cycle groups, multiply;
  const uint32_t accMask, rowBits;

  // The last cycles in which stage r let go of what it held, micro-op or
  // nothing, newest first.
  std::array<Cycle, stages> exits{};
  bool anyExit = false;
  Cycle last = 0;     // its last step in stage 0; never: not known
  Cycle idleFrom = 0; // nothing in the pipeline, nothing in the lanes

  Cycle lanesFree = 0;
  bool afterQuantAdd = false;
  Cycle lastQuantAdd = 0, quantAddsDone = 0;

  std::array<Job, tableDepth> jobs; // by number
  uint32_t firstJob = 0, endJob = 0;

  // Results in flight, those whose cycle at the port is not known, by number.
  std::array<Result, tableDepth> table{};
  uint64_t results = 0, writes = 0;
  // What LOAD writes, GEMM writes and GEMM reads is known before these cycles.
  Cycle loadUntil = never, gemmUntil = never, readsUntil = never;
  Cycle readFrom = 0; // the read of a micro-op that waits, at the earliest
  Cycle portFrom = 0; // the oldest one's write, at the earliest
  std::vector<Cycle> accFree; // by entry: no result for it is in flight; never:
                              // not known
  std::vector<uint64_t> accLast; // the last result for it
  Cycle accBusy = 0;             // the latest of accFree that is known
  std::array<Cycle, tableDepth> written{}; // the last results known, by number
  Cycle lastWritten = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_ALU_H
