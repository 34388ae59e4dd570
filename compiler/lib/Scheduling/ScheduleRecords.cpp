//===- ScheduleRecords.cpp - Schedules of earlier compilations ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/ScheduleRecords.h"

#include "tenon/Scheduling/DescribeLayer.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

ScheduleRecords::ScheduleRecords(std::string Directory,
                                 accel::MachineAttr Machine)
    : Store(std::move(Directory)), Machine(Machine) {}

std::string ScheduleRecords::keyOf(ArrayRef<accel::LayerAttr> Layers) const {
  static const std::string Build =
      isa::buildOf(reinterpret_cast<const void *>(&searchSchedule));
  std::string Key;
  llvm::raw_string_ostream Stream(Key);
  Stream << "schedule by " << Build << " for " << Machine;
  for (accel::LayerAttr L : Layers)
    Stream << " of " << L;
  return Key;
}

std::optional<std::vector<Schedule>>
ScheduleRecords::find(ArrayRef<accel::LayerAttr> Layers,
                      const ScheduleProblem &P) {
  auto Text = Store.find(keyOf(Layers));
  if (!Text)
    return std::nullopt;
  auto Read =
      dyn_cast_or_null<ArrayAttr>(parseAttribute(*Text, Machine.getContext()));
  if (!Read || !llvm::all_of(Read, llvm::IsaPred<accel::ScheduleAttr>))
    return std::nullopt;
  std::vector<Schedule> Found;
  for (auto S : Read.getAsRange<accel::ScheduleAttr>())
    Found.push_back(fromAttribute(S));
  if (Found.empty() && Layers.size() == 2)
    return Found;
  if (auto E = P.check(Found)) {
    llvm::consumeError(std::move(E));
    return std::nullopt;
  }
  return Found;
}

void ScheduleRecords::keep(ArrayRef<accel::LayerAttr> Layers,
                           const std::vector<Schedule> &Found) {
  if (!Store.isOpen())
    return;
  SmallVector<Attribute> Schedules;
  for (const Schedule &S : Found)
    Schedules.push_back(toAttribute(Machine.getContext(), S));
  std::string Text;
  llvm::raw_string_ostream(Text)
      << ArrayAttr::get(Machine.getContext(), Schedules);
  Store.keep(keyOf(Layers), Text);
}
