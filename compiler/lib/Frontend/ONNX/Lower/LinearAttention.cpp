//===- LinearAttention.cpp - Attention by a carried state ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The state, [batch, heads of keys, size of keys, size of values], is in f32
// whatever the inputs are, as the operator's function has it.
//
//===----------------------------------------------------------------------===//

#include "LinearAttention.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
class LinearAttend {
public:
  explicit LinearAttend(Lowering &L) : L(L) {}
  LogicalResult run();

private:
  LogicalResult readAttributes();
  LogicalResult readInputs();
  LogicalResult checkSteps(Value Of);
  FailureOr<Value> heads(int64_t Input, int64_t Count);
  Value scale();
  Value at(Value Of, Value Step);
  Value map(ArrayRef<Value> Tensors, ArrayRef<ArrayRef<unsigned>> Of,
            Lowering::Body Each);
  Value decayed(Value State, Value Step);
  Value written(Value State, Value Step);
  Value readBy(Value State, Value Step, Value By);

  Lowering &L;
  int64_t QueryHeads = 0, KeyHeads = 0;
  double Scale = 0;
  bool IsGated = false, IsDelta = false, IsDecayOfHead = false;
  Type Held;
  Value Q, K, V, Decay, Beta; ///< [batch, steps, heads, size]
  Extents OfState;
};
} // namespace

LogicalResult LinearAttend::readAttributes() {
  FailureOr<int64_t> Of = L.N.integer("q_num_heads", 0);
  FailureOr<int64_t> OfKeys = L.N.integer("kv_num_heads", 0);
  FailureOr<double> By = L.N.real("scale", 0);
  FailureOr<std::string> Rule = L.N.string("update_rule", "gated_delta");
  if (failed(Of) || failed(OfKeys) || failed(By) || failed(Rule))
    return failure();
  if (*OfKeys < 1 || *Of < 1 || *Of % *OfKeys != 0)
    return L.error() << "q_num_heads is " << *Of << " and kv_num_heads "
                     << *OfKeys << ": expected a multiple of it";
  if (*Rule != "linear" && *Rule != "gated" && *Rule != "delta" &&
      *Rule != "gated_delta")
    return L.error() << "update_rule is '" << *Rule
                     << "', expected linear, gated, delta or gated_delta";
  QueryHeads = *Of;
  KeyHeads = *OfKeys;
  Scale = *By;
  IsGated = StringRef(*Rule).starts_with("gated");
  IsDelta = StringRef(*Rule).ends_with("delta");
  if (IsGated != L.has(4) || IsDelta != L.has(5))
    return L.error() << "update_rule '" << *Rule
                     << "' does not fit its inputs: decay belongs to gated "
                        "rules, beta to delta rules";
  return success();
}

/// Input `Input`, [batch, steps, heads * size], in f32 at least.
FailureOr<Value> LinearAttend::heads(int64_t Input, int64_t Count) {
  Value X = L.converted(L.in(Input).Tensor, L.in(Input).Element, Held);
  OpFoldResult Whole = L.extentOf(X, 2), Heads = L.extent(Count);
  OpFoldResult Size = L.floorDiv(Whole, Heads);
  if (failed(L.agreed(L.mul(Size, Heads), Whole,
                      "the last extent of an input is no multiple of its "
                      "heads")))
    return failure();
  return L.split(X, 2, {Heads, Size});
}

static constexpr StringLiteral Differ =
    "its inputs have different batches, steps or sizes";

/// An error where `Of` has not the batch and the steps of the queries.
LogicalResult LinearAttend::checkSteps(Value Of) {
  for (int64_t Axis : {0, 1})
    if (failed(L.agreed(L.extentOf(Q, Axis), L.extentOf(Of, Axis), Differ)))
      return failure();
  return success();
}

