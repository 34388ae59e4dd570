//===- sim/tlm/acc_writes.h - LOAD's writes into ACC ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// load_write.sv, load_pad.sv and acc_load.sv, for LOADs into ACC: in which
// cycles LOAD takes the write port of which bank. An element is written two
// cycles after its last beat is taken; padding goes where no beat does.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_ACC_WRITES_H
#define TENON_SIM_TLM_ACC_WRITES_H

#include "isa/isa.h"
#include "sim/tlm/queues.h"

namespace tenon::sim::tlm {

class AccWrites {
public:
  explicit AccWrites(const isa::Layout &layout);

  /// Cycles from a beat taken to the port.
  static constexpr Cycle behind = 2;

  /// The walk over the elements of `load` begins in `start`; `skip` beats are
  /// dropped between two of them.
  void begin(const isa::Load &load, uint32_t skip, Cycle start);
  /// Its next `beats` beats are taken, the first and the last in these cycles.
  void take(Cycle first, Cycle last, uint32_t beats);
  /// All beats taken before `until` have been told.
  void settle(Cycle until);

  /// Whether the port of `bank` is taken in `cycle`, which ascends from call
  /// to call.
  bool isTaken(Cycle cycle, uint32_t bank);

private:
  struct Write {
    Cycle cycle;
    uint32_t bank;
  };
  struct Interval {
    Cycle from, to;
  };
  enum Part { Top, Left, Right, Bottom, None };

  void push(Queue<Write> &writes, Cycle cycle, uint32_t index);
  void enter(Part next);
  void nextRun();

  const isa::Layout &layout;
  const uint32_t entries, bankRows;

  // ---- the walk over the data
  uint32_t elementBeats = 1, skipBeats = 0; // of the LOAD
  uint32_t index = 0, beat = 0, skip = 0, column = 0;

  // ---- the walk over the padding
  isa::Load load{};
  Part part = None;
  uint32_t run = 0, rows = 0; // elements left in this run, rows in this part
  uint32_t padIndex = 0;
  Cycle padAt = 0;
  Queue<Interval> beats{64}; // those that the padding has not passed

  Queue<Write> data{64}, padding{64};
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_ACC_WRITES_H
