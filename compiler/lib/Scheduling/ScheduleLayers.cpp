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

#include <map>

namespace tenon {
#define GEN_PASS_DEF_ACCELSCHEDULE
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
/// Layers of one shape.
struct LikeLayers {
  Layer First;
  SmallVector<Operation *> Ops;
};

struct AccelSchedule : tenon::impl::AccelScheduleBase<AccelSchedule> {
  using AccelScheduleBase::AccelScheduleBase;
  void runOnOperation() override;
  LogicalResult addLayer(const isa::Layout &L, Operation *Op);
  LogicalResult schedule(const isa::Layout &L, const LikeLayers &Layers);

  std::map<std::vector<int64_t>, LikeLayers> Work; ///< by shape
};
} // namespace

/// What a layer's cycles depend on; the values of its constants do not matter.
static std::vector<int64_t> shapeOf(const Layer &L) {
  std::vector<int64_t> Shape = {int64_t(L.Kind),
                                L.KH,
                                L.KW,
                                L.SY,
                                L.SX,
                                L.DY,
                                L.DX,
                                L.Top,
                                L.Bottom,
                                L.Left,
                                L.Right,
                                L.HasResidual,
                                L.hasUniformParameters()};
  for (const TensorView &T : {L.In, L.Out})
    Shape.insert(Shape.end(), {T.N, T.H, T.W, T.C});
  return Shape;
}

/// Checks the schedule that is there, or notes that one is wanted.
LogicalResult AccelSchedule::addLayer(const isa::Layout &L, Operation *Op) {
  auto Described = describeLayer(Op);
  if (failed(Described))
    return failure();
  if (auto Given = Op->getAttrOfType<accel::ScheduleAttr>("schedule")) {
    if (auto Why = Tiling(L, *Described, fromAttribute(Given)).check())
      return Op->emitOpError("its schedule does not fit: ") << *Why;
    return success();
  }
  LikeLayers &Like = Work[shapeOf(*Described)];
  if (Like.Ops.empty())
    Like.First = std::move(*Described);
  Like.Ops.push_back(Op);
  return success();
}

/// Searches the schedule that layers of one shape share.
LogicalResult AccelSchedule::schedule(const isa::Layout &L,
                                      const LikeLayers &Like) {
  auto Found = searchSchedule(L, Like.First, VirtualThreads);
  if (!Found)
    return Like.Ops.front()->emitOpError() << llvm::toString(Found.takeError());
  for (Operation *Op : Like.Ops)
    Op->setAttr("schedule", toAttribute(&getContext(), *Found));
  NumLayers += Like.Ops.size();
  if (auto Cost = estimate(L, Like.First, *Found))
    NumCycles += Cost->Cycles * Like.Ops.size();
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
  Work.clear();
  WalkResult Walked = Module.walk([&](Operation *Op) {
    return WalkResult(isLayer(Op) ? addLayer(*L, Op) : success());
  });
  SmallVector<LikeLayers *> All;
  for (auto &[Shape, Like] : Work)
    All.push_back(&Like);
  if (Walked.wasInterrupted() ||
      failed(failableParallelForEach(&getContext(), All, [&](LikeLayers *Like) {
        return schedule(*L, *Like);
      })))
    signalPassFailure();
}
