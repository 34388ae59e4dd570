//===- Fourier.cpp - Fourier transforms ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A product with the matrix of the transform, [n, k, part of x, part of y],
// over n and the part of x (real, imaginary).  Its N roots of unity are
// computed once.
//
//===----------------------------------------------------------------------===//

#include "Fourier.h"
#include "../Tensor.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

/// Most roots of unity that are computed ahead.
static constexpr int64_t MostRoots = 1 << 20;

/// cos or sin of 2 pi i / N for all i below N.
Value Transform::root(Type Held, bool IsSine) const {
  if (auto Static = getConstantIntValue(Length)) {
    SmallVector<APFloat> Values;
    for (int64_t Index = 0; Index < *Static; ++Index) {
      double Angle = 2 * M_PI * double(Index) / double(*Static);
      bool Loses;
      Values.emplace_back(IsSine ? std::sin(Angle) : std::cos(Angle))
          .convert(cast<FloatType>(Held).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &Loses);
    }
    auto Type = RankedTensorType::get(*Static, Held);
    return arith::ConstantOp::create(L.B, DenseElementsAttr::get(Type, Values));
  }
  Value Count = arith::SIToFPOp::create(
      L.B, Held,
      arith::IndexCastOp::create(L.B, L.B.getI64Type(), L.index(Length)));
  Value Step = arith::DivFOp::create(L.B, L.number(Held, 2 * M_PI), Count);
  return L.generated(
      Length, Held, [&](OpBuilder &B, Location Loc, ValueRange I) -> Value {
        Value At = arith::SIToFPOp::create(
            B, Loc, Held,
            arith::IndexCastOp::create(B, Loc, B.getI64Type(), I[0]));
        Value Angle = arith::MulFOp::create(B, Loc, At, Step);
        return IsSine ? Value(math::SinOp::create(B, Loc, Angle))
                      : Value(math::CosOp::create(B, Loc, Angle));
      });
}

/// Of `Inputs` elements, of one part (real) or two.
Value Transform::matrix(Type Held, OpFoldResult Inputs,
                        OpFoldResult Parts) const {
  Value Cos = root(Held, /*IsSine=*/false), Sin = root(Held, /*IsSine=*/true);
  Value Count = L.index(Length), Zero = L.index(int64_t(0));
  Value Two = L.index(int64_t(2));
  Value Scale = L.number(Held, 1);
  if (IsInverse)
    Scale = arith::DivFOp::create(
        L.B, Scale,
        arith::SIToFPOp::create(
            L.B, Held,
            arith::IndexCastOp::create(L.B, L.B.getI64Type(), Count)));
  Value Twice = arith::AddFOp::create(L.B, Scale, Scale);
  return L.generated(
      {Inputs, bins(), Parts, L.extent(parts())}, Held,
      [&](OpBuilder &B, Location Loc, ValueRange I) -> Value {
        auto Is = [&](Value X, Value Y) -> Value {
          return arith::CmpIOp::create(B, Loc, arith::CmpIPredicate::eq, X, Y);
        };
        Value At = arith::RemUIOp::create(
            B, Loc, arith::MulIOp::create(B, Loc, I[0], I[1]), Count);
        Value Real = tensor::ExtractOp::create(B, Loc, Cos, At);
        Value Cross = tensor::ExtractOp::create(B, Loc, Sin, At);
        Value Minus = arith::NegFOp::create(B, Loc, Cross);
        // (a + bi)(cos -+ i sin): the real part gets +-b sin, the other -+a
        // sin.
        Value IsReal = Is(I[2], Zero);
        Value Other =
            arith::SelectOp::create(B, Loc, IsReal, IsInverse ? Cross : Minus,
                                    IsInverse ? Minus : Cross);
        Value Factor =
            arith::SelectOp::create(B, Loc, Is(I[2], I[3]), Real, Other);
        if (parts() == 2)
          return arith::MulFOp::create(B, Loc, Factor, Scale);
        // Bins between the first and the middle one stand for their
        // conjugates, too.
        Value IsSingle = arith::OrIOp::create(
            B, Loc, Is(I[0], Zero),
            Is(arith::MulIOp::create(B, Loc, I[0], Two), Count));
        return arith::MulFOp::create(
            B, Loc, Factor,
            arith::SelectOp::create(B, Loc, IsSingle, Scale, Twice));
      });
}

