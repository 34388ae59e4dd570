//===- ScheduleProblem.h - Tiles of one layer, or of two --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The problem that the search, a person and a record of an earlier search solve
// alike: for layers whose tiles share their time, a schedule each. Its text is
// accel.problem (tenon/Dialect/Accel/AccelScheduleAttrs.td).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_SCHEDULEPROBLEM_H
#define TENON_SCHEDULING_SCHEDULEPROBLEM_H

#include "tenon/Scheduling/CostModel.h"

namespace tenon::scheduling {

class ScheduleProblem {
public:
  /// One layer, or a contraction and the layer on the ALU that reads it.
  ScheduleProblem(const isa::Layout &L, std::vector<Layer> Layers)
      : L(L), Layers(std::move(Layers)) {}

  const std::vector<Layer> &layers() const { return Layers; }

  /// The layers are one, or a pair.
  llvm::Error check() const;
  /// Each schedule fits the part of the machine that its layer has. An error
  /// names the layer, the memory or field, what is needed and what there is.
  llvm::Error check(const std::vector<Schedule> &Schedules) const;

  /// The schedules must have passed the check.
  llvm::Expected<Cost> cost(const std::vector<Schedule> &Schedules) const;
  llvm::Error lower(StreamBuilder &Builder,
                    const std::vector<Schedule> &Schedules,
                    uint32_t LayerIndex) const;

  /// The instructions of layer `LayerIndex` in a stream, of whatever origin,
  /// solve the problem: each is defined, together they store every element of
  /// the results once and nothing else, and accumulate and requantise as many
  /// vectors as the layers have. What orders them and what each reads is
  /// TokenProblem's to prove.
  llvm::Error verify(const std::vector<StreamInstruction> &Stream,
                     uint32_t LayerIndex) const;

private:
  const isa::Layout &L;
  std::vector<Layer> Layers;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_SCHEDULEPROBLEM_H
