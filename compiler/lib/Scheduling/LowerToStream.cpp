//===- LowerToStream.cpp - Scheduled layers become streams ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "LaunchOrder.h"
#include "tenon/Scheduling/CostModel.h"
#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/FieldLimits.h"
#include "tenon/Scheduling/Machine.h"
#include "tenon/Scheduling/Passes.h"
#include "tenon/Scheduling/Refuse.h"
#include "tenon/Scheduling/ScheduleProblem.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

namespace tenon {
#define GEN_PASS_DEF_ACCELLOWERTOSTREAM
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
/// What the program lists as one layer: an operation, or two whose tiles are
/// interleaved.
using Entry = SmallVector<Operation *, 2>;

/// The layers of one launch, in order.
struct LaunchGroup {
  SmallVector<Entry> Entries;
  SmallVector<Operation *> Views; ///< what moves nothing
};

class Lowering {
public:
  Lowering(const isa::Layout &L, ModuleOp Module, func::FuncOp Main)
      : L(L), Module(Module), Main(Main) {}

  LogicalResult run(uint64_t &Instructions);

private:
  std::vector<LaunchGroup> groups();
  LogicalResult build(const LaunchGroup &Group, ConstantPool &Pool,
                      std::vector<StreamInstruction> &Stream);
  LogicalResult lower(StreamBuilder &Builder, const Entry &Ops,
                      std::vector<ScheduleProblem> &Problems);
  FailureOr<DictionaryAttr> describe(const Entry &Ops, uint32_t Index) const;
  DictionaryAttr tensorOf(Operation *Op, uint32_t Producer) const;
  LogicalResult replace(const LaunchGroup &Group, uint32_t Index,
                        ArrayRef<Segment> Segments,
                        const std::vector<StreamInstruction> &Stream);

  const isa::Layout &L;
  ModuleOp Module;
  func::FuncOp Main;
};
} // namespace

std::vector<LaunchGroup> Lowering::groups() {
  std::vector<LaunchGroup> Groups;
  DenseMap<Operation *, uint32_t> Launches = launchesOf(Main);
  for (Operation &Op : Main.getBody().front()) {
    if (!isLayer(&Op) && !movesNothing(&Op))
      continue;
    uint32_t R = Launches.lookup(&Op);
    if (Groups.size() <= R)
      Groups.resize(R + 1);
    LaunchGroup &Group = Groups[R];
    if (!isLayer(&Op))
      Group.Views.push_back(&Op);
    else if (Op.hasAttr(InterleavedAttr) && !Group.Entries.empty())
      Group.Entries.back().push_back(&Op);
    else
      Group.Entries.push_back({&Op});
  }
  llvm::erase_if(Groups,
                 [](const LaunchGroup &G) { return G.Entries.empty(); });
  return Groups;
}

/// Turns down the layers of an entry: a defect of theirs, or what they exceed.
static LogicalResult refuseAll(const Entry &Ops, const Twine &Reason,
                               StringRef Remedy = ReportIt) {
  for (Operation *Op : Ops)
    (void)refuse(Op, Reason, Remedy);
  return failure();
}

/// Appends one layer or a pair to the stream, and its problem to the list.
LogicalResult Lowering::lower(StreamBuilder &Builder, const Entry &Ops,
                              std::vector<ScheduleProblem> &Problems) {
  std::vector<Layer> Layers;
  std::vector<Schedule> Schedules;
  for (Operation *Op : Ops) {
    auto Given = Op->getAttrOfType<accel::ScheduleAttr>("schedule");
    auto Described = describeLayer(Op);
    if (failed(Described))
      return failure();
    bool IsPlaced =
        Described->Out.GroupBytes && Described->In.GroupBytes &&
        (!Described->HasResidual || Described->Residual.GroupBytes) &&
        (!Described->isProduct() || Described->ComputedWeights.GroupBytes);
    if (!Given || !IsPlaced)
      return Op->emitOpError("expected a schedule and a place in DRAM, run "
                             "accel-schedule and accel-plan-dram first");
    if (Op->hasAttr(InterleavedAttr) &&
        (Ops.size() != 2 || layerBefore(Op) != Ops.front() ||
         !canPair(Layers.front(), *Described)))
      return Op->emitOpError(
          "its tiles are to be interleaved with those of the "
          "layer before it: expected a contraction that it "
          "reads");
    Layers.push_back(std::move(*Described));
    Schedules.push_back(fromAttribute(Given));
  }
  Problems.emplace_back(L, std::move(Layers));
  const ScheduleProblem &Problem = Problems.back();
  auto fail = [&](llvm::Error E) {
    return refuseAll(Ops, llvm::toString(std::move(E)));
  };
  if (auto E = Problem.check())
    return fail(std::move(E));
  if (auto E = Problem.check(Schedules))
    return fail(std::move(E));
  if (auto E = Problem.lower(Builder, Schedules, Problems.size() - 1))
    return fail(std::move(E));
  return success();
}

