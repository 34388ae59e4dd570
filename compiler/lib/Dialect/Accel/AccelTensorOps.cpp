//===- AccelTensorOps.cpp - Layers of a network ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The verifiers: shapes that agree with the window, operands that agree with
// the kind, epilogues whose numbers the machine's registers hold.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/Accel/Accel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace tenon::accel;

#define GET_OP_CLASSES
#include "tenon/Dialect/Accel/AccelOps.cpp.inc"

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

/// Every operand and result has a static shape of positive sizes.
static LogicalResult verifyStatic(Operation *Op) {
  auto IsStatic = [](Type T) {
    auto Tensor = dyn_cast<RankedTensorType>(T);
    return Tensor && Tensor.hasStaticShape() &&
           llvm::all_of(Tensor.getShape(), [](int64_t D) { return D > 0; });
  };
  for (Type T : llvm::concat<Type>(SmallVector<Type>(Op->getOperandTypes()),
                                   SmallVector<Type>(Op->getResultTypes())))
    if (!IsStatic(T))
      return Op->emitOpError(
                 "expected static shapes without empty axes, found ")
             << T;
  return success();
}

static LogicalResult verifyCount(Operation *Op, StringRef Name,
                                 ArrayRef<int64_t> Values, size_t Count,
                                 int64_t Least) {
  if (Values.size() != Count)
    return Op->emitOpError() << Name << ": expected " << Count
                             << " values, found " << Values.size();
  for (int64_t V : Values)
    if (V < Least)
      return Op->emitOpError()
             << Name << ": expected at least " << Least << ", found " << V;
  return success();
}

/// The result's height and width are floor((H + pads - reach) / stride) + 1.
static LogicalResult
verifyWindow(Operation *Op, ArrayRef<int64_t> Input, ArrayRef<int64_t> Result,
             ArrayRef<int64_t> Kernel, ArrayRef<int64_t> Stride,
             ArrayRef<int64_t> Dilation, ArrayRef<int64_t> Pad) {
  if (failed(verifyCount(Op, "kernel", Kernel, 2, 1)) ||
      failed(verifyCount(Op, "stride", Stride, 2, 1)) ||
      failed(verifyCount(Op, "dilation", Dilation, 2, 1)) ||
      failed(verifyCount(Op, "pad", Pad, 4, 0)))
    return failure();
  if (Input[0] != Result[0])
    return Op->emitOpError("expected a batch of ")
           << Input[0] << ", found " << Result[0];
  for (int Axis = 0; Axis < 2; ++Axis) {
    int64_t Room = Input[1 + Axis] + Pad[2 * Axis] + Pad[2 * Axis + 1] -
                   ((Kernel[Axis] - 1) * Dilation[Axis] + 1);
    int64_t Want = Room < 0 ? 0 : Room / Stride[Axis] + 1;
    if (Result[1 + Axis] != Want)
      return Op->emitOpError("expected ")
             << (Axis ? "a width of " : "a height of ") << Want << ", found "
             << Result[1 + Axis];
  }
  return success();
}

static LogicalResult verifyZeroPoint(Operation *Op, StringRef Name,
                                     int32_t Value) {
  if (!llvm::isInt<8>(Value))
    return Op->emitOpError()
           << Name << ": expected -128 to 127, found " << Value;
  return success();
}

/// Of two activations the second has all pixels or one.
static LogicalResult verifyResidual(Operation *Op, Value Residual,
                                    ArrayRef<int64_t> Result) {
  SmallVector<int64_t> Pixel = {Result[0], 1, 1, Result[3]};
  if (shapeOf(Residual) != Result && shapeOf(Residual) != ArrayRef(Pixel))
    return Op->emitOpError("expected a residual of the result's shape, or of "
                           "one pixel");
  return success();
}

