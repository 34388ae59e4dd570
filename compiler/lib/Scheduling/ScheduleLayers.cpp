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
using Shape = std::vector<int64_t>;

/// Layers of one shape, and the cycles each takes by itself.
struct LikeLayers {
  Layer First;
  SmallVector<Operation *> Ops;
  uint64_t Cycles = 0;
};

/// Pairs of layers of the same two shapes; the second of each is listed.
struct LikePairs {
  LikeLayers *First, *Second;
  SmallVector<Operation *> Ops;
};

struct AccelSchedule : tenon::impl::AccelScheduleBase<AccelSchedule> {
  using AccelScheduleBase::AccelScheduleBase;
  void runOnOperation() override;
  LogicalResult addLayer(const isa::Layout &L, Operation *Op);
  void addPair(Operation *Second);
  LogicalResult schedule(const isa::Layout &L, LikeLayers &Like);
  LogicalResult interleave(const isa::Layout &L, const LikePairs &Like);
  template <typename Key, typename Value>
  LogicalResult inParallel(std::map<Key, Value> &Work,
                           llvm::function_ref<LogicalResult(Value &)> Do);

  std::map<Shape, LikeLayers> Layers;
  DenseMap<Operation *, LikeLayers *> LayerOf; ///< of those to be scheduled
  std::map<std::pair<LikeLayers *, LikeLayers *>, LikePairs> Pairs;
};
} // namespace

/// What a layer's cycles depend on; the values of its constants do not matter.
static Shape shapeOf(const Layer &L) {
  Shape Key = {int64_t(L.Kind),
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
    Key.insert(Key.end(), {T.N, T.H, T.W, T.C});
  return Key;
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
  LikeLayers &Like = Layers[shapeOf(*Described)];
  if (Like.Ops.empty())
    Like.First = std::move(*Described);
  Like.Ops.push_back(Op);
  LayerOf[Op] = &Like;
  return success();
}

/// Notes a layer that might share the time of the one before it.
void AccelSchedule::addPair(Operation *Second) {
  Operation *First = layerBefore(Second);
  LikeLayers *A = LayerOf.lookup(First), *B = LayerOf.lookup(Second);
  if (!A || !B || !canPair(A->First, B->First))
    return;
  LikePairs &Like = Pairs[{A, B}];
  Like.First = A, Like.Second = B;
  Like.Ops.push_back(Second);
}

/// Searches the schedule that layers of one shape share.
LogicalResult AccelSchedule::schedule(const isa::Layout &L, LikeLayers &Like) {
  auto Found = searchSchedule(L, Like.First, VirtualThreads);
  if (!Found)
    return Like.Ops.front()->emitOpError() << llvm::toString(Found.takeError());
  auto Cost = estimate(L, Like.First, *Found);
  if (!Cost)
    return Like.Ops.front()->emitOpError() << llvm::toString(Cost.takeError());
  Like.Cycles = Cost->Cycles;
  for (Operation *Op : Like.Ops)
    Op->setAttr("schedule", toAttribute(&getContext(), *Found));
  NumLayers += Like.Ops.size();
  NumCycles += Like.Cycles * Like.Ops.size();
  return success();
}

/// Interleaves the tiles of two layers where that takes fewer cycles.
LogicalResult AccelSchedule::interleave(const isa::Layout &L,
                                        const LikePairs &Like) {
  uint64_t Apart = Like.First->Cycles + Like.Second->Cycles;
  auto Found = searchPair(L, Like.First->First, Like.Second->First, Apart);
  if (!Found)
    return Like.Ops.front()->emitOpError() << llvm::toString(Found.takeError());
  if (!*Found)
    return success();
  MLIRContext *Context = &getContext();
  for (Operation *Second : Like.Ops) {
    layerBefore(Second)->setAttr("schedule",
                                 toAttribute(Context, (*Found)->FirstSchedule));
    Second->setAttr("schedule", toAttribute(Context, (*Found)->SecondSchedule));
    Second->setAttr(InterleavedAttr, UnitAttr::get(Context));
  }
  NumPairs += Like.Ops.size();
  return success();
}

template <typename Key, typename Value>
LogicalResult
AccelSchedule::inParallel(std::map<Key, Value> &Work,
                          llvm::function_ref<LogicalResult(Value &)> Do) {
  SmallVector<Value *> All;
  for (auto &Entry : Work)
    All.push_back(&Entry.second);
  return failableParallelForEach(&getContext(), All,
                                 [&](Value *V) { return Do(*V); });
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
  Layers.clear(), LayerOf.clear(), Pairs.clear();
  SmallVector<Operation *> Ops;
  Module.walk([&](Operation *Op) {
    if (isLayer(Op))
      Ops.push_back(Op);
  });
  for (Operation *Op : Ops)
    if (failed(addLayer(*L, Op)))
      return signalPassFailure();
  if (VirtualThreads == 2)
    llvm::for_each(Ops, [&](Operation *Op) { addPair(Op); });
  if (failed(inParallel<Shape, LikeLayers>(
          Layers, [&](LikeLayers &Like) { return schedule(*L, Like); })) ||
      failed(inParallel<std::pair<LikeLayers *, LikeLayers *>, LikePairs>(
          Pairs, [&](LikePairs &Like) { return interleave(*L, Like); })))
    signalPassFailure();
}