LogicalResult Lowering::build(const LaunchGroup &Group, ConstantPool &Pool,
                              std::vector<StreamInstruction> &Stream) {
  StreamBuilder Builder(L, Pool);
  std::vector<ScheduleProblem> Problems;
  uint64_t Room = FieldLimits(L).DramBytes;
  for (const Entry &Ops : Group.Entries) {
    if (failed(lower(Builder, Ops, Problems)))
      return failure();
    if (Pool.end() > Room)
      return refuseAll(Ops,
                       "its constants end at byte " + Twine(Pool.end()) +
                           " of DRAM; instructions address " + Twine(Room),
                       "fewer weights, or a wider memory port");
  }
  Stream = Builder.finish();
  for (auto [Index, Problem] : llvm::enumerate(Problems))
    if (auto E = Problem.verify(Stream, Index))
      return refuseAll(Group.Entries[Index],
                       "its instructions do not compute it: " +
                           llvm::toString(std::move(E)));
  return success();
}

/// The activation an operation makes, as the program lists it.
DictionaryAttr Lowering::tensorOf(Operation *Op, uint32_t Producer) const {
  Builder B(Op->getContext());
  TensorView T = describeTensor(Op->getResult(0));
  auto Origin = Op->getAttrOfType<DictionaryAttr>("tenon.tensor");
  NamedAttrList List;
  auto Label = Op->getAttrOfType<StringAttr>("tenon.layer");
  List.set("name", Origin && Origin.get("name") ? Origin.get("name")
                   : Label                      ? Attribute(Label)
                                                : B.getStringAttr("tensor"));
  List.set("named", B.getBoolAttr(bool(Origin)));
  List.set("offset", B.getI64IntegerAttr(T.Offset));
  // Rows apart lie as images do.
  bool RowsAreImages = T.RowBytes != 0;
  List.set("shape", RowsAreImages
                        ? B.getDenseI64ArrayAttr({T.H, T.N, T.W, T.C})
                        : B.getDenseI64ArrayAttr({T.N, T.H, T.W, T.C}));
  List.set("group_bytes",
           B.getI64IntegerAttr(RowsAreImages ? T.RowBytes : T.GroupBytes));
  if (RowsAreImages) {
    List.set("plane_bytes", B.getI64IntegerAttr(T.PlaneBytes));
    List.set("row_bytes", B.getI64IntegerAttr(T.RowBytes));
    if (T.PixelBytes)
      List.set("pixel_bytes", B.getI64IntegerAttr(T.PixelBytes));
  }
  List.set("producer", B.getI32IntegerAttr(Producer));
  if (Origin)
    for (const char *Name : {"unsigned", "perm"})
      if (Attribute A = Origin.get(Name))
        List.set(Name, A);
  if (auto Perm = Origin ? Origin.getAs<DenseI64ArrayAttr>("perm") : nullptr;
      Perm && RowsAreImages)
    List.set("perm", B.getDenseI64ArrayAttr(withRowsAsImages(Perm)));
  if (Origin && Origin.get("shape"))
    List.set("onnx_shape", Origin.get("shape"));
  return List.getDictionary(Op->getContext());
}

