//===- ScheduleProblem.cpp - Tiles of one layer, or of two ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/ScheduleProblem.h"

using namespace tenon;
using namespace tenon::scheduling;

llvm::Error ScheduleProblem::check() const {
  bool IsPair = Layers.size() == 2 && canPair(Layers[0], Layers[1]);
  if (Layers.size() == 1 || IsPair)
    return llvm::Error::success();
  return llvm::createStringError(
      "expected one layer, or a contraction and a layer on the ALU without a "
      "residual that reads it; found %zu layers",
      Layers.size());
}

llvm::Error
ScheduleProblem::check(const std::vector<Schedule> &Schedules) const {
  if (Schedules.size() != Layers.size())
    return llvm::createStringError("expected %zu schedules, found %zu",
                                   Layers.size(), Schedules.size());
  isa::Layout Part = Layers.size() == 2 ? halfOf(L) : L;
  for (size_t I = 0; I < Layers.size(); ++I)
    if (auto Why = Tiling(Part, Layers[I], Schedules[I]).check())
      return llvm::createStringError(
          "layer '%s': its schedule does not fit: %s", Layers[I].Name.c_str(),
          Why->c_str());
  return llvm::Error::success();
}

llvm::Expected<Cost>
ScheduleProblem::cost(const std::vector<Schedule> &Schedules) const {
  if (Layers.size() == 1)
    return estimate(L, Layers[0], Schedules[0]);
  return estimate(L, {Layers[0], Layers[1], Schedules[0], Schedules[1]});
}

llvm::Error ScheduleProblem::lower(StreamBuilder &Builder,
                                   const std::vector<Schedule> &Schedules,
                                   uint32_t LayerIndex) const {
  if (Layers.size() == 1)
    return lowerLayer(Builder, Layers[0], Schedules[0], LayerIndex);
  return lowerPair(Builder, {Layers[0], Layers[1], Schedules[0], Schedules[1]},
                   LayerIndex);
}
