//===- PlanDram.cpp - Give every activation its place in DRAM -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"

#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/DramPlan.h"
#include "tenon/Scheduling/FieldLimits.h"
#include "tenon/Scheduling/Machine.h"
#include "tenon/Scheduling/Passes.h"
#include "tenon/Scheduling/Refuse.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELPLANDRAM
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
/// An activation that lies in (or is) a planned tensor.
struct Slice {
  Value Root;
  uint64_t Offset; ///< bytes within each group of the root
};

/// Bytes between blocks, rows and pixels of an activation.
struct Distances {
  uint64_t Plane, Row, Pixel;
};

class Planner {
public:
  Planner(const isa::Layout &L, func::FuncOp Main)
      : L(L), Dram(L), Main(Main) {}

  LogicalResult run(uint64_t &Bytes);

  /// Begin and size of what layers leave out: where BLOCK_IN > BLOCK_OUT, the
  /// pieces of a tensor's last block behind its last channel (loads and the
  /// host read whole blocks; weights cancel what stands there), and what a
  /// product reads behind its weights.
  SmallVector<int64_t> unwritten() const;

private:
  LogicalResult slice(accel::ConcatOp Op);
  LogicalResult slice(accel::RegroupOp Op);
  LogicalResult slice(accel::ChannelsOp Op);
  LogicalResult slice(accel::PhasesOp Op);
  Distances distances(Value V) const;
  void setPlace(Operation *Op) const;
  SmallVector<Operation *> touching(Value Root) const;
  uint64_t bytesBehind(Value Root) const;
  LogicalResult checkRoom(const DramPlan &Plan, ArrayRef<Value> Roots);
  Slice find(Value V) const;
  void extend(Value V, uint32_t Time);

  const isa::Layout &L;
  ViewLayout Dram;
  func::FuncOp Main;
  DenseMap<Value, Slice> Slices; ///< what lies in another activation
  DenseMap<Value, std::pair<uint32_t, uint32_t>> Lifetimes; ///< of roots
  DenseMap<Value, uint64_t> Offsets;                        ///< of roots
  DenseSet<Value> Views;                    ///< with rows, of tensors without
  DenseMap<Value, accel::PhasesOp> PhaseOf; ///< inputs of `accel.phases`
};
} // namespace

static bool makesActivation(Operation *Op) {
  return isLayer(Op) || movesNothing(Op) || mlir::isa<accel::PackOp>(Op);
}

/// Gives the inputs of a concatenation their slices of its result.
LogicalResult Planner::slice(accel::ConcatOp Op) {
  uint64_t Blocks = 0;
  for (Value Input : Op.getInputs()) {
    TensorView T = describeTensor(Input);
    if (!isLayer(Input.getDefiningOp()) &&
        !mlir::isa<accel::ConcatOp, accel::PhasesOp>(Input.getDefiningOp()))
      return refuse(Op,
                    "an input is not made by a layer, so it cannot be "
                    "stored into a slice of the result",
                    "inputs that layers make");
    if (Slices.contains(Input))
      return refuse(Op, "an input is concatenated twice", "a copy of it");
    Slices[Input] = {Op.getResult(), Blocks * Dram.planeBytes(T)};
    if (Input != Op.getInputs().back() && T.C % L.blockMax)
      return refuse(Op,
                    "an input has " + Twine(T.C) +
                        " channels, expected a multiple of " +
                        Twine(L.blockMax),
                    "channel counts that are multiples of the block");
    Blocks += Dram.dramBlocks(T);
  }
  return success();
}

/// The tensor with rows is a view of the whole one.
LogicalResult Planner::slice(accel::RegroupOp Op) {
  Value View = Op.getView();
  if (describeTensor(View).C % L.blockMax)
    return refuse(Op,
                  "groups of " + Twine(describeTensor(View).C) +
                      " channels, expected a multiple of " + Twine(L.blockMax),
                  "channel counts that are multiples of the block");
  if (Slices.contains(View))
    return refuse(Op, "its input is stored into two tensors", "a copy of it");
  Slices[View] = {Op.getWhole(), 0};
  Views.insert(View);
  return success();
}