LogicalResult LinearAttend::readInputs() {
  for (int64_t Input : {0, 1, 2, 4, 5})
    if (L.has(Input) && failed(L.checkRank(Input, 3)))
      return failure();
  Held = arithmeticType(L.in(0).Element);
  auto Queries = heads(0, QueryHeads), Keys = heads(1, KeyHeads),
       Values = heads(2, KeyHeads);
  if (failed(Queries) || failed(Keys) || failed(Values))
    return failure();
  Q = *Queries;
  K = *Keys;
  V = *Values;
  if (failed(checkSteps(K)) || failed(checkSteps(V)) ||
      failed(L.agreed(L.extentOf(Q, 3), L.extentOf(K, 3), Differ)))
    return failure();
  if (IsGated) {
    // A factor for each head, or for each element of its keys.
    std::optional<int64_t> Last =
        getConstantIntValue(L.extentOf(L.in(4).Tensor, 2));
    std::optional<int64_t> Size = getConstantIntValue(L.extentOf(K, 3));
    IsDecayOfHead = Last && *Last == KeyHeads && Size != 1;
    FailureOr<Value> Given = heads(4, KeyHeads);
    if (failed(Given))
      return failure();
    Decay = *Given;
    if (failed(checkSteps(Decay)) ||
        (!IsDecayOfHead &&
         failed(L.agreed(L.extentOf(Decay, 3), L.extentOf(K, 3), Differ))))
      return failure();
  }
  if (IsDelta) {
    bool IsOne = getConstantIntValue(L.extentOf(L.in(5).Tensor, 2)) == 1;
    FailureOr<Value> Given = heads(5, IsOne ? 1 : KeyHeads);
    // One number a head.
    if (failed(Given) || failed(checkSteps(*Given)) ||
        failed(L.agreed(L.extentOf(*Given, 3), L.extent(1), Differ)))
      return failure();
    Beta = L.expanded(*Given, {L.extentOf(K, 0), L.extentOf(K, 1),
                               L.extent(KeyHeads), L.extent(1)});
  }
  OfState = {L.extentOf(K, 0), L.extent(KeyHeads), L.extentOf(K, 3),
             L.extentOf(V, 3)};
  return success();
}

Value LinearAttend::scale() {
  if (Scale != 0)
    return L.number(Held, Scale);
  Value Count = arith::IndexCastOp::create(L.B, L.B.getI64Type(),
                                           L.index(L.extentOf(K, 3)));
  Value Root =
      math::SqrtOp::create(L.B, arith::SIToFPOp::create(L.B, Held, Count));
  return arith::DivFOp::create(L.B, L.number(Held, 1), Root);
}

/// Step `Step` of [batch, steps, heads, size].
Value LinearAttend::at(Value Of, Value Step) {
  Extents Counts = L.extentsOf(Of), Starts(4, L.extent(0)),
          Ones(4, L.extent(1));
  Counts[1] = L.extent(1);
  Starts[1] = Step;
  return L.merged(L.sliced(Of, Starts, Counts, Ones), 0, 2);
}

/// A new state: of each tensor the axes of the state that it has; an axis
/// of 1 behind them is read at 0.
Value LinearAttend::map(ArrayRef<Value> Tensors,
                        ArrayRef<ArrayRef<unsigned>> Of, Lowering::Body Each) {
  SmallVector<AffineMap> Maps;
  for (auto [Tensor, Axes] : llvm::zip(Tensors, Of)) {
    SmallVector<AffineExpr> Results;
    for (unsigned Axis : Axes)
      Results.push_back(L.B.getAffineDimExpr(Axis));
    Results.resize(cast<RankedTensorType>(Tensor.getType()).getRank(),
                   L.B.getAffineConstantExpr(0));
    Maps.push_back(AffineMap::get(4, 0, Results, L.B.getContext()));
  }
  return L.mapped(Tensors, Maps, OfState, Held, Each);
}

Value LinearAttend::decayed(Value State, Value Step) {
  SmallVector<unsigned> Axes = {0, 1};
  if (!IsDecayOfHead)
    Axes.push_back(2);
  return map({State, at(Decay, Step)}, {{0, 1, 2, 3}, Axes},
             [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
               return arith::MulFOp::create(B, Loc, E[0],
                                            math::ExpOp::create(B, Loc, E[1]));
             });
}

/// The state plus the product of the step's key and value, which a delta rule
/// corrects by what the state holds for the key.
Value LinearAttend::written(Value State, Value Step) {
  Value Key = at(K, Step), New = at(V, Step);
  if (IsDelta) {
    AffineExpr Batch, Head, Inner, Of;
    MLIRContext *Context = L.B.getContext();
    bindDims(Context, Batch, Head, Of, Inner);
    Extents Kept = {OfState[0], OfState[1], OfState[3]};
    AffineMap To = AffineMap::get(3, 0, {Batch, Head, Of}, Context);
    Value Found =
        L.contracted(State, Key,
                     {AffineMap::get(4, 0, {Batch, Head, Inner, Of}, Context),
                      AffineMap::get(4, 0, {Batch, Head, Inner}, Context),
                      AffineMap::get(4, 0, {Batch, Head, Of}, Context)},
                     Kept);
    AffineMap Single = AffineMap::get(
        3, 0, {Batch, Head, L.B.getAffineConstantExpr(0)}, Context);
    New =
        L.mapped({New, Found, at(Beta, Step)}, {To, To, Single}, Kept, Held,
                 [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                   return arith::MulFOp::create(
                       B, Loc, arith::SubFOp::create(B, Loc, E[0], E[1]), E[2]);
                 });
  }
  return map({State, Key, New}, {{0, 1, 2, 3}, {0, 1, 2}, {0, 1, 3}},
             [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
               return arith::AddFOp::create(
                   B, Loc, E[0], arith::MulFOp::create(B, Loc, E[1], E[2]));
             });
}

