//===- ReplaceCandidates.cpp - Candidates become operations ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ReplaceCandidates.h"

#include "Border.h"
#include "CandidateReading.h"
#include "Outline.h"
#include "Regroup.h"
#include "tenon/Scheduling/DescribeLayer.h"
#include "tenon/Scheduling/Refuse.h"
#include "tenon/Transforms/NodeNames.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tenon;

static constexpr StringLiteral TensorAttr = "tenon.tensor";

/// An operation's attribute that names the ONNX tensor it computes, with the
/// permutation counted in N, H, W, C.
static DictionaryAttr tensorOf(Value V) {
  Operation *Op = V.getDefiningOp();
  auto Dict = Op ? Op->getAttrOfType<DictionaryAttr>(TensorAttr) : nullptr;
  auto Type = dyn_cast<RankedTensorType>(V.getType());
  if (!Dict || !Type || Type.getRank() >= 4)
    return Dict;
  int64_t Missing = 4 - Type.getRank();
  SmallVector<int64_t> Perm;
  for (int64_t Axis = 0; Axis < Missing; ++Axis)
    Perm.push_back(Axis);
  auto Old = Dict.getAs<DenseI64ArrayAttr>("perm");
  for (int64_t Axis = 0; Axis < Type.getRank(); ++Axis)
    Perm.push_back(Missing +
                   (Old && Old.size() == Type.getRank() ? Old[Axis] : Axis));
  NamedAttrList List(Dict);
  List.set("perm", DenseI64ArrayAttr::get(V.getContext(), Perm));
  return List.getDictionary(V.getContext());
}

namespace {

/// Rewrites @main, candidate by candidate.
class Rewriter {
public:
  Rewriter(func::FuncOp Main, ArrayRef<Candidate> Candidates,
           const isa::Layout &DramLayout);
  LogicalResult replace(const Candidate &L);
  LogicalResult unpackResults(const Candidate &L);

private:
  Value tensor(Value V);
  Value regrouped(Value Known, Value V);
  Value channels(Value Of, int64_t First, const scheduling::TensorView &Like);
  Operation *createPhases(const Candidate &L, ArrayRef<Value> Inputs);
  SmallVector<Value> ownInputs(const Candidate &L, ArrayRef<Value> Inputs);
  DictionaryAttr argumentTensor(const BorderLayout &Layout);
  Value copy(const Candidate &For, Value V);
  bool hasNeutralLanes(const Candidate &L, Value Left, Value Right) const;
  void annotate(Operation *Op, const Candidate &L);
  std::string layerName(StringRef Stem);

  func::FuncOp Main;
  const isa::Layout &DramLayout;
  OpBuilder B;
  Location Loc = B.getUnknownLoc();
  DenseMap<Value, Value> Tensors; ///< value of @main -> accelerator tensor
  llvm::SmallPtrSet<Operation *, 32> Replaced; ///< members of candidates
  llvm::StringMap<unsigned> Counts;
};

} // namespace

Rewriter::Rewriter(func::FuncOp Main, ArrayRef<Candidate> Candidates,
                   const isa::Layout &DramLayout)
    : Main(Main), DramLayout(DramLayout), B(Main) {
  for (const Candidate &L : Candidates)
    Replaced.insert(L.Members.begin(), L.Members.end());
}

/// The description of an argument of @main as the tensor it is packed into.
DictionaryAttr Rewriter::argumentTensor(const BorderLayout &Layout) {
  auto Argument = dyn_cast<BlockArgument>(Layout.Source);
  auto Name = Argument ? Main.getArgAttrOfType<StringAttr>(
                             Argument.getArgNumber(), "tenon.name")
                       : nullptr;
  if (!Name)
    return {};
  auto Type = cast<RankedTensorType>(Argument.getType());
  // Axes the argument lacks come first; they have size 1.
  SmallVector<int64_t> Perm = {0, 1, 2, 3};
  llvm::sort(Perm, [&](int64_t I, int64_t J) {
    return std::pair(Layout.Permutation[I], I) <
           std::pair(Layout.Permutation[J], J);
  });
  return B.getDictionaryAttr(
      {B.getNamedAttr("name", Name),
       B.getNamedAttr("perm", B.getDenseI64ArrayAttr(Perm)),
       B.getNamedAttr("shape", B.getDenseI64ArrayAttr(Type.getShape())),
       B.getNamedAttr(
           "unsigned",
           B.getBoolAttr(Type.getElementType().isUnsignedInteger()))});
}

