//===- Shapes.cpp - Extents and broadcasting -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../Border.h"
#include "../Tensor.h"
#include "Lowering.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// An extent: where its tensor has it from.
struct Origin {
  Value Tensor;
  int64_t Axis;
  OpFoldResult Number; ///< where it was made with one that is known
};
} // namespace

/// Where the operation before the tensor tells it; none where it does not.
static std::optional<Origin> before(const Origin &Of) {
  Operation *Maker = Of.Tensor.getDefiningOp();
  auto same = [&](Value Source) { return Origin{Source, Of.Axis, {}}; };
  auto made = [&](ArrayRef<OpFoldResult> Sizes) {
    return Origin{{}, Of.Axis, Sizes[Of.Axis]};
  };
  if (auto Empty = dyn_cast_or_null<tensor::EmptyOp>(Maker))
    return made(Empty.getMixedSizes());
  if (auto Expand = dyn_cast_or_null<tensor::ExpandShapeOp>(Maker))
    return made(Expand.getMixedOutputShape());
  if (auto Slice = dyn_cast_or_null<tensor::ExtractSliceOp>(Maker);
      Slice && Slice.getDroppedDims().none())
    return made(Slice.getMixedSizes());
  if (auto Reshape = dyn_cast_or_null<tensor::ReshapeOp>(Maker))
    if (auto List = Reshape.getShape().getDefiningOp<tensor::FromElementsOp>();
        List && List.getType().getElementType().isIndex())
      return made(getAsOpFoldResult(List.getElements()));
  if (auto Collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(Maker))
    if (auto Axes = Collapse.getReassociationIndices()[Of.Axis];
        Axes.size() == 1)
      return Origin{Collapse.getSrc(), Axes.front(), {}};
  if (auto Cast = dyn_cast_or_null<tensor::CastOp>(Maker))
    return same(Cast.getSource());
  if (auto Bits = dyn_cast_or_null<tensor::BitcastOp>(Maker))
    return same(Bits.getSource());
  if (auto Writer = dyn_cast_or_null<DestinationStyleOpInterface>(Maker))
    return same(Writer.getTiedOpOperand(cast<OpResult>(Of.Tensor))->get());
  return std::nullopt;
}

/// The first tensor with this open extent, or the number that it was made with:
/// those of tensors that were made alike are the same.
static Origin originOf(Value Tensor, int64_t Axis) {
  Origin Of{Tensor, Axis, {}};
  while (std::optional<Origin> Before = before(Of)) {
    if (Before->Number)
      return *Before;
    auto Type = dyn_cast<RankedTensorType>(Before->Tensor.getType());
    if (!Type || !Type.isDynamicDim(Before->Axis))
      break;
    Of = *Before;
  }
  return Of;
}

OpFoldResult Lowering::extentOf(Value Tensor, int64_t Axis) {
  auto Type = cast<RankedTensorType>(Tensor.getType());
  if (!Type.isDynamicDim(Axis))
    return extent(Type.getDimSize(Axis));
  Origin Of = originOf(Tensor, Axis);
  if (Of.Number)
    return Of.Number;
  // What a block around this one knows holds here.
  for (Block *At = B.getBlock(); At;
       At = At->getParentOp() ? At->getParentOp()->getBlock() : nullptr)
    if (Value Before = Known.lookup({At, Of.Tensor, Of.Axis}))
      return Before;
  auto Dim = tensor::DimOp::create(B, Of.Tensor, Of.Axis);
  Known[{B.getBlock(), Of.Tensor, Of.Axis}] = Dim;
  return Dim.getResult();
}

Extents Lowering::extentsOf(Value Tensor) {
  Extents Result;
  int64_t Rank = cast<RankedTensorType>(Tensor.getType()).getRank();
  for (int64_t Axis = 0; Axis < Rank; ++Axis)
    Result.push_back(extentOf(Tensor, Axis));
  return Result;
}

Extents Lowering::staticWhereKnown(ArrayRef<OpFoldResult> Of) {
  Extents Result;
  for (OpFoldResult Number : Of) {
    auto Static = getConstantIntValue(Number);
    Result.push_back(Static ? extent(*Static) : Number);
  }
  return Result;
}