/// Along `Axis` of X, whose last axis has its parts.
Value Transform::apply(Value X, int64_t Axis) const {
  Extents Of = L.extentsOf(X), Zeros(Of.size(), L.extent(0)),
          Ones(Of.size(), L.extent(1));
  OpFoldResult Reads = IsOneSided && IsInverse
                           ? L.add(L.floorDiv(Length, L.extent(2)), L.extent(1))
                           : Length;
  // What the signal lacks of N is 0: nothing is added.
  OpFoldResult Inputs = L.min(Of[Axis], Reads);
  if (!L.surelyEqual(Inputs, Of[Axis])) {
    Of[Axis] = Inputs;
    X = L.sliced(X, Zeros, Of, Ones);
  }
  Value Matrix = matrix(heldBy(X), Inputs, Of.back());
  // Loops: those of the result, then n and the part of x.
  unsigned Rank = Of.size(), Dims = Rank + 2;
  SmallVector<AffineExpr> In, To;
  for (unsigned Each = 0; Each < Rank; ++Each)
    To.push_back(L.B.getAffineDimExpr(Each));
  In = To;
  In[Axis] = L.B.getAffineDimExpr(Rank);
  In.back() = L.B.getAffineDimExpr(Rank + 1);
  MLIRContext *Context = L.B.getContext();
  Of[Axis] = bins();
  Of.back() = L.extent(parts());
  return L.contracted(
      X, Matrix,
      {AffineMap::get(Dims, 0, In, Context),
       AffineMap::get(Dims, 0, {In[Axis], To[Axis], In.back(), To.back()},
                      Context),
       AffineMap::get(Dims, 0, To, Context)},
      Of);
}

//===----------------------------------------------------------------------===//
// DFT
//===----------------------------------------------------------------------===//

FailureOr<OpFoldResult> tenon::frontend::numberIn(Lowering &L, int64_t Index) {
  FailureOr<Extents> Held = L.listed(Index);
  if (failed(Held))
    return failure();
  if (Held->size() != 1)
    return L.error() << "its input " << Index << " holds " << Held->size()
                     << " numbers, expected 1";
  return Held->front();
}

LogicalResult tenon::frontend::requirePositive(Lowering &L, OpFoldResult Number,
                                               StringRef Name) {
  auto Static = getConstantIntValue(Number);
  if (Static && *Static < 1)
    return L.error() << Name << " is " << *Static << ", expected 1 or more";
  if (Static && *Static > MaxElements)
    return L.error() << Name << " is too large: " << *Static;
  if (!Static)
    L.require(arith::CmpIOp::create(L.B, arith::CmpIPredicate::sge,
                                    L.index(Number), L.index(int64_t(1))),
              Name + " is less than 1");
  return success();
}

LogicalResult tenon::frontend::checkLength(Lowering &L, OpFoldResult Length,
                                           StringRef Name) {
  auto Static = getConstantIntValue(Length);
  if (Static && *Static > MostRoots)
    return L.error() << Name << " is too large: " << *Static
                     << ", expected at most " << MostRoots;
  return success();
}

/// Along `Axis` of input 0; `IsOneOfSeveral`: the run tells whether it is asked
/// for.
static FailureOr<Value> along(Lowering &L, int64_t Axis, bool IsOneOfSeveral) {
  FailureOr<int64_t> Inverse = L.N.integer("inverse", 0);
  FailureOr<int64_t> OneSided = L.N.integer("onesided", 0);
  if (failed(Inverse) || failed(OneSided))
    return failure();
  Value X = L.widened(L.in(0));
  Transform Of{L, L.extentOf(X, Axis), *Inverse != 0, *OneSided != 0};
  if (L.has(1)) {
    FailureOr<OpFoldResult> Given = numberIn(L, 1);
    if (failed(Given))
      return failure();
    Of.Length = *Given;
  } else if (Of.IsInverse && Of.IsOneSided) {
    Of.Length = L.mul(L.sub(Of.Length, L.extent(1)), L.extent(2));
  }
  if (IsOneOfSeveral) {
    Value One = L.index(int64_t(1));
    L.require(arith::CmpIOp::create(L.B, arith::CmpIPredicate::sge,
                                    L.index(Of.Length), One),
              "dft_length is less than 1");
    Of.Length = L.max(Of.Length, L.extent(1));
  } else if (failed(requirePositive(L, Of.Length, "dft_length"))) {
    return failure();
  }
  if (failed(checkLength(L, Of.Length, "dft_length")))
    return failure();
  Of.Length = L.max(L.bounded({Of.Length}).front(), L.extent(1));
  return L.narrowed(Of.apply(X, Axis), L.in(0).Element).Tensor;
}