/// Bounds and zero points of the epilogue, and the addition with its operand.
static LogicalResult verifyEpilogue(Operation *Op, QuantAttr Quant, AddAttr Add,
                                    Value Residual, ArrayRef<int64_t> Result) {
  if (Quant.getMin() > Quant.getMax() || !llvm::isInt<8>(Quant.getMin()) ||
      !llvm::isInt<8>(Quant.getMax()))
    return Op->emitOpError("quant: expected -128 <= min <= max <= 127");
  if (static_cast<bool>(Add) != static_cast<bool>(Residual))
    return Op->emitOpError("expected `add` and `residual` together");
  if (!Add)
    return success();
  if (failed(verifyResidual(Op, Residual, Result)))
    return failure();
  if (!llvm::isInt<22>(Add.getScale()) ||
      !llvm::isInt<22>(Add.getOperandScale()))
    return Op->emitOpError("add: expected scales of at most 21 bits");
  if (Add.getShift() < 2 || Add.getShift() > 62)
    return Op->emitOpError("add: expected a shift of 2 to 62, found ")
           << Add.getShift();
  if (Add.getMin() > Add.getMax() || !llvm::isInt<9>(Add.getMin()) ||
      !llvm::isInt<9>(Add.getMax()))
    return Op->emitOpError("add: expected min <= max of 9 bits");
  return verifyZeroPoint(Op, "operand_zp", Add.getOperandZeroPoint());
}

/// A vector of one value an output channel.
static LogicalResult verifyChannels(Operation *Op, StringRef Name, Value V,
                                    int64_t Channels) {
  if (V && shapeOf(V)[0] != Channels)
    return Op->emitOpError()
           << Name << ": expected " << Channels
           << " values, one a channel, found " << shapeOf(V)[0];
  return success();
}

/// Whether the second activation has one pixel where the result has several.
static bool isSpread(Value Residual, Value Result) {
  return Residual && shapeOf(Residual) != shapeOf(Result);
}

LayerAttr ContractOp::getLayer() {
  return LayerAttr::get(
      getContext(), ReductionKind::Contract, shapeOf(getInput()),
      shapeOf(getResult()), shapeOf(getWeights()).slice(1, 2), getStride(),
      getDilation(), getPad(), static_cast<bool>(getResidual()),
      /*uniform=*/false, getGroups(), /*weightSums=*/false,
      isSpread(getResidual(), getResult()), /*repeatsEdge=*/false);
}

static ReductionKind reductionOf(WindowKind Kind) {
  switch (Kind) {
  case WindowKind::Mac:
    return ReductionKind::Mac;
  case WindowKind::Sum:
    return ReductionKind::Sum;
  case WindowKind::Max:
    return ReductionKind::Max;
  case WindowKind::Average:
    return ReductionKind::Average;
  case WindowKind::Multiply:
    return ReductionKind::Multiply;
  }
  llvm_unreachable("a window kind without a reduction");
}

LayerAttr WindowOp::getLayer() {
  return LayerAttr::get(getContext(), reductionOf(getKind()),
                        shapeOf(getInput()), shapeOf(getResult()), getKernel(),
                        getStride(), getDilation(), getPad(),
                        static_cast<bool>(getResidual()),
                        /*uniform=*/!getBias() && !getMultiplier(),
                        /*groups=*/1, /*weightSums=*/false,
                        isSpread(getResidual(), getResult()), getRepeatsEdge());
}

LayerAttr ProductOp::getLayer() {
  SmallVector<int64_t> Once = {1, 1}, None(4, 0);
  return LayerAttr::get(getContext(), ReductionKind::Product,
                        shapeOf(getInput()), shapeOf(getResult()), Once, Once,
                        Once, None, /*residual=*/false, /*uniform=*/false,
                        /*groups=*/1, /*weightSums=*/getInputZp() != 0,
                        /*spread=*/false, /*repeatsEdge=*/false);
}

Value ProductOp::getResidual() { return {}; }

LogicalResult ProductOp::verify() {
  Operation *Op = getOperation();
  if (failed(verifyStatic(Op)))
    return failure();
  ArrayRef<int64_t> Input = shapeOf(getInput()),
                    Weights = shapeOf(getWeights()),
                    Result = shapeOf(getResult());
  SmallVector<int64_t> WantedWeights = {1, Input[1], Result[3], Input[3]},
                       WantedResult = {1, Input[1], Input[2], Result[3]};
  if (Result != ArrayRef(WantedResult))
    return emitOpError("expected one image of the rows and columns of ")
           << getInput().getType() << ", found " << getResult().getType();
  if (Weights != ArrayRef(WantedWeights))
    return emitOpError("expected weights of 1x")
           << Input[1] << "x" << Result[3] << "x" << Input[3]
           << ": rows, output and input channels; found "
           << getWeights().getType();
  if (failed(verifyChannels(Op, "bias", getBias(), Result[3])) ||
      failed(verifyChannels(Op, "multiplier", getMultiplier(), Result[3])) ||
      failed(verifyChannels(Op, "shift", getShift(), Result[3])) ||
      failed(verifyZeroPoint(Op, "input_zp", getInputZp())) ||
      failed(verifyZeroPoint(Op, "weight_zp", getWeightZp())))
    return failure();
  return verifyEpilogue(Op, getQuant(), AddAttr(), Value(), Result);
}

