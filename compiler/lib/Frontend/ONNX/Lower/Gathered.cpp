//===- Gathered.cpp - What a loop's iterations give, in one tensor -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Gathered.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

RankedTensorType tenon::frontend::without(RankedTensorType Of, int64_t Axis) {
  SmallVector<int64_t> Dims(Of.getShape());
  Dims.erase(Dims.begin() + Axis);
  return RankedTensorType::get(Dims, Of.getElementType());
}

Value tenon::frontend::sliceAt(Lowering &L, Value Tensor, int64_t Axis,
                               OpFoldResult At) {
  Extents Of = L.extentsOf(Tensor), Starts(Of.size(), L.extent(0)),
          Steps(Of.size(), L.extent(1));
  Of[Axis] = L.extent(1);
  Starts[Axis] = At;
  return tensor::ExtractSliceOp::create(
      L.B, without(cast<RankedTensorType>(Tensor.getType()), Axis), Tensor,
      Starts, Of, Steps);
}

/// The extents of a row with `Along` for the axis of rows.
Extents Gathered::around(ArrayRef<OpFoldResult> OfRow,
                         OpFoldResult Along) const {
  Extents Result(OfRow);
  Result.insert(Result.begin() + Axis, Along);
  return Result;
}

Value Gathered::space(Lowering &L, ArrayRef<OpFoldResult> Of) const {
  Type Held = Row.Tensor.getElementType();
  return Zeroed ? L.filled(Of, L.number(Held, 0)) : L.empty(Of, Held);
}

/// The same type in every iteration.
static RankedTensorType typeOfSpace(PlainType Row, int64_t Axis) {
  SmallVector<int64_t> Dims(Row.Tensor.getShape());
  Dims.insert(Dims.begin() + Axis, ShapedType::kDynamic);
  return RankedTensorType::get(Dims, Row.Tensor.getElementType());
}

Value Gathered::begin(Lowering &L) const {
  Extents OfRow;
  for (int64_t Extent : Row.Tensor.getShape())
    OfRow.push_back(L.extent(ShapedType::isDynamic(Extent) ? 0 : Extent));
  if (isFixed())
    return space(L, around(OfRow, *Count));
  return opened(L, space(L, around(OfRow, L.extent(0))),
                typeOfSpace(Row, Axis));
}

/// A space with room for another row.
Value Gathered::grown(Lowering &L, Value Space, Value Of,
                      Value Iteration) const {
  Value IsFull =
      arith::CmpIOp::create(L.B, arith::CmpIPredicate::sge, Iteration,
                            L.index(L.extentOf(Space, Axis)));
  auto Larger = [&] {
    // The rows so far have the extents; before the first one, it has them.
    Value IsFirst = arith::CmpIOp::create(L.B, arith::CmpIPredicate::eq,
                                          L.index(L.extentOf(Space, Axis)),
                                          L.index(int64_t{0}));
    Extents OfRow;
    for (int64_t Inner = 0; Inner < Row.Tensor.getRank(); ++Inner) {
      OpFoldResult Extent = L.extentOf(Of, Inner);
      OpFoldResult SoFar = L.extentOf(Space, Inner + (Inner >= Axis));
      if (Row.Tensor.isDynamicDim(Inner))
        Extent = arith::SelectOp::create(L.B, IsFirst, L.index(Extent),
                                         L.index(SoFar))
                     .getResult();
      OfRow.push_back(Extent);
    }
    if (Count) // the first row of a known number
      return opened(L, space(L, around(OfRow, *Count)), typeOfSpace(Row, Axis));
    OpFoldResult Twice = L.mul(L.extentOf(Space, Axis), L.extent(2));
    Value New = space(L, around(OfRow, L.max(Twice, L.extent(1))));
    Extents Zeros(OfRow.size() + 1, L.extent(0)),
        Ones(OfRow.size() + 1, L.extent(1));
    return L.inserted(Space, New, Zeros, L.extentsOf(Space), Ones);
  };
  return either(L, IsFull, Space.getType(), Larger, [&] { return Space; });
}

Value Gathered::add(Lowering &L, Value Space, Value Of, Value Iteration,
                    Value Position) const {
  if (!isFixed())
    Space = grown(L, Space, Of, Iteration);
  auto Inserted = [&]() -> Value {
    Extents Starts(Row.Tensor.getRank() + 1, L.extent(0)),
        Ones(Starts.size(), L.extent(1));
    Starts[Axis] = Position;
    return L.inserted(Of, Space, Starts, around(L.extentsOf(Of), L.extent(1)),
                      Ones);
  };
  if (Row.Tensor.hasStaticShape())
    return Inserted();
  Value Fits = L.integer(L.B.getI1Type(), 1);
  for (int64_t Inner = 0; Inner < Row.Tensor.getRank(); ++Inner)
    if (Row.Tensor.isDynamicDim(Inner))
      Fits = arith::AndIOp::create(
          L.B, Fits,
          arith::CmpIOp::create(
              L.B, arith::CmpIPredicate::eq, L.index(L.extentOf(Of, Inner)),
              L.index(L.extentOf(Space, Inner + (Inner >= Axis)))));
  L.require(Fits, "an output of its body changes its shape between iterations");
  return either(L, Fits, Space.getType(), Inserted, [&] { return Space; });
}

Plain Gathered::end(Lowering &L, Value Space, OpFoldResult Iterations) const {
  if (Count) {
    // As static as the count.
    Extents Of = L.extentsOf(Space);
    Of[Axis] = *Count;
    return {opened(L, Space, L.typeOf(Of, Row.Tensor.getElementType())),
            Row.Element};
  }
  Extents Of = L.extentsOf(Space), Zeros(Of.size(), L.extent(0)),
          Ones(Of.size(), L.extent(1));
  Of[Axis] = Iterations;
  return {L.sliced(Space, Zeros, Of, Ones), Row.Element};
}
