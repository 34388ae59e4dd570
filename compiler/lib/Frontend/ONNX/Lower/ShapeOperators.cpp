//===- ShapeOperators.cpp - Shapes as data, and data from shapes ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../Tensor.h"
#include "Operators.h"
#include "Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon::frontend;

static Type int64(Lowering &L) {
  return IntegerType::get(L.B.getContext(), 64);
}

static LogicalResult lowerShape(Lowering &L) {
  int64_t Rank = L.in(0).rank();
  FailureOr<int64_t> Start = L.N.integer("start", 0);
  FailureOr<int64_t> End = L.N.integer("end", Rank);
  if (failed(Start) || failed(End))
    return failure();
  auto bounded = [&](int64_t Axis) {
    return std::clamp<int64_t>(Axis < 0 ? Axis + Rank : Axis, 0, Rank);
  };
  Extents Of;
  for (int64_t Axis = bounded(*Start); Axis < bounded(*End); ++Axis)
    Of.push_back(L.extentOf(L.in(0).Tensor, Axis));
  return L.define({L.list(Of), int64(L)});
}

static LogicalResult lowerSize(Lowering &L) {
  Value Count = L.index(L.product(L.extentsOf(L.in(0).Tensor)));
  Scalars S(L.B, L.B.getLoc());
  return L.define({L.scalar(S.fromIndex(Count, int64(L))), int64(L)});
}

/// Extents that a list tells; none may be negative.
static FailureOr<Extents> extentsFrom(Lowering &L, int64_t Index) {
  FailureOr<Extents> Of = L.listed(Index);
  if (failed(Of))
    return failure();
  Scalars S(L.B, L.B.getLoc());
  for (OpFoldResult &Extent : *Of) {
    constexpr StringLiteral Message = "an extent of its shape is negative";
    auto Static = getConstantIntValue(Extent);
    if (Static && *Static < 0)
      return L.error() << Message;
    if (Static)
      continue;
    L.require(S.atMost(S.index(0), L.index(Extent)), Message);
    Extent = L.max(Extent, L.extent(0));
  }
  SmallVector<int64_t> Known;
  for (OpFoldResult Extent : *Of)
    Known.push_back(getConstantIntValue(Extent).value_or(ShapedType::kDynamic));
  if (isTooLarge(Known))
    return L.error() << "its shape of " << describe(Known) << " is too large";
  return L.bounded(*Of);
}

static LogicalResult lowerConstantOfShape(Lowering &L) {
  FailureOr<ElementsAttr> Given = L.N.tensor("value");
  FailureOr<Extents> Of = extentsFrom(L, 0);
  if (failed(Given) || failed(Of))
    return failure();
  Type Element = L.B.getF32Type();
  Value With = L.number(Element, 0);
  if (*Given) {
    tenon::onnx::TensorData Data(*Given);
    Element = Data.elementType();
    Type Held = heldType(Element);
    if (!Held || Data.size() != 1)
      return L.error() << "its value is not one number";
    With = Data.isFloat() && isa<FloatType>(Held)
               ? L.number(Held, Data.real(0))
               : L.integer(Held, Data.integer(0));
  }
  auto Count = Of->size() == 1 ? getConstantIntValue((*Of)[0]) : std::nullopt;
  if (Count && *Count > 0 && *Count <= 8 && !Element.isF32())
    return L.define(
        {L.list(SmallVector<Value>(*Count, With), With.getType(), 1), Element});
  return L.define({L.filled(*Of, With), Element});
}

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

/// max(ceil((limit - start) / delta), 0), as ONNX's inference of shapes has it:
/// the difference in the type of the numbers, the quotient in f64.
static Value countRealSteps(Lowering &L, Value Start, Value Limit,
                            Value Delta) {
  Scalars S(L.B, L.B.getLoc());
  auto wide = [&](Value Of) {
    return Of.getType().isF64()
               ? Of
               : L.B.createOrFold<arith::ExtFOp>(L.B.getF64Type(), Of);
  };
  Value Count = S.ceil(S.div(wide(S.sub(Limit, Start)), wide(Delta)));
  return S.max(S.floatToIndex(Count), S.index(0));
}

/// The same of integers. Distance and step are unsigned: any two numbers have
/// one, and -2^63 has a size.
static Value countIntegerSteps(Lowering &L, Value Start, Value Limit,
                               Value Delta) {
  Scalars S(L.B, L.B.getLoc());
  Value Zero = S.like(Delta, 0), One = S.like(Delta, 1);
  Value IsForward = S.less(Zero, Delta);
  Value From = S.choose(IsForward, Start, Limit);
  Value To = S.choose(IsForward, Limit, Start);
  Value Step = S.choose(IsForward, Delta, S.sub(Zero, Delta));
  Step = L.B.createOrFold<arith::MaxUIOp>(Step, One);
  Value Whole =
      L.B.createOrFold<arith::DivUIOp>(S.sub(S.sub(To, From), One), Step);
  Value Count = S.add(
      L.B.createOrFold<arith::MinUIOp>(Whole, S.like(Whole, MaxElements)), One);
  return S.toIndex(S.choose(S.less(From, To), Count, Zero));
}