LogicalResult Planner::slice(accel::ChannelsOp Op) {
  if (Op.getFirst() % L.blockMax)
    return refuse(Op,
                  "it takes channels from " + Twine(Op.getFirst()) +
                      " on, expected a multiple of " + Twine(L.blockMax),
                  "channel counts that are multiples of the block");
  Slices[Op.getResult()] = {Op.getInput(), Op.getFirst() / L.blockMax *
                                               distances(Op.getInput()).Plane};
  return success();
}

/// The distances of pixels of a phase must be ones that STORE can say.
LogicalResult Planner::slice(accel::PhasesOp Op) {
  Distances Whole = distances(Op.getResult());
  uint64_t Most = FieldLimits(L).ElementStride * L.beatBytes;
  int64_t SX = Op.getStep()[1];
  if (SX * Whole.Pixel > Most)
    return refuse(Op,
                  "pixels of a phase are " + Twine(SX * Whole.Pixel) +
                      " bytes apart, an instruction's field holds " +
                      Twine(Most),
                  "smaller factors");
  for (auto [Phase, Input] : llvm::enumerate(Op.getInputs())) {
    if (!isLayer(Input.getDefiningOp()) || Slices.contains(Input))
      return refuse(Op,
                    "a phase is not made by a layer for it alone, so it cannot "
                    "be stored between the others",
                    "a copy of it");
    Slices[Input] = {Op.getResult(),
                     Phase / SX * Whole.Row + Phase % SX * Whole.Pixel};
    PhaseOf[Input] = Op;
  }
  return success();
}

/// Blocks of a view with rows are columns long, and a row is its blocks; a
/// phase is every so many rows and pixels.
Distances Planner::distances(Value V) const {
  if (auto Some = V.getDefiningOp<accel::ChannelsOp>())
    return distances(Some.getInput());
  TensorView T = describeTensor(V);
  uint64_t Pixel = Dram.pixelBytes(), Row = T.W * Pixel;
  if (Views.contains(V))
    return {Row, Dram.dramBlocks(T) * Row, Pixel};
  accel::PhasesOp Whole = PhaseOf.lookup(V);
  if (!Whole)
    return {Dram.planeBytes(T), Row, Pixel};
  Distances Of = distances(Whole.getResult());
  return {Of.Plane, Of.Row * Whole.getStep()[0], Of.Pixel * Whole.getStep()[1]};
}

/// The planned tensor an activation lies in.
Slice Planner::find(Value V) const {
  Slice Result{V, 0};
  for (auto It = Slices.find(V); It != Slices.end();
       It = Slices.find(Result.Root)) {
    Result.Root = It->second.Root;
    Result.Offset += It->second.Offset;
  }
  return Result;
}

void Planner::extend(Value V, uint32_t Time) {
  auto [It, IsNew] = Lifetimes.insert({find(V).Root, {Time, Time}});
  if (IsNew)
    return;
  It->second.first = std::min(It->second.first, Time);
  It->second.second = std::max(It->second.second, Time);
}

/// What layers and concatenations make or read of the tensor at `Root`.
SmallVector<Operation *> Planner::touching(Value Root) const {
  SmallVector<Operation *> Result;
  auto IsThere = [&](Value V) { return find(V).Root == Root; };
  for (Operation &Op : *Root.getParentBlock())
    if ((isLayer(&Op) || movesNothing(&Op)) &&
        (llvm::any_of(Op.getOperands(), IsThere) ||
         llvm::any_of(Op.getResults(), IsThere)))
      Result.push_back(&Op);
  return Result;
}

/// What is read of DRAM behind a tensor: a product's last element of weights,
/// of slices that end where the tensor ends.
uint64_t Planner::bytesBehind(Value Root) const {
  uint64_t Most = 0;
  for (auto Op : Root.getParentBlock()->getOps<accel::ProductOp>())
    if (find(Op.getWeights()).Root == Root)
      Most = std::max(Most,
                      Dram.bytesBehindWeights(describeTensor(Op.getWeights())));
  return Most;
}

