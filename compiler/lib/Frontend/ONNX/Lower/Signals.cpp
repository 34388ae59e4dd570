//===- Signals.cpp - Windows and filters of signals ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../ElementTypes.h"
#include "Fourier.h"
#include "Operators.h"
#include "Statistics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

/// The element type that output_datatype says.
static FailureOr<Type> outputType(Lowering &L) {
  FailureOr<int64_t> Number = L.N.integer("output_datatype", 1);
  if (failed(Number))
    return failure();
  Type Of = elementType(L.B.getContext(), *Number);
  if (!Of || !heldType(Of))
    return L.error() << "output_datatype is " << *Number
                     << ", which is no type of numbers";
  return Of;
}

/// What elements of type `Of` are computed in.
static Type computedIn(Lowering &L, Type Of) {
  return Of.isF64() ? Of : Type(L.B.getF32Type());
}

static Value toFloat(OpBuilder &B, Location Loc, Type Held, Value Index) {
  Value Wide = arith::IndexCastOp::create(B, Loc, B.getI64Type(), Index);
  return arith::SIToFPOp::create(B, Loc, Held, Wide);
}

//===----------------------------------------------------------------------===//
// HannWindow, HammingWindow, BlackmanWindow
//===----------------------------------------------------------------------===//

/// Constant - Once cos(2 pi n / N) + Twice cos(4 pi n / N).
struct Cosines {
  double Constant, Once, Twice;
};
static constexpr Cosines Hann = {0.5, 0.5, 0};
static constexpr Cosines Hamming = {25.0 / 46, 21.0 / 46, 0};
static constexpr Cosines Blackman = {0.42, 0.5, 0.08};

template <const Cosines &Of> static LogicalResult lowerWindow(Lowering &L) {
  FailureOr<Type> To = outputType(L);
  FailureOr<int64_t> Periodic = L.N.integer("periodic", 1);
  FailureOr<OpFoldResult> Given = numberIn(L, 0);
  if (failed(To) || failed(Periodic) || failed(Given))
    return failure();
  OpFoldResult Size = L.max(*Given, L.extent(0));
  Type Held = computedIn(L, *To);
  // A window of one element that is not periodic has no period.
  OpFoldResult Period = *Periodic ? Size : L.sub(Size, L.extent(1));
  Value Count =
      toFloat(L.B, L.B.getLoc(), Held, L.index(L.max(Period, L.extent(1))));
  Value Step = arith::DivFOp::create(L.B, L.number(Held, 2 * M_PI), Count);
  Value A = L.number(Held, Of.Constant), Once = L.number(Held, Of.Once);
  Value Twice = L.number(Held, Of.Twice);
  Value Result = L.generated(
      Size, heldType(*To),
      [&](OpBuilder &B, Location Loc, ValueRange I) -> Value {
        Value Angle =
            arith::MulFOp::create(B, Loc, toFloat(B, Loc, Held, I[0]), Step);
        auto Wave = [&](Value At, Value Height) -> Value {
          return arith::MulFOp::create(B, Loc, math::CosOp::create(B, Loc, At),
                                       Height);
        };
        Value Sum = arith::SubFOp::create(B, Loc, A, Wave(Angle, Once));
        if (Of.Twice != 0) {
          Value Double = arith::AddFOp::create(B, Loc, Angle, Angle);
          Sum = arith::AddFOp::create(B, Loc, Sum, Wave(Double, Twice));
        }
        return Lowering::convertedElement(B, Loc, Sum, Held, *To);
      });
  return L.define({Result, *To});
}

//===----------------------------------------------------------------------===//
// MelWeightMatrix
//===----------------------------------------------------------------------===//

namespace {
/// Emits arithmetic on floats.
struct Floats {
  ImplicitLocOpBuilder &B;
  Type Held;

  Value number(double X) {
    return arith::ConstantOp::create(B, FloatAttr::get(Held, X));
  }
  Value mul(Value X, Value Y) { return arith::MulFOp::create(B, X, Y); }
  Value mul(Value X, double Y) { return mul(X, number(Y)); }
  Value add(Value X, Value Y) { return arith::AddFOp::create(B, X, Y); }
};
} // namespace

/// Input `Index`, one number, as an element of `Held`.
static Value numberOf(Lowering &L, int64_t Index, Type Held) {
  SmallVector<Value> At(L.in(Index).rank(), L.index(int64_t(0)));
  Value Element = tensor::ExtractOp::create(L.B, L.in(Index).Tensor, At);
  return Lowering::convertedElement(L.B, L.B.getLoc(), Element,
                                    L.in(Index).Element, Held);
}

