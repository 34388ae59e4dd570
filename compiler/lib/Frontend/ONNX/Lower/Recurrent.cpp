//===- Recurrent.cpp - LSTM, GRU and RNN ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "RecurrentLayer.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon::frontend;

static Value plus(OpBuilder &B, Location Loc, Value X, Value Y) {
  return arith::AddFOp::create(B, Loc, X, Y);
}
static Value times(OpBuilder &B, Location Loc, Value X, Value Y) {
  return arith::MulFOp::create(B, Loc, X, Y);
}
static Value oneMinus(OpBuilder &B, Location Loc, Value X) {
  Value One = arith::ConstantOp::create(B, Loc, FloatAttr::get(X.getType(), 1));
  return arith::SubFOp::create(B, Loc, One, X);
}

namespace {
/// The operands of a loop over batch and hidden: tensors of both, one gate of
/// [batch, gates, hidden], one row of [rows, hidden].
struct Operands {
  explicit Operands(Lowering &L) : L(L) {}

  void whole(Value Of) { add(Of, L.B.getMultiDimIdentityMap(2)); }
  void gate(Value Of, int64_t Index) {
    add(Of, map({dim(0), L.B.getAffineConstantExpr(Index), dim(1)}));
  }
  void row(Value Of, int64_t Index) {
    add(Of, map({L.B.getAffineConstantExpr(Index), dim(1)}));
  }
  Value compute(const Direction &Of, Lowering::Body Each) {
    return L.mapped(Tensors, Maps, Of.State, heldBy(Tensors.front()), Each);
  }

private:
  AffineExpr dim(unsigned Index) const { return L.B.getAffineDimExpr(Index); }
  AffineMap map(ArrayRef<AffineExpr> Of) const {
    return AffineMap::get(2, 0, Of, L.B.getContext());
  }
  void add(Value Of, AffineMap Map) {
    Tensors.push_back(Of);
    Maps.push_back(Map);
  }

  Lowering &L;
  SmallVector<Value> Tensors;
  SmallVector<AffineMap> Maps;
};
} // namespace

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

static LogicalResult lowerRNN(Lowering &L) {
  static constexpr int64_t Initial[] = {5};
  StringRef Functions[] = {"Tanh"};
  return lowerLayer(
      L, {1, Initial, Functions, /*AddsRecurrentBias=*/false},
      [&](const Direction &Of, Value Gates,
          ArrayRef<Value> States) -> FailureOr<SmallVector<Value>> {
        FailureOr<Value> Sums = recurrent(L, States[0], Of.Recurrence, 1);
        if (failed(Sums))
          return failure();
        Operands In(L);
        In.gate(Gates, 0);
        In.gate(*Sums, 0);
        return SmallVector<Value>{
            In.compute(Of, [&](OpBuilder &B, Location Loc, ValueRange E) {
              return Of.Activations[0](B, Loc, plus(B, Loc, E[0], E[1]));
            })};
      });
}

//===----------------------------------------------------------------------===//
// LSTM: gates input, output, forget, cell
//===----------------------------------------------------------------------===//

/// The cell state: forget * C + input * candidate.
static Value nextCell(Lowering &L, const Direction &Of, Value Gates, Value Sums,
                      Value C, bool CouplesGates) {
  Operands In(L);
  for (int64_t Gate : {0, 2, 3}) {
    In.gate(Gates, Gate);
    In.gate(Sums, Gate);
  }
  In.whole(C);
  if (Of.Peepholes) {
    In.row(Of.Peepholes, 0);
    In.row(Of.Peepholes, 2);
  }
  return In.compute(Of, [&](OpBuilder &B, Location Loc, ValueRange E) {
    Value Input = plus(B, Loc, E[0], E[1]), Forget = plus(B, Loc, E[2], E[3]);
    Value Cell = plus(B, Loc, E[4], E[5]), Before = E[6];
    if (Of.Peepholes) {
      Input = plus(B, Loc, Input, times(B, Loc, E[7], Before));
      Forget = plus(B, Loc, Forget, times(B, Loc, E[8], Before));
    }
    Input = Of.Activations[0](B, Loc, Input);
    Forget = CouplesGates ? oneMinus(B, Loc, Input)
                          : Of.Activations[0](B, Loc, Forget);
    Cell = Of.Activations[1](B, Loc, Cell);
    return plus(B, Loc, times(B, Loc, Forget, Before),
                times(B, Loc, Input, Cell));
  });
}