/// The accelerator tensor of a value of @main, packed where it is an array.
Value Rewriter::tensor(Value V) {
  if (Value Known = Tensors.lookup(V))
    return Known;
  auto Outside = [&](Operation *Op) { return !Replaced.contains(Op); };
  Value Root = borderRoot(V, Outside);
  if (Value Known = Tensors.lookup(Root)) {
    if (isSameTensor(V, Outside))
      return Known;
    // An array that one layer reads as it is can be packed again otherwise.
    if (!Known.getDefiningOp<accel::PackOp>())
      return isRegrouped(V, Outside, DramLayout) ? regrouped(Known, V)
                                                 : Value();
  }
  auto Packing = describePack(V, Outside);
  if (!Packing)
    return {};
  auto Pack = accel::PackOp::create(
      B, V.getLoc(),
      RankedTensorType::get(*shapeNHWC(V.getType()), B.getI8Type()),
      Packing->Source, B.getDenseI64ArrayAttr(Packing->Permutation),
      B.getI32IntegerAttr(Packing->Offset), accel::FoldAttr());
  if (DictionaryAttr Dict = argumentTensor(*Packing))
    Pack->setAttr(TensorAttr, Dict);
  return Tensors[V] = Pack;
}

/// The accelerator tensor `Known` with groups of its channels as rows, or its
/// rows as groups of channels.
Value Rewriter::regrouped(Value Known, Value V) {
  auto Type = RankedTensorType::get(*shapeNHWC(V.getType()), B.getI8Type());
  for (Operation *User : Known.getUsers())
    if (llvm::isa<accel::RegroupOp>(User) &&
        User->getResult(0).getType() == Type)
      return User->getResult(0);
  return Tensors[V] =
             accel::RegroupOp::create(B, V.getLoc(), Type, Known).getResult();
}

/// A layer that only stores its input again, for a concatenation.
Value Rewriter::copy(const Candidate &For, Value V) {
  Candidate L;
  L.Number = For.Number;
  L.Kind = scheduling::Reduction::Sum;
  L.OpName = "requantise";
  setShape(L.In, *shapeNHWC(V.getType()));
  L.Out = L.In;
  L.Multiplier.assign(L.channels(), 1 << 30);
  L.Shift.assign(L.channels(), 30);
  Operation *Op = scheduling::createLayer(B, Loc, L, V, {}, {});
  annotate(Op, L);
  return Op->getResult(0);
}

/// Every input must be stored into its place in the result, and only there.
SmallVector<Value> Rewriter::ownInputs(const Candidate &L,
                                       ArrayRef<Value> Inputs) {
  SmallVector<Value> Own;
  for (auto [V, Array] : llvm::zip(Inputs, L.Concatenated)) {
    bool Exclusive =
        (scheduling::isLayer(V.getDefiningOp()) ||
         (llvm::isa<accel::PhasesOp>(V.getDefiningOp()) && !L.isPhased())) &&
        Tensors.lookup(Array) == V &&
        llvm::all_of(
            Array.getUsers(),
            [&](Operation *User) { return L.Members.contains(User); }) &&
        !llvm::is_contained(Own, V);
    Own.push_back(Exclusive ? V : copy(L, V));
  }
  return Own;
}

/// Channels of `Of` from `First` on, as many as `Like` has.
Value Rewriter::channels(Value Of, int64_t First,
                         const scheduling::TensorView &Like) {
  auto Type = RankedTensorType::get(extents(Like), B.getI8Type());
  if (Of.getType() == Type)
    return Of;
  return accel::ChannelsOp::create(B, Loc, Type, Of,
                                   B.getI64IntegerAttr(First));
}

/// A layer a phase, and the tensor that they make.
Operation *Rewriter::createPhases(const Candidate &L, ArrayRef<Value> Inputs) {
  SmallVector<Value> Made;
  if (L.isConcat())
    Made = ownInputs(L, Inputs);
  for (const Candidate::Phase &Each : L.Phases) {
    Candidate Layer = L;
    Layer.Result = {};
    Layer.Weights = Each.Weights;
    Layer.KH = Each.KH, Layer.KW = Each.KW;
    Layer.Top = Each.Top, Layer.Bottom = Each.Bottom;
    Layer.Left = Each.Left, Layer.Right = Each.Right;
    Layer.Out.H = L.In.H + Each.Top + Each.Bottom - Each.KH + 1;
    Layer.Out.W = L.In.W + Each.Left + Each.Right - Each.KW + 1;
    Operation *Op = scheduling::createLayer(
        B, Loc, Layer, channels(Inputs[0], Each.FirstChannel, L.In), {}, {});
    annotate(Op, Layer);
    Made.push_back(Op->getResult(0));
  }
  return accel::PhasesOp::create(
      B, Loc,
      RankedTensorType::get(*shapeNHWC(L.Result.getType()), B.getI8Type()),
      Made, B.getDenseI64ArrayAttr(L.Step));
}

/// "conv2d_3": the kind of layer and how many of it there were before.
std::string Rewriter::layerName(StringRef Op) {
  StringRef Stem = llvm::StringSwitch<StringRef>(Op)
                       .Case("convolution", "conv2d")
                       .Case("addition", "add")
                       .Case("concatenation", "concat")
                       .Default(Op);
  return (Stem + "_" + Twine(Counts[Stem]++)).str();
}

