//===- Epilogue.cpp - Bias, rescale and clamp of a layer ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "CandidateReading.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tenon;

bool tenon::isInt8(Type Type) {
  auto Tensor = dyn_cast<RankedTensorType>(Type);
  return Tensor && Tensor.hasStaticShape() &&
         Tensor.getElementType().isSignlessInteger(8);
}

std::optional<ShapeNHWC> tenon::shapeNHWC(Type Type) {
  auto Tensor = dyn_cast<RankedTensorType>(Type);
  if (!Tensor || !Tensor.hasStaticShape() || Tensor.getRank() < 1)
    return std::nullopt;
  ArrayRef<int64_t> Shape = Tensor.getShape();
  while (Shape.size() > 4) {
    if (Shape.front() != 1)
      return std::nullopt;
    Shape = Shape.drop_front();
  }
  ShapeNHWC Result = {1, 1, 1, 1};
  llvm::copy(Shape, Result.begin() + (4 - Shape.size()));
  return Result;
}

std::optional<RescaleInfo> tenon::readRescale(tosa::RescaleOp Op,
                                              Refusal &Why) {
  RescaleInfo R;
  auto Multiplier = readIntegers(Op.getMultiplier());
  auto Shift = readIntegers(Op.getShift());
  auto InputZero = readSplat(Op.getInputZp());
  auto OutputZero = readSplat(Op.getOutputZp());
  if (!Multiplier || !Shift || !InputZero || !OutputZero ||
      Multiplier->size() != Shift->size() || Multiplier->empty()) {
    Why = {"a rescale whose scale is not constant", "constant scales"};
    return std::nullopt;
  }
  if (!Op.getScale32() ||
      Op.getRoundingMode() != tosa::RoundingMode::SINGLE_ROUND) {
    Why = {"a rescale with 16-bit multipliers or double rounding; the "
           "accelerator has 32-bit multipliers and rounds once",
           "SINGLE_ROUND with scale32"};
    return std::nullopt;
  }
  for (auto [M, S] : llvm::zip(*Multiplier, *Shift))
    if (S < 2 || S > 62 || M < INT32_MIN || M > INT32_MAX) {
      Why = {llvm::formatv("a rescale by {0} >> {1}; the accelerator shifts by "
                           "2 to 62",
                           M, S)
                 .str(),
             "a scale between 2^-31 and 2^29"};
      return std::nullopt;
    }
  R.Multiplier = std::move(*Multiplier);
  R.Shift = std::move(*Shift);
  R.InputZeroPoint = *InputZero;
  R.OutputZeroPoint = *OutputZero;
  if (Op.getInputUnsigned() && R.InputZeroPoint < 0)
    R.InputZeroPoint &= 255;
  if (Op.getOutputUnsigned() && R.OutputZeroPoint < 0)
    R.OutputZeroPoint &= 255;
  return R;
}

/// An 8-bit element type's least value, by sign.
static int64_t leastValue(Type Type, bool Unsigned) {
  return Unsigned || getElementTypeOrSelf(Type).isUnsignedInteger() ? 0 : -128;
}

bool tenon::isBorderRescale(tosa::RescaleOp Op, int64_t &Offset) {
  Type In = Op.getInput().getType(), Out = Op.getOutput().getType();
  if (!getElementTypeOrSelf(In).isInteger(8) ||
      !getElementTypeOrSelf(Out).isInteger(8))
    return false;
  int64_t InMin = leastValue(In, Op.getInputUnsigned());
  int64_t OutMin = leastValue(Out, Op.getOutputUnsigned());
  if (InMin == OutMin)
    return false;
  Refusal Ignored;
  auto R = readRescale(Op, Ignored);
  if (!R || !R->isIdentity())
    return false;
  Offset = R->OutputZeroPoint - R->InputZeroPoint;
  return InMin + Offset == OutMin;
}

/// The only user of a value, or null.
static Operation *onlyUser(Value V) {
  return V.hasOneUse() ? *V.user_begin() : nullptr;
}

