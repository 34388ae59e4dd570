//===- Selections.cpp - What conditions pick out -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Operators.h"
#include "Order.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon::frontend;

static Value flat(Lowering &L, Value Tensor) {
  return L.reshaped(Tensor, L.product(L.extentsOf(Tensor)));
}

static LogicalResult lowerCompress(Lowering &L) {
  Plain Data = L.in(0);
  const Plain &Flags = L.in(1);
  int64_t Axis = 0;
  if (L.N.hasAttribute("axis")) {
    FailureOr<int64_t> Given = L.N.integer("axis", 0);
    if (failed(Given))
      return failure();
    FailureOr<int64_t> At = L.axis(*Given, Data.rank());
    if (failed(At))
      return failure();
    Axis = *At;
  } else {
    Data.Tensor = flat(L, Data.Tensor);
  }
  if (Flags.rank() != 1)
    return L.error() << "its condition is not a list";
  OpFoldResult Whole = L.extentOf(Data.Tensor, Axis);
  OpFoldResult Asked = L.min(Whole, L.extentOf(Flags.Tensor, 0));
  Selected Kept =
      selectTrue(L, L.sliced(Flags.Tensor, L.extent(0), Asked, L.extent(1)));
  Extents Of = L.extentsOf(Data.Tensor);
  Of[Axis] = Kept.Count;
  Value Extent = L.index(Whole);
  Value Result =
      L.generated(Of, Data.type().getElementType(),
                  [&](OpBuilder &B, Location Loc, ValueRange Loops) {
                    Scalars S(B, Loc);
                    SmallVector<Value> At(Loops);
                    At[Axis] = S.within(S.at(Kept.Places, Loops[Axis]), Extent);
                    return S.at(Data.Tensor, At);
                  });
  return L.define({Result, Data.Element});
}

static LogicalResult lowerNonZero(Lowering &L) {
  const Plain &Data = L.in(0);
  Type Bool = L.B.getI1Type();
  Selected Found =
      selectTrue(L, flat(L, L.converted(Data.Tensor, Data.Element, Bool)));
  Extents Own = L.extentsOf(Data.Tensor);
  SmallVector<Value> Strides(Own.size()), Counts;
  OpFoldResult Stride = L.extent(1);
  for (int64_t Axis = Own.size() - 1; Axis >= 0; --Axis) {
    Strides[Axis] = L.index(L.max(Stride, L.extent(1)));
    Stride = L.mul(Stride, Own[Axis]);
  }
  for (OpFoldResult Extent : Own)
    Counts.push_back(L.index(L.max(Extent, L.extent(1))));
  Type Int64 = L.B.getI64Type();
  Value Result = L.generated(
      {L.extent(Own.size()), Found.Count}, Int64,
      [&](OpBuilder &B, Location Loc, ValueRange Loops) {
        Scalars S(B, Loc);
        Value Place = S.at(Found.Places, Loops[1]), Index = S.index(0);
        for (auto [Axis, Step, Count] : llvm::enumerate(Strides, Counts))
          Index = S.choose(S.equal(Loops[0], S.index(Axis)),
                           S.modulo(S.floorDiv(Place, Step), Count), Index);
        return S.fromIndex(Index, Int64);
      });
  return L.define({Result, Int64});
}

static LogicalResult lowerOneHot(Lowering &L) {
  const Plain &Places = L.in(0), &Values = L.in(2);
  FailureOr<int64_t> Given = L.N.integer("axis", -1);
  if (failed(Given))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, Places.rank() + 1);
  if (failed(Axis))
    return failure();
  Type Int64 = IntegerType::get(L.B.getContext(), 64);
  if (!L.in(1).type().hasStaticShape() ||
      L.in(1).type().getNumElements() != 1 || Values.rank() != 1)
    return L.error() << "its depth is not one number, or its values are no "
                        "list";
  Value One = L.converted(L.in(1).Tensor, L.in(1).Element, Int64);
  Scalars Outer(L.B, L.B.getLoc());
  OpFoldResult Depth;
  if (auto Known = L.integers(1))
    Depth = L.extent(Known->front());
  else
    Depth = Outer.toIndex(
        Outer.at(One, SmallVector<Value>(L.in(1).rank(), Outer.index(0))));
  Value IsDepth = Outer.less(Outer.index(0), L.index(Depth));
  L.require(IsDepth, "its depth is not positive");
  Depth = L.bounded({L.max(Depth, L.extent(0))}).front();
  if (failed(L.agreed(L.extentOf(Values.Tensor, 0), L.extent(2),
                      "its values are not two")))
    return failure();
  Value Count = L.index(Depth);
  Value Size = L.index(L.extentOf(Values.Tensor, 0));
  Value Integers = L.converted(Places.Tensor, Places.Element, Int64);
  Extents Of = L.extentsOf(Places.Tensor);
  Of.insert(Of.begin() + *Axis, Depth);
  SmallVector<AffineExpr> Read;
  for (int64_t At = 0; At < int64_t(Of.size()); ++At)
    if (At != *Axis)
      Read.push_back(L.B.getAffineDimExpr(At));
  Value Result = L.mapped(
      Integers, AffineMap::get(Of.size(), 0, Read, L.B.getContext()), Of,
      Values.type().getElementType(),
      [&](OpBuilder &B, Location Loc, ValueRange X) {
        Scalars S(B, Loc);
        Value Index = S.toIndex(X[0]);
        // Unsigned, what looks negative is beyond any depth.
        if (!Places.isUnsigned())
          Index =
              S.choose(S.less(Index, S.index(0)), S.add(Index, Count), Index);
        Value Loop = loopIndices(B, Loc, Of.size())[*Axis];
        Value Which = S.choose(S.equal(Index, Loop), S.index(1), S.index(0));
        return S.at(Values.Tensor, S.within(Which, Size));
      });
  return L.define({Result, Values.Element});
}

ArrayRef<LoweredOperator> tenon::frontend::selectionOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Compress", 9, lowerCompress},
      {"", "NonZero", 9, lowerNonZero},
      {"", "OneHot", 9, lowerOneHot},
  };
  return Table;
}
