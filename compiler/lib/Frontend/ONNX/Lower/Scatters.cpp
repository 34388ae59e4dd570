//===- Scatters.cpp - Elements written at computed places ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// One update after the other, because two of them may have one place.
//
//===----------------------------------------------------------------------===//

#include "Indices.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// What an update does to what is there
//===----------------------------------------------------------------------===//

namespace {
enum class Reduction { None, Add, Mul, Max, Min };
} // namespace

static FailureOr<Reduction> readReduction(Lowering &L) {
  FailureOr<std::string> Name = L.N.string("reduction", "none");
  if (failed(Name))
    return failure();
  static const std::pair<StringLiteral, Reduction> Known[] = {
      {"none", Reduction::None},
      {"add", Reduction::Add},
      {"mul", Reduction::Mul},
      {"max", Reduction::Max},
      {"min", Reduction::Min}};
  for (auto [Word, Means] : Known)
    if (*Name == Word)
      return Means;
  return L.error() << "reduction '" << *Name
                   << "' is none of none, add, mul, max, min";
}

static Value combine(OpBuilder &B, Location Loc, Reduction How, Type Element,
                     Value Old, Value New) {
  bool IsFloat = isa<FloatType>(Element), IsBool = Element.isInteger(1);
  bool IsUnsigned = Element.isUnsignedInteger();
  switch (How) {
  case Reduction::None:
    return New;
  case Reduction::Add:
    if (IsBool)
      return arith::OrIOp::create(B, Loc, Old, New);
    return Scalars(B, Loc).add(Old, New);
  case Reduction::Mul:
    return Scalars(B, Loc).mul(Old, New);
  case Reduction::Max:
    if (IsFloat)
      return arith::MaximumFOp::create(B, Loc, Old, New);
    if (IsUnsigned || IsBool)
      return arith::MaxUIOp::create(B, Loc, Old, New);
    return arith::MaxSIOp::create(B, Loc, Old, New);
  case Reduction::Min:
    if (IsFloat)
      return arith::MinimumFOp::create(B, Loc, Old, New);
    if (IsUnsigned || IsBool)
      return arith::MinUIOp::create(B, Loc, Old, New);
    return arith::MinSIOp::create(B, Loc, Old, New);
  }
  llvm_unreachable("a reduction");
}

/// `Body` for each of `Counts` indices in turn; it gives what became of the
/// tensor that it gets.
static Value
forEach(Lowering &L, Value Tensor, ArrayRef<OpFoldResult> Counts,
        llvm::function_ref<Value(ValueRange Indices, Value Tensor)> Body,
        SmallVector<Value> Outer = {}) {
  if (Outer.size() == Counts.size())
    return Body(Outer, Tensor);
  auto Loop = scf::ForOp::create(L.B, L.index(0), L.index(Counts[Outer.size()]),
                                 L.index(1), Tensor);
  OpBuilder::InsertionGuard Guard(L.B);
  L.B.setInsertionPointToStart(Loop.getBody());
  Outer.push_back(Loop.getInductionVar());
  Value Next = forEach(L, Loop.getRegionIterArg(0), Counts, Body, Outer);
  scf::YieldOp::create(L.B, Next);
  return Loop.getResult(0);
}

/// `Count`, or 0 where an axis of `Extent` has no element to be replaced.
static OpFoldResult noneOfNone(Lowering &L, OpFoldResult Count, Value Extent) {
  auto Known = getConstantIntValue(Extent);
  return Known && *Known > 0 ? Count : L.mul(Count, L.min(Extent, L.extent(1)));
}

//===----------------------------------------------------------------------===//
// ScatterElements
//===----------------------------------------------------------------------===//

static LogicalResult lowerScatterElements(Lowering &L) {
  const Plain &Data = L.in(0), &Indices = L.in(1), &Updates = L.in(2);
  FailureOr<Reduction> How = readReduction(L);
  FailureOr<int64_t> Given = L.N.integer("axis", 0);
  if (failed(How) || failed(Given))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, Data.rank());
  if (failed(Axis))
    return failure();
  if (Indices.rank() != Data.rank() || Updates.rank() != Data.rank())
    return L.error() << "its data, indices and updates differ in rank";
  Scalars Outer(L.B, L.B.getLoc());
  Extents Counts = L.extentsOf(Indices.Tensor);
  SmallVector<Value> Own;
  for (int64_t At = 0; At < Data.rank(); ++At) {
    if (failed(L.agreed(Counts[At], L.extentOf(Updates.Tensor, At),
                        "its indices and updates differ in a dimension")))
      return failure();
    Counts[At] = L.min(Counts[At], L.extentOf(Updates.Tensor, At));
    Own.push_back(L.index(L.extentOf(Data.Tensor, At)));
    if (At != *Axis)
      L.require(Outer.atMost(L.index(Counts[At]), Own[At]),
                "its indices have more elements in a dimension than its data");
  }
  requireWithin(L, Indices, Own[*Axis]);
  for (Value Extent : Own)
    Counts[0] = noneOfNone(L, Counts[0], Extent);
  Value Result = forEach(
      L, Data.Tensor, Counts, [&](ValueRange Loops, Value Tensor) -> Value {
        Scalars S(L.B, L.B.getLoc());
        SmallVector<Value> At;
        for (auto [Loop, Extent] : llvm::zip(Loops, Own))
          At.push_back(S.within(Loop, Extent));
        At[*Axis] =
            keptIndex(S, S.at(Indices.Tensor, Loops), Indices, Own[*Axis]);
        Value New = combine(L.B, L.B.getLoc(), *How, Data.Element,
                            S.at(Tensor, At), S.at(Updates.Tensor, Loops));
        return tensor::InsertOp::create(L.B, New, Tensor, At);
      });
  return L.define({Result, Data.Element});
}

