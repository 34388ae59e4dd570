//===- Reshapes.cpp - Operators that keep the order of elements ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Scalars.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// Takes away what both products have: equal extents and common divisors.
static void cancel(Lowering &L, Extents &Numerator, Extents &Denominator) {
  auto takeConstants = [&](Extents &Of) {
    OpFoldResult Product = L.extent(1);
    llvm::erase_if(Of, [&](OpFoldResult Extent) {
      bool IsStatic = getConstantIntValue(Extent).has_value();
      if (IsStatic)
        Product = L.mul(Product, Extent);
      return IsStatic;
    });
    return *getConstantIntValue(Product);
  };
  int64_t Above = takeConstants(Numerator);
  int64_t Below = takeConstants(Denominator);
  for (auto *At = Numerator.begin(); At != Numerator.end();) {
    auto *Same = llvm::find_if(Denominator, [&](OpFoldResult Other) {
      return L.surelyEqual(*At, Other);
    });
    if (Same == Denominator.end()) {
      ++At;
      continue;
    }
    Denominator.erase(Same);
    At = Numerator.erase(At);
  }
  if (int64_t Common = std::gcd(Above, Below)) {
    Above /= Common;
    Below /= Common;
  }
  Numerator.push_back(L.extent(Above));
  Denominator.push_back(L.extent(Below));
}

/// As many elements in the shape `Of` as in `Own`: whether it is so.
static FailureOr<Value> requireSameCount(Lowering &L, Extents Own, Extents Of) {
  cancel(L, Own, Of);
  Scalars S(L.B, L.B.getLoc());
  OpFoldResult Has = L.product(Own), Wants = L.product(Of);
  auto Known = getConstantIntValue(Has), Wanted = getConstantIntValue(Wants);
  constexpr StringLiteral Message =
      "its shape has another number of elements than the tensor";
  if (Known && Wanted) {
    if (*Known != *Wanted)
      return L.error() << Message;
    return S.truth(true);
  }
  // A product that overflows could be any number.
  Value IsSo =
      S.both(L.requireBounded(Of), S.equal(L.index(Has), L.index(Wants)));
  L.require(IsSo, Message);
  return IsSo;
}

/// The extent at `Missing` makes up the number of elements.
static FailureOr<Value> inferExtent(Lowering &L, ArrayRef<OpFoldResult> Own,
                                    int64_t Missing, Extents &Of) {
  Extents All(Own), Others(Of);
  Others.erase(Others.begin() + Missing);
  cancel(L, All, Others);
  OpFoldResult Has = L.product(All), By = L.product(Others);
  auto Known = getConstantIntValue(Has), Divisor = getConstantIntValue(By);
  constexpr StringLiteral Message =
      "the tensor's elements do not fill its shape evenly";
  Scalars S(L.B, L.B.getLoc());
  if (Divisor == 1) {
    Of[Missing] = Has;
    return S.truth(true);
  }
  if (Divisor == 0)
    return L.error() << "its shape has -1 beside an extent of 0";
  if (Known == 0) {
    Of[Missing] = L.extent(0);
    return requireSameCount(L, Extents(Own), Of);
  }
  if (Known && Divisor) {
    if (*Known % *Divisor)
      return L.error() << Message;
    Of[Missing] = L.extent(*Known / *Divisor);
    return S.truth(true);
  }
  Of[Missing] = L.floorDiv(Has, L.max(By, L.extent(1)));
  Value IsSo = S.both(L.requireBounded(Others),
                      S.equal(L.index(L.mul(Of[Missing], By)), L.index(Has)));
  L.require(IsSo, Message);
  return IsSo;
}

/// Whether a number that the run computes is known not to be negative.
static bool isExtent(OpFoldResult Number) {
  if (auto Static = getConstantIntValue(Number))
    return *Static >= 0;
  return isa_and_nonnull<tensor::DimOp>(cast<Value>(Number).getDefiningOp());
}