/// Instructions address only so much. A tensor that no layer touches need not
/// be there: the one with the most bytes a layer goes.
LogicalResult Planner::checkRoom(const DramPlan &Plan, ArrayRef<Value> Roots) {
  uint64_t Room = FieldLimits(L).DramBytes, Bytes = 0;
  SmallVector<Operation *> Layers;
  for (size_t I : Plan.beyond(Room)) {
    SmallVector<Operation *> Its = touching(Roots[I]);
    uint64_t Size = Plan.tensors()[I].Size;
    if (!Layers.empty() && Size * Layers.size() <= Bytes * Its.size())
      continue;
    Layers = Its;
    Bytes = Size;
  }
  for (Operation *Op : Layers)
    (void)refuse(Op,
                 "the network's activations need " + Twine(Plan.bytes()) +
                     " bytes of DRAM, a tensor of this layer " + Twine(Bytes) +
                     "; instructions address " + Twine(Room),
                 "smaller images or batches, or a wider memory port");
  return success(Layers.empty());
}

/// As they run, which is not as they stand: a layer behind host code that does
/// not wait for it runs in an earlier launch.
static SmallVector<Operation *> inLaunchOrder(func::FuncOp Main) {
  DenseMap<Operation *, uint32_t> Launches = launchesOf(Main);
  std::vector<SmallVector<Operation *>> Rounds;
  for (Operation &Op : Main.getBody().front()) {
    uint32_t Round = Launches.lookup(&Op);
    Rounds.resize(std::max<size_t>(Rounds.size(), Round + 1));
    Rounds[Round].push_back(&Op);
  }
  SmallVector<Operation *> Ops;
  for (ArrayRef<Operation *> Round : Rounds)
    llvm::append_range(Ops, Round);
  return Ops;
}

LogicalResult Planner::run(uint64_t &Bytes) {
  for (auto Op : Main.getOps<accel::ConcatOp>())
    if (failed(slice(Op)))
      return failure();
  for (auto Op : Main.getOps<accel::RegroupOp>())
    if (failed(slice(Op)))
      return failure();
  for (auto Op : Main.getOps<accel::PhasesOp>())
    if (failed(slice(Op)))
      return failure();
  for (auto Op : Main.getOps<accel::ChannelsOp>())
    if (failed(slice(Op)))
      return failure();
  // All packs may run before the first launch and all unpacks after the last
  // one, so what the host touches lives from the beginning, or to the end.
  uint32_t Time = 1;
  SmallVector<Value> Roots;
  SmallVector<Operation *> Ops = inLaunchOrder(Main);
  uint32_t Last = Ops.size() + 1;
  for (Operation *Each : Ops) {
    Operation &Op = *Each;
    // A pair runs at the same time. The tensor between its layers is complete
    // with its last store; the store behind that may have written by then, so
    // that the layer behind the pair has another place.
    if (Op.hasAttr(InterleavedAttr) && Time > 1)
      extend(Op.getOperand(0), Time--);
    for (Value V : Op.getOperands())
      if (V.getDefiningOp() && makesActivation(V.getDefiningOp()))
        extend(V, mlir::isa<accel::UnpackOp>(Op) ? Last : Time);
    if (makesActivation(&Op)) {
      extend(Op.getResult(0), mlir::isa<accel::PackOp>(Op) ? 0 : Time);
      if (find(Op.getResult(0)).Root == Op.getResult(0))
        Roots.push_back(Op.getResult(0));
      ++Time;
    }
  }
  std::vector<DramPlan::Tensor> Tensors;
  for (Value V : Roots) {
    auto [Begin, End] = Lifetimes.lookup(V);
    auto Name = V.getDefiningOp()->getAttrOfType<StringAttr>("tenon.layer");
    Tensors.push_back({Name ? Name.str() : "tensor",
                       Dram.tensorBytes(describeTensor(V)) + bytesBehind(V),
                       Begin, End});
  }
  DramPlan Plan(std::move(Tensors), std::max<uint64_t>(L.beatBytes, 64));
  auto fail = [&](llvm::Error E) {
    return Main.emitError(llvm::toString(std::move(E)));
  };
  if (auto E = Plan.check())
    return fail(std::move(E));
  Plan.solve();
  if (auto E = Plan.verify())
    return fail(std::move(E));
  if (failed(checkRoom(Plan, Roots)))
    return failure();
  for (auto [V, T] : llvm::zip(Roots, Plan.tensors()))
    Offsets[V] = T.Offset;
  for (Operation &Op : Main.getBody().front())
    if (makesActivation(&Op))
      setPlace(&Op);
  Bytes = Plan.bytes();
  return success();
}