//===----------------------------------------------------------------------===//
// ScatterND
//===----------------------------------------------------------------------===//

/// The first `Count` axes as one.
static Value flatFront(Lowering &L, Value Tensor, int64_t Count) {
  if (Count > 0)
    return L.merged(Tensor, 0, Count);
  Extents Of = L.extentsOf(Tensor);
  Of.insert(Of.begin(), L.extent(1));
  return L.reshaped(Tensor, Of);
}

static LogicalResult requireUpdatesFit(Lowering &L, int64_t Tuples,
                                       int64_t Depth) {
  const Plain &Data = L.in(0), &Indices = L.in(1), &Updates = L.in(2);
  if (Depth > Data.rank() || Updates.rank() != Tuples + Data.rank() - Depth)
    return L.error() << "its updates have " << Updates.rank()
                     << " dimensions; the ones of its indices but the last, "
                        "and those of its data that no index names are needed";
  for (int64_t At = 0; At < Updates.rank(); ++At) {
    OpFoldResult Wanted = At < Tuples
                              ? L.extentOf(Indices.Tensor, At)
                              : L.extentOf(Data.Tensor, At - Tuples + Depth);
    if (failed(L.agreed(L.extentOf(Updates.Tensor, At), Wanted,
                        "its updates differ in a dimension from what they "
                        "replace")))
      return failure();
  }
  return success();
}

static LogicalResult lowerScatterND(Lowering &L) {
  const Plain &Data = L.in(0), &Indices = L.in(1), &Updates = L.in(2);
  FailureOr<Reduction> How = readReduction(L);
  FailureOr<int64_t> Depth = tupleSize(L, Indices);
  if (failed(How) || failed(Depth))
    return failure();
  int64_t Tuples = Indices.rank() - 1;
  if (failed(requireUpdatesFit(L, Tuples, *Depth)))
    return failure();
  requireTuplesWithin(L, Indices, Data, 0);
  Value Places = flatFront(L, Indices.Tensor, Tuples);
  Value News = flatFront(L, Updates.Tensor, Tuples);
  Extents Inner = L.extentsOf(Data.Tensor), Counts = {L.extentOf(Places, 0)};
  SmallVector<Value> Own;
  for (int64_t Part = 0; Part < *Depth; ++Part) {
    Own.push_back(L.index(Inner[Part]));
    Counts[0] = noneOfNone(L, Counts[0], Own.back());
  }
  // As many updates as there are, if each is what a place takes.
  Counts[0] = L.min(Counts[0], L.extentOf(News, 0));
  for (int64_t At = *Depth; At < Data.rank(); ++At)
    if (OpFoldResult Has = L.extentOf(News, At - *Depth + 1);
        !L.surelyEqual(Has, Inner[At])) {
      Scalars S(L.B, L.B.getLoc());
      Counts[0] =
          getAsOpFoldResult(S.choose(S.equal(L.index(Has), L.index(Inner[At])),
                                     L.index(Counts[0]), S.index(0)));
    }
  if (L.hasNoElement(Inner) || L.hasNoElement(L.extentsOf(News)))
    return L.define(Data);
  Inner.erase(Inner.begin(), Inner.begin() + *Depth);
  Type Held = Data.type().getElementType();
  RankedTensorType Slice = L.typeOf(Inner, Held);
  Extents Ones(Data.rank(), L.extent(1)), Sizes(*Depth, L.extent(1));
  llvm::append_range(Sizes, Inner);
  Extents NewSizes = {L.extent(1)};
  llvm::append_range(NewSizes, Inner);
  Value Result = forEach(
      L, Data.Tensor, Counts, [&](ValueRange Loops, Value Tensor) -> Value {
        Scalars S(L.B, L.B.getLoc());
        Extents At(Data.rank(), L.extent(0)),
            From(NewSizes.size(), L.extent(0));
        for (int64_t Part = 0; Part < *Depth; ++Part)
          At[Part] = keptIndex(S, S.at(Places, {Loops[0], S.index(Part)}),
                               Indices, Own[Part]);
        From[0] = Loops[0];
        Value New = tensor::ExtractSliceOp::create(
            L.B, Slice, News, From, NewSizes,
            Extents(NewSizes.size(), L.extent(1)));
        if (*How != Reduction::None) {
          Value Old = tensor::ExtractSliceOp::create(L.B, Slice, Tensor, At,
                                                     Sizes, Ones);
          AffineMap Same = L.B.getMultiDimIdentityMap(Inner.size());
          New =
              L.mapped({Old, New}, {Same, Same}, Inner, Held,
                       [&](OpBuilder &B, Location Loc, ValueRange X) {
                         return combine(B, Loc, *How, Data.Element, X[0], X[1]);
                       });
        }
        return L.inserted(New, Tensor, At, Sizes, Ones);
      });
  return L.define({Result, Data.Element});
}

