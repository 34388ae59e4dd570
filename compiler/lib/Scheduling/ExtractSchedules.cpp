//===- ExtractSchedules.cpp - Layers and their schedules as a text --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELEXTRACTSCHEDULES
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
/// The first layers with their text, and their schedules.
struct Entry {
  Location Loc;
  std::string Name;
  SmallVector<Attribute, 2> Schedules;
};

struct AccelExtractSchedules
    : tenon::impl::AccelExtractSchedulesBase<AccelExtractSchedules> {
  void runOnOperation() override;
  void add(ArrayRef<accel::AcceleratorLayer> Layers);

  llvm::MapVector<ArrayAttr, Entry> Entries;
};
} // namespace

static std::string nameOf(Operation *Op) {
  auto Name = Op->getAttrOfType<StringAttr>("tenon.layer");
  return Name ? Name.str() : Op->getName().stripDialect().str();
}

void AccelExtractSchedules::add(ArrayRef<accel::AcceleratorLayer> Layers) {
  SmallVector<Attribute, 2> Texts;
  Entry E{Layers.front()->getLoc(), "", {}};
  for (accel::AcceleratorLayer L : Layers) {
    Texts.push_back(L.getLayer());
    E.Name += (E.Name.empty() ? "" : "+") + nameOf(L);
    if (accel::ScheduleAttr S = L.getScheduleAttr())
      E.Schedules.push_back(S);
  }
  Entries.insert({ArrayAttr::get(&getContext(), Texts), E});
}

void AccelExtractSchedules::runOnOperation() {
  Entries.clear();
  SmallVector<accel::AcceleratorLayer> Layers;
  getOperation().walk([&](accel::AcceleratorLayer L) { Layers.push_back(L); });
  for (size_t I = 0; I < Layers.size(); ++I) {
    size_t Count =
        I + 1 < Layers.size() && Layers[I + 1]->hasAttr(InterleavedAttr) ? 2
                                                                         : 1;
    add(ArrayRef(Layers).slice(I, Count));
    I += Count - 1;
  }
  getOperation().getBody()->clear();
  OpBuilder B(getOperation().getBodyRegion());
  for (const auto &[Texts, E] : Entries)
    accel::ProblemOp::create(B, E.Loc, B.getStringAttr(E.Name), Texts,
                             B.getArrayAttr(E.Schedules));
}
