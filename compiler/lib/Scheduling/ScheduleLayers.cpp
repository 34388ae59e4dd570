//===- ScheduleLayers.cpp - Choose the tiles of every layer ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/configuration.h"
#include "tenon/Scheduling/CostModel.h"
#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Passes.h"

#include "mlir/IR/Threading.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELSCHEDULE
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
struct AccelSchedule : tenon::impl::AccelScheduleBase<AccelSchedule> {
  using AccelScheduleBase::AccelScheduleBase;
  void runOnOperation() override;
  LogicalResult scheduleLayer(const isa::Layout &L, Operation *Op);
};
} // namespace

/// Searches a schedule, or checks the one that is there.
LogicalResult AccelSchedule::scheduleLayer(const isa::Layout &L,
                                           Operation *Op) {
  auto Described = describeLayer(Op);
  if (failed(Described))
    return failure();
  if (auto Given = Op->getAttrOfType<accel::ScheduleAttr>("schedule")) {
    if (auto Why = Tiling(L, *Described, fromAttribute(Given)).check())
      return Op->emitOpError("its schedule does not fit: ") << *Why;
    return success();
  }
  auto Found = searchSchedule(L, *Described, VirtualThreads);
  if (!Found)
    return Op->emitOpError() << llvm::toString(Found.takeError());
  Op->setAttr("schedule", toAttribute(&getContext(), *Found));
  ++NumLayers;
  if (auto Cost = estimate(L, *Described, *Found))
    NumCycles += Cost->Cycles;
  else
    llvm::consumeError(Cost.takeError());
  return success();
}

void AccelSchedule::runOnOperation() {
  ModuleOp Module = getOperation();
  if (VirtualThreads != 1 && VirtualThreads != 2) {
    Module.emitError("expected 1 or 2 virtual threads, found ")
        << VirtualThreads.getValue();
    return signalPassFailure();
  }
  auto Configuration = isa::loadConfiguration(Config);
  if (!Configuration.ok()) {
    Module.emitError(std::string(Configuration.status().message()));
    return signalPassFailure();
  }
  setConfiguration(Module, *Configuration);
  auto L = layoutOf(Module);
  if (failed(L))
    return signalPassFailure();
  SmallVector<Operation *> Layers;
  Module.walk([&](Operation *Op) {
    if (isLayer(Op))
      Layers.push_back(Op);
  });
  if (failed(failableParallelForEach(&getContext(), Layers, [&](Operation *Op) {
        return scheduleLayer(*L, Op);
      })))
    signalPassFailure();
}