//===----------------------------------------------------------------------===//
// TensorScatter
//===----------------------------------------------------------------------===//

/// Each element of the cache is an update's or stays: no place is written
/// twice.
static LogicalResult lowerTensorScatter(Lowering &L) {
  const Plain &Cache = L.in(0), &Updates = L.in(1);
  FailureOr<int64_t> Given = L.N.integer("axis", -2);
  FailureOr<std::string> Mode = L.N.string("mode", "linear");
  if (failed(Given) || failed(Mode))
    return failure();
  FailureOr<int64_t> Axis = L.axis(*Given, Cache.rank());
  if (failed(Axis))
    return failure();
  if (*Mode != "linear" && *Mode != "circular")
    return L.error() << "mode '" << *Mode << "' is neither linear nor circular";
  if (*Axis == 0 || Updates.rank() != Cache.rank())
    return L.error() << "its axis is the batch, or its updates have another "
                        "rank than its cache";
  if (L.has(2) && L.in(2).rank() != 1)
    return L.error() << "it has not one index for each batch";
  for (int64_t At = 0; At < Cache.rank(); ++At)
    if (At != *Axis &&
        failed(L.agreed(L.extentOf(Cache.Tensor, At),
                        L.extentOf(Updates.Tensor, At),
                        "its updates differ in a dimension from its cache")))
      return failure();
  Scalars Outer(L.B, L.B.getLoc());
  // What does not fit ends the run; until then it is read within.
  Value Written = L.neverEmpty(Updates.Tensor), Starts;
  SmallVector<Value> Own;
  for (OpFoldResult Extent : L.extentsOf(Written))
    Own.push_back(L.index(Extent));
  if (L.has(2))
    Starts = L.neverEmpty(L.in(2).Tensor);
  Value Size = L.index(L.extentOf(Cache.Tensor, *Axis));
  Value Count = L.index(L.extentOf(Updates.Tensor, *Axis));
  Value Batches = L.has(2) ? L.index(L.extentOf(Starts, 0)) : Value();
  bool IsCircular = *Mode == "circular";
  Value Fits = Outer.atMost(Count, Size);
  if (L.has(2)) {
    if (failed(L.agreed(L.extentOf(L.in(2).Tensor, 0),
                        L.extentOf(Cache.Tensor, 0),
                        "it has not one index for each batch")))
      return failure();
    Value All = L.reduced(
        L.in(2).Tensor, {0}, false, Fits,
        [&](OpBuilder &B, Location Loc, ValueRange X) {
          Scalars S(B, Loc);
          Value First = S.toIndex(X[0]);
          Value Fits = S.both(X[1], S.atMost(S.index(0), First));
          return IsCircular ? Fits
                            : S.both(Fits, S.atMost(First, S.sub(Size, Count)));
        });
    Fits = Outer.at(All, {});
  }
  L.require(Fits, "its updates are outside of its cache");
  Extents Of = L.extentsOf(Cache.Tensor);
  Value Result =
      L.mapped(Cache.Tensor, L.B.getMultiDimIdentityMap(Cache.rank()), Of,
               Cache.type().getElementType(),
               [&](OpBuilder &B, Location Loc, ValueRange Elements) {
                 Scalars S(B, Loc);
                 SmallVector<Value> At = loopIndices(B, Loc, Of.size());
                 Value First = S.index(0);
                 if (L.has(2))
                   First = S.toIndex(S.at(Starts, S.within(At[0], Batches)));
                 Value Place = S.sub(At[*Axis], First);
                 if (IsCircular)
                   Place = S.modulo(Place, S.max(Size, S.index(1)));
                 Value IsNew = S.isWithin(Place, Count);
                 At[*Axis] = Place;
                 for (auto [Index, Extent] : llvm::zip(At, Own))
                   Index = S.within(Index, Extent);
                 Value New = S.at(Written, At);
                 return S.choose(IsNew, New, Elements[0]);
               });
  return L.define({Result, Cache.Element});
}

ArrayRef<LoweredOperator> tenon::frontend::scatterOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "ScatterElements", 11, lowerScatterElements},
      {"", "ScatterND", 11, lowerScatterND},
      {"", "TensorScatter", 24, lowerTensorScatter},
  };
  return Table;
}
