//===- CreateLayer.cpp - Layers as operations -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The other direction of DescribeLayer.cpp.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/DescribeLayer.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::scheduling;

namespace {
/// Makes the constants and attributes of one layer's operation.
class LayerBuilder {
public:
  LayerBuilder(OpBuilder &B, Location Loc, const Layer &L)
      : B(B), Loc(Loc), L(L) {}

  Operation *contract(Value Input, Value Residual);
  Operation *product(Value Input, Value Weights);
  Operation *window(Value Input, Value Residual);

private:
  template <typename T>
  Value constant(ArrayRef<int64_t> Shape, const std::vector<T> &Values) {
    auto Type = RankedTensorType::get(Shape, B.getIntegerType(8 * sizeof(T)));
    return tosa::ConstOp::create(
        B, Loc, Type, DenseElementsAttr::get(Type, ArrayRef<T>(Values)));
  }
  template <typename T> Value channels(const std::vector<T> &Values) {
    return constant({int64_t(Values.size())}, Values);
  }
  RankedTensorType result() {
    return RankedTensorType::get({L.Out.N, L.Out.H, L.Out.W, L.Out.C},
                                 B.getI8Type());
  }
  DenseI64ArrayAttr pad() {
    return B.getDenseI64ArrayAttr({L.Top, L.Bottom, L.Left, L.Right});
  }
  accel::QuantAttr quant() {
    return accel::QuantAttr::get(B.getContext(), L.OutputZp, L.ClampMin,
                                 L.ClampMax);
  }
  accel::AddAttr add() {
    return L.adds()
               ? accel::AddAttr::get(B.getContext(), L.AddendMin, L.AddendMax,
                                     L.AddendScale, L.OperandScale, L.AddShift,
                                     L.OperandZp)
               : accel::AddAttr();
  }

  OpBuilder &B;
  Location Loc;
  const Layer &L;
};
} // namespace

Operation *LayerBuilder::contract(Value Input, Value Residual) {
  Value Weights = constant({L.Out.C, L.KH, L.KW, L.groupIn()}, L.Weights);
  Value Bias = channels(L.Bias);
  Value Multiplier = channels(L.Multiplier);
  Value Shift = channels(L.Shift);
  return accel::ContractOp::create(
      B, Loc, result(), Input, Weights, Bias, Multiplier, Shift, Residual,
      B.getDenseI64ArrayAttr({L.SY, L.SX}),
      B.getDenseI64ArrayAttr({L.DY, L.DX}), pad(),
      B.getI32IntegerAttr(L.InputZp), B.getI32IntegerAttr(L.WeightZp),
      B.getI64IntegerAttr(L.Groups), quant(), add(), accel::ScheduleAttr());
}

Operation *LayerBuilder::product(Value Input, Value Weights) {
  Value Bias = channels(L.Bias);
  Value Multiplier = channels(L.Multiplier);
  Value Shift = channels(L.Shift);
  return accel::ProductOp::create(
      B, Loc, result(), Input, Weights, Bias, Multiplier, Shift,
      B.getI32IntegerAttr(L.InputZp), B.getI32IntegerAttr(L.WeightZp), quant(),
      accel::ScheduleAttr());
}

static accel::WindowKind windowKind(Reduction Kind) {
  switch (Kind) {
  case Reduction::Mac:
    return accel::WindowKind::Mac;
  case Reduction::Max:
    return accel::WindowKind::Max;
  case Reduction::Average:
    return accel::WindowKind::Average;
  case Reduction::Sum:
    return accel::WindowKind::Sum;
  case Reduction::Multiply:
    return accel::WindowKind::Multiply;
  case Reduction::Contract:
  case Reduction::Product:
    break;
  }
  llvm_unreachable("a contraction is no window");
}

Operation *LayerBuilder::window(Value Input, Value Residual) {
  Value Taps, Bias, Multiplier, Shift;
  if (L.Kind == Reduction::Mac)
    Taps = constant({L.KH, L.KW, L.Out.C}, L.Weights);
  if (llvm::any_of(L.Bias, [](int32_t V) { return V != 0; }))
    Bias = channels(L.Bias);
  if (!L.Multiplier.empty()) {
    Multiplier = channels(L.Multiplier);
    Shift = channels(L.Shift);
  }
  return accel::WindowOp::create(
      B, Loc, result(), Input, Taps, Bias, Multiplier, Shift, Residual,
      accel::WindowKindAttr::get(B.getContext(), windowKind(L.Kind)),
      B.getDenseI64ArrayAttr({L.KH, L.KW}),
      B.getDenseI64ArrayAttr({L.SY, L.SX}),
      B.getDenseI64ArrayAttr({L.DY, L.DX}), pad(),
      L.RepeatsEdge ? B.getUnitAttr() : UnitAttr(),
      B.getI32IntegerAttr(L.InputZp), B.getI32IntegerAttr(L.WeightZp),
      B.getI32IntegerAttr(L.Factor), quant(), add(), accel::ScheduleAttr());
}

Operation *scheduling::createLayer(OpBuilder &B, Location Loc, const Layer &L,
                                   Value Input, Value Residual, Value Weights) {
  LayerBuilder Builder(B, Loc, L);
  if (L.isProduct())
    return Builder.product(Input, Weights);
  return L.isContract() ? Builder.contract(Input, Residual)
                        : Builder.window(Input, Residual);
}