/// A pair has the names, nodes and work of both; their bounds add up engine by
/// engine.
FailureOr<DictionaryAttr> Lowering::describe(const Entry &Ops,
                                             uint32_t Index) const {
  Builder B(Ops.front()->getContext());
  Bounds Sum;
  SmallVector<std::string> Names, OpNames, Nodes;
  std::string Schedules;
  uint64_t OnGemm = 0, OnAlu = 0;
  for (Operation *Op : Ops) {
    auto Layer = describeLayer(Op);
    if (failed(Layer))
      return failure();
    Bounds Least = bounds(L, *Layer);
    Names.push_back(Layer->Name.empty()
                        ? Layer->OpName + "_" + std::to_string(Index)
                        : Layer->Name);
    OpNames.push_back(Layer->OpName);
    Nodes.append(Layer->Nodes.begin(), Layer->Nodes.end());
    Sum.Macs += Least.Macs, Sum.Read += Least.Read, Sum.Write += Least.Write;
    (Layer->isContract() ? OnGemm : OnAlu) += Least.Compute;
    llvm::raw_string_ostream(Schedules)
        << (Schedules.empty() ? "" : " + ") << Op->getAttr("schedule");
  }
  SmallVector<StringRef> NodeRefs(Nodes.begin(), Nodes.end());
  auto number = [&](uint64_t N) { return B.getI64IntegerAttr(N); };
  auto text = [&](const Twine &T) { return B.getStringAttr(T); };
  return B.getDictionaryAttr(
      {B.getNamedAttr("name", text(llvm::join(Names, "+"))),
       B.getNamedAttr("op", text(llvm::join(OpNames, "+"))),
       B.getNamedAttr("nodes", B.getStrArrayAttr(NodeRefs)),
       B.getNamedAttr("macs", number(Sum.Macs)),
       B.getNamedAttr("compute", number(std::max(OnGemm, OnAlu))),
       B.getNamedAttr("read", number(Sum.Read)),
       B.getNamedAttr("write", number(Sum.Write)),
       B.getNamedAttr("engine", text(OnGemm >= OnAlu ? "gemm" : "alu")),
       B.getNamedAttr("schedule", text(Schedules))});
}

/// Puts an accel.stream in the place of the group's operations.
LogicalResult Lowering::replace(const LaunchGroup &Group, uint32_t Index,
                                ArrayRef<Segment> Segments,
                                const std::vector<StreamInstruction> &Stream) {
  llvm::SmallPtrSet<Operation *, 16> Inside;
  llvm::SetVector<Value> Inputs, Outputs;
  SmallVector<Attribute> Layers, Tensors;
  DenseMap<Operation *, uint32_t> Numbers;
  SmallVector<Operation *> All;
  for (auto [Number, Ops] : llvm::enumerate(Group.Entries)) {
    auto Described = describe(Ops, Number);
    if (failed(Described))
      return failure();
    Layers.push_back(*Described);
    for (Operation *Op : Ops) {
      // A phase is no tensor by itself.
      if (!describeTensor(Op->getResult(0)).PixelBytes)
        Tensors.push_back(tensorOf(Op, Number));
      Numbers[Op] = Number;
      All.push_back(Op);
    }
  }
  llvm::append_range(All, Group.Views);
  Inside.insert(All.begin(), All.end());
  for (Operation *Op : Group.Views) {
    uint32_t Last = 0;
    for (Value V : Op->getOperands())
      Last = std::max(Last, Numbers.lookup(V.getDefiningOp()));
    Numbers[Op] = Last;
    // Regrouped, or some of its channels, it is the tensor of its layer.
    if (mlir::isa<accel::ConcatOp, accel::PhasesOp>(Op))
      Tensors.push_back(tensorOf(Op, Last));
  }
  for (Operation *Op : All) {
    for (Value V : Op->getOperands())
      if (mlir::isa_and_nonnull<accel::PackOp, accel::StreamOp>(
              V.getDefiningOp()))
        Inputs.insert(V);
    for (Operation *User : Op->getUsers())
      if (!Inside.contains(User))
        Outputs.insert(Op->getResult(0));
  }
  OpBuilder B(Module.getContext());
  B.setInsertionPointAfter(All.front());
  SmallVector<Type> Types;
  SmallVector<Attribute> Results;
  for (Value V : Outputs) {
    Types.push_back(V.getType());
    Results.push_back(
        tensorOf(V.getDefiningOp(), Numbers.lookup(V.getDefiningOp())));
  }
  std::vector<Segment> Data(Segments.begin(), Segments.end());
  auto New = accel::StreamOp::create(
      B, Main.getLoc(), Types, Inputs.getArrayRef(), Index,
      B.getArrayAttr(Layers), toAttribute(Module.getContext(), Data));
  New->setAttr("tensors", B.getArrayAttr(Tensors));
  New->setAttr("results", B.getArrayAttr(Results));
  B.createBlock(&New.getBody());
  for (const StreamInstruction &I : Stream)
    createInstruction(B, Group.Entries[I.Layer].front()->getLoc(), I);
  for (auto [Old, Result] : llvm::zip(Outputs.takeVector(), New.getResults()))
    Old.replaceUsesWithIf(Result, [&](OpOperand &Use) {
      return !Inside.contains(Use.getOwner());
    });
  for (Operation *Op : All)
    Op->dropAllUses();
  for (Operation *Op : All)
    Op->erase();
  return success();
}

