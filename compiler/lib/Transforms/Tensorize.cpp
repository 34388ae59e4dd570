//===- Tensorize.cpp - Layers as operations of the accelerator ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Every call of an outlined layer becomes one accel operation on NHWC tensors;
// arrays that enter or leave the accelerator are packed and unpacked.
//
//===----------------------------------------------------------------------===//

#include "Border.h"
#include "LayerBuilding.h"
#include "Outline.h"
#include "tenon/Transforms/Passes.h"

#include "llvm/ADT/StringMap.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELTENSORIZE
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

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

/// Rewrites @main, call by call.
class Rewriter {
public:
  explicit Rewriter(func::FuncOp Main) : Main(Main), B(Main) {}
  LogicalResult replaceLayer(func::CallOp Call, func::FuncOp Function);
  LogicalResult unpackResults(func::CallOp Call);

private:
  Value tensor(Value V);
  DictionaryAttr argumentTensor(const BorderLayout &Layout);
  Value constant(RankedTensorType Type, DenseElementsAttr Values);
  template <typename T> Value vector(ArrayRef<T> Values);
  Value bytes(ArrayRef<int64_t> Shape, ArrayRef<int8_t> Values);
  RankedTensorType activation(std::array<int64_t, 4> Shape) {
    return RankedTensorType::get(Shape, B.getI8Type());
  }
  Operation *createContract(const Layer &L, Value Input, Value Residual);
  Operation *createWindow(const Layer &L, Value Input, Value Residual);
  Operation *createConcat(const Layer &L, func::CallOp Call,
                          ArrayRef<Value> Inputs);
  Value copy(Value V);
  accel::AddAttr addition(const Layer &L);
  void annotate(Operation *Op, const Layer &L, func::FuncOp Function);
  std::string layerName(StringRef Stem);

  func::FuncOp Main;
  OpBuilder B;
  Location Loc = B.getUnknownLoc();
  DenseMap<Value, Value> Tensors; ///< value of @main -> accelerator tensor
  llvm::SmallPtrSet<Operation *, 32> Replaced; ///< calls of layers
  llvm::StringMap<unsigned> Counts;
};

} // namespace

static bool always(Operation *) { return true; }

Value Rewriter::constant(RankedTensorType Type, DenseElementsAttr Values) {
  return tosa::ConstOp::create(B, Loc, Type, Values);
}

template <typename T> Value Rewriter::vector(ArrayRef<T> Values) {
  auto Type = RankedTensorType::get({static_cast<int64_t>(Values.size())},
                                    B.getIntegerType(8 * sizeof(T)));
  return constant(Type, DenseElementsAttr::get(Type, Values));
}

Value Rewriter::bytes(ArrayRef<int64_t> Shape, ArrayRef<int8_t> Values) {
  auto Type = RankedTensorType::get(Shape, B.getI8Type());
  return constant(Type, DenseElementsAttr::get(Type, Values));
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
  Value Root = borderRoot(V, always);
  if (Value Known = Tensors.lookup(Root)) {
    if (isSameTensor(V, always))
      return Known;
    // An array that one layer reads as it is can be packed again otherwise.
    if (!Known.getDefiningOp<accel::PackOp>())
      return {};
  }
  auto Layout = describePack(V, always);
  if (!Layout)
    return {};
  auto Pack = accel::PackOp::create(
      B, V.getLoc(), activation(*shapeNHWC(V.getType())), Layout->Source,
      B.getDenseI64ArrayAttr(Layout->Permutation),
      B.getI32IntegerAttr(Layout->Offset), accel::FoldAttr());
  if (DictionaryAttr Dict = argumentTensor(*Layout))
    Pack->setAttr(TensorAttr, Dict);
  return Tensors[V] = Pack;
}

accel::AddAttr Rewriter::addition(const Layer &L) {
  if (!L.Add)
    return {};
  return accel::AddAttr::get(B.getContext(), L.Add->Min, L.Add->Max,
                             L.Add->Scale, L.Add->OperandScale, L.Add->Shift,
                             L.Add->OperandZeroPoint);
}

static accel::QuantAttr quantisation(const Layer &L, MLIRContext *Context) {
  const Layer::Quant &Q = L.Quantization;
  return accel::QuantAttr::get(Context, Q.ZeroPoint, Q.Min, Q.Max);
}