/// The spectrum's bins in which the triangles begin, peak and end: as many as
/// there are triangles, and two.
static Value edges(Lowering &L, OpFoldResult Triangles, OpFoldResult Length,
                   Type Held) {
  // Mels are 2595 log10(1 + hertz / 700).
  double PerMel = std::log(10.0) / 2595;
  Floats F{L.B, Held};
  auto Mels = [&](int64_t Input) {
    Value Part = F.mul(numberOf(L, Input, Held), 1.0 / 700);
    return F.mul(math::Log1pOp::create(L.B, Part), 1 / PerMel);
  };
  OpFoldResult Count = L.add(Triangles, L.extent(2));
  Value Low = Mels(3), High = Mels(4);
  Value Step =
      arith::DivFOp::create(L.B, arith::SubFOp::create(L.B, High, Low),
                            toFloat(L.B, L.B.getLoc(), Held, L.index(Count)));
  Value Bins =
      toFloat(L.B, L.B.getLoc(), Held, L.index(L.add(Length, L.extent(1))));
  Value Rate = numberOf(L, 2, Held);
  return L.generated(
      Count, L.B.getI64Type(),
      [&](OpBuilder &B, Location Loc, ValueRange I) -> Value {
        ImplicitLocOpBuilder Inner(Loc, B);
        Floats E{Inner, Held};
        Value Mel = E.add(E.mul(toFloat(B, Loc, Held, I[0]), Step), Low);
        Value Hertz =
            E.mul(math::ExpM1Op::create(B, Loc, E.mul(Mel, PerMel)), 700);
        Value Bin = arith::DivFOp::create(B, Loc, E.mul(Hertz, Bins), Rate);
        return arith::FPToSIOp::create(B, Loc, B.getI64Type(),
                                       math::FloorOp::create(B, Loc, Bin));
      });
}

/// The height at `Bin` of the triangle from `Low` over `Peak` to `High`.
static Value height(OpBuilder &B, Location Loc, Type Held, Value Bin, Value Low,
                    Value Peak, Value High) {
  auto Is = [&](arith::CmpIPredicate How, Value X, Value Y) -> Value {
    return arith::CmpIOp::create(B, Loc, How, X, Y);
  };
  auto And = [&](Value X, Value Y) -> Value {
    return arith::AndIOp::create(B, Loc, X, Y);
  };
  auto Minus = [&](Value X, Value Y) -> Value {
    return arith::SubIOp::create(B, Loc, X, Y);
  };
  auto Quotient = [&](Value X, Value Y) -> Value {
    return arith::DivFOp::create(B, Loc,
                                 arith::SIToFPOp::create(B, Loc, Held, X),
                                 arith::SIToFPOp::create(B, Loc, Held, Y));
  };
  Value Zero = arith::ConstantOp::create(B, Loc, FloatAttr::get(Held, 0));
  Value One = arith::ConstantOp::create(B, Loc, FloatAttr::get(Held, 1));
  Value Rises = And(Is(arith::CmpIPredicate::sge, Bin, Low),
                    Is(arith::CmpIPredicate::sle, Bin, Peak));
  Value Falls = And(Is(arith::CmpIPredicate::sge, Bin, Peak),
                    Is(arith::CmpIPredicate::slt, Bin, High));
  // Without a rising edge there is the peak alone.
  Value Rising =
      arith::SelectOp::create(B, Loc, Is(arith::CmpIPredicate::eq, Low, Peak),
                              One, Quotient(Minus(Bin, Low), Minus(Peak, Low)));
  Value Result = arith::SelectOp::create(B, Loc, Rises, Rising, Zero);
  return arith::SelectOp::create(
      B, Loc, Falls, Quotient(Minus(High, Bin), Minus(High, Peak)), Result);
}

static LogicalResult lowerMelWeightMatrix(Lowering &L) {
  FailureOr<Type> To = outputType(L);
  FailureOr<OpFoldResult> Count = numberIn(L, 0), Whole = numberIn(L, 1);
  if (failed(To) || failed(Count) || failed(Whole))
    return failure();
  Type Held = computedIn(L, *To), Index = L.B.getI64Type();
  OpFoldResult Triangles = L.max(*Count, L.extent(0));
  OpFoldResult Length = L.max(*Whole, L.extent(0));
  Value Edges = edges(L, Triangles, Length, Held);
  OpFoldResult Bins = L.add(L.floorDiv(Length, L.extent(2)), L.extent(1));
  Value One = L.index(int64_t(1));
  Value Result =
      L.generated({Bins, Triangles}, heldType(*To),
                  [&](OpBuilder &B, Location Loc, ValueRange I) -> Value {
                    Value Next = arith::AddIOp::create(B, Loc, I[1], One);
                    Value Last = arith::AddIOp::create(B, Loc, Next, One);
                    auto Edge = [&](Value At) -> Value {
                      return tensor::ExtractOp::create(B, Loc, Edges, At);
                    };
                    Value Of =
                        height(B, Loc, Held,
                               arith::IndexCastOp::create(B, Loc, Index, I[0]),
                               Edge(I[1]), Edge(Next), Edge(Last));
                    return Lowering::convertedElement(B, Loc, Of, Held, *To);
                  });
  return L.define({Result, *To});
}

ArrayRef<LoweredOperator> tenon::frontend::signalOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "BlackmanWindow", 17, lowerWindow<Blackman>},
      {"", "DFT", 17, lowerDFT17},
      {"", "DFT", 20, lowerDFT20},
      {"", "HammingWindow", 17, lowerWindow<Hamming>},
      {"", "HannWindow", 17, lowerWindow<Hann>},
      {"", "MelWeightMatrix", 17, lowerMelWeightMatrix},
      {"", "STFT", 17, lowerSTFT},
  };
  return Table;
}