/// Bytes from the DRAM base at which LOADs of micro-ops begin. Micro-ops that
/// are like any other constant share its place, whatever that is for.
static std::set<uint64_t>
microOpPlaces(const std::vector<StreamInstruction> &Stream,
              uint64_t BeatBytes) {
  std::set<uint64_t> Places;
  for (const StreamInstruction &I : Stream)
    if (auto *Load = std::get_if<isa::Load>(&I.Inst))
      if (Load->memory == isa::Memory::UopGemm ||
          Load->memory == isa::Memory::UopAlu)
        Places.insert(Load->dram * BeatBytes);
  return Places;
}

LogicalResult Lowering::run(uint64_t &Instructions) {
  auto Bytes = Module->getAttrOfType<IntegerAttr>(DramBytesAttr);
  if (!Bytes)
    return Module.emitError("expected activations with places in DRAM, run "
                            "accel-plan-dram first");
  ConstantPool Pool(Bytes.getInt(), std::max(L.beatBytes, 64u));
  uint32_t Index = 0;
  size_t Given = 0;
  for (const LaunchGroup &Group : groups()) {
    std::vector<StreamInstruction> Stream;
    if (failed(build(Group, Pool, Stream)))
      return failure();
    Instructions += Stream.size();
    // Later launches share what the earlier ones brought, but each lists all
    // that its micro-ops come from.
    ArrayRef<Segment> New = ArrayRef(Pool.segments()).drop_front(Given);
    std::vector<Segment> Segments;
    std::set<uint64_t> Loaded = microOpPlaces(Stream, L.beatBytes);
    for (const Segment &S : ArrayRef(Pool.segments()).take_front(Given)) {
      auto First = Loaded.lower_bound(S.Offset);
      if (First != Loaded.end() && *First < S.Offset + S.Data.size())
        Segments.push_back(S);
    }
    Segments.insert(Segments.end(), New.begin(), New.end());
    Given = Pool.segments().size();
    if (failed(replace(Group, Index++, Segments, Stream)))
      return failure();
  }
  sortTopologically(&Main.getBody().front());
  return success();
}

namespace {
struct AccelLowerToStream
    : tenon::impl::AccelLowerToStreamBase<AccelLowerToStream> {
  void runOnOperation() override {
    Machine &TheMachine = getAnalysis<Machine>();
    markAnalysesPreserved<Machine>();
    if (failed(TheMachine.check()))
      return signalPassFailure();
    const isa::Layout &L = TheMachine.layout();
    auto Main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!Main)
      getOperation().emitError("expected a function @main, found none");
    uint64_t Instructions = 0;
    if (!Main || failed(Lowering(L, getOperation(), Main).run(Instructions)))
      return signalPassFailure();
    NumInstructions += Instructions;
  }
};
} // namespace
