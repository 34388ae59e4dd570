//===- ScheduleLayers.cpp - Choose the tiles of every layer ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Machine.h"
#include "tenon/Scheduling/Passes.h"
#include "tenon/Scheduling/Refuse.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELSCHEDULE
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
using accel::AcceleratorLayer;

/// Equal layers, and the cycles each takes by itself.
struct LikeLayers {
  SmallVector<AcceleratorLayer> Ops;
  uint64_t Cycles = 0;
};

/// The second layers of pairs of equal layers.
struct LikePairs {
  accel::LayerAttr First, Second;
  SmallVector<AcceleratorLayer> Seconds;
  /// What the search found, if it gains; else empty.
  std::vector<Schedule> Best;
  std::string Defect; ///< why the search ended
};

struct AccelSchedule : tenon::impl::AccelScheduleBase<AccelSchedule> {
  using AccelScheduleBase::AccelScheduleBase;
  void runOnOperation() override;
  LogicalResult addLayer(AcceleratorLayer Op);
  void addPair(AcceleratorLayer Second);
  LogicalResult schedule();
  void search(LikePairs &Like);
  LogicalResult interleave();
  void apply(const LikePairs &Like, const std::vector<Schedule> &Both);
  LogicalResult predict(ArrayRef<AcceleratorLayer> Ops);
  void warnOfUnused(accel::ProblemOp Problem);

  Machine *TheMachine = nullptr;
  llvm::MapVector<accel::LayerAttr, LikeLayers> Layers; ///< to be scheduled
  llvm::MapVector<std::pair<accel::LayerAttr, accel::LayerAttr>, LikePairs>
      Pairs;
};
} // namespace

/// Checks the schedule that is there, or notes that one is wanted.
LogicalResult AccelSchedule::addLayer(AcceleratorLayer Op) {
  accel::LayerAttr L = Op.getLayer();
  if (accel::ScheduleAttr Given = Op.getScheduleAttr()) {
    const Layer Wanted = layerOf(L);
    if (auto Why =
            Tiling(TheMachine->layout(), Wanted, fromAttribute(Given)).check())
      return Op->emitOpError("its schedule does not fit: ") << *Why;
    return success();
  }
  Layers[L].Ops.push_back(Op);
  return success();
}

/// Notes a layer that might share the time of the one before it. Layers that
/// are given schedules each by itself do not.
void AccelSchedule::addPair(AcceleratorLayer Second) {
  auto First = dyn_cast_or_null<AcceleratorLayer>(layerBefore(Second));
  if (!First || First.getScheduleAttr() || Second.getScheduleAttr())
    return;
  accel::LayerAttr A = First.getLayer(), B = Second.getLayer();
  bool Apart = TheMachine->isGiven(A) || TheMachine->isGiven(B);
  if (!canPair(layerOf(A), layerOf(B)) ||
      (Apart && !TheMachine->givenPair(A, B)))
    return;
  LikePairs &Like = Pairs[{A, B}];
  Like.First = A, Like.Second = B;
  Like.Seconds.push_back(Second);
}

/// Gives equal layers the same schedule.
LogicalResult AccelSchedule::schedule() {
  TheMachine->search(llvm::to_vector(llvm::make_first_range(Layers)));
  bool Fits = true;
  for (auto &[L, Like] : Layers) {
    const Answer &Found = TheMachine->answer(L);
    if (!Found.fits()) {
      for (AcceleratorLayer Op : Like.Ops)
        (void)refuse(Op, Found.WhyNone, "a configuration with more room");
      Fits = false;
      continue;
    }
    Like.Cycles = Found.BestCost.Cycles;
    for (AcceleratorLayer Op : Like.Ops)
      Op.setScheduleAttr(toAttribute(&getContext(), Found.Best));
    NumLayers += Like.Ops.size();
    NumCycles += Like.Cycles * Like.Ops.size();
  }
  return success(Fits);
}

void AccelSchedule::apply(const LikePairs &Like,
                          const std::vector<Schedule> &Both) {
  for (AcceleratorLayer Op : Like.Seconds) {
    cast<AcceleratorLayer>(layerBefore(Op))
        .setScheduleAttr(toAttribute(&getContext(), Both[0]));
    Op.setScheduleAttr(toAttribute(&getContext(), Both[1]));
    Op->setAttr(InterleavedAttr, UnitAttr::get(&getContext()));
  }
  NumPairs += Like.Seconds.size();
}

