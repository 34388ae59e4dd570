//===- Emitter.cpp - Writes TOSA operations -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tenon::frontend;

static ArrayRef<int64_t> dimsOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

static Type elementOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getElementType();
}

Value Emitter::bytes(ArrayRef<int8_t> Values, ArrayRef<int64_t> Dims) {
  RankedTensorType Type = type(Dims, i8());
  return create<tosa::ConstOp>(Type, DenseElementsAttr::get(Type, Values));
}

Value Emitter::words(ArrayRef<int32_t> Values, ArrayRef<int64_t> Dims) {
  RankedTensorType Type = type(Dims, i32());
  return create<tosa::ConstOp>(Type, DenseElementsAttr::get(Type, Values));
}

Value Emitter::integer(int64_t Value, mlir::Type Element, int64_t Rank) {
  RankedTensorType Type = type(SmallVector<int64_t>(Rank, 1), Element);
  APInt Bits(Element.getIntOrFloatBitWidth(), Value, /*isSigned=*/true,
             /*implicitTrunc=*/true);
  return create<tosa::ConstOp>(Type, DenseElementsAttr::get(Type, Bits));
}

Value Emitter::real(float Value, int64_t Rank) {
  RankedTensorType Type = type(SmallVector<int64_t>(Rank, 1), f32());
  return create<tosa::ConstOp>(Type, DenseElementsAttr::get(Type, Value));
}

Value Emitter::shape(ArrayRef<int64_t> Dims) {
  return create<tosa::ConstShapeOp>(
      tosa::shapeType::get(Builder.getContext(), Dims.size()),
      Builder.getIndexTensorAttr(Dims));
}

Value Emitter::permuted(const Stored &Tensor, const Order &Wanted) {
  if (Tensor.Axes == Wanted)
    return Tensor.Value;
  SmallVector<int32_t> Permutation(Wanted.size());
  SmallVector<int64_t> Dims(Wanted.size());
  for (auto [Old, New] : llvm::zip(Tensor.Axes, Wanted)) {
    Permutation[New] = Old;
    Dims[New] = dimsOf(Tensor.Value)[Old];
  }
  return create<tosa::TransposeOp>(type(Dims, elementOf(Tensor.Value)),
                                   Tensor.Value, Permutation);
}

Value Emitter::reshaped(Value Input, ArrayRef<int64_t> Dims) {
  while (dimsOf(Input) != Dims) {
    auto Reshape = Input.getDefiningOp<tosa::ReshapeOp>();
    if (!Reshape)
      break;
    Input = Reshape.getInput1();
  }
  if (dimsOf(Input) == Dims)
    return Input;
  return create<tosa::ReshapeOp>(type(Dims, elementOf(Input)), Input,
                                 shape(Dims));
}

Value Emitter::sliced(Value Input, ArrayRef<int64_t> Dims) {
  return extracted(Input, SmallVector<int64_t>(Dims.size(), 0), Dims,
                   SmallVector<int64_t>(Dims.size(), 1));
}

Value Emitter::extracted(Value Input, ArrayRef<int64_t> Starts,
                         ArrayRef<int64_t> Counts, ArrayRef<int64_t> Steps) {
  if (dimsOf(Input) == Counts)
    return Input;
  RankedTensorType Type = type(Counts, elementOf(Input));
  if (llvm::all_of(Steps, [](int64_t Step) { return Step == 1; }))
    return create<tosa::SliceOp>(Type, Input, shape(Starts), shape(Counts));
  return tensor::ExtractSliceOp::create(Builder, Loc, Type, Input, ValueRange(),
                                        ValueRange(), ValueRange(), Starts,
                                        Counts, Steps);
}

Value Emitter::interleaved(ArrayRef<Value> Phases, ArrayRef<int64_t> Dims,
                           ArrayRef<int64_t> Steps) {
  Value Result =
      tensor::EmptyOp::create(Builder, Loc, Dims, elementOf(Phases.front()));
  for (auto [Phase, Part] : llvm::enumerate(Phases)) {
    int64_t Y = Phase / Steps[1], X = Phase % Steps[1];
    Result = tensor::InsertSliceOp::create(
        Builder, Loc, Part, Result, ValueRange(), ValueRange(), ValueRange(),
        SmallVector<int64_t>{0, Y, X, 0}, dimsOf(Part),
        SmallVector<int64_t>{1, Steps[0], Steps[1], 1});
  }
  return Result;
}

Value Emitter::rescaled(Value Input, Type Element,
                        ArrayRef<MultiplierShift> Scales,
                        int64_t InputZeroPoint, int64_t OutputZeroPoint,
                        bool PerChannel) {
  SmallVector<int32_t> Multipliers;
  SmallVector<int8_t> Shifts;
  for (const MultiplierShift &Scale : Scales) {
    Multipliers.push_back(Scale.Multiplier);
    Shifts.push_back(Scale.Shift);
  }
  int64_t Count = Scales.size();
  return create<tosa::RescaleOp>(
      type(dimsOf(Input), Element), Input, words(Multipliers, Count),
      bytes(Shifts, Count), integer(InputZeroPoint, elementOf(Input)),
      integer(OutputZeroPoint, Element), /*scale32=*/true,
      tosa::RoundingMode::SINGLE_ROUND, PerChannel,
      elementOf(Input).isUnsignedInteger(), Element.isUnsignedInteger());
}

Value Emitter::clamped(Value Input, int64_t Low, int64_t High) {
  if (Low <= INT8_MIN && High >= INT8_MAX)
    return Input;
  return create<tosa::ClampOp>(Input.getType(), Input,
                               Builder.getI8IntegerAttr(Low),
                               Builder.getI8IntegerAttr(High));
}

Value Emitter::cast(Value Input, Type Element) {
  return create<tosa::CastOp>(type(dimsOf(Input), Element), Input);
}

Value Emitter::withElement(Value Input, Type Element) {
  if (elementOf(Input) == Element)
    return Input;
  return create<tensor::BitcastOp>(type(dimsOf(Input), Element), Input);
}

Value Emitter::multiplied(Value First, Value Second) {
  return create<tosa::MulOp>(First.getType(), First, Second, integer(0, i8()));
}