/// Adds the constants of a tosa.add behind the accumulators to the bias.
static bool absorbBias(Candidate &L, tosa::AddOp Add, Value Accumulator) {
  Value Other =
      Add.getInput1() == Accumulator ? Add.getInput2() : Add.getInput1();
  auto Type = dyn_cast<RankedTensorType>(Other.getType());
  auto Values = readIntegers(Other);
  if (!Values || !Type || Add.getType() != Accumulator.getType())
    return false;
  int64_t Channels = L.channels();
  bool One = Type.getNumElements() == 1;
  if (!One &&
      (Type.getNumElements() != Channels || Type.getShape().back() != Channels))
    return false;
  L.Bias.resize(Channels, 0);
  for (int64_t C = 0; C < Channels; ++C)
    L.Bias[C] =
        static_cast<int32_t>(static_cast<uint32_t>(L.Bias[C]) +
                             static_cast<uint32_t>((*Values)[One ? 0 : C]));
  return true;
}

/// A reshape that keeps the channels together.
static bool keepsChannels(tosa::ReshapeOp Op) {
  auto In = dyn_cast<RankedTensorType>(Op.getInput1().getType());
  auto Out = dyn_cast<RankedTensorType>(Op.getType());
  return In && Out && In.getRank() && Out.getRank() && In.hasStaticShape() &&
         Out.hasStaticShape() && In.getShape().back() == Out.getShape().back();
}

/// One value a channel from one value or one a channel.
template <typename T>
static bool spread(ArrayRef<int64_t> From, int64_t Channels,
                   std::vector<T> &To) {
  if (From.size() != 1 && static_cast<int64_t>(From.size()) != Channels)
    return false;
  To.resize(Channels);
  for (int64_t C = 0; C < Channels; ++C)
    To[C] = static_cast<T>(From[From.size() == 1 ? 0 : C]);
  return true;
}

bool tenon::readEpilogue(Candidate &L, Value Accumulator, Refusal &Why) {
  Why = {"its 32-bit accumulators go elsewhere than to one rescale to int8 of "
         "the same channels",
         "requantise the result to 8 bits"};
  tosa::RescaleOp Rescale;
  while (Operation *User = onlyUser(Accumulator)) {
    if (auto Add = dyn_cast<tosa::AddOp>(User)) {
      if (!absorbBias(L, Add, Accumulator))
        return false;
    } else if (auto Reshape = dyn_cast<tosa::ReshapeOp>(User)) {
      if (!keepsChannels(Reshape))
        return false;
    } else {
      Rescale = dyn_cast<tosa::RescaleOp>(User);
      break;
    }
    L.Members.insert(User);
    Accumulator = User->getResult(0);
  }
  if (!Rescale || !isInt8(Rescale.getType()) || Rescale.getOutputUnsigned())
    return false;
  auto R = readRescale(Rescale, Why);
  if (!R)
    return false;
  if (R->InputZeroPoint || !spread(R->Multiplier, L.channels(), L.Multiplier) ||
      !spread(R->Shift, L.channels(), L.Shift)) {
    Why = {"the scales of its rescale are not one a channel", ""};
    return false;
  }
  L.Bias.resize(L.channels(), 0);
  L.OutputZp = R->OutputZeroPoint;
  L.Members.insert(Rescale);
  L.Result = Rescale.getOutput();
  readClamps(L);
  Why = {};
  return true;
}

void tenon::readClamps(Candidate &L) {
  while (auto Clamp = dyn_cast_or_null<tosa::ClampOp>(onlyUser(L.Result))) {
    auto Min = dyn_cast<IntegerAttr>(Clamp.getMinValAttr());
    auto Max = dyn_cast<IntegerAttr>(Clamp.getMaxValAttr());
    if (!Min || !Max || !isInt8(Clamp.getType()))
      return;
    auto Bound = [&](int32_t Value) {
      return std::clamp<int32_t>(Value, Min.getValue().getSExtValue(),
                                 Max.getValue().getSExtValue());
    };
    L.ClampMin = Bound(L.ClampMin);
    L.ClampMax = Bound(L.ClampMax);
    L.Members.insert(Clamp);
    L.Result = Clamp.getOutput();
  }
}
