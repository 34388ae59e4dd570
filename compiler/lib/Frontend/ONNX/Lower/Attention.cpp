//===- Attention.cpp - Scaled dot products of queries and keys -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The queries that share a key's head are rows of one matrix: a product for
// each batch and head of keys, [queries, size] by [size, keys].  What a mask,
// causality, a window or padding takes away is -inf before the softmax; a row
// without anything else gives 0.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "Attend.h"
#include "Products.h"
#include "Softmax.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

FailureOr<Value> tenon::frontend::headsOf(Lowering &L, Value X, int64_t Heads) {
  if (Heads < 1)
    return L.error() << "an input of 3 dimensions needs the count of its heads "
                        "(q_num_heads and kv_num_heads, or num_heads)";
  OpFoldResult Count = L.extent(Heads), Whole = L.extentOf(X, 2);
  OpFoldResult Size = L.floorDiv(Whole, Count);
  if (failed(L.agreed(L.mul(Size, Count), Whole,
                      "the last extent of an input is no multiple of its "
                      "heads")))
    return failure();
  return L.transposed(L.split(X, 2, {Count, Size}), {0, 2, 1, 3});
}

Value tenon::frontend::withoutHeads(Lowering &L, Value X) {
  return L.merged(L.transposed(X, {0, 2, 1, 3}), 2, 2);
}

LogicalResult Attend::readAttributes() {
  FailureOr<int64_t> Causal = L.N.integer("is_causal", 0);
  FailureOr<int64_t> Of = L.N.integer("q_num_heads", 0);
  FailureOr<int64_t> OfKeys = L.N.integer("kv_num_heads", 0);
  FailureOr<int64_t> Which = L.N.integer("qk_matmul_output_mode", 0);
  FailureOr<int64_t> Before = L.N.integer("left_window_size", -1);
  FailureOr<int64_t> Behind = L.N.integer("right_window_size", -1);
  FailureOr<int64_t> Precision = L.N.integer("softmax_precision", 1);
  FailureOr<double> By = L.N.real("scale", 0);
  FailureOr<double> Cap = L.N.real("softcap", 0);
  if (failed(Causal) || failed(Of) || failed(OfKeys) || failed(Which) ||
      failed(Before) || failed(Behind) || failed(Precision) || failed(By) ||
      failed(Cap))
    return failure();
  if (*Which < 0 || *Which > 3)
    return L.error() << "qk_matmul_output_mode is " << *Which
                     << ", expected 0 to 3";
  IsCausal = *Causal != 0;
  QueryHeads = *Of;
  KeyHeads = *OfKeys;
  Mode = *Which;
  Left = *Before;
  Right = *Behind;
  Scale = *By;
  Softcap = *Cap;
  IsDouble = *Precision == 11; // TensorProto's DOUBLE
  return success();
}

/// Input `Input` with its heads as an axis, in the type it has.
FailureOr<Value> Attend::heads(int64_t Input, int64_t Count) {
  const Plain &Of = L.in(Input);
  if (Of.rank() == 3)
    return headsOf(L, Of.Tensor, Count);
  if (Of.rank() == 4)
    return Of.Tensor;
  return L.error() << "its input " << Input << " has " << Of.rank()
                   << " dimensions, expected 3 or 4";
}

/// Behind input `Past`, where the node has it.
FailureOr<Value> Attend::withPast(Value Of, int64_t Past) {
  if (!L.has(Past))
    return Of;
  if (L.in(Past).rank() != 4)
    return L.error() << "its input " << Past << " has " << L.in(Past).rank()
                     << " dimensions, expected 4";
  for (int64_t Axis : {0, 1, 3})
    if (failed(L.agreed(L.extentOf(L.in(Past).Tensor, Axis),
                        L.extentOf(Of, Axis),
                        "the keys or values of the past have another shape "
                        "than those that follow")))
      return failure();
  return L.concatenated({L.in(Past).Tensor, Of}, 2);
}

LogicalResult Attend::readInputs() {
  Element = L.in(0).Element;
  Sum = arithmeticType(Element);
  HasHeads = L.in(0).rank() == 4;
  auto Given = heads(0, QueryHeads), NewKeys = heads(1, KeyHeads),
       NewValues = heads(2, KeyHeads);
  if (failed(Given) || failed(NewKeys) || failed(NewValues))
    return failure();
  auto AllKeys = withPast(*NewKeys, 4), AllValues = withPast(*NewValues, 5);
  if (failed(AllKeys) || failed(AllValues))
    return failure();
  Keys = *AllKeys;
  Values = *AllValues;
  Q = L.converted(*Given, Element, Sum);
  K = L.converted(Keys, L.in(1).Element, Sum);
  V = L.converted(Values, L.in(2).Element, Sum);
  for (auto [Axis, Message] :
       {std::pair(0, "its queries and keys are of two batches"),
        std::pair(3, "its queries and keys are of two sizes")})
    if (failed(L.agreed(L.extentOf(Q, Axis), L.extentOf(K, Axis), Message)))
      return failure();
  for (int64_t Axis : {0, 1, 2})
    if (failed(L.agreed(L.extentOf(K, Axis), L.extentOf(V, Axis),
                        "its keys and values have two shapes")))
      return failure();
  OpFoldResult Of = L.extentOf(Q, 1), OfKeys = L.extentOf(K, 1);
  if (failed(L.agreed(OfKeys, L.max(OfKeys, L.extent(1)),
                      "its keys have no heads")))
    return failure();
  Shared = L.floorDiv(Of, L.max(OfKeys, L.extent(1)));
  if (failed(L.agreed(L.mul(Shared, OfKeys), Of,
                      "the heads of its queries are no multiple of those of "
                      "its keys")))
    return failure();
  Queries = L.extentOf(Q, 2);
  Offset = L.has(4) ? L.extentOf(L.in(4).Tensor, 2) : L.extent(0);
  return success();
}

