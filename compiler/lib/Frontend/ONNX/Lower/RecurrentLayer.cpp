//===- RecurrentLayer.cpp - What LSTM, GRU and RNN have in common --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "RecurrentLayer.h"
#include "Products.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// The whole layer: X [steps, batch, input] whatever the layout.
class Layer {
public:
  Layer(Lowering &L, const LayerKind &Kind) : L(L), Kind(Kind) {}

  LogicalResult read();
  LogicalResult run(Cell Step);

private:
  LogicalResult readShapes();
  LogicalResult checkExtents(int64_t Input, ArrayRef<OpFoldResult> Of,
                             const char *Message);
  Value ofDirection(int64_t Input, int64_t Index);
  Value initial(int64_t Input, int64_t Index);
  FailureOr<Value> gates(const Direction &Of, int64_t Index);
  Direction direction(int64_t Index);
  LogicalResult loop(Cell Step, int64_t Index);
  FailureOr<SmallVector<Value>> step(Cell Step, const Direction &Of,
                                     Value Gates, Value At,
                                     ArrayRef<Value> States, Value &Shown);
  LogicalResult define();

  Lowering &L;
  const LayerKind &Kind;
  bool IsBatchFirst = false, IsFirstReverse = false;
  int64_t Directions = 1;
  SmallVector<Activation> Activations;
  Value X;
  OpFoldResult Steps, Batch, Hidden;
  Value All;                 ///< Y; null where nobody asks for it
  SmallVector<Value> Finals; ///< [directions, batch, hidden], one a state
};
} // namespace

/// Where `Tensor` is known to have the shape `Of`: its type says it.
static Value fitted(Lowering &L, Value Tensor, ArrayRef<OpFoldResult> Of) {
  RankedTensorType Type = L.typeOf(Of, heldBy(Tensor));
  return Type == Tensor.getType()
             ? Tensor
             : Value(tensor::CastOp::create(L.B, Type, Tensor));
}

/// Index `At` of axis 0, which goes.
static Value part(Lowering &L, Value Tensor, OpFoldResult At) {
  Extents Counts = L.extentsOf(Tensor);
  Extents Starts(Counts.size(), L.extent(0)), Ones(Counts.size(), L.extent(1));
  Starts[0] = At;
  Counts[0] = L.extent(1);
  return L.merged(L.sliced(Tensor, Starts, Counts, Ones), 0, 2);
}

/// `Tensor` into `Into` at `At`, which says where the axes in front lie.
static Value inserted(Lowering &L, Value Tensor, Value Into,
                      ArrayRef<OpFoldResult> At) {
  Extents Starts(At), Counts(At.size(), L.extent(1));
  llvm::append_range(Counts, L.extentsOf(Tensor));
  Starts.append(Counts.size() - At.size(), L.extent(0));
  Extents Ones(Counts.size(), L.extent(1));
  Tensor = L.split(Tensor, 0, ArrayRef(Counts).take_front(At.size() + 1));
  return L.inserted(Tensor, Into, Starts, Counts, Ones);
}

LogicalResult Layer::read() {
  FailureOr<std::string> Way = L.N.string("direction", "forward");
  FailureOr<int64_t> Layout = L.N.integer("layout", 0);
  if (failed(Way) || failed(Layout))
    return failure();
  if (*Way != "forward" && *Way != "reverse" && *Way != "bidirectional")
    return L.error() << "direction is '" << *Way
                     << "', expected forward, reverse or bidirectional";
  IsBatchFirst = *Layout != 0;
  IsFirstReverse = *Way == "reverse";
  Directions = *Way == "bidirectional" ? 2 : 1;
  auto Read = readActivations(L, Kind.Activations, Directions);
  if (failed(Read))
    return failure();
  Activations = *Read;
  return readShapes();
}

/// Input `Input`, where there is one, has the extents `Of` in front.
LogicalResult Layer::checkExtents(int64_t Input, ArrayRef<OpFoldResult> Of,
                                  const char *Message) {
  if (L.has(Input))
    for (auto [Axis, Extent] : llvm::enumerate(Of))
      if (failed(
              L.agreed(L.extentOf(L.in(Input).Tensor, Axis), Extent, Message)))
        return failure();
  return success();
}

