//===- LowerToStream.cpp - Scheduled layers become streams ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/CostModel.h"
#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELLOWERTOSTREAM
#include "tenon/Scheduling/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
/// The layers of one launch, in order.
struct LaunchGroup {
  SmallVector<Operation *> Layers, Concats;
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
  DictionaryAttr describe(Operation *Op, const Layer &Layer) const;
  DictionaryAttr tensorOf(Operation *Op, uint32_t Producer) const;
  LogicalResult replace(const LaunchGroup &Group, uint32_t Index,
                        ArrayRef<Segment> Segments,
                        const std::vector<StreamInstruction> &Stream);

  const isa::Layout &L;
  ModuleOp Module;
  func::FuncOp Main;
};
} // namespace

/// A launch holds all layers that wait for the same number of rounds of host
/// code: a value is ready for launch R, its layer runs in it, and what the host
/// makes of an unpacked result is ready for launch R + 1.
std::vector<LaunchGroup> Lowering::groups() {
  std::vector<LaunchGroup> Groups;
  DenseMap<Value, uint32_t> Ready;
  for (Operation &Op : Main.getBody().front()) {
    uint32_t R = 0;
    for (Value V : Op.getOperands())
      R = std::max(R, Ready.lookup(V));
    if (isLayer(&Op) || mlir::isa<accel::ConcatOp>(Op)) {
      if (Groups.size() <= R)
        Groups.resize(R + 1);
      (isLayer(&Op) ? Groups[R].Layers : Groups[R].Concats).push_back(&Op);
    }
    if (mlir::isa<accel::UnpackOp>(Op))
      ++R;
    for (Value V : Op.getResults())
      Ready[V] = R;
  }
  llvm::erase_if(Groups, [](const LaunchGroup &G) { return G.Layers.empty(); });
  return Groups;
}

LogicalResult Lowering::build(const LaunchGroup &Group, ConstantPool &Pool,
                              std::vector<StreamInstruction> &Stream) {
  StreamBuilder Builder(L, Pool);
  for (auto [Index, Op] : llvm::enumerate(Group.Layers)) {
    auto Schedule = Op->getAttrOfType<accel::ScheduleAttr>("schedule");
    auto Layer = describeLayer(Op);
    if (failed(Layer))
      return failure();
    if (!Schedule || !Op->hasAttr(DramAttr))
      return Op->emitOpError("expected a schedule and a place in DRAM, run "
                             "accel-schedule and accel-plan-dram first");
    if (auto E = lowerLayer(Builder, *Layer, fromAttribute(Schedule), Index))
      return Op->emitOpError(llvm::toString(std::move(E)));
  }
  Stream = Builder.finish();
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
  List.set("shape", B.getDenseI64ArrayAttr({T.N, T.H, T.W, T.C}));
  List.set("group_bytes", B.getI64IntegerAttr(T.GroupBytes));
  List.set("producer", B.getI32IntegerAttr(Producer));
  if (Origin)
    for (const char *Name : {"unsigned", "perm"})
      if (Attribute A = Origin.get(Name))
        List.set(Name, A);
  if (Origin && Origin.get("shape"))
    List.set("onnx_shape", Origin.get("shape"));
  return List.getDictionary(Op->getContext());
}

DictionaryAttr Lowering::describe(Operation *Op, const Layer &Layer) const {
  Builder B(Op->getContext());
  Bounds Least = bounds(L, Layer);
  SmallVector<StringRef> Nodes(Layer.Nodes.begin(), Layer.Nodes.end());
  std::string Schedule;
  llvm::raw_string_ostream(Schedule) << Op->getAttr("schedule");
  auto number = [&](uint64_t N) { return B.getI64IntegerAttr(N); };
  return B.getDictionaryAttr(
      {B.getNamedAttr("name", B.getStringAttr(Layer.Name)),
       B.getNamedAttr("op", B.getStringAttr(Layer.OpName)),
       B.getNamedAttr("nodes", B.getStrArrayAttr(Nodes)),
       B.getNamedAttr("macs", number(Least.Macs)),
       B.getNamedAttr("compute", number(Least.Compute)),
       B.getNamedAttr("read", number(Least.Read)),
       B.getNamedAttr("write", number(Least.Write)),
       B.getNamedAttr("engine",
                      B.getStringAttr(Layer.isContract() ? "gemm" : "alu")),
       B.getNamedAttr("schedule", B.getStringAttr(Schedule))});
}

/// Puts an accel.stream in the place of the group's operations.
LogicalResult Lowering::replace(const LaunchGroup &Group, uint32_t Index,
                                ArrayRef<Segment> Segments,
                                const std::vector<StreamInstruction> &Stream) {
  llvm::SmallPtrSet<Operation *, 16> Inside(Group.Layers.begin(),
                                            Group.Layers.end());
  Inside.insert(Group.Concats.begin(), Group.Concats.end());
  llvm::SetVector<Value> Inputs, Outputs;
  SmallVector<Attribute> Layers, Tensors;
  DenseMap<Operation *, uint32_t> Numbers;
  SmallVector<Operation *> All(Group.Layers);
  llvm::append_range(All, Group.Concats);
  for (auto [Number, Op] : llvm::enumerate(Group.Layers)) {
    auto Layer = describeLayer(Op);
    if (failed(Layer))
      return failure();
    if (Layer->Name.empty())
      Layer->Name = Layer->OpName + "_" + std::to_string(Number);
    Layers.push_back(describe(Op, *Layer));
    Tensors.push_back(tensorOf(Op, Number));
    Numbers[Op] = Number;
  }
  for (Operation *Op : Group.Concats) {
    uint32_t Last = 0;
    for (Value V : Op->getOperands())
      Last = std::max(Last, Numbers.lookup(V.getDefiningOp()));
    Numbers[Op] = Last;
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
    createInstruction(B, Group.Layers[I.Layer]->getLoc(), I);
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
    // that its micro-ops may come from.
    ArrayRef<Segment> New = ArrayRef(Pool.segments()).drop_front(Given);
    std::vector<Segment> Segments;
    for (const Segment &S : ArrayRef(Pool.segments()).take_front(Given))
      if (S.Name == "micro-ops")
        Segments.push_back(S);
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
    auto L = layoutOf(getOperation());
    auto Main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!Main)
      getOperation().emitError("expected a function @main, found none");
    uint64_t Instructions = 0;
    if (failed(L) || !Main ||
        failed(Lowering(*L, getOperation(), Main).run(Instructions)))
      return signalPassFailure();
    NumInstructions += Instructions;
  }
};
} // namespace