Operation *Rewriter::createContract(const Layer &L, Value Input,
                                    Value Residual) {
  Value Weights = bytes(
      {L.channels(), L.Kernel[0], L.Kernel[1], L.InputShape[3]}, L.Weights);
  Value Bias = vector<int32_t>(L.Bias);
  Value Multiplier = vector<int32_t>(L.Multiplier);
  Value Shift = vector<int8_t>(L.Shift);
  return accel::ContractOp::create(
      B, Loc, activation(L.ResultShape), Input, Weights, Bias, Multiplier,
      Shift, Residual, B.getDenseI64ArrayAttr(L.Stride),
      B.getDenseI64ArrayAttr(L.Dilation), B.getDenseI64ArrayAttr(L.Pad),
      B.getI32IntegerAttr(L.InputZeroPoint),
      B.getI32IntegerAttr(L.WeightZeroPoint), quantisation(L, B.getContext()),
      addition(L), Attribute());
}

static accel::WindowKind windowKind(LayerKind Kind) {
  switch (Kind) {
  case LayerKind::Mac:
    return accel::WindowKind::Mac;
  case LayerKind::Max:
    return accel::WindowKind::Max;
  case LayerKind::Average:
    return accel::WindowKind::Average;
  default:
    return accel::WindowKind::Sum;
  }
}

Operation *Rewriter::createWindow(const Layer &L, Value Input, Value Residual) {
  Value Taps, Bias, Multiplier, Shift;
  if (L.Kind == LayerKind::Mac)
    Taps = bytes({L.Kernel[0], L.Kernel[1], L.channels()}, L.Weights);
  if (llvm::any_of(L.Bias, [](int32_t V) { return V != 0; }))
    Bias = vector<int32_t>(L.Bias);
  if (!L.Multiplier.empty()) {
    Multiplier = vector<int32_t>(L.Multiplier);
    Shift = vector<int8_t>(L.Shift);
  }
  return accel::WindowOp::create(
      B, Loc, activation(L.ResultShape), Input, Taps, Bias, Multiplier, Shift,
      Residual, accel::WindowKindAttr::get(B.getContext(), windowKind(L.Kind)),
      B.getDenseI64ArrayAttr(L.Kernel), B.getDenseI64ArrayAttr(L.Stride),
      B.getDenseI64ArrayAttr(L.Dilation), B.getDenseI64ArrayAttr(L.Pad),
      B.getI32IntegerAttr(L.InputZeroPoint),
      B.getI32IntegerAttr(L.WeightZeroPoint), quantisation(L, B.getContext()),
      addition(L), Attribute());
}

/// A layer that only stores its input again.
Value Rewriter::copy(Value V) {
  Layer L;
  L.Kind = LayerKind::Sum;
  L.Op = "requantise";
  L.InputShape = L.ResultShape = *shapeNHWC(V.getType());
  L.Multiplier.assign(L.channels(), 1 << 30);
  L.Shift.assign(L.channels(), 30);
  Operation *Op = createWindow(L, V, {});
  annotate(Op, L, {});
  return Op->getResult(0);
}