/// [batch, heads of queries, n, m] as [batch * heads of keys, queries a key *
/// n, m].
Value Attend::rowsPerKey(Value X) {
  OpFoldResult All = L.mul(L.extentOf(X, 0), L.extentOf(K, 1));
  X = L.split(L.merged(X, 0, 2), 0, {All, Shared});
  return L.merged(X, 1, 2);
}

/// The same, back.
Value Attend::ofQueries(Value X) {
  X = L.merged(L.split(X, 1, {Shared, L.extentOf(Q, 2)}), 0, 2);
  return L.split(X, 0, {L.extentOf(Q, 0), L.extentOf(Q, 1)});
}

/// Queries by keys, scaled: [batch, heads, queries, keys].
Value Attend::scores() {
  Type Held = heldBy(Q);
  Value By;
  std::optional<int64_t> Size = getConstantIntValue(L.extentOf(Q, 3));
  if (Scale != 0 || Size) {
    By = L.number(Held, Scale != 0 ? Scale : 1 / std::sqrt(double(*Size)));
  } else {
    Value Count = arith::IndexCastOp::create(L.B, L.B.getI64Type(),
                                             L.index(L.extentOf(Q, 3)));
    Value Root =
        math::SqrtOp::create(L.B, arith::SIToFPOp::create(L.B, Held, Count));
    By = arith::DivFOp::create(L.B, L.number(Held, 1), Root);
  }
  Value Scaled =
      L.each(Q, Held, [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
        return arith::MulFOp::create(B, Loc, E[0], By);
      });
  Value Rows = rowsPerKey(Scaled), Columns = L.merged(K, 0, 2);
  AffineExpr Batch, M, N, Inner;
  MLIRContext *Context = L.B.getContext();
  bindDims(Context, Batch, M, N, Inner);
  return ofQueries(L.contracted(
      Rows, Columns,
      {AffineMap::get(4, 0, {Batch, M, Inner}, Context),
       AffineMap::get(4, 0, {Batch, N, Inner}, Context),
       AffineMap::get(4, 0, {Batch, M, N}, Context)},
      {L.extentOf(Rows, 0), L.extentOf(Rows, 1), L.extentOf(Columns, 1)}));
}

Value Attend::probabilities(Value Masked) {
  Type Of = IsDouble ? Type(L.B.getF64Type()) : Sum;
  Value Result =
      softmax(L, L.converted(Masked, Sum, Of), 3, /*RowsMayBeEmpty=*/true);
  return L.converted(Result, Of, Sum);
}

LogicalResult Attend::definePresent(int64_t Output, Value Of) {
  return isAsked(L, Output) ? L.define(Output, Of, L.in(Output).Element)
                            : success();
}

LogicalResult Attend::defineScores(Value Of) {
  if (!isAsked(L, 3))
    return success();
  return L.define(3, L.narrowed(Of, Element).Tensor, Element);
}

LogicalResult Attend::run() {
  if (failed(readAttributes()) || failed(readInputs()))
    return failure();
  Value Scores = scores(), Shown[4] = {Scores};
  if (Softcap > 0) {
    Type Held = heldBy(Scores);
    Value By = L.number(Held, Softcap);
    Scores = L.each(Scores, Held,
                    [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                      Value Part = arith::DivFOp::create(B, Loc, E[0], By);
                      return arith::MulFOp::create(
                          B, Loc, math::TanhOp::create(B, Loc, Part), By);
                    });
  }
  Shown[1] = Scores;
  FailureOr<Value> Masked = masked(Scores);
  if (failed(Masked))
    return failure();
  Shown[2] = *Masked;
  Shown[3] = probabilities(*Masked);
  FailureOr<Value> Rows =
      matrixProduct(L, rowsPerKey(Shown[3]), L.merged(V, 0, 2));
  if (failed(Rows))
    return failure();
  Value Result = ofQueries(*Rows);
  if (!HasHeads)
    Result = withoutHeads(L, Result);
  if (failed(L.define(L.narrowed(Result, Element))) ||
      failed(definePresent(1, Keys)) || failed(definePresent(2, Values)))
    return failure();
  return defineScores(Shown[Mode]);
}

LogicalResult tenon::frontend::lowerAttention(Lowering &L) {
  return Attend(L).run();
}