LogicalResult ContractOp::verify() {
  Operation *Op = getOperation();
  if (failed(verifyStatic(Op)))
    return failure();
  ArrayRef<int64_t> Input = shapeOf(getInput()),
                    Weights = shapeOf(getWeights()),
                    Result = shapeOf(getResult());
  int64_t Groups = getGroups();
  if (Groups < 1 || Input[3] % Groups || Result[3] % Groups)
    return emitOpError("expected groups that divide ")
           << Input[3] << " input and " << Result[3]
           << " output channels, found " << Groups;
  if (Weights[3] != Input[3] / Groups)
    return emitOpError("expected weights for ")
           << Input[3] / Groups << " input channels, found " << Weights[3];
  if (Weights[0] != Result[3])
    return emitOpError("expected weights for ")
           << Result[3] << " output channels, found " << Weights[0];
  if (failed(verifyWindow(Op, Input, Result, Weights.slice(1, 2), getStride(),
                          getDilation(), getPad())) ||
      failed(verifyChannels(Op, "bias", getBias(), Result[3])) ||
      failed(verifyChannels(Op, "multiplier", getMultiplier(), Result[3])) ||
      failed(verifyChannels(Op, "shift", getShift(), Result[3])) ||
      failed(verifyZeroPoint(Op, "input_zp", getInputZp())) ||
      failed(verifyZeroPoint(Op, "weight_zp", getWeightZp())))
    return failure();
  return verifyEpilogue(Op, getQuant(), getAdd().value_or(AddAttr()),
                        getResidual(), Result);
}

LogicalResult WindowOp::verify() {
  Operation *Op = getOperation();
  if (failed(verifyStatic(Op)))
    return failure();
  ArrayRef<int64_t> Input = shapeOf(getInput()), Result = shapeOf(getResult());
  if (Input[3] != Result[3])
    return emitOpError("expected ")
           << Input[3] << " channels, found " << Result[3];
  if (failed(verifyWindow(Op, Input, Result, getKernel(), getStride(),
                          getDilation(), getPad())) ||
      failed(verifyChannels(Op, "bias", getBias(), Result[3])) ||
      failed(verifyChannels(Op, "multiplier", getMultiplier(), Result[3])) ||
      failed(verifyChannels(Op, "shift", getShift(), Result[3])) ||
      failed(verifyZeroPoint(Op, "input_zp", getInputZp())) ||
      failed(verifyZeroPoint(Op, "tap_zp", getTapZp())))
    return failure();
  WindowKind Kind = getKind();
  if (static_cast<bool>(getTaps()) != (Kind == WindowKind::Mac))
    return emitOpError("expected taps with `mac` and only there");
  // Then who reads outside of the image reads its edge as well.
  bool IsDense = getDilation()[0] == 1 && getDilation()[1] == 1;
  for (auto [Side, Pad] : llvm::enumerate(getPad()))
    IsDense &= Pad < getKernel()[Side / 2];
  if (getRepeatsEdge() && (Kind != WindowKind::Mac || !IsDense))
    return emitOpError("expected repeats_edge with `mac` alone, without "
                       "dilation, and less padding than the window has taps");
  if (getTaps()) {
    ArrayRef<int64_t> Taps = shapeOf(getTaps());
    if (Taps.take_front(2) != getKernel() || Taps[2] != Result[3])
      return emitOpError("expected taps of the window and the channels, found ")
             << getTaps().getType();
  }
  bool Scaled = static_cast<bool>(getMultiplier());
  bool NeedsScale = Kind != WindowKind::Average && Kind != WindowKind::Max;
  if (NeedsScale && !Scaled)
    return emitOpError("expected multiplier and shift with `")
           << stringifyWindowKind(Kind) << "`";
  if (Kind == WindowKind::Average && Scaled)
    return emitOpError("expected no multiplier with `average`, whose scale is "
                       "the reciprocal of the count");
  if (Kind != WindowKind::Multiply)
    return verifyEpilogue(Op, getQuant(), getAdd().value_or(AddAttr()),
                          getResidual(), Result);
  if (static_cast<bool>(getResidual()) == (getFactor() != 0) || getAdd() ||
      Input != Result)
    return emitOpError("expected an input of the result's shape and either a "
                       "residual or a factor with `multiply`, and no `add`");
  if (getResidual() && failed(verifyResidual(Op, getResidual(), Result)))
    return failure();
  return verifyEpilogue(Op, getQuant(), AddAttr(), Value(), Result);
}