void Rewriter::annotate(Operation *Op, const Candidate &L) {
  Op->setAttr("tenon.layer", B.getStringAttr(layerName(L.OpName)));
  Op->setAttr(scheduling::CandidateAttr, B.getI64IntegerAttr(L.Number));
  Op->setAttr("tenon.op", B.getStringAttr(L.OpName));
  Op->setAttr("tenon.macs", B.getI64IntegerAttr(L.Macs));
  Op->setAttr("tenon.nodes",
              B.getArrayAttr(nodeNames(L.Members.getArrayRef())));
  if (L.Result)
    if (DictionaryAttr Dict = tensorOf(L.Result))
      Op->setAttr(TensorAttr, Dict);
}

/// Whether the lanes behind a product's channels add nothing: packing leaves
/// zeros there.
bool Rewriter::hasNeutralLanes(const Candidate &L, Value Left,
                               Value Right) const {
  return L.In.C % DramLayout.blockMax == 0 ||
         Left.getDefiningOp<accel::PackOp>() ||
         (Right.getDefiningOp<accel::PackOp>() && L.WeightZp == 0);
}

LogicalResult Rewriter::replace(const Candidate &L) {
  B.setInsertionPointAfterValue(L.Result);
  SmallVector<Location> Locations;
  for (Operation *Op : L.Members)
    Locations.push_back(Op->getLoc());
  Loc = FusedLoc::get(Main.getContext(), Locations);
  SmallVector<Value> Inputs = L.inputs();
  for (Value &V : Inputs)
    if (!(V = tensor(V)))
      return scheduling::refuse(
          Main->getParentOfType<ModuleOp>(), Loc, L.Number,
          "an operand of the layer is no permutation of an array",
          "operands of up to four axes that keep their order");
  if (L.isProduct() && !hasNeutralLanes(L, Inputs[0], Inputs.back()))
    return scheduling::refuse(
        Main->getParentOfType<ModuleOp>(), Loc, L.Number,
        "layers leave other values than zeros behind the " + Twine(L.In.C) +
            " channels of its operands, no multiple of " +
            Twine(DramLayout.blockMax),
        "channel counts that are multiples of the block");
  auto Type = RankedTensorType::get(extents(L.Out), B.getI8Type());
  Operation *Op =
      L.isPhased() ? createPhases(L, Inputs)
      : L.isConcat()
          ? accel::ConcatOp::create(B, Loc, Type, ownInputs(L, Inputs))
          : scheduling::createLayer(B, Loc, L, Inputs[0],
                                    L.Residual ? Inputs[1] : Value(),
                                    L.RightOperand ? Inputs.back() : Value());
  annotate(Op, L);
  Tensors[L.Result] = Op->getResult(0);
  return success();
}

/// Unpacks a layer's result for everybody who is no layer.
LogicalResult Rewriter::unpackResults(const Candidate &L) {
  auto Outside = [&](Operation *Op) { return !Replaced.contains(Op); };
  SmallVector<Value> Work = {L.Result};
  DenseMap<Value, Value> Arrays;
  while (!Work.empty()) {
    Value V = Work.pop_back_val();
    for (OpOperand &Use : llvm::make_early_inc_range(V.getUses())) {
      Operation *User = Use.getOwner();
      if (Replaced.contains(User))
        continue;
      if (isBorderCandidate(User)) {
        Work.push_back(User->getResult(0));
        continue;
      }
      auto Unpacking = describeUnpack(V, Outside);
      if (!Unpacking)
        return scheduling::refuse(
            Main->getParentOfType<ModuleOp>(), User->getLoc(), L.Number,
            "what reads its result is no permutation of a tensor",
            "results of up to four axes that keep their order");
      Value &Array = Arrays[V];
      if (!Array) {
        // Behind the last layer, so that no host step stands between layers.
        B.setInsertionPointAfterValue(V);
        Array = accel::UnpackOp::create(
            B, V.getLoc(), V.getType(), Tensors.lookup(L.Result),
            B.getDenseI64ArrayAttr(Unpacking->Permutation),
            B.getI32IntegerAttr(Unpacking->Offset));
        Array.getDefiningOp()->moveBefore(User);
      } else if (User->isBeforeInBlock(Array.getDefiningOp())) {
        Array.getDefiningOp()->moveBefore(User);
      }
      Use.set(Array);
    }
  }
  return success();
}

LogicalResult tenon::replaceCandidates(func::FuncOp Main,
                                       MutableArrayRef<Candidate> Candidates,
                                       const isa::Layout &DramLayout) {
  llvm::sort(Candidates, [](const Candidate &A, const Candidate &B) {
    return A.Result.getDefiningOp()->isBeforeInBlock(B.Result.getDefiningOp());
  });
  Rewriter R(Main, Candidates, DramLayout);
  for (const Candidate &L : Candidates)
    if (failed(R.replace(L)))
      return failure();
  for (const Candidate &L : Candidates)
    if (failed(R.unpackResults(L)))
      return failure();
  eraseDead(Main.getBody().front());
  return success();
}