/// The producers store into slices of the result: each must be a layer whose
/// result nobody else reads.
Operation *Rewriter::createConcat(const Layer &L, func::CallOp Call,
                                  ArrayRef<Value> Inputs) {
  SmallVector<Value> Own;
  for (auto [V, Array] : llvm::zip(Inputs, L.Inputs)) {
    Value Operand = Call.getOperand(cast<BlockArgument>(Array).getArgNumber());
    bool Exclusive =
        llvm::isa<accel::ContractOp, accel::WindowOp>(V.getDefiningOp()) &&
        Tensors.lookup(Operand) == V && Operand.hasOneUse() &&
        !llvm::is_contained(Own, V);
    Own.push_back(Exclusive ? V : copy(V));
  }
  return accel::ConcatOp::create(B, Loc, activation(L.ResultShape), Own);
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

void Rewriter::annotate(Operation *Op, const Layer &L, func::FuncOp Function) {
  Op->setAttr("tenon.layer", B.getStringAttr(layerName(L.Op)));
  Op->setAttr("tenon.op", B.getStringAttr(L.Op));
  Op->setAttr("tenon.macs", B.getI64IntegerAttr(L.Macs));
  Op->setAttr("tenon.nodes",
              B.getArrayAttr(Function ? nodeNames(L.Members.getArrayRef())
                                      : SmallVector<Attribute>()));
  if (L.Result)
    if (DictionaryAttr Dict = tensorOf(L.Result))
      Op->setAttr(TensorAttr, Dict);
}

LogicalResult Rewriter::replaceLayer(func::CallOp Call, func::FuncOp Function) {
  Block &Body = Function.getBody().front();
  Value Returned = Body.getTerminator()->getNumOperands()
                       ? Body.getTerminator()->getOperand(0)
                       : Value();
  // The partition has checked where blocks begin.
  LayerSet Set = findLayers(Body, /*BlockMax=*/1);
  if (Set.Layers.size() != 1 || Set.Layers[0].Result != Returned ||
      Call.getNumResults() != 1)
    return emitError(Function.getLoc())
           << "expected a function that computes one layer, found "
           << Set.Layers.size() << " layers";
  const Layer &L = Set.Layers[0];
  B.setInsertionPoint(Call);
  Loc = Call.getLoc();
  auto Operand = [&](Value V) {
    return tensor(Call.getOperand(cast<BlockArgument>(V).getArgNumber()));
  };
  SmallVector<Value> Inputs(L.Inputs);
  if (Inputs.empty())
    Inputs.push_back(L.Input);
  if (L.Residual)
    Inputs.push_back(L.Residual);
  for (Value &V : Inputs)
    if (!isa<BlockArgument>(V) || !(V = Operand(V)))
      return emitError(Call.getLoc(),
                       "an operand of the layer is no permutation of an array");
  Value Residual = L.Residual ? Inputs[1] : Value();
  Operation *Op = L.Kind == LayerKind::Concat ? createConcat(L, Call, Inputs)
                  : L.Kind == LayerKind::Contract
                      ? createContract(L, Inputs[0], Residual)
                      : createWindow(L, Inputs[0], Residual);
  annotate(Op, L, Function);
  Tensors[Call.getResult(0)] = Op->getResult(0);
  Replaced.insert(Call);
  return success();
}

/// Unpacks a layer's result for everybody who is no layer.
LogicalResult Rewriter::unpackResults(func::CallOp Call) {
  SmallVector<Value> Work = {Call.getResult(0)};
  DenseMap<Value, Value> Arrays;
  while (!Work.empty()) {
    Value V = Work.pop_back_val();
    for (OpOperand &Use : llvm::make_early_inc_range(V.getUses())) {
      Operation *User = Use.getOwner();
      if (isBorderCandidate(User)) {
        Work.push_back(User->getResult(0));
        continue;
      }
      if (Replaced.contains(User))
        continue;
      auto Layout = describeUnpack(V, always);
      if (!Layout)
        return emitError(User->getLoc(),
                         "its operand is no permutation of a tensor");
      Value &Array = Arrays[V];
      if (!Array) {
        // Behind the last layer, so that no host step stands between layers.
        B.setInsertionPointAfterValue(V);
        Array = accel::UnpackOp::create(
            B, V.getLoc(), V.getType(), Tensors.lookup(Call.getResult(0)),
            B.getDenseI64ArrayAttr(Layout->Permutation),
            B.getI32IntegerAttr(Layout->Offset));
        Array.getDefiningOp()->moveBefore(User);
      }
      Use.set(Array);
    }
  }
  return success();
}

namespace {
struct AccelTensorize : tenon::impl::AccelTensorizeBase<AccelTensorize> {
  void runOnOperation() override;
};
} // namespace

static bool isLayer(func::FuncOp Function) {
  auto Place = Function->getAttrOfType<StringAttr>("tenon.placed_on");
  return Place && Place.getValue() == "accelerator";
}

void AccelTensorize::runOnOperation() {
  auto Main = getOperation().lookupSymbol<func::FuncOp>("main");
  if (!Main || !Main.getBody().hasOneBlock()) {
    emitError(getOperation().getLoc(),
              "expected a function @main with one block, found none");
    return signalPassFailure();
  }
  Rewriter R(Main);
  SmallVector<std::pair<func::CallOp, func::FuncOp>> Layers;
  for (auto Call : Main.getOps<func::CallOp>()) {
    auto Function = getOperation().lookupSymbol<func::FuncOp>(Call.getCallee());
    if (!Function.isExternal() && isLayer(Function))
      Layers.push_back({Call, Function});
  }
  for (auto [Call, Function] : Layers)
    if (failed(R.replaceLayer(Call, Function)))
      return signalPassFailure();
  for (auto [Call, Function] : Layers)
    if (failed(R.unpackResults(Call)))
      return signalPassFailure();
  // From the last to the first, so that no call has a user any more.
  for (auto [Call, Function] : llvm::reverse(Layers)) {
    eraseDead(Main.getBody().front());
    Call.erase();
    Function.erase();
  }
  eraseDead(Main.getBody().front());
}