LogicalResult PhasesOp::verify() {
  if (failed(verifyStatic(getOperation())) ||
      failed(verifyCount(getOperation(), "step", getStep(), 2, 1)))
    return failure();
  ArrayRef<int64_t> Result = shapeOf(getResult());
  int64_t SY = getStep()[0], SX = getStep()[1];
  if (SY > Result[1] || SX > Result[2] ||
      static_cast<int64_t>(getInputs().size()) != SY * SX)
    return emitOpError("expected an input a phase, ")
           << SY << " x " << SX << " that are in " << getResult().getType()
           << ", found " << getInputs().size();
  for (auto [Phase, Input] : llvm::enumerate(getInputs())) {
    int64_t Y = Phase / SX, X = Phase % SX;
    SmallVector<int64_t> Wanted{Result[0], (Result[1] - Y + SY - 1) / SY,
                                (Result[2] - X + SX - 1) / SX, Result[3]};
    if (shapeOf(Input) != ArrayRef(Wanted))
      return emitOpError("expected phase ")
             << Phase << " to be "
             << RankedTensorType::get(
                    Wanted, getElementTypeOrSelf(getResult().getType()))
             << ", found " << Input.getType();
  }
  return success();
}

LogicalResult ChannelsOp::verify() {
  if (failed(verifyStatic(getOperation())))
    return failure();
  ArrayRef<int64_t> From = shapeOf(getInput()), To = shapeOf(getResult());
  int64_t First = getFirst();
  if (From.drop_back() == To.drop_back() && First >= 0 &&
      First + To[3] <= From[3])
    return success();
  return emitOpError("expected channels of ")
         << getInput().getType() << " from " << First << " on, found "
         << getResult().getType();
}

bool RegroupOp::makesRows() { return shapeOf(getInput())[1] == 1; }

LogicalResult RegroupOp::verify() {
  if (failed(verifyStatic(getOperation())))
    return failure();
  ArrayRef<int64_t> View = shapeOf(getView()), Whole = shapeOf(getWhole());
  if (View[0] == 1 && Whole[0] == 1 && Whole[1] == 1 && View[2] == Whole[2] &&
      View[1] * View[3] == Whole[3])
    return success();
  return emitOpError("expected 1x1xWxGC and 1xGxWxC, found ")
         << getInput().getType() << " and " << getResult().getType();
}

SmallVector<int64_t, 4> PackOp::getSourceShape() {
  ArrayRef<int64_t> Input = shapeOf(getInput());
  SmallVector<int64_t, 4> Shape;
  for (int64_t Axis : getPermutation())
    Shape.push_back(Axis < 0 ? 1 : Input[Axis]);
  return Shape;
}

LogicalResult PackOp::verify() {
  Operation *Op = getOperation();
  if (getPermutation().size() != 4)
    return emitOpError("permutation: expected 4 values, found ")
           << getPermutation().size();
  int64_t Rank = shapeOf(getInput()).size();
  for (int64_t Axis : getPermutation())
    if (Axis < -1 || Axis >= Rank)
      return emitOpError("permutation: expected axes of a tensor of ")
             << Rank << ", found " << Axis;
  auto Fold = getFold();
  if (!Fold)
    return success();
  if (failed(verifyStatic(Op)) ||
      failed(verifyCount(Op, "phases", Fold->getPhases(), 2, 1)) ||
      failed(verifyCount(Op, "step", Fold->getStep(), 2, 1)) ||
      failed(verifyCount(Op, "dilation", Fold->getDilation(), 2, 1)) ||
      failed(verifyCount(Op, "origin", Fold->getOrigin(), 2,
                         std::numeric_limits<int32_t>::min())) ||
      failed(verifyZeroPoint(Op, "outside", Fold->getOutside())))
    return failure();
  SmallVector<int64_t, 4> Source = getSourceShape();
  ArrayRef<int64_t> Result = shapeOf(getResult());
  int64_t Channels = Source[3] * Fold->getPhases()[0] * Fold->getPhases()[1];
  if (Result[0] != Source[0] || Result[3] != Channels)
    return emitOpError("fold: expected ")
           << Source[0] << " images of " << Channels << " channels, found "
           << Result[0] << " of " << Result[3];
  return success();
}