static LogicalResult lowerAlong(Lowering &L, int64_t Given) {
  FailureOr<int64_t> Axis = L.axis(Given, L.in(0).rank());
  if (failed(Axis))
    return failure();
  if (*Axis == L.in(0).rank() - 1)
    return L.error() << "its axis is the last one, which holds real and "
                        "imaginary parts";
  FailureOr<Value> Result = along(L, *Axis, /*IsOneOfSeveral=*/false);
  return failed(Result) ? failure() : L.define({*Result, L.in(0).Element});
}

LogicalResult tenon::frontend::lowerDFT17(Lowering &L) {
  FailureOr<int64_t> Axis = L.N.integer("axis", 1);
  return failed(Axis) ? failure() : lowerAlong(L, *Axis);
}

/// The transform along the one of the axes from `First` on that `Given` is: a
/// tensor all of whose extents but the last the run tells.
static FailureOr<Value> alongOne(Lowering &L, Value Given, int64_t First) {
  auto Open = [&](FailureOr<Value> Of) -> FailureOr<Value> {
    if (failed(Of))
      return failure();
    auto Own = cast<RankedTensorType>(Of->getType());
    SmallVector<int64_t> Dims(Own.getRank(), ShapedType::kDynamic);
    Dims.back() = Own.getShape().back();
    auto To = RankedTensorType::get(Dims, Own.getElementType());
    return Value(tensor::CastOp::create(L.B, To, *Of));
  };
  if (First == L.in(0).rank() - 2)
    return Open(along(L, First, /*IsOneOfSeveral=*/true));
  Value IsFirst = arith::CmpIOp::create(L.B, arith::CmpIPredicate::eq, Given,
                                        L.index(First));
  bool Fails = false;
  auto Branch = [&](llvm::function_ref<FailureOr<Value>()> Of) {
    return [&, Of](OpBuilder &Inner, Location Loc) {
      OpBuilder::InsertionGuard Guard(L.B);
      L.B.restoreInsertionPoint(Inner.saveInsertionPoint());
      FailureOr<Value> Result = Of();
      Fails |= failed(Result);
      if (succeeded(Result))
        scf::YieldOp::create(L.B, *Result);
    };
  };
  auto Choice = scf::IfOp::create(
      L.B, IsFirst,
      Branch([&] { return Open(along(L, First, /*IsOneOfSeveral=*/true)); }),
      Branch([&] { return alongOne(L, Given, First + 1); }));
  if (Fails)
    return failure();
  return Choice.getResult(0);
}

LogicalResult tenon::frontend::lowerDFT20(Lowering &L) {
  if (failed(checkChannels(L, 2)))
    return failure();
  if (!L.has(2))
    return lowerAlong(L, -2);
  FailureOr<OpFoldResult> Number = numberIn(L, 2);
  if (failed(Number))
    return failure();
  if (auto Axis = getConstantIntValue(*Number))
    return lowerAlong(L, *Axis);
  int64_t Rank = L.in(0).rank();
  Value Given = L.index(*Number), Zero = L.index(int64_t(0));
  Value IsNegative =
      arith::CmpIOp::create(L.B, arith::CmpIPredicate::slt, Given, Zero);
  Value FromEnd = arith::AddIOp::create(L.B, Given, L.index(Rank));
  Given = arith::SelectOp::create(L.B, IsNegative, FromEnd, Given);
  L.require(arith::CmpIOp::create(L.B, arith::CmpIPredicate::ult, Given,
                                  L.index(Rank - 1)),
            "its axis is none of the signal's");
  FailureOr<Value> Result = alongOne(L, Given, 0);
  return failed(Result) ? failure() : L.define({*Result, L.in(0).Element});
}