void Planner::setPlace(Operation *Op) const {
  Builder B(Op->getContext());
  NamedAttrList Place;
  auto Set = [&](StringRef Name, uint64_t Bytes) {
    Place.set(Name, B.getI64IntegerAttr(Bytes));
  };
  Value V = Op->getResult(0);
  Slice S = find(V);
  Set("offset", Offsets.lookup(S.Root) + S.Offset);
  Set("group_bytes", Dram.groupBytes(describeTensor(S.Root)));
  Value Seen = V;
  while (auto Some = Seen.getDefiningOp<accel::ChannelsOp>())
    Seen = Some.getInput();
  if (Views.contains(Seen) || PhaseOf.contains(Seen)) {
    Distances Of = distances(V);
    Set("plane_bytes", Of.Plane);
    Set("row_bytes", Of.Row);
    if (PhaseOf.contains(Seen))
      Set("pixel_bytes", Of.Pixel);
  }
  Op->setAttr(DramAttr, Place.getDictionary(Op->getContext()));
}

SmallVector<int64_t> Planner::unwritten() const {
  uint32_t PerBlock = L.blockMax / L.config.block_out();
  SmallVector<std::pair<int64_t, int64_t>> Parts;
  for (auto [V, Offset] : Offsets) {
    TensorView T = describeTensor(V);
    if (int64_t Behind = bytesBehind(V)) {
      int64_t Begin = Offset + Dram.tensorBytes(T);
      Parts.push_back({Begin, Begin + Behind});
    }
    if (mlir::isa<accel::PackOp>(V.getDefiningOp()) ||
        ceilDiv(T.C, L.config.block_out()) % PerBlock == 0)
      continue;
    int64_t Plane = Dram.planeBytes(T);
    for (uint32_t Group = 0; Group < Dram.groups(T); ++Group) {
      int64_t End = Offset + (Group + 1) * Dram.groupBytes(T);
      Parts.push_back({End - Plane, End});
    }
  }
  llvm::sort(Parts);
  SmallVector<int64_t> Merged;
  for (auto [Begin, End] : Parts) {
    int64_t Last = Merged.empty() ? -1 : Merged.end()[-2] + Merged.back();
    if (Begin <= Last)
      Merged.back() = std::max(Last, End) - Merged.end()[-2];
    else
      Merged.append({Begin, End - Begin});
  }
  return Merged;
}

namespace {
struct AccelPlanDram : tenon::impl::AccelPlanDramBase<AccelPlanDram> {
  void runOnOperation() override {
    Machine &TheMachine = getAnalysis<Machine>();
    markAnalysesPreserved<Machine>();
    if (failed(TheMachine.check()))
      return signalPassFailure();
    const isa::Layout &L = TheMachine.layout();
    auto Main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!Main)
      getOperation().emitError("expected a function @main, found none");
    if (!Main)
      return signalPassFailure();
    uint64_t Bytes = 0;
    Planner Plan(L, Main);
    if (failed(Plan.run(Bytes)))
      return signalPassFailure();
    Builder B(&getContext());
    getOperation()->setAttr(DramBytesAttr, B.getI64IntegerAttr(Bytes));
    if (auto Zeros = Plan.unwritten(); !Zeros.empty())
      getOperation()->setAttr(DramZerosAttr, B.getDenseI64ArrayAttr(Zeros));
  }
};
} // namespace