/// Looks for schedules with which a pair takes fewer cycles than its layers
/// apart.
void AccelSchedule::search(LikePairs &Like) {
  uint64_t Apart = Layers.find(Like.First)->second.Cycles +
                   Layers.find(Like.Second)->second.Cycles;
  auto Found = TheMachine->searchPair(Like.First, Like.Second, Apart);
  if (Found)
    Like.Best = *std::move(Found);
  else
    Like.Defect = llvm::toString(Found.takeError());
}

/// Interleaves the tiles of two layers where that is given or takes fewer
/// cycles.
LogicalResult AccelSchedule::interleave() {
  SmallVector<LikePairs *> Wanted;
  for (auto &[Both, Like] : Pairs)
    if (auto *Given = TheMachine->givenPair(Like.First, Like.Second))
      apply(Like, *Given);
    else
      Wanted.push_back(&Like);
  parallelForEach(&getContext(), Wanted,
                  [&](LikePairs *Like) { search(*Like); });
  bool Fits = true;
  for (LikePairs *Like : Wanted) {
    if (!Like->Best.empty())
      apply(*Like, Like->Best);
    if (Like->Defect.empty())
      continue;
    for (AcceleratorLayer Op : Like->Seconds)
      (void)refuse(Op, Like->Defect, ReportIt);
    Fits = false;
  }
  return success(Fits);
}

/// Tells the module the cycles that the cost model sees in its schedules.
LogicalResult AccelSchedule::predict(ArrayRef<AcceleratorLayer> Ops) {
  const isa::Layout &Layout = TheMachine->layout();
  uint64_t Cycles = 0;
  for (size_t I = 0; I < Ops.size(); ++I) {
    AcceleratorLayer Op = Ops[I];
    Layer First = layerOf(Op.getLayer());
    Schedule Own = fromAttribute(Op.getScheduleAttr());
    std::optional<llvm::Expected<Cost>> Found;
    if (I + 1 < Ops.size() && Ops[I + 1]->hasAttr(InterleavedAttr)) {
      AcceleratorLayer Next = Ops[++I];
      Layer Second = layerOf(Next.getLayer());
      Found.emplace(estimate(
          Layout, {First, Second, Own, fromAttribute(Next.getScheduleAttr())}));
    } else {
      Found.emplace(estimate(Layout, First, Own));
    }
    if (!*Found)
      return refuse(Op, llvm::toString(Found->takeError()), ReportIt);
    Cycles += (*Found)->Cycles;
  }
  getOperation()->setAttr(
      PredictedCyclesAttr,
      Builder(&getContext()).getI64IntegerAttr(int64_t(Cycles)));
  return success();
}

void AccelSchedule::warnOfUnused(accel::ProblemOp Problem) {
  auto At = [&](unsigned I) {
    return cast<accel::LayerAttr>(Problem.getLayers()[I]);
  };
  bool IsUsed = Problem.getLayers().size() == 1
                    ? Layers.contains(At(0))
                    : Pairs.contains({At(0), At(1)});
  if (!IsUsed && !Problem.getSchedules().empty())
    Problem.emitWarning("no layer of the network has the schedule of '")
        << Problem.getName() << "'";
}

void AccelSchedule::runOnOperation() {
  ModuleOp Module = getOperation();
  TheMachine = &getAnalysis<Machine>();
  markAnalysesPreserved<Machine>();
  if (failed(TheMachine->check()))
    return signalPassFailure();
  Layers.clear(), Pairs.clear();
  SmallVector<AcceleratorLayer> Ops;
  Module.walk([&](AcceleratorLayer Op) { Ops.push_back(Op); });
  for (AcceleratorLayer Op : Ops)
    if (failed(addLayer(Op)))
      return signalPassFailure();
  if (TheMachine->virtualThreads() > 1)
    llvm::for_each(Ops, [&](AcceleratorLayer Op) { addPair(Op); });
  if (failed(schedule()) || failed(interleave()) || failed(predict(Ops)))
    return signalPassFailure();
  NumSearched = TheMachine->searched();
  NumRecalled = TheMachine->recalled();
  TheMachine->reportRecords();
  for (auto Problem : Module.getOps<accel::ProblemOp>())
    warnOfUnused(Problem);
}