LogicalResult Layer::readShapes() {
  // X, W, R, B, sequence_lens, the states' first values, peepholes.
  constexpr int64_t Ranks[] = {3, 3, 3, 2, 1, 3, 3, 2};
  for (auto [Input, Rank] : llvm::enumerate(Ranks))
    if (L.has(Input) && failed(L.checkRank(Input, Rank)))
      return failure();
  X = L.widened(L.in(0));
  if (IsBatchFirst)
    X = L.transposed(X, {1, 0, 2});
  Steps = L.extentOf(X, 0);
  Batch = L.extentOf(X, 1);
  Hidden = L.extentOf(L.in(2).Tensor, 2);
  OpFoldResult Ways = L.extent(Directions);
  OpFoldResult Rows = L.mul(Hidden, L.extent(Kind.Gates));
  for (int64_t Weights : {1, 2})
    if (failed(checkExtents(Weights, {Ways, Rows},
                            "the shapes of its weights do not fit its "
                            "direction, its gates and the hidden size")))
      return failure();
  Extents OfState = {Ways, Batch, Hidden};
  if (IsBatchFirst)
    std::swap(OfState[0], OfState[1]);
  for (int64_t Initial : Kind.Initial)
    if (failed(checkExtents(Initial, OfState,
                            "an initial state does not fit its direction, the "
                            "batch and the hidden size")))
      return failure();
  if (failed(checkExtents(3, {Ways, L.mul(Rows, L.extent(2))},
                          "its bias does not fit its direction, its gates and "
                          "the hidden size")) ||
      failed(checkExtents(7, {Ways, L.mul(Hidden, L.extent(3))},
                          "its peepholes do not fit its direction and the "
                          "hidden size")))
    return failure();
  return checkExtents(4, Batch,
                      "its sequence_lens has not one number for each sequence "
                      "of the batch");
}

/// The part of input `Input` that is direction `Index`'s.
Value Layer::ofDirection(int64_t Input, int64_t Index) {
  return part(L, L.widened(L.in(Input)), L.extent(Index));
}

/// A state's first value: input `Input`, or 0.
Value Layer::initial(int64_t Input, int64_t Index) {
  if (!L.has(Input))
    return L.filled({Batch, Hidden}, L.number(heldBy(X), 0));
  Value Given = L.widened(L.in(Input));
  if (IsBatchFirst)
    Given = L.transposed(Given, {1, 0, 2});
  return fitted(L, part(L, Given, L.extent(Index)), {Batch, Hidden});
}

Direction Layer::direction(int64_t Index) {
  Direction Of;
  Of.Recurrence = L.transposed(ofDirection(2, Index), {1, 0});
  OpFoldResult Gates = L.extent(Kind.Gates);
  if (L.has(3)) {
    Value Both =
        L.split(ofDirection(3, Index), 0, {L.extent(2), Gates, Hidden});
    Of.Bias = part(L, Both, L.extent(0));
    Of.RecurrentBias = part(L, Both, L.extent(1));
  }
  if (Kind.Gates == 4 && L.has(7))
    Of.Peepholes = L.split(ofDirection(7, Index), 0, {L.extent(3), Hidden});
  size_t Each = Kind.Activations.size();
  Of.Activations = ArrayRef(Activations).slice(Index * Each, Each);
  Of.State = {Batch, Hidden};
  return Of;
}

/// What all gates get of the inputs, at all steps: [steps, batch, gates,
/// hidden].
FailureOr<Value> Layer::gates(const Direction &Of, int64_t Index) {
  Value W = L.transposed(ofDirection(1, Index), {1, 0});
  FailureOr<Value> Product = matrixProduct(L, X, W);
  if (failed(Product))
    return failure();
  Value Gates = L.split(*Product, 2, {L.extent(Kind.Gates), Hidden});
  if (!Of.Bias)
    return Gates;
  SmallVector<Value> Summands = {Gates, Of.Bias};
  if (!Kind.AddsRecurrentBias)
    Summands.push_back(Of.RecurrentBias);
  return L.pointwise(Summands, heldBy(Gates),
                     [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                       Value Sum = arith::AddFOp::create(B, Loc, E[0], E[1]);
                       return E.size() == 2
                                  ? Sum
                                  : arith::AddFOp::create(B, Loc, Sum, E[2]);
                     });
}

FailureOr<Value> tenon::frontend::recurrent(Lowering &L, Value H,
                                            Value Recurrence, int64_t Gates) {
  OpFoldResult Hidden = L.extentOf(H, 1);
  FailureOr<Value> Product = matrixProduct(L, H, Recurrence);
  if (failed(Product))
    return failure();
  return L.split(*Product, 1, {L.extent(Gates), Hidden});
}