/// How many numbers there are.
static Value countSteps(Lowering &L, Value Start, Value Limit, Value Delta) {
  return isa<FloatType>(Delta.getType())
             ? countRealSteps(L, Start, Limit, Delta)
             : countIntegerSteps(L, Start, Limit, Delta);
}

static LogicalResult lowerRange(Lowering &L) {
  Scalars S(L.B, L.B.getLoc());
  Type Element = L.in(0).Element, Held = heldType(Element);
  // Narrow floats are counted and added up in f32, integers in 64 bits.
  Type Wide =
      isa<FloatType>(Element)
          ? (Held.getIntOrFloatBitWidth() < 32 ? Type(L.B.getF32Type()) : Held)
          : Type(L.B.getI64Type());
  SmallVector<Value> Given;
  for (int64_t Index = 0; Index < 3; ++Index) {
    if (!L.in(Index).type().hasStaticShape() ||
        L.in(Index).type().getNumElements() != 1)
      return L.error() << "its start, limit and delta are to be one number "
                          "each";
    Value Number;
    if (auto Elements = L.elementsOf(L.in(Index).Tensor))
      Number = Elements->front();
    else
      Number = S.at(L.in(Index).Tensor,
                    SmallVector<Value>(L.in(Index).rank(), S.index(0)));
    Value Same = L.list(Number, Held, 0);
    Same = L.converted(Same, Element, Wide);
    Given.push_back(L.elementsOf(Same)->front());
  }
  Value Start = Given[0], Delta = Given[2];
  Value IsStill = S.equal(Delta, S.like(Delta, 0));
  if (getConstantIntValue(IsStill).value_or(0) != 0)
    return L.error() << "its delta is 0";
  L.require(S.isNot(IsStill), "its delta is 0");
  OpFoldResult Count = getAsOpFoldResult(
      S.choose(IsStill, S.index(0), countSteps(L, Start, Given[1], Delta)));
  Value Result = L.generated(
      L.bounded({Count}), Held,
      [&](OpBuilder &B, Location Loc, ValueRange Indices) {
        Scalars S(B, Loc);
        Value Index = isa<FloatType>(Wide) ? S.toFloat(Indices[0], Wide)
                                           : S.fromIndex(Indices[0], Wide);
        Value Number = S.add(Start, S.mul(Index, Delta));
        return Lowering::convertedElement(B, Loc, Number, Wide, Element);
      });
  return L.define({Result, Element});
}

//===----------------------------------------------------------------------===//
// Expand, Tile
//===----------------------------------------------------------------------===//

static LogicalResult lowerExpand(Lowering &L) {
  FailureOr<Extents> Asked = extentsFrom(L, 1);
  if (failed(Asked))
    return failure();
  Value Tensor = L.in(0).Tensor;
  FailureOr<Extents> Of = L.broadcast({L.extentsOf(Tensor), *Asked});
  if (failed(Of))
    return failure();
  return L.define({L.expanded(Tensor, *Of), L.in(0).Element});
}

/// Each axis that is repeated gets one of its repetitions before it; both
/// become one.
static LogicalResult lowerTile(Lowering &L) {
  FailureOr<Extents> Repeats = extentsFrom(L, 1);
  if (failed(Repeats))
    return failure();
  Value Tensor = L.in(0).Tensor;
  Extents Own = L.extentsOf(Tensor), Of;
  if (Repeats->size() != Own.size())
    return L.error() << "it has " << Repeats->size()
                     << " repeats for a tensor with " << Own.size()
                     << " dimensions";
  SmallVector<ReassociationIndices> Groups;
  SmallVector<AffineExpr> Read;
  for (auto [Extent, Count] : llvm::zip(Own, *Repeats)) {
    ReassociationIndices &Group = Groups.emplace_back();
    if (getConstantIntValue(Count) != 1) {
      Group.push_back(Of.size());
      Of.push_back(Count);
    }
    Group.push_back(Of.size());
    Read.push_back(L.B.getAffineDimExpr(Of.size()));
    Of.push_back(Extent);
  }
  if (Of.size() == Own.size())
    return L.define(L.in(0));
  Value Repeated = L.mapped(
      Tensor, AffineMap::get(Of.size(), 0, Read, L.B.getContext()), Of,
      L.in(0).type().getElementType(),
      [](OpBuilder &, Location, ValueRange Elements) { return Elements[0]; });
  return L.define({L.collapsed(Repeated, Groups), L.in(0).Element});
}

ArrayRef<LoweredOperator> tenon::frontend::shapeOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "ConstantOfShape", 9, lowerConstantOfShape},
      {"", "Expand", 8, lowerExpand},
      {"", "Range", 11, lowerRange},
      {"", "Shape", 1, lowerShape},
      {"", "Size", 1, lowerSize},
      {"", "Tile", 6, lowerTile},
  };
  return Table;
}