/// Any of the numbers may turn out to be -1.
static FailureOr<Value> resolveComputed(Lowering &L, ArrayRef<OpFoldResult> Own,
                                        Extents &Of) {
  Scalars S(L.B, L.B.getLoc());
  Value MinusOne = S.index(-1), One = S.index(1), Zero = S.index(0);
  Value Count = Zero, AreExtents = S.truth(true), Filled = One;
  SmallVector<Value> IsMissing;
  for (OpFoldResult Extent : Of) {
    Value Number = L.index(Extent);
    IsMissing.push_back(S.equal(Number, MinusOne));
    Count = S.add(Count, S.choose(IsMissing.back(), One, Zero));
    AreExtents = S.both(AreExtents, S.atMost(MinusOne, Number));
    Filled = S.mul(Filled, S.choose(IsMissing.back(), One, Number));
  }
  L.require(S.both(AreExtents, S.atMost(Count, One)),
            "its shape has a negative extent, or -1 more than once");
  Value Missing = S.div(L.index(L.product(Own)), S.max(Filled, One));
  for (auto [Extent, IsOpen] : llvm::zip(Of, IsMissing))
    if (!isExtent(Extent))
      Extent = S.max(S.choose(IsOpen, Missing, L.index(Extent)), Zero);
  return requireSameCount(L, Extents(Own), Of);
}

static LogicalResult lowerReshape(Lowering &L) {
  FailureOr<int64_t> AllowsZero = L.N.integer("allowzero", 0);
  FailureOr<Extents> Shape = L.listed(1);
  if (failed(AllowsZero) || failed(Shape))
    return failure();
  Value Tensor = L.in(0).Tensor;
  Extents Own = L.extentsOf(Tensor);
  Scalars S(L.B, L.B.getLoc());
  std::optional<int64_t> Missing;
  bool IsOpen = false;
  for (auto [Axis, Extent] : llvm::enumerate(*Shape)) {
    auto Static = getConstantIntValue(Extent);
    bool MayKeep = !*AllowsZero && Axis < Own.size();
    if (Static == 0 && !*AllowsZero) {
      if (!MayKeep)
        return L.error() << "extent 0 of its shape keeps dimension " << Axis
                         << ", which the tensor does not have";
      Extent = Own[Axis];
    } else if (Static == -1) {
      if (Missing)
        return L.error() << "its shape has -1 more than once";
      Missing = Axis;
    } else if (Static && *Static < 0) {
      return L.error() << "its shape has the extent " << *Static;
    } else if (!Static) {
      IsOpen |= !isExtent(Extent);
      if (MayKeep && !L.surelyEqual(Extent, Own[Axis])) {
        Value Given = L.index(Extent);
        Extent =
            S.choose(S.equal(Given, S.index(0)), L.index(Own[Axis]), Given);
      }
    }
  }
  if (Missing)
    for (OpFoldResult &Extent : *Shape)
      if (!getConstantIntValue(Extent) && !isExtent(Extent))
        Extent = L.max(Extent, L.extent(0));
  FailureOr<Value> IsWhole = IsOpen && !Missing
                                 ? resolveComputed(L, Own, *Shape)
                             : Missing ? inferExtent(L, Own, *Missing, *Shape)
                                       : requireSameCount(L, Own, *Shape);
  if (failed(IsWhole))
    return failure();
  RankedTensorType Type = L.typeOf(*Shape, L.in(0).type().getElementType());
  Value Result =
      L.onlyIf(*IsWhole, Type, [&] { return L.reshaped(Tensor, *Shape); });
  return L.define({Result, L.in(0).Element});
}

//===----------------------------------------------------------------------===//
// Flatten
//===----------------------------------------------------------------------===//

static LogicalResult lowerFlatten(Lowering &L) {
  FailureOr<int64_t> Axis = L.N.integer("axis", 1);
  if (failed(Axis))
    return failure();
  int64_t Rank = L.in(0).rank(), At = *Axis < 0 ? *Axis + Rank : *Axis;
  if (At < 0 || At > Rank)
    return L.error() << "axis " << *Axis << " is outside of a tensor with "
                     << Rank << " dimensions";
  Value Tensor = L.in(0).Tensor;
  if (At > 0 && At < Rank) {
    SmallVector<ReassociationIndices> Groups = {
        llvm::to_vector(llvm::seq<int64_t>(0, At)),
        llvm::to_vector(llvm::seq(At, Rank))};
    return L.define({L.collapsed(Tensor, Groups), L.in(0).Element});
  }
  Extents Own = L.extentsOf(Tensor);
  ArrayRef<OpFoldResult> All(Own);
  Extents Of = {L.product(All.take_front(At)), L.product(All.drop_front(At))};
  return L.define({L.reshaped(Tensor, Of), L.in(0).Element});
}

ArrayRef<LoweredOperator> tenon::frontend::reshapingOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Flatten", 1, lowerFlatten},
      {"", "Reshape", 5, lowerReshape},
  };
  return Table;
}