/// One step at `At`; `Shown`: what Y gets.
FailureOr<SmallVector<Value>> Layer::step(Cell Step, const Direction &Of,
                                          Value Gates, Value At,
                                          ArrayRef<Value> States,
                                          Value &Shown) {
  FailureOr<SmallVector<Value>> Next = Step(Of, part(L, Gates, At), States);
  if (failed(Next))
    return failure();
  for (Value &State : *Next)
    State = fitted(L, State, Of.State);
  Shown = Next->front();
  if (!L.has(4))
    return Next;
  AffineMap Identity = L.B.getMultiDimIdentityMap(2);
  AffineMap Row = Identity.getSubMap({0});
  Value Lengths = L.in(4).Tensor;
  Value Here = arith::IndexCastOp::create(L.B, heldBy(Lengths), At);
  auto Until = [&](Value Then, Value Else) {
    return L.mapped(
        {Lengths, Then, Else}, {Row, Identity, Identity}, Of.State,
        heldBy(Then), [&](OpBuilder &B, Location Loc, ValueRange E) -> Value {
          Value IsInside = arith::CmpIOp::create(
              B, Loc, arith::CmpIPredicate::slt, Here, E[0]);
          return arith::SelectOp::create(B, Loc, IsInside, E[1], E[2]);
        });
  };
  Value Zeros = L.filled(Of.State, L.number(heldBy(Shown), 0));
  Shown = Until(Shown, Zeros);
  for (auto [State, Before] : llvm::zip(*Next, States))
    State = Until(State, Before);
  return Next;
}

LogicalResult Layer::loop(Cell Step, int64_t Index) {
  SmallVector<Value> Carried;
  for (int64_t Input : Kind.Initial)
    Carried.push_back(initial(Input, Index));
  if (L.hasNoElement(Steps)) { // the states stay what they are
    for (auto [State, Initial] : llvm::zip(Finals, Carried))
      State = inserted(L, Initial, State, {L.extent(Index)});
    return success();
  }
  Direction Of = direction(Index);
  FailureOr<Value> Gates = gates(Of, Index);
  if (failed(Gates))
    return failure();
  if (All)
    Carried.push_back(All);
  Value Zero = L.index(int64_t(0)), One = L.index(int64_t(1));
  Value Count = L.index(Steps);
  auto Loop = scf::ForOp::create(L.B, Zero, Count, One, Carried);
  {
    OpBuilder::InsertionGuard Guard(L.B);
    L.B.setInsertionPointToStart(Loop.getBody());
    Value At = Loop.getInductionVar();
    if (Index == 1 || IsFirstReverse)
      At = arith::SubIOp::create(L.B, arith::SubIOp::create(L.B, Count, One),
                                 At);
    SmallVector<Value> Before(Loop.getRegionIterArgs());
    Value Shown;
    auto Next = step(Step, Of, *Gates, At,
                     ArrayRef(Before).take_front(Kind.Initial.size()), Shown);
    if (failed(Next))
      return failure();
    // Where the states before lie, such that the loop has one buffer for each.
    for (auto [State, Old] : llvm::zip(*Next, Before))
      State = linalg::CopyOp::create(L.B, State, Old).getResult(0);
    if (All)
      Next->push_back(inserted(L, Shown, Before.back(), {At, L.extent(Index)}));
    scf::YieldOp::create(L.B, *Next);
  }
  for (auto [State, Final] : llvm::zip(Finals, Loop.getResults()))
    State = inserted(L, Final, State, {L.extent(Index)});
  if (All)
    All = Loop.getResults().back();
  return success();
}

LogicalResult Layer::define() {
  Type Element = L.in(0).Element;
  if (All) {
    Value Y = IsBatchFirst ? L.transposed(All, {2, 0, 1, 3}) : All;
    if (failed(L.define(L.narrowed(Y, Element))))
      return failure();
  }
  for (auto [Index, Final] : llvm::enumerate(Finals)) {
    if (!isAsked(L, 1 + Index))
      continue;
    Value Of = IsBatchFirst ? L.transposed(Final, {1, 0, 2}) : Final;
    if (failed(L.define(1 + Index, L.narrowed(Of, Element).Tensor, Element)))
      return failure();
  }
  return success();
}

LogicalResult Layer::run(Cell Step) {
  Type Held = heldBy(X);
  OpFoldResult Ways = L.extent(Directions);
  if (isAsked(L, 0))
    All = L.empty({Steps, Ways, Batch, Hidden}, Held);
  for (size_t State = 0; State < Kind.Initial.size(); ++State)
    Finals.push_back(L.empty({Ways, Batch, Hidden}, Held));
  for (int64_t Index = 0; Index < Directions; ++Index)
    if (failed(loop(Step, Index)))
      return failure();
  return define();
}

LogicalResult tenon::frontend::lowerLayer(Lowering &L, const LayerKind &Kind,
                                          Cell Step) {
  Layer Of(L, Kind);
  return failed(Of.read()) ? failure() : Of.run(Step);
}