RankedTensorType Lowering::typeOf(ArrayRef<OpFoldResult> Of, Type Held) {
  SmallVector<int64_t> Dims;
  for (OpFoldResult Extent : Of)
    Dims.push_back(getConstantIntValue(Extent).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(Dims, Held);
}

FailureOr<OpFoldResult> Lowering::common(ArrayRef<OpFoldResult> Of,
                                         StringRef What) {
  OpFoldResult Result = Of.front();
  for (OpFoldResult Extent : Of.drop_front()) {
    if (surelyEqual(Result, Extent))
      continue;
    auto Before = getConstantIntValue(Result);
    auto Here = getConstantIntValue(Extent);
    if (Before && Here)
      return error() << "its inputs differ in their " << What << ": " << *Before
                     << " and " << *Here;
    require(arith::CmpIOp::create(B, arith::CmpIPredicate::eq, index(Result),
                                  index(Extent)),
            "its inputs differ in their " + What);
    Result = min(Result, Extent);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

bool Lowering::hasNoElement(ArrayRef<OpFoldResult> Of) const {
  return llvm::any_of(
      Of, [](OpFoldResult Extent) { return getConstantIntValue(Extent) == 0; });
}

/// The name of an extent of a network's input; empty for all others. What the
/// model says of computed tensors need not be so.
static StringRef nameOf(Value Extent) {
  auto Dim = Extent.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> Axis = Dim ? Dim.getConstantIndex() : std::nullopt;
  return Axis ? inputExtentName(Dim.getSource(), *Axis) : StringRef();
}

bool Lowering::surelyEqual(OpFoldResult A, OpFoldResult B) const {
  if (A == B)
    return true;
  auto First = getConstantIntValue(A), Second = getConstantIntValue(B);
  if (First || Second)
    return First == Second;
  StringRef Name = nameOf(cast<Value>(A));
  return !Name.empty() && Name == nameOf(cast<Value>(B));
}

/// The one extent that several are broadcast to: each is it or 1.
FailureOr<OpFoldResult> Lowering::broadcastExtent(ArrayRef<OpFoldResult> Of) {
  OpFoldResult Result = extent(1);
  // One that the model knows first: the others have to be it.
  for (OpFoldResult Extent : Of) {
    auto Static = getConstantIntValue(Extent);
    if (!Static || *Static == 1)
      continue;
    auto Before = getConstantIntValue(Result);
    if (*Before != 1 && *Before != *Static)
      return error() << "its inputs' extents " << *Before << " and " << *Static
                     << " cannot be broadcast to one";
    Result = Extent;
  }
  for (OpFoldResult Extent : Of) {
    if (getConstantIntValue(Extent) || surelyEqual(Extent, Result))
      continue;
    auto Static = getConstantIntValue(Result);
    if (Static && *Static == 1) {
      Result = Extent;
      continue;
    }
    auto Is = [&](OpFoldResult A, OpFoldResult Of) -> Value {
      return arith::CmpIOp::create(B, arith::CmpIPredicate::eq, index(A),
                                   index(Of));
    };
    Value IsOne = Is(Extent, extent(1));
    Value Fits = arith::OrIOp::create(B, IsOne, Is(Extent, Result));
    if (!Static)
      Fits = arith::OrIOp::create(B, Fits, Is(Result, extent(1)));
    require(Fits, "its inputs' shapes cannot be broadcast to one");
    if (!Static)
      Result = arith::SelectOp::create(B, IsOne, index(Result), index(Extent))
                   .getResult();
  }
  return Result;
}

FailureOr<OpFoldResult> Lowering::agreed(OpFoldResult A, OpFoldResult Other,
                                         const Twine &Message) {
  auto First = getConstantIntValue(A), Second = getConstantIntValue(Other);
  if (First && Second && First != Second)
    return error() << Message << ": " << *First << " and " << *Second;
  if (!surelyEqual(A, Other))
    require(arith::CmpIOp::create(B, arith::CmpIPredicate::eq, index(A),
                                  index(Other)),
            Message);
  return First ? A : Other;
}

FailureOr<Extents> Lowering::broadcast(ArrayRef<Value> Tensors) {
  SmallVector<Extents> Of;
  for (Value Tensor : Tensors)
    Of.push_back(extentsOf(Tensor));
  return broadcast(Of);
}

FailureOr<Extents> Lowering::broadcast(ArrayRef<Extents> Of) {
  size_t Rank = 0;
  for (const Extents &Each : Of)
    Rank = std::max(Rank, Each.size());
  Extents Result;
  for (size_t Axis = 0; Axis < Rank; ++Axis) {
    Extents Here;
    for (const Extents &Each : Of)
      if (Axis + Each.size() >= Rank)
        Here.push_back(Each[Axis + Each.size() - Rank]);
    FailureOr<OpFoldResult> One = broadcastExtent(Here);
    if (failed(One))
      return failure();
    Result.push_back(*One);
  }
  return Result;
}

Value Lowering::neverEmpty(Value Tensor) {
  Extents Low, High;
  for (OpFoldResult Extent : extentsOf(Tensor)) {
    Low.push_back(extent(0));
    High.push_back(getConstantIntValue(Extent)
                       ? extent(0)
                       : sub(max(Extent, extent(1)), Extent));
  }
  Type Held = cast<RankedTensorType>(Tensor.getType()).getElementType();
  return padded(Tensor, Low, High,
                arith::ConstantOp::create(B, B.getZeroAttr(Held)));
}

Value Lowering::requireBounded(ArrayRef<OpFoldResult> Of) {
  Scalars S(B, B.getLoc());
  Value Most = S.index(MaxElements), Count = S.index(1), Fits = S.truth(true);
  for (OpFoldResult Extent : Of) {
    Value Kept = S.max(S.min(index(Extent), Most), S.index(0));
    Fits = S.both(Fits, S.equal(index(Extent), Kept));
    Count = S.min(S.mul(Count, Kept), Most); // of two numbers of 32 bits
  }
  Fits = S.both(Fits, S.less(Count, Most));
  require(Fits, "its result has a negative extent, or is too large");
  return Fits;
}

Extents Lowering::bounded(Extents Of) {
  auto isStatic = [](OpFoldResult Extent) {
    return getConstantIntValue(Extent).has_value();
  };
  if (llvm::all_of(Of, isStatic))
    return Of; // define looks at these
  Scalars S(B, B.getLoc());
  Value Fits = requireBounded(Of);
  for (OpFoldResult &Extent : Of)
    if (!isStatic(Extent))
      Extent = getAsOpFoldResult(S.choose(Fits, index(Extent), S.index(0)));
  return Of;
}

/// `Tensor`, of which the run tells whether its extents are 1 or those of `Of`,
/// at its full size: index i is read at the smaller of i and the last one,
/// which is 0 where the extent is 1.
Value Lowering::stretched(Value Tensor, ArrayRef<OpFoldResult> Of) {
  Tensor = neverEmpty(Tensor);
  Extents Own = extentsOf(Tensor);
  SmallVector<Value> Last;
  for (OpFoldResult Extent : Own)
    Last.push_back(index(sub(Extent, extent(1))));
  Type Held = cast<RankedTensorType>(Tensor.getType()).getElementType();
  size_t Front = Of.size() - Own.size();
  return generated(
      Of, Held, [&](OpBuilder &B, Location Loc, ValueRange Indices) -> Value {
        SmallVector<Value> At;
        for (auto [Axis, End] : llvm::enumerate(Last))
          At.push_back(
              arith::MinSIOp::create(B, Loc, Indices[Front + Axis], End));
        return tensor::ExtractOp::create(B, Loc, Tensor, At);
      });
}

/// `Tensor`, or its full form, and how indices of `Of` become its own.
Value Lowering::followed(Value Tensor, ArrayRef<OpFoldResult> Of,
                         AffineMap &Map) {
  Extents Own = extentsOf(Tensor);
  size_t Front = Of.size() - Own.size();
  SmallVector<AffineExpr> Results;
  for (auto [Axis, Extent] : llvm::enumerate(Own)) {
    AffineExpr Index = B.getAffineDimExpr(Front + Axis);
    if (!surelyEqual(Extent, Of[Front + Axis])) {
      if (getConstantIntValue(Extent) != 1) {
        Map = B.getMultiDimIdentityMap(Of.size());
        return stretched(Tensor, Of);
      }
      Index = B.getAffineConstantExpr(0);
    }
    Results.push_back(Index);
  }
  Map = AffineMap::get(Of.size(), 0, Results, B.getContext());
  return Tensor;
}

FailureOr<Value> Lowering::pointwise(ArrayRef<Value> Tensors, Type Held,
                                     Body Each) {
  FailureOr<Extents> Of = broadcast(Tensors);
  if (failed(Of))
    return failure();
  if (Value List = mappedLists(Tensors, *Of, Held, Each))
    return List;
  SmallVector<Value> Followed;
  SmallVector<AffineMap> Maps;
  for (Value Tensor : Tensors)
    Followed.push_back(followed(Tensor, *Of, Maps.emplace_back()));
  return mapped(Followed, Maps, *Of, Held, Each);
}

Value Lowering::expanded(Value Tensor, ArrayRef<OpFoldResult> Of) {
  AffineMap Map;
  Value Followed = followed(Tensor, Of, Map);
  Type Held = cast<RankedTensorType>(Tensor.getType()).getElementType();
  return mapped(
      Followed, Map, Of, Held,
      [](OpBuilder &, Location, ValueRange Elements) { return Elements[0]; });
}
