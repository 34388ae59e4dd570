//===- Machine.h - What a module is compiled for ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An analysis of the module: its configuration, read once from the attribute
// `accel.machine`, the speed of its host, and the schedules that were searched
// for it, so that equal layers are searched once in a compilation, and once in
// all where records are kept. Schedules that the module gives (accel.problem)
// are found here instead. A pass that
// leaves the attributes and those operations alone preserves it.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_MACHINE_H
#define TENON_SCHEDULING_MACHINE_H

#include "mlir/IR/BuiltinOps.h"
#include "tenon/Dialect/Accel/Accel.h"
#include "tenon/Scheduling/CostModel.h"
#include "tenon/Scheduling/HostSpeed.h"
#include "tenon/Scheduling/ScheduleRecords.h"

#include <atomic>
#include <map>

namespace tenon::scheduling {

/// Attribute of the module: an accel.machine.
constexpr llvm::StringLiteral MachineAttr = "accel.machine";
/// Attribute of the module: operations and packed bytes a millisecond, two f64.
/// Without it the host is the default one of HostSpeed.
constexpr llvm::StringLiteral HostSpeedAttr = "accel.host_speed";

/// Attribute of the module: the directory that keeps schedules between
/// compilations. Without it nothing is kept.
constexpr llvm::StringLiteral RecordsAttr = "accel.records";

/// Attribute that accel-schedule gives the module: the cycles of all its
/// layers, one after another, by the cost model.
constexpr llvm::StringLiteral PredictedCyclesAttr = "accel.predicted_cycles";

/// Sets the module's machine.
void attachMachine(mlir::ModuleOp Module,
                   const isa::Configuration &Configuration,
                   uint32_t VirtualThreads);

/// Sets the speed of the module's host.
void attachHostSpeed(mlir::ModuleOp Module, const HostSpeed &Speed);

/// Keeps what is searched for the module in a directory, and looks there first.
void attachRecords(mlir::ModuleOp Module, llvm::StringRef Directory);

/// Gives the module, whose machine is attached, the schedules of a file that
/// accel-extract-schedules has printed or a person has written. Emits what is
/// wrong with the file.
mlir::LogicalResult giveSchedules(mlir::ModuleOp Module, llvm::StringRef File);

/// What is known of a layer: a schedule and its cost, or why there is
/// none.
struct Answer {
  Schedule Best;
  Cost BestCost;
  std::string WhyNone;
  bool fits() const { return WhyNone.empty(); }
};

class Machine {
public:
  explicit Machine(mlir::ModuleOp Module);

  /// Emits an error where the module has no legal machine; then nothing else
  /// may be asked.
  mlir::LogicalResult check() const;
  const isa::Layout &layout() const { return *Layout; }
  uint32_t virtualThreads() const { return VirtualThreads; }
  const HostSpeed &host() const { return Host; }

  /// Searches what has neither been searched nor is given or recorded, in
  /// parallel.
  void search(mlir::ArrayRef<accel::LayerAttr> Layers);
  const Answer &answer(accel::LayerAttr Layer);

  /// The best schedules of two layers (as of canPair) that are interleaved, if
  /// they take fewer than `Apart` cycles, those of both by themselves; else
  /// none. Thread-safe.
  llvm::Expected<std::vector<Schedule>>
  searchPair(accel::LayerAttr First, accel::LayerAttr Second, uint64_t Apart);

  /// How many searches there were, and how many were spared by records.
  unsigned searched() const { return Searched; }
  unsigned recalled() const { return Recalled; }
  /// Says where records cannot be used.
  void reportRecords();

  /// Whether the module gives a schedule for the layer by itself.
  bool isGiven(accel::LayerAttr Layer) const { return Given.contains(Layer); }
  /// The schedules that the module gives for interleaved tiles, or null.
  const std::vector<Schedule> *givenPair(accel::LayerAttr First,
                                         accel::LayerAttr Second) const;

private:
  void readMachine();
  void openRecords(accel::MachineAttr Attached);
  Answer find(accel::LayerAttr Of);
  void readHostSpeed();
  void readSchedules(accel::ProblemOp Problem);
  void fail(mlir::Location At, std::string Message);

  mlir::ModuleOp Module;
  std::optional<std::pair<mlir::Location, std::string>> Error;
  std::optional<isa::Layout> Layout;
  uint32_t VirtualThreads = 2;
  HostSpeed Host;
  std::unique_ptr<ScheduleRecords> Records; ///< null without a machine
  std::atomic<unsigned> Searched = 0, Recalled = 0;
  std::map<const void *, Answer> Answers;
  llvm::DenseSet<accel::LayerAttr> Given;
  std::map<std::pair<const void *, const void *>, std::vector<Schedule>>
      GivenPairs;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_MACHINE_H
