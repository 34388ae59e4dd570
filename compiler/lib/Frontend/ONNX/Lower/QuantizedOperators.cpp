//===- QuantizedOperators.cpp - Operators on quantised tensors, one by one ===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Sums are exact, in i32 that wraps; scales are f32.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Products.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

/// Where the numbers of a vector, one for each index of an axis, belong in a
/// tensor of rank `Rank`.
struct AlongAxis {
  int64_t Axis, Rank;
};

/// `Numbers`: one for all, as many as the axis has, or of the tensor's rank;
/// such that it is broadcast to the tensor.
static Value aligned(Lowering &L, Value Numbers, AlongAxis To) {
  Extents Of = L.extentsOf(Numbers);
  if (Of.size() != 1)
    return Numbers;
  if (getConstantIntValue(Of[0]) == 1)
    return L.reshaped(Numbers, {});
  Of.append(std::max<int64_t>(To.Rank - 1 - To.Axis, 0), L.extent(1));
  return L.split(Numbers, 0, Of);
}

/// Input `Index` less the zero point that input `ZeroPoint` holds, in i32.
static FailureOr<Value> unshifted(Lowering &L, int64_t Index, int64_t ZeroPoint,
                                  AlongAxis To) {
  Type Word = L.B.getI32Type();
  const Plain &X = L.in(Index);
  if (!isa<IntegerType>(X.Element))
    return L.error() << "input " << Index
                     << " is not of integers of 8 bits: no other type is "
                        "supported";
  if (!L.has(ZeroPoint))
    return L.converted(X.Tensor, X.Element, Word);
  const Plain &Zero = L.in(ZeroPoint);
  auto Wide = [&](OpBuilder &B, Location Loc, Value Element) {
    return Lowering::convertedElement(B, Loc, Element, X.Element, Word);
  };
  return L.pointwise({X.Tensor, aligned(L, Zero.Tensor, To)}, Word,
                     [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                       return arith::SubIOp::create(B, Loc, Wide(B, Loc, E[0]),
                                                    Wide(B, Loc, E[1]));
                     });
}

/// An element of f32, rounded half to even, plus the zero point, in the range
/// of `To`.
static Value requantizedElement(OpBuilder &B, Location Loc, Value Real,
                                Value Zero, Type To) {
  Value Rounded = math::RoundEvenOp::create(B, Loc, Real);
  Value Offset = Lowering::convertedElement(B, Loc, Zero, To, B.getF32Type());
  Value Sum = arith::AddFOp::create(B, Loc, Rounded, Offset);
  return Lowering::convertedElement(B, Loc, Sum, B.getF32Type(), To);
}

/// Sums of i32 by ScaleA * ScaleB / ScaleY, as output 0, whose zero point is
/// input `ZeroPoint`.
static LogicalResult defineRequantized(Lowering &L, Value Sums, Value ScaleA,
                                       Value ScaleB, Value ScaleY,
                                       int64_t ZeroPoint) {
  Type To = L.in(ZeroPoint).Element;
  if (!isa<IntegerType>(To))
    return L.error() << "its output is not of integers of 8 bits: no other "
                        "type is supported";
  AlongAxis Rows{cast<RankedTensorType>(Sums.getType()).getRank() - 2,
                 cast<RankedTensorType>(Sums.getType()).getRank()};
  FailureOr<Value> Result = L.pointwise(
      {Sums, ScaleA, ScaleB, aligned(L, ScaleY, Rows),
       aligned(L, L.in(ZeroPoint).Tensor, Rows)},
      heldType(To), [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        Value Scale = arith::MulFOp::create(B, Loc, E[1], E[2]);
        Scale = arith::DivFOp::create(B, Loc, Scale, E[3]);
        Value Real = arith::SIToFPOp::create(B, Loc, B.getF32Type(), E[0]);
        Real = arith::MulFOp::create(B, Loc, Real, Scale);
        return requantizedElement(B, Loc, Real, E[4], To);
      });
  return failed(Result) ? failure() : L.define({*Result, To});
}

//===----------------------------------------------------------------------===//
// MatMulInteger, QLinearMatMul
//===----------------------------------------------------------------------===//

/// Rows of A and columns of B have numbers of their own.
static AlongAxis rowsOf(Lowering &L, int64_t Index) {
  int64_t Rank = L.in(Index).rank();
  return {std::max<int64_t>(Rank - 2, 0), Rank};
}
static AlongAxis columnsOf(Lowering &L, int64_t Index) {
  int64_t Rank = L.in(Index).rank();
  return {Rank - 1, Rank};
}

static LogicalResult lowerMatMulInteger(Lowering &L) {
  FailureOr<Value> A = unshifted(L, 0, 2, rowsOf(L, 0));
  FailureOr<Value> B = unshifted(L, 1, 3, columnsOf(L, 1));
  if (failed(A) || failed(B))
    return failure();
  FailureOr<Value> Sums = matrixProduct(L, *A, *B);
  return failed(Sums) ? failure() : L.define({*Sums, L.B.getI32Type()});
}

static LogicalResult lowerQLinearMatMul(Lowering &L) {
  FailureOr<Value> A = unshifted(L, 0, 2, rowsOf(L, 0));
  FailureOr<Value> B = unshifted(L, 3, 5, columnsOf(L, 3));
  if (failed(A) || failed(B))
    return failure();
  FailureOr<Value> Sums = matrixProduct(L, *A, *B);
  if (failed(Sums))
    return failure();
  return defineRequantized(
      L, *Sums, aligned(L, L.widened(L.in(1)), rowsOf(L, 0)),
      aligned(L, L.widened(L.in(4)), columnsOf(L, 3)), L.widened(L.in(6)), 7);
}

//===----------------------------------------------------------------------===//
// ConvInteger, QLinearConv
//===----------------------------------------------------------------------===//

static LogicalResult lowerConvInteger(Lowering &L) {
  FailureOr<Value> X = unshifted(L, 0, 2, {1, L.in(0).rank()});
  FailureOr<Value> W = unshifted(L, 1, 3, {0, L.in(1).rank()});
  if (failed(X) || failed(W))
    return failure();
  FailureOr<Value> Sums = convolution(L, *X, *W);
  return failed(Sums) ? failure() : L.define({*Sums, L.B.getI32Type()});
}

static LogicalResult lowerQLinearConv(Lowering &L) {
  FailureOr<Value> X = unshifted(L, 0, 2, {1, L.in(0).rank()});
  FailureOr<Value> W = unshifted(L, 3, 5, {0, L.in(3).rank()});
  if (failed(X) || failed(W))
    return failure();
  FailureOr<Value> Sums = convolution(L, *X, *W);
  if (failed(Sums))
    return failure();
  Sums = biased(L, *Sums, 8);
  if (failed(Sums))
    return failure();
  AlongAxis Channels{1, cast<RankedTensorType>(Sums->getType()).getRank()};
  return defineRequantized(L, *Sums, aligned(L, L.in(1).Tensor, Channels),
                           aligned(L, L.in(4).Tensor, Channels), L.in(6).Tensor,
                           7);
}

ArrayRef<LoweredOperator> tenon::frontend::quantizedOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "ConvInteger", 10, lowerConvInteger},
      {"", "MatMulInteger", 10, lowerMatMulInteger},
      {"", "QLinearConv", 10, lowerQLinearConv},
      {"", "QLinearMatMul", 10, lowerQLinearMatMul},
  };
  return Table;
}
