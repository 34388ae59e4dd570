//===- Reducer.cpp - Reductions over axes --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

LogicalResult Reducer::readAxes() {
  auto Kept = L.N.integer("keepdims", 1);
  auto Noop = L.N.integer("noop_with_empty_axes", 0);
  if (failed(Kept) || failed(Noop))
    return failure();
  Keeps = *Kept != 0;
  std::optional<SmallVector<int64_t>> Given = SmallVector<int64_t>();
  if (L.has(1))
    Given = L.integers(1);
  if (!Given && L.in(1).type() == RankedTensorType::get({0}, L.B.getI64Type()))
    Given.emplace();
  if (!Given)
    return readComputedAxes(*Noop != 0);
  int64_t Rank = L.in(0).rank();
  if (Given->empty() && !*Noop)
    Axes = llvm::to_vector(llvm::seq<int64_t>(0, Rank));
  for (int64_t Each : *Given) {
    FailureOr<int64_t> Axis = L.axis(Each, Rank);
    if (failed(Axis))
      return failure();
    if (llvm::is_contained(Axes, *Axis))
      return L.error() << "axis " << Each << " is named twice";
    Axes.push_back(*Axis);
  }
  return success();
}

LogicalResult Reducer::readComputedAxes(bool IsNoop) {
  const Plain &Named = L.in(1);
  if (Named.rank() != 1)
    return L.error() << "its axes have " << Named.rank()
                     << " dimensions, expected one";
  int64_t Rank = L.in(0).rank();
  auto IsAny = [&](Lowering::Body Test) -> Value {
    Value Tensor = L.reduced(
        Named.Tensor, 0, /*Keeps=*/false, L.integer(L.B.getI1Type(), 0),
        [&](OpBuilder &B, Location Loc, ValueRange X) -> Value {
          return arith::OrIOp::create(B, Loc, Test(B, Loc, X[0]), X[1]);
        });
    return tensor::ExtractOp::create(L.B, Tensor, ValueRange());
  };
  Value IsOutside = IsAny([&](OpBuilder &B, Location Loc, ValueRange X) {
    Scalar Axis(B, Loc, X[0], Named.Element);
    return ((Axis < double(-Rank)) | (Axis > double(Rank - 1))).held();
  });
  Value True = L.integer(L.B.getI1Type(), 1);
  L.require(arith::XOrIOp::create(L.B, IsOutside, True),
            "one of its axes is outside of its input's " + Twine(Rank) +
                " dimensions");
  Value IsAll =
      arith::CmpIOp::create(L.B, arith::CmpIPredicate::eq,
                            L.index(L.extentOf(Named.Tensor, 0)), L.index(0));
  for (int64_t Axis = 0; Axis < Rank; ++Axis) {
    Value Flag = IsAny([&](OpBuilder &B, Location Loc, ValueRange X) {
      Scalar Each(B, Loc, X[0], Named.Element);
      return ((Each == double(Axis)) | (Each == double(Axis - Rank))).held();
    });
    IsReduced.push_back(IsNoop ? Flag
                               : Value(arith::OrIOp::create(L.B, Flag, IsAll)));
  }
  return Keeps ? success() : countComputedAxes();
}