static LogicalResult lowerLSTM(Lowering &L) {
  static constexpr int64_t Initial[] = {5, 6};
  StringRef Functions[] = {"Sigmoid", "Tanh", "Tanh"};
  FailureOr<int64_t> Couples = L.N.integer("input_forget", 0);
  if (failed(Couples))
    return failure();
  return lowerLayer(
      L, {4, Initial, Functions, /*AddsRecurrentBias=*/false},
      [&](const Direction &Of, Value Gates,
          ArrayRef<Value> States) -> FailureOr<SmallVector<Value>> {
        FailureOr<Value> Sums = recurrent(L, States[0], Of.Recurrence, 4);
        if (failed(Sums))
          return failure();
        Value C = nextCell(L, Of, Gates, *Sums, States[1], *Couples != 0);
        Operands In(L);
        In.gate(Gates, 1);
        In.gate(*Sums, 1);
        In.whole(C);
        if (Of.Peepholes)
          In.row(Of.Peepholes, 1);
        // `clip` bounds what the gates are made of; as onnxruntime reads it,
        // the cell's state is none of that.
        Activation OfCell = Of.Activations[2];
        OfCell.Clip = 0;
        Value H = In.compute(Of, [&](OpBuilder &B, Location Loc, ValueRange E) {
          Value Output = plus(B, Loc, E[0], E[1]);
          if (Of.Peepholes)
            Output = plus(B, Loc, Output, times(B, Loc, E[3], E[2]));
          return times(B, Loc, Of.Activations[0](B, Loc, Output),
                       OfCell(B, Loc, E[2]));
        });
        return SmallVector<Value>{H, C};
      });
}

//===----------------------------------------------------------------------===//
// GRU: gates update, reset, hidden
//===----------------------------------------------------------------------===//

/// [batch, gates, hidden] plus as many rows, from `First` on, of [gates,
/// hidden].
static Value withBias(Lowering &L, Value Sums, Value Bias, int64_t First) {
  if (!Bias)
    return Sums;
  Extents Of = L.extentsOf(Sums);
  OpFoldResult Zero = L.extent(0), One = L.extent(1);
  Bias = L.sliced(Bias, {L.extent(First), Zero}, {Of[1], Of[2]}, {One, One});
  AffineMap Identity = L.B.getMultiDimIdentityMap(3);
  return L.mapped({Sums, Bias}, {Identity, Identity.getSubMap({1, 2})}, Of,
                  heldBy(Sums), [](OpBuilder &B, Location Loc, ValueRange E) {
                    return plus(B, Loc, E[0], E[1]);
                  });
}

/// Gate `Gate` of the inputs and of the states, activated.
static Value gateOf(Lowering &L, const Direction &Of, Value Gates, Value Sums,
                    int64_t Gate) {
  Operands In(L);
  In.gate(Gates, Gate);
  In.gate(Sums, Gate);
  return In.compute(Of, [&](OpBuilder &B, Location Loc, ValueRange E) {
    return Of.Activations[0](B, Loc, plus(B, Loc, E[0], E[1]));
  });
}

/// The recurrence's columns of `Count` gates from `First` on.
static Value columns(Lowering &L, const Direction &Of, int64_t First,
                     int64_t Count) {
  OpFoldResult Hidden = Of.State[1], Zero = L.extent(0), One = L.extent(1);
  return L.sliced(Of.Recurrence, {Zero, L.mul(Hidden, L.extent(First))},
                  {Hidden, L.mul(Hidden, L.extent(Count))}, {One, One});
}

static LogicalResult lowerGRU(Lowering &L) {
  static constexpr int64_t Initial[] = {5};
  StringRef Functions[] = {"Sigmoid", "Tanh"};
  FailureOr<int64_t> IsLinear = L.N.integer("linear_before_reset", 0);
  if (failed(IsLinear))
    return failure();
  return lowerLayer(
      L, {3, Initial, Functions, /*AddsRecurrentBias=*/true},
      [&](const Direction &Of, Value Gates,
          ArrayRef<Value> States) -> FailureOr<SmallVector<Value>> {
        Value H = States[0];
        int64_t First = *IsLinear ? 3 : 2;
        FailureOr<Value> Sums =
            recurrent(L, H, columns(L, Of, 0, First), First);
        if (failed(Sums))
          return failure();
        Value Both = withBias(L, *Sums, Of.RecurrentBias, 0);
        Value Update = gateOf(L, Of, Gates, Both, 0);
        Value Reset = gateOf(L, Of, Gates, Both, 1);
        Operands In(L);
        if (!*IsLinear) {
          Operands Product(L);
          Product.whole(Reset);
          Product.whole(H);
          Value Kept =
              Product.compute(Of, [](OpBuilder &B, Location Loc, ValueRange E) {
                return times(B, Loc, E[0], E[1]);
              });
          FailureOr<Value> Last = recurrent(L, Kept, columns(L, Of, 2, 1), 1);
          if (failed(Last))
            return failure();
          In.gate(withBias(L, *Last, Of.RecurrentBias, 2), 0);
        } else {
          In.gate(Both, 2);
        }
        In.gate(Gates, 2);
        In.whole(Update);
        In.whole(Reset);
        In.whole(H);
        return SmallVector<Value>{
            In.compute(Of, [&](OpBuilder &B, Location Loc, ValueRange E) {
              Value Sum = *IsLinear ? times(B, Loc, E[3], E[0]) : Value(E[0]);
              Value Hidden = Of.Activations[1](B, Loc, plus(B, Loc, E[1], Sum));
              Value New = times(B, Loc, oneMinus(B, Loc, E[2]), Hidden);
              return plus(B, Loc, New, times(B, Loc, E[2], E[4]));
            })};
      });
}

ArrayRef<LoweredOperator> tenon::frontend::recurrentOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "GRU", 7, lowerGRU},
      {"", "LSTM", 7, lowerLSTM},
      {"", "RNN", 7, lowerRNN},
  };
  return Table;
}
