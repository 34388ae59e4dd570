//===- UpgradeMeaning.cpp - Operators that mean something else now --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Upgrade.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// The rank of input `Index`; none where it is not known.
static std::optional<int64_t> rankOf(Upgrade &U, int64_t Index) {
  auto Type = U.View.hasInput(Index)
                  ? dyn_cast<RankedTensorType>(U.View.input(Index).getType())
                  : RankedTensorType();
  return Type ? std::optional(Type.getRank()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Softmax, LogSoftmax, Hardmax before 13: over all axes from `axis` on
//===----------------------------------------------------------------------===//

/// Flatten, the operator over the rows, and the old shape again.
static void flattenAround(Upgrade &U, int64_t Axis) {
  Value Input = U.View.input(0), Output = U.View.output(0);
  Type Held = Output.getType();
  auto Of = cast<RankedTensorType>(Input.getType());
  auto Extent = [&](ArrayRef<int64_t> Dims) {
    int64_t Product = 1;
    for (int64_t Dim : Dims)
      Product = ShapedType::isDynamic(Dim) || ShapedType::isDynamic(Product)
                    ? ShapedType::kDynamic
                    : Product * Dim;
    return Product;
  };
  auto Flat = RankedTensorType::get({Extent(Of.getShape().take_front(Axis)),
                                     Extent(Of.getShape().drop_front(Axis))},
                                    Of.getElementType());
  auto Attribute = U.B.getNamedAttr("axis", U.B.getI64IntegerAttr(Axis));
  Value Rows = U.node("Flatten", 13, Input, Flat, Attribute, "rows");
  auto ShapeType = RankedTensorType::get(Of.getRank(), U.B.getI64Type());
  Value Shape = Of.hasStaticShape()
                    ? U.integers(Of.getShape(), "shape")
                    : U.node("Shape", 13, Input, ShapeType, {}, "shape");
  // The result keeps its name where it is: at the end.
  std::string Name = U.View.outputName(0).str();
  auto AllowsZero = U.B.getNamedAttr("allowzero", U.B.getI64IntegerAttr(1));
  Value Back = U.node("Reshape", 14, {Output, Shape}, Held, AllowsZero, "back",
                      /*IsBehind=*/true);
  Output.replaceAllUsesExcept(Back, Back.getDefiningOp());
  Output.setType(Flat);
  U.setInput(0, Rows);
  U.Op.setOutputsAttr(U.B.getStrArrayAttr({Name + "/flat"}));
  Back.getDefiningOp<NodeOp>().setOutputsAttr(U.B.getStrArrayAttr({Name}));
}

LogicalResult tenon::frontend::upgradeSoftmax(Upgrade &U) {
  std::optional<int64_t> Rank = rankOf(U, 0);
  auto Held = U.Op.getNodeAttributes().get("axis");
  auto Given = dyn_cast_or_null<IntegerAttr>(Held);
  int64_t Axis = Given ? Given.getInt() : 1;
  if (!Rank || (Held && !Given) || Axis < -*Rank || Axis >= *Rank)
    return failure();
  Axis += Axis < 0 ? *Rank : 0;
  if (Axis != *Rank - 1)
    flattenAround(U, Axis);
  U.set("axis", U.B.getI64IntegerAttr(-1));
  return success();
}

//===----------------------------------------------------------------------===//
// Upsample and Resize before 11
//===----------------------------------------------------------------------===//

/// Scales of the input's axes from attribute to input.
LogicalResult tenon::frontend::upgradeUpsample9(Upgrade &U) {
  auto Scales = dyn_cast_or_null<DenseF32ArrayAttr>(
      U.Op.getNodeAttributes().get("scales"));
  if (!Scales)
    return failure();
  SmallVector<double> Values(Scales.asArrayRef().begin(),
                             Scales.asArrayRef().end());
  auto Type = RankedTensorType::get(int64_t(Values.size()), U.B.getF32Type());
  U.take("scales");
  U.setInput(1, U.reals(Type, Values, "scales"));
  return success();
}

/// Coordinates were those of `asymmetric`, and there was no region.
static void resizeBy(Upgrade &U, Value Scales, StringRef Nearest) {
  U.setInput(2, Scales);
  // Since 11 there is one, which may be empty.
  U.setInput(1, U.reals(RankedTensorType::get(0, U.B.getF32Type()), {}, "roi"));
  U.set("coordinate_transformation_mode", U.B.getStringAttr("asymmetric"));
  U.set("nearest_mode", U.B.getStringAttr(Nearest));
}

LogicalResult tenon::frontend::upgradeUpsample(Upgrade &U) {
  Value Scales = U.View.input(1);
  if (!Scales)
    return failure();
  U.Op.setOpType("Resize");
  resizeBy(U, Scales, "floor"); // no scale is less than 1
  return success();
}

/// `Operator` (Min or Max) of the scales and 1.
static Value boundedScales(Upgrade &U, StringRef Operator) {
  Value Scales = U.View.input(1);
  std::string Name = Operator.lower() + "_scales";
  if (std::optional<TensorData> Known = U.View.constant(1)) {
    SmallVector<double> Values;
    for (int64_t At = 0; At < Known->size(); ++At)
      Values.push_back(Operator == "Min" ? std::min(Known->real(At), 1.0)
                                         : std::max(Known->real(At), 1.0));
    return U.reals(cast<RankedTensorType>(Scales.getType()), Values, Name);
  }
  Value One =
      U.reals(RankedTensorType::get({}, U.B.getF32Type()), 1.0, Name + "_one");
  return U.node(Operator, 13, {Scales, One}, Scales.getType(), {}, Name);
}

/// The type of the node's input, its axes shrunk by scales below 1.
static Type shrunkType(Upgrade &U) {
  Type Whole = U.View.input(0).getType();
  auto Of = dyn_cast<RankedTensorType>(Whole);
  if (!Of)
    return Whole;
  SmallVector<int64_t> Dims(Of.getRank(), ShapedType::kDynamic);
  std::optional<TensorData> Known = U.View.constant(1);
  if (Known && Known->size() == Of.getRank())
    for (auto [Axis, Dim] : llvm::enumerate(Of.getShape()))
      if (float Scale = Known->real(Axis);
          Scale > 0 && !ShapedType::isDynamic(Dim))
        Dims[Axis] = int64_t(float(Dim) * std::min(Scale, 1.0f));
  return RankedTensorType::get(Dims, Of.getElementType());
}

/// Below 1, as onnxruntime has it, the nearest element was the one behind, else
/// the one before: axes that shrink and axes that grow are two nodes.
LogicalResult tenon::frontend::upgradeResize(Upgrade &U) {
  Value Scales = U.View.input(1);
  if (!Scales)
    return failure();
  std::optional<TensorData> Known = U.View.constant(1);
  bool Shrinks = !Known, Grows = !Known;
  for (int64_t At = 0; Known && At < Known->size(); ++At) {
    Shrinks |= Known->real(At) < 1;
    Grows |= Known->real(At) > 1;
  }
  auto Mode =
      dyn_cast_or_null<StringAttr>(U.Op.getNodeAttributes().get("mode"));
  bool IsNearest = !Mode || Mode.getValue() == "nearest";
  if (!IsNearest || !Shrinks || !Grows) {
    resizeBy(U, Scales, IsNearest && Shrinks ? "ceil" : "floor");
    return success();
  }
  Value Below = boundedScales(U, "Min"), Above = boundedScales(U, "Max");
  Value Shrunk = U.node("Resize", 11, {U.View.input(0), Below}, shrunkType(U),
                        U.Op.getNodeAttributes().getValue(), "shrunk");
  Upgrade First(Shrunk.getDefiningOp<NodeOp>());
  resizeBy(First, Below, "ceil");
  U.setInput(0, Shrunk);
  resizeBy(U, Above, "floor");
  return success();
}

//===----------------------------------------------------------------------===//
// Binary operators before 7: the second input's axes begin at `axis`
//===----------------------------------------------------------------------===//

LogicalResult tenon::frontend::upgradeGemm(Upgrade &U) {
  U.drop({"broadcast"});
  return success();
}

LogicalResult tenon::frontend::upgradeBinary(Upgrade &U) {
  auto Axis =
      dyn_cast_or_null<IntegerAttr>(U.Op.getNodeAttributes().get("axis"));
  std::optional<int64_t> First = rankOf(U, 0), Second = rankOf(U, 1);
  if (Axis) {
    if (!First || !Second || Axis.getInt() < -*First)
      return failure();
    int64_t At = Axis.getInt() + (Axis.getInt() < 0 ? *First : 0);
    int64_t Missing = *First - At - *Second;
    if (Missing < 0)
      return failure();
    if (Missing > 0) {
      Value Narrow = U.View.input(1);
      auto Of = cast<RankedTensorType>(Narrow.getType());
      SmallVector<int64_t> Dims(Of.getShape());
      Dims.append(Missing, 1);
      auto Axes = llvm::to_vector(llvm::seq(*Second, *Second + Missing));
      U.setInput(1, U.node("Unsqueeze", 13, {Narrow, U.integers(Axes, "axes")},
                           RankedTensorType::get(Dims, Of.getElementType()), {},
                           "aligned"));
    }
  }
  U.drop({"axis", "broadcast", "consumed_inputs"});
  return success();
}

/// A slope of one number a channel, which was no matter of broadcasting.
LogicalResult tenon::frontend::upgradeSlope(Upgrade &U) {
  std::optional<int64_t> Rank = rankOf(U, 0), Slopes = rankOf(U, 1);
  if (!Rank || !Slopes)
    return failure();
  auto Of = cast<RankedTensorType>(U.View.input(1).getType());
  bool IsOne = Of.hasStaticShape() && Of.getNumElements() == 1;
  if (*Slopes == 1 && *Rank > 1 && !IsOne)
    U.set("axis", U.B.getI64IntegerAttr(1));
  return upgradeBinary(U);
}

//===----------------------------------------------------------------------===//
// What RaiseOpset rewrites; import knows both forms
//===----------------------------------------------------------------------===//

/// Before 20 an axis that is not given was 1.
LogicalResult tenon::frontend::upgradeDFT(Upgrade &U) {
  FailureOr<int64_t> Axis = U.View.integer("axis", 1);
  if (failed(Axis))
    return failure();
  U.drop({"axis"});
  U.setInput(2, U.integer(*Axis, "axis"));
  return success();
}

/// Before 21 scale and bias had one value a group.
LogicalResult tenon::frontend::upgradeGroupNormalization(Upgrade &U) {
  auto X = dyn_cast<RankedTensorType>(U.View.input(0).getType());
  auto Scale = dyn_cast<TensorType>(U.View.input(1).getType());
  FailureOr<int64_t> Groups = U.View.integer("num_groups", 0);
  if (failed(Groups) || !Scale || !X || X.getRank() < 2 || X.isDynamicDim(1) ||
      *Groups < 1 || X.getDimSize(1) % *Groups)
    return failure();
  int64_t Channels = X.getDimSize(1);
  SmallVector<int64_t> Of;
  for (int64_t Channel = 0; Channel < Channels; ++Channel)
    Of.push_back(Channel / (Channels / *Groups));
  Value From = U.integers(Of, "groups");
  auto Type = RankedTensorType::get(Channels, Scale.getElementType());
  for (auto [Index, Name] : {std::pair(1, "scales"), std::pair(2, "biases")})
    U.setInput(Index, U.node("Gather", 13, {U.View.input(Index), From}, Type,
                             {}, Name));
  return success();
}