/// What the step's queries get: [batch, 1, heads of queries, size of values].
Value LinearAttend::readBy(Value State, Value Step, Value By) {
  int64_t Each = QueryHeads / KeyHeads;
  Value Query = L.split(at(Q, Step), 1, {L.extent(KeyHeads), L.extent(Each)});
  AffineExpr Batch, Head, Mine, Of, Inner;
  MLIRContext *Context = L.B.getContext();
  bindDims(Context, Batch, Head, Mine, Of, Inner);
  Value Sums =
      L.contracted(Query, State,
                   {AffineMap::get(5, 0, {Batch, Head, Mine, Inner}, Context),
                    AffineMap::get(5, 0, {Batch, Head, Inner, Of}, Context),
                    AffineMap::get(5, 0, {Batch, Head, Mine, Of}, Context)},
                   {OfState[0], OfState[1], L.extent(Each), OfState[3]});
  Value Result = L.each(Sums, Held,
                        [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                          return arith::MulFOp::create(B, Loc, E[0], By);
                        });
  Result = L.merged(Result, 1, 2);
  return L.split(Result, 0, {OfState[0], L.extent(1)});
}

LogicalResult LinearAttend::run() {
  if (failed(readAttributes()) || failed(readInputs()))
    return failure();
  OpFoldResult Steps = L.extentOf(Q, 1);
  Extents OfAll = {OfState[0], Steps, L.extent(QueryHeads), OfState[3]};
  Value State, All = L.empty(OfAll, Held), By = scale();
  Type Kept = L.has(3) ? L.in(3).Element : L.in(0).Element;
  if (L.has(3)) {
    State = L.converted(L.in(3).Tensor, Kept, Held);
    if (L.in(3).rank() != 4)
      return L.error() << "its past_state has " << L.in(3).rank()
                       << " dimensions, expected 4";
    for (auto [Axis, Extent] : llvm::enumerate(OfState))
      if (failed(L.agreed(Extent, L.extentOf(State, Axis),
                          "its past_state does not fit its keys and values")))
        return failure();
    RankedTensorType Fitted = L.typeOf(OfState, Held);
    if (Fitted != State.getType())
      State = tensor::CastOp::create(L.B, Fitted, State);
  } else {
    State = L.filled(OfState, L.number(Held, 0));
  }
  auto Loop = scf::ForOp::create(L.B, L.index(int64_t(0)), L.index(Steps),
                                 L.index(int64_t(1)), ValueRange{State, All});
  {
    OpBuilder::InsertionGuard Guard(L.B);
    L.B.setInsertionPointToStart(Loop.getBody());
    Value Step = Loop.getInductionVar(), Before = Loop.getRegionIterArg(0);
    Value Now = IsGated ? decayed(Before, Step) : Before;
    Now = written(Now, Step);
    Value Row = readBy(Now, Step, By);
    Extents Starts = {L.extent(0), Step, L.extent(0), L.extent(0)};
    Extents Ones(4, L.extent(1));
    Value Rows = L.inserted(Row, Loop.getRegionIterArg(1), Starts,
                            L.extentsOf(Row), Ones);
    // Where the state before lies, such that the loop has one buffer for it.
    Now = linalg::CopyOp::create(L.B, Now, Before).getResult(0);
    scf::YieldOp::create(L.B, ValueRange{Now, Rows});
  }
  Type Element = L.in(0).Element;
  Value Result = L.merged(Loop.getResult(1), 2, 2);
  if (failed(L.define({L.converted(Result, Held, Element), Element})))
    return failure();
  if (!isAsked(L, 1))
    return success();
  return L.define(1, L.converted(Loop.getResult(0), Held, Kept), Kept);
}

LogicalResult tenon::frontend::lowerLinearAttention(Lowering &L) {
  return LinearAttend(L).run();
}
