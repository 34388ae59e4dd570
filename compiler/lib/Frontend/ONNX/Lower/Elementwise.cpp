//===- Elementwise.cpp - Operators on elements ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

/// One element from as many as the operator has inputs, all of type `Element`.
using Each = Value (*)(OpBuilder &B, Location Loc, ValueRange X, Type Element);

/// The inputs broadcast; the result has the type of the first.
template <Each Compute> static LogicalResult lowerEach(Lowering &L) {
  SmallVector<Value> Tensors;
  for (int64_t Index = 0; Index < L.inputCount(); ++Index) {
    if (L.in(Index).Element != L.in(0).Element)
      return L.error() << "its inputs are of two element types";
    Tensors.push_back(L.in(Index).Tensor);
  }
  Type Element = L.in(0).Element;
  FailureOr<Value> Result =
      L.pointwise(Tensors, heldType(Element),
                  [&](OpBuilder &B, Location Loc, ValueRange X) {
                    return Compute(B, Loc, X, Element);
                  });
  if (failed(Result))
    return failure();
  return L.define({*Result, Element});
}

template <typename FloatOp, typename IntegerOp>
static Value arithmetic(OpBuilder &B, Location Loc, ValueRange X,
                        Type Element) {
  if (isa<FloatType>(Element))
    return FloatOp::create(B, Loc, X[0], X[1]);
  return IntegerOp::create(B, Loc, X[0], X[1]);
}

static Value relu(OpBuilder &B, Location Loc, ValueRange X, Type Element) {
  Value Zero = arith::ConstantOp::create(B, Loc, B.getZeroAttr(X[0].getType()));
  if (isa<FloatType>(Element))
    return arith::MaximumFOp::create(B, Loc, X[0], Zero);
  return arith::MaxSIOp::create(B, Loc, X[0], Zero);
}

ArrayRef<LoweredOperator> tenon::frontend::elementwiseOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Add", 7, lowerEach<arithmetic<arith::AddFOp, arith::AddIOp>>},
      {"", "Mul", 7, lowerEach<arithmetic<arith::MulFOp, arith::MulIOp>>},
      {"", "Relu", 6, lowerEach<relu>},
      {"", "Sub", 7, lowerEach<arithmetic<arith::SubFOp, arith::SubIOp>>},
  };
  return Table;
}