/// How many axes there are says the length of their list, or the rank that the
/// model gives the result.
LogicalResult Reducer::countComputedAxes() {
  int64_t Rank = L.in(0).rank(), Count = L.in(1).type().getDimSize(0);
  auto Declared = dyn_cast<RankedTensorType>(L.N.output(0).getType());
  if (Declared)
    Left = Declared.getRank();
  else if (!ShapedType::isDynamic(Count) && Count > 0)
    Left = Rank - Count;
  else
    return L.error() << "its axes are computed and keepdims is 0, so nobody "
                        "knows the rank of its result: store the axes in the "
                        "model, or set keepdims to 1";
  if (Left < 0 || Left > Rank)
    return L.error() << "its result has " << Left
                     << " dimensions, but its input has " << Rank;
  OpFoldResult Kept = L.extent(0);
  for (Value Flag : IsReduced)
    Kept = L.add(Kept, chosen(Flag, L.extent(0), L.extent(1)));
  Value LeavesRank = arith::CmpIOp::create(L.B, arith::CmpIPredicate::eq,
                                           L.index(Kept), L.index(Left));
  L.require(LeavesRank, "its axes do not leave " + Twine(Left) +
                            " dimensions: one is named twice, or there are "
                            "more or less than the model says");
  // What follows would take as many elements as there are not.
  for (Value &Flag : IsReduced)
    Flag = arith::OrIOp::create(
        L.B, Flag,
        arith::XOrIOp::create(L.B, LeavesRank, L.integer(L.B.getI1Type(), 1)));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static Value initial(Lowering &L, Type Computed, const Accumulation &By) {
  Value Any = L.number(heldType(Computed), 0);
  return By.Initial(Scalar(L.B, L.B.getLoc(), Any, Computed)).held();
}

/// Axis by axis, each only where it is to be reduced.
Value Reducer::stepwise(Value Tensor, Type Computed, const Accumulation &By) {
  for (int64_t Axis = 0; Axis < int64_t(IsReduced.size()); ++Axis) {
    auto Type = cast<RankedTensorType>(Tensor.getType());
    SmallVector<int64_t> Dims(Type.getShape());
    Dims[Axis] = ShapedType::kDynamic;
    Type = RankedTensorType::get(Dims, Type.getElementType());
    auto Choice =
        scf::IfOp::create(L.B, Type, IsReduced[Axis], /*withElse=*/true);
    OpBuilder::InsertionGuard Guard(L.B);
    auto Give = [&](Block *In, llvm::function_ref<Value()> Make) {
      L.B.setInsertionPointToStart(In);
      scf::YieldOp::create(L.B,
                           Value(tensor::CastOp::create(L.B, Type, Make())));
    };
    Give(Choice.thenBlock(), [&] {
      return L.reduced(Tensor, Axis, /*Keeps=*/true, initial(L, Computed, By),
                       [&](OpBuilder &B, Location Loc, ValueRange X) {
                         return By
                             .Combine(Scalar(B, Loc, X[0], Computed),
                                      Scalar(B, Loc, X[1], Computed))
                             .held();
                       });
    });
    Give(Choice.elseBlock(), [&] { return Tensor; });
    Tensor = Choice.getResult(0);
  }
  return Tensor;
}

Value Reducer::reduced(const Plain &Of, Type Computed, const Accumulation &By,
                       bool Keeps) {
  auto Element = [&](OpBuilder &B, Location Loc, Value Held) {
    return By.Before(Scalar(B, Loc, Held, Of.Element).as(Computed));
  };
  if (IsReduced.empty())
    return L.reduced(Of.Tensor, Axes, Keeps, initial(L, Computed, By),
                     [&](OpBuilder &B, Location Loc, ValueRange X) {
                       return By
                           .Combine(Element(B, Loc, X[0]),
                                    Scalar(B, Loc, X[1], Computed))
                           .held();
                     });
  Value Elements = L.each(Of.Tensor, heldType(Computed),
                          [&](OpBuilder &B, Location Loc, ValueRange X) {
                            return Element(B, Loc, X[0]).held();
                          });
  Value Result = stepwise(Elements, Computed, By);
  return Keeps ? Result : withoutAxes(Result);
}

FailureOr<Plain> Reducer::minus(const Plain &Offset) {
  const Plain &X = L.in(0);
  auto Each = [&](OpBuilder &B, Location Loc, ValueRange Held) {
    return (Scalar(B, Loc, Held[0], X.Element).as(Offset.Element) -
            Scalar(B, Loc, Held[1], Offset.Element))
        .held();
  };
  Type Held = heldType(Offset.Element);
  if (!IsReduced.empty()) {
    FailureOr<Value> Result =
        L.pointwise({X.Tensor, Offset.Tensor}, Held, Each);
    if (failed(Result))
      return failure();
    return Plain{*Result, Offset.Element};
  }
  SmallVector<AffineExpr> Kept;
  for (int64_t Axis = 0; Axis < X.rank(); ++Axis)
    Kept.push_back(llvm::is_contained(Axes, Axis) ? L.B.getAffineConstantExpr(0)
                                                  : L.B.getAffineDimExpr(Axis));
  SmallVector<AffineMap> Maps = {
      L.B.getMultiDimIdentityMap(X.rank()),
      AffineMap::get(X.rank(), 0, Kept, L.B.getContext())};
  return Plain{L.mapped({X.Tensor, Offset.Tensor}, Maps, L.extentsOf(X.Tensor),
                        Held, Each),
               Offset.Element};
}

Value Reducer::count() {
  Extents Of = L.extentsOf(L.in(0).Tensor);
  OpFoldResult Count = L.extent(1);
  for (int64_t Axis : Axes)
    Count = L.mul(Count, Of[Axis]);
  for (auto [Axis, Flag] : llvm::enumerate(IsReduced))
    Count = L.mul(
        Count, arith::SelectOp::create(L.B, Flag, L.index(Of[Axis]), L.index(1))
                   .getResult());
  return arith::IndexCastOp::create(L.B, L.B.getI64Type(), L.index(Count));
}

OpFoldResult Reducer::chosen(Value If, OpFoldResult Then, OpFoldResult Else) {
  return arith::SelectOp::create(L.B, If, L.index(Then), L.index(Else))
      .getResult();
}

Value Reducer::withoutAxes(Value Tensor) {
  Extents Of = L.extentsOf(Tensor), Result;
  for (auto [Axis, Extent] : llvm::enumerate(Of))
    if (IsReduced.empty() && !llvm::is_contained(Axes, int64_t(Axis)))
      Result.push_back(Extent);
  if (IsReduced.empty())
    return L.reshaped(Tensor, Result);
  // An axis that stays moves to the front by those before it that go.
  Result.assign(Left, L.extent(1));
  OpFoldResult Position = L.extent(0);
  for (auto [Axis, Flag] : llvm::enumerate(IsReduced)) {
    for (auto [To, Extent] : llvm::enumerate(Result)) {
      Value IsHere =
          arith::CmpIOp::create(L.B, arith::CmpIPredicate::eq,
                                L.index(Position), L.index(int64_t(To)));
      Extent = chosen(Flag, Extent, chosen(IsHere, Of[Axis], Extent));
    }
    Position = L.add(Position, chosen(Flag, L.extent(0), L.extent(1)));
  }
  return L.reshaped(Tensor, Result);
}
