//===- Tensors.cpp - Tensors from tensors --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace tenon::frontend;
using mlir::utils::IteratorType;

static Type heldBy(Value Tensor) {
  return cast<RankedTensorType>(Tensor.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// Made of nothing
//===----------------------------------------------------------------------===//

Value Lowering::empty(ArrayRef<OpFoldResult> Of, Type Held) {
  return tensor::EmptyOp::create(B, staticWhereKnown(Of), Held);
}

Value Lowering::filled(ArrayRef<OpFoldResult> Of, Value With) {
  return linalg::FillOp::create(B, With, empty(Of, With.getType()))
      .getResult(0);
}

Value Lowering::scalar(Value Of) {
  return tensor::FromElementsOp::create(
      B, RankedTensorType::get({}, Of.getType()), Of);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value Lowering::mapped(ArrayRef<Value> Tensors, ArrayRef<AffineMap> Maps,
                       ArrayRef<OpFoldResult> Of, Type Held, Body Each) {
  SmallVector<AffineMap> All(Maps);
  All.push_back(B.getMultiDimIdentityMap(Of.size()));
  Value Result = empty(Of, Held);
  SmallVector<IteratorType> Loops(Of.size(), IteratorType::parallel);
  return linalg::GenericOp::create(
             B, Result.getType(), Tensors, Result, All, Loops,
             [&](OpBuilder &Inner, Location Loc, ValueRange Elements) {
               linalg::YieldOp::create(Inner, Loc,
                                       Each(Inner, Loc, Elements.drop_back()));
             })
      .getResult(0);
}

Value Lowering::each(Value Tensor, Type Held, Body Each) {
  Extents Of = extentsOf(Tensor);
  if (Value List = mappedLists(Tensor, Of, Held, Each))
    return List;
  return mapped(Tensor, B.getMultiDimIdentityMap(Of.size()), Of, Held, Each);
}

Value Lowering::generated(ArrayRef<OpFoldResult> Of, Type Held, Body Each) {
  return mapped(
      {}, {}, Of, Held, [&](OpBuilder &Inner, Location Loc, ValueRange) {
        SmallVector<Value> Indices;
        for (size_t Axis = 0; Axis < Of.size(); ++Axis)
          Indices.push_back(linalg::IndexOp::create(Inner, Loc, Axis));
        return Each(Inner, Loc, Indices);
      });
}

Value Lowering::accumulated(ArrayRef<Value> Tensors, ArrayRef<AffineMap> Maps,
                            Value Into, Body Combine) {
  SmallVector<IteratorType> Loops(Maps.back().getNumDims(),
                                  IteratorType::reduction);
  for (unsigned Axis = 0; Axis < Loops.size(); ++Axis)
    if (Maps.back().isFunctionOfDim(Axis))
      Loops[Axis] = IteratorType::parallel;
  SmallVector<Value> Read(Tensors);
  SmallVector<AffineMap> Places(Maps);
  if (!llvm::is_contained(Loops, IteratorType::reduction)) {
    // Upstream fuses what reduces nothing into loops that come to an element
    // more than once: what is added to is read, not written.
    Read.push_back(Into);
    Places.push_back(Places.back());
    Into = empty(extentsOf(Into), heldBy(Into));
  }
  return linalg::GenericOp::create(
             B, Into.getType(), Read, Into, Places, Loops,
             [&](OpBuilder &Inner, Location Loc, ValueRange Elements) {
               linalg::YieldOp::create(Inner, Loc,
                                       Combine(Inner, Loc, Elements));
             })
      .getResult(0);
}

Value Lowering::contracted(Value A, Value Other, ArrayRef<AffineMap> Maps,
                           ArrayRef<OpFoldResult> Of) {
  Value Zero = number(heldBy(A), 0);
  return accumulated(
      {A, Other}, Maps, filled(Of, Zero),
      [](OpBuilder &B, Location Loc, ValueRange X) -> Value {
        if (isa<FloatType>(X[0].getType()))
          return arith::AddFOp::create(
              B, Loc, X[2], arith::MulFOp::create(B, Loc, X[0], X[1]));
        return arith::AddIOp::create(B, Loc, X[2],
                                     arith::MulIOp::create(B, Loc, X[0], X[1]));
      });
}

Value Lowering::reduced(Value Tensor, ArrayRef<int64_t> Axes, bool Keeps,
                        Value Initial, Body Combine) {
  Extents Of = extentsOf(Tensor), Left;
  SmallVector<AffineExpr> Results;
  for (int64_t Axis = 0; Axis < int64_t(Of.size()); ++Axis) {
    bool IsReduced = llvm::is_contained(Axes, Axis);
    if (!IsReduced || Keeps) {
      Left.push_back(IsReduced ? extent(1) : Of[Axis]);
      Results.push_back(IsReduced ? B.getAffineConstantExpr(0)
                                  : B.getAffineDimExpr(Axis));
    }
  }
  return accumulated(Tensor,
                     {B.getMultiDimIdentityMap(Of.size()),
                      AffineMap::get(Of.size(), 0, Results, B.getContext())},
                     filled(Left, Initial), Combine);
}

//===----------------------------------------------------------------------===//
// Moved elements
//===----------------------------------------------------------------------===//

/// Of transpositions in a row one, of those that undo each other none: upstream
/// takes the operand for the result of one that changes nothing, whichever of
/// the two knows an extent more by then.
Value Lowering::transposed(Value Tensor, ArrayRef<int64_t> Axes) {
  SmallVector<int64_t> Order(Axes);
  while (auto Before = Tensor.getDefiningOp<linalg::TransposeOp>()) {
    Order = applyPermutation(Before.getPermutation(), Order);
    Tensor = Before.getInput();
  }
  if (isIdentityPermutation(Order))
    return Tensor;
  Extents Of = extentsOf(Tensor), To;
  for (int64_t Axis : Order)
    To.push_back(Of[Axis]);
  return linalg::TransposeOp::create(B, Tensor, empty(To, heldBy(Tensor)),
                                     Order)
      ->getResult(0);
}

Value Lowering::merged(Value Tensor, int64_t First, int64_t Count) {
  int64_t Rank = cast<RankedTensorType>(Tensor.getType()).getRank();
  SmallVector<ReassociationIndices> Groups;
  for (int64_t Axis = 0; Axis < Rank; ++Axis)
    if (Axis <= First || Axis >= First + Count)
      Groups.push_back({Axis});
    else
      Groups.back().push_back(Axis);
  return collapsed(Tensor, Groups);
}

Value Lowering::split(Value Tensor, int64_t Axis, ArrayRef<OpFoldResult> Of) {
  auto From = cast<RankedTensorType>(Tensor.getType());
  Extents To = extentsOf(Tensor);
  SmallVector<int64_t> Dims(From.getShape());
  // Static exactly where its parts are.
  bool IsStatic = llvm::all_of(
      Of, [](OpFoldResult Part) { return getConstantIntValue(Part); });
  Dims[Axis] =
      IsStatic ? *getConstantIntValue(product(Of)) : ShapedType::kDynamic;
  Type Cast = RankedTensorType::get(Dims, From.getElementType());
  if (Cast != From)
    Tensor = tensor::CastOp::create(B, Cast, Tensor);
  To.erase(To.begin() + Axis);
  To.insert(To.begin() + Axis, Of.begin(), Of.end());
  // Upstream expands one axis to one extent that is not known, not to more.
  if (llvm::count_if(
          Of, [](OpFoldResult Part) { return !getConstantIntValue(Part); }) > 1)
    return reshaped(Tensor, To);
  SmallVector<ReassociationIndices> Groups;
  int64_t Next = 0;
  for (int64_t Each = 0; Each < From.getRank(); ++Each) {
    int64_t Parts = Each == Axis ? int64_t(Of.size()) : 1;
    Groups.emplace_back(llvm::to_vector(llvm::seq(Next, Next + Parts)));
    Next += Parts;
  }
  return tensor::ExpandShapeOp::create(B, typeOf(To, From.getElementType()),
                                       Tensor, Groups, staticWhereKnown(To));
}

Value Lowering::sliced(Value Tensor, ArrayRef<OpFoldResult> Starts,
                       ArrayRef<OpFoldResult> Counts,
                       ArrayRef<OpFoldResult> Steps) {
  // Of nothing there is no first element to begin with.
  Extents Of = staticWhereKnown(Counts);
  for (auto [Axis, Count] : llvm::enumerate(Of)) {
    auto Whole = getConstantIntValue(extentOf(Tensor, Axis));
    auto Start = getConstantIntValue(Starts[Axis]);
    if (Whole == 0 || (Whole && Start && *Start >= *Whole))
      Count = extent(0);
  }
  if (hasNoElement(Of))
    return empty(Of, heldBy(Tensor));
  return tensor::ExtractSliceOp::create(B, Tensor, staticWhereKnown(Starts), Of,
                                        staticWhereKnown(Steps));
}

Value Lowering::inserted(Value Part, Value Into, ArrayRef<OpFoldResult> Starts,
                         ArrayRef<OpFoldResult> Counts,
                         ArrayRef<OpFoldResult> Steps) {
  // What has no element has no place, behind the last one least of all; nor is
  // there a place where there is no element.
  if (hasNoElement(Counts) || hasNoElement(extentsOf(Into)))
    return Into;
  return tensor::InsertSliceOp::create(B, Part, Into, Starts, Counts, Steps);
}

Value Lowering::padded(Value Tensor, ArrayRef<OpFoldResult> Low,
                       ArrayRef<OpFoldResult> High, Value With) {
  Extents Of = extentsOf(Tensor), Own = Of;
  for (auto [Extent, Before, After] : llvm::zip(Of, Low, High))
    Extent = add(add(Extent, Before), After);
  if (hasNoElement(Own))
    return filled(Of, With);
  return tensor::PadOp::create(B, typeOf(Of, heldBy(Tensor)), Tensor,
                               staticWhereKnown(Low), staticWhereKnown(High),
                               With);
}

Value Lowering::concatenated(ArrayRef<Value> Tensors, int64_t Axis) {
  Extents Of = extentsOf(Tensors.front());
  for (Value Tensor : Tensors.drop_front())
    for (int64_t At = 0; At < int64_t(Of.size()); ++At) {
      OpFoldResult Own = extentOf(Tensor, At);
      if (At == Axis)
        Of[At] = add(Of[At], Own);
      else if (!getConstantIntValue(Of[At]))
        Of[At] = getConstantIntValue(Own) ? Own : Of[At];
    }
  Value Result = empty(Of, heldBy(Tensors.front()));
  Extents Starts(Of.size(), extent(0)), Steps(Of.size(), extent(1));
  for (Value Tensor : Tensors) {
    OpFoldResult Count = extentOf(Tensor, Axis);
    // A part that does not fit ends the run; until then it is left out.
    Value Fits = arith::ConstantIntOp::create(B, 1, 1);
    for (int64_t At = 0; At < int64_t(Of.size()); ++At)
      if (OpFoldResult Own = extentOf(Tensor, At);
          At != Axis && !surelyEqual(Own, Of[At]))
        Fits = B.createOrFold<arith::AndIOp>(
            Fits, arith::CmpIOp::create(B, arith::CmpIPredicate::eq, index(Own),
                                        index(Of[At])));
    Value Part = onlyIf(Fits, cast<RankedTensorType>(Tensor.getType()),
                        [&] { return Tensor; });
    Result = inserted(Part, Result, Starts, extentsOf(Part), Steps);
    Starts[Axis] = add(Starts[Axis], Count);
  }
  return Result;
}
