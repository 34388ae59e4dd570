//===- Gathers.cpp - Elements read at computed places --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An index that is outside of its axis ends the run; what is read until then is
// within the tensor.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Operators.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// One known index, or known indices of a list: no search.
static Value gatheredKnown(Lowering &L, int64_t Axis) {
  const Plain &Data = L.in(0), &Indices = L.in(1);
  auto Known = L.integers(1);
  auto Extent = getConstantIntValue(L.extentOf(Data.Tensor, Axis));
  if (!Known || !Extent || Indices.rank() > 1)
    return {};
  for (int64_t &Index : *Known) {
    Index += Index < 0 ? *Extent : 0;
    if (Index < 0 || Index >= *Extent)
      return {};
  }
  if (auto Elements =
          Data.rank() == 1 ? L.elementsOf(Data.Tensor) : std::nullopt) {
    SmallVector<Value> Taken;
    for (int64_t Index : *Known)
      Taken.push_back((*Elements)[Index]);
    return L.list(Taken, Data.type().getElementType(), Indices.rank());
  }
  if (Known->size() != 1)
    return {};
  Extents Of = L.extentsOf(Data.Tensor);
  Extents Starts(Of.size(), L.extent(0)), Steps(Of.size(), L.extent(1));
  Starts[Axis] = L.extent(Known->front());
  Of[Axis] = L.extent(1);
  Value Slice = L.sliced(Data.Tensor, Starts, Of, Steps);
  if (Indices.rank() == 0)
    Of.erase(Of.begin() + Axis);
  return L.reshaped(Slice, Of);
}

static LogicalResult lowerGather(Lowering &L) {
  const Plain &Data = L.in(0), &Indices = L.in(1);
  FailureOr<int64_t> Given = L.N.integer("axis", 0);
  if (failed(Given))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, Data.rank());
  if (failed(Axis))
    return failure();
  if (Value Known = gatheredKnown(L, *Axis))
    return L.define({Known, Data.Element});
  Value Extent = L.index(L.extentOf(Data.Tensor, *Axis));
  requireWithin(L, Indices, Extent);
  Extents Of = L.extentsOf(Data.Tensor), Inserted = L.extentsOf(Indices.Tensor);
  Of.erase(Of.begin() + *Axis);
  Of.insert(Of.begin() + *Axis, Inserted.begin(), Inserted.end());
  SmallVector<AffineExpr> Read;
  for (int64_t At = 0; At < Indices.rank(); ++At)
    Read.push_back(L.B.getAffineDimExpr(*Axis + At));
  auto Element = [&](OpBuilder &B, Location Loc, ValueRange Elements) {
    Scalars S(B, Loc);
    SmallVector<Value> At = loopIndices(B, Loc, Of.size());
    At.erase(At.begin() + *Axis, At.begin() + *Axis + Indices.rank());
    At.insert(At.begin() + *Axis, keptIndex(S, Elements[0], Indices, Extent));
    return S.at(Data.Tensor, At);
  };
  Value Result = unlessEmpty(L, Data, Of, [&] {
    return L.mapped(Indices.Tensor,
                    AffineMap::get(Of.size(), 0, Read, L.B.getContext()), Of,
                    Data.type().getElementType(), Element);
  });
  return L.define({Result, Data.Element});
}

//===----------------------------------------------------------------------===//
// GatherElements, GatherND
//===----------------------------------------------------------------------===//

static LogicalResult lowerGatherElements(Lowering &L) {
  const Plain &Data = L.in(0), &Indices = L.in(1);
  FailureOr<int64_t> Given = L.N.integer("axis", 0);
  if (failed(Given))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, Data.rank());
  if (failed(Axis))
    return failure();
  if (Indices.rank() != Data.rank())
    return L.error() << "its indices have another rank than its data";
  Extents Of = L.extentsOf(Indices.Tensor);
  SmallVector<Value> Own;
  for (int64_t At = 0; At < Data.rank(); ++At)
    Own.push_back(L.index(L.extentOf(Data.Tensor, At)));
  requireWithin(L, Indices, Own[*Axis]);
  Scalars Outer(L.B, L.B.getLoc());
  for (int64_t At = 0; At < Data.rank(); ++At) {
    if (At != *Axis)
      L.require(Outer.atMost(L.index(Of[At]), Own[At]),
                "its indices have more elements in a dimension than its data");
  }
  auto Element = [&](OpBuilder &B, Location Loc, ValueRange Elements) {
    Scalars S(B, Loc);
    SmallVector<Value> At = loopIndices(B, Loc, Of.size());
    for (auto [Index, Extent] : llvm::zip(At, Own))
      Index = S.within(Index, Extent);
    At[*Axis] = keptIndex(S, Elements[0], Indices, Own[*Axis]);
    return S.at(Data.Tensor, At);
  };
  Value Result = unlessEmpty(L, Data, Of, [&] {
    return L.mapped(Indices.Tensor, L.B.getMultiDimIdentityMap(Of.size()), Of,
                    Data.type().getElementType(), Element);
  });
  return L.define({Result, Data.Element});
}

static LogicalResult lowerGatherND(Lowering &L) {
  const Plain &Data = L.in(0), &Indices = L.in(1);
  FailureOr<int64_t> Batch = L.N.integer("batch_dims", 0);
  FailureOr<int64_t> Depth = tupleSize(L, Indices);
  if (failed(Batch) || failed(Depth))
    return failure();
  if (*Batch < 0 || *Batch >= Indices.rank() || *Batch + *Depth > Data.rank())
    return L.error() << "batch_dims " << *Batch << " and tuples of " << *Depth
                     << " indices do not fit a tensor with " << Data.rank()
                     << " dimensions";
  requireTuplesWithin(L, Indices, Data, *Batch);
  Extents Of = L.extentsOf(Indices.Tensor);
  Of.pop_back();
  int64_t Tuples = Of.size();
  for (int64_t At = *Batch + *Depth; At < Data.rank(); ++At)
    Of.push_back(L.extentOf(Data.Tensor, At));
  SmallVector<Value> Own;
  for (int64_t At = 0; At < Data.rank(); ++At)
    Own.push_back(L.index(L.extentOf(Data.Tensor, At)));
  auto Element = [&](OpBuilder &B, Location Loc, ValueRange Loops) {
    Scalars S(B, Loc);
    SmallVector<Value> At;
    for (int64_t Axis = 0; Axis < *Batch; ++Axis)
      At.push_back(S.within(Loops[Axis], Own[Axis]));
    SmallVector<Value> Tuple(Loops.take_front(Tuples));
    for (int64_t Part = 0; Part < *Depth; ++Part) {
      Tuple.push_back(S.index(Part));
      Value Index = S.at(Indices.Tensor, Tuple);
      At.push_back(keptIndex(S, Index, Indices, Own[*Batch + Part]));
      Tuple.pop_back();
    }
    llvm::append_range(At, Loops.drop_front(Tuples));
    return S.at(Data.Tensor, At);
  };
  Value Result = unlessEmpty(L, Data, Of, [&] {
    return L.generated(Of, Data.type().getElementType(), Element);
  });
  return L.define({Result, Data.Element});
}

ArrayRef<LoweredOperator> tenon::frontend::gatherOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Gather", 1, lowerGather},
      {"", "GatherElements", 11, lowerGatherElements},
      {"", "GatherND", 11, lowerGatherND},
  };
  return Table;
}
