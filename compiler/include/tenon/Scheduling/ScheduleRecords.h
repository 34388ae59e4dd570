//===- ScheduleRecords.h - Schedules of earlier compilations ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A record holds what the search found for a problem, under the text of its
// layers and machine and the build of this compiler. It is checked as what a
// person gives is: a record can make a program slower, never wrong.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_SCHEDULERECORDS_H
#define TENON_SCHEDULING_SCHEDULERECORDS_H

#include "isa/record_store.h"
#include "tenon/Dialect/Accel/Accel.h"
#include "tenon/Scheduling/ScheduleProblem.h"

namespace tenon::scheduling {

/// Thread-safe.
class ScheduleRecords {
public:
  /// An empty `Directory` keeps nothing.
  ScheduleRecords(std::string Directory, accel::MachineAttr Machine);

  /// What the search found for layers that are scheduled together, `P` their
  /// problem; empty where it found that a pair is better apart. Nothing where
  /// it has not searched, or the record does not solve the problem.
  std::optional<std::vector<Schedule>>
  find(llvm::ArrayRef<accel::LayerAttr> Layers, const ScheduleProblem &P);
  void keep(llvm::ArrayRef<accel::LayerAttr> Layers,
            const std::vector<Schedule> &Found);

  /// The first thing that went wrong with the directory.
  absl::Status status() const { return Store.status(); }

private:
  std::string keyOf(llvm::ArrayRef<accel::LayerAttr> Layers) const;

  isa::RecordStore Store;
  accel::MachineAttr Machine;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_SCHEDULERECORDS_H
