//===- Elementwise.cpp - Additions and requantisations --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A quantised addition is ((x - zx)*m1 + (y - zy)*m2 + 2^(s-1)) >> s in TOSA:
// two widened operands, MUL, MUL, ADD and a RESCALE by 2^-s.  It is a layer of
// its own, or the end of the layer that computes one of the operands.
//
//===----------------------------------------------------------------------===//

#include "LayerBuilding.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon;

namespace {
/// (Source - ZeroPoint) * Scale, in 32 bits.
struct Addend {
  Value Source;
  int64_t ZeroPoint = 0, Scale = 1;
};
} // namespace

/// Reads int8 widened to int32, minus a zero point.
static bool readWidened(Value V, Addend &A, Layer &L) {
  if (auto Sub = V.getDefiningOp<tosa::SubOp>()) {
    auto Zero = readSplat(Sub.getInput2());
    if (!Zero || Sub.getType() != Sub.getInput1().getType())
      return false;
    A.ZeroPoint = *Zero;
    L.Members.insert(Sub);
    V = Sub.getInput1();
  }
  if (auto Cast = V.getDefiningOp<tosa::CastOp>()) {
    L.Members.insert(Cast);
    A.Source = Cast.getInput();
  } else if (auto Rescale = V.getDefiningOp<tosa::RescaleOp>()) {
    Refusal Ignored;
    auto R = readRescale(Rescale, Ignored);
    if (!R || !R->isIdentity() || Rescale.getInputUnsigned())
      return false;
    A.ZeroPoint += R->InputZeroPoint - R->OutputZeroPoint;
    L.Members.insert(Rescale);
    A.Source = Rescale.getInput();
  }
  return A.Source && isInt8(A.Source.getType()) && !isConstant(A.Source) &&
         A.ZeroPoint >= -128 && A.ZeroPoint <= 127;
}

/// Reads a widened operand times a constant.
static bool readAddend(Value V, Addend &A, Layer &L) {
  if (auto Mul = V.getDefiningOp<tosa::MulOp>()) {
    auto Shift = readSplat(Mul.getShift());
    Value Factor = Mul.getInput2(), Operand = Mul.getInput1();
    if (isConstant(Operand))
      std::swap(Factor, Operand);
    auto Scale = readSplat(Factor);
    if (!Scale || !Shift || *Shift || Mul.getType() != Operand.getType())
      return false;
    A.Scale = *Scale;
    L.Members.insert(Mul);
    V = Operand;
  }
  return readWidened(V, A, L);
}

std::optional<Layer> tenon::readAddition(tosa::RescaleOp Op, Refusal &Why) {
  auto Sum = Op.getInput().getDefiningOp<tosa::AddOp>();
  if (!Sum || !isInt8(Op.getType()) || Op.getOutputUnsigned() ||
      !getElementTypeOrSelf(Sum.getType()).isInteger(32))
    return std::nullopt;
  Layer L;
  Addend A, B;
  L.Members.insert(Op);
  L.Members.insert(Sum);
  if (!readAddend(Sum.getInput1(), A, L) || !readAddend(Sum.getInput2(), B, L))
    return std::nullopt;
  Why = {"an addition that broadcasts or whose rescale is not a shift",
         "operands of one shape"};
  auto R = readRescale(Op, Why);
  auto Shape = shapeNHWC(Op.getType());
  if (!R || R->Multiplier.size() != 1 || R->InputZeroPoint || !Shape ||
      A.Source.getType() != B.Source.getType() ||
      A.Source.getType() != Op.getType())
    return std::nullopt;
  // (v * 2^k + 2^(s-1)) >> s is (v + 2^(s-k-1)) >> (s-k).
  if (!llvm::isPowerOf2_64(R->Multiplier[0]))
    return std::nullopt;
  int64_t Shift = R->Shift[0] - llvm::Log2_64(R->Multiplier[0]);
  while (Shift > 2 && A.Scale % 2 == 0 && B.Scale % 2 == 0) {
    A.Scale /= 2;
    B.Scale /= 2;
    --Shift;
  }
  if (Shift < 2 || Shift > 62 || !llvm::isInt<22>(A.Scale) ||
      !llvm::isInt<22>(B.Scale)) {
    Why = {"the scales of the addition do not fit 21 bits",
           "multipliers below 2^21, as the importer makes them"};
    return std::nullopt;
  }
  L.Kind = LayerKind::Sum;
  L.Op = "addition";
  L.Input = A.Source;
  L.Residual = B.Source;
  L.Result = Op.getOutput();
  L.InputShape = L.ResultShape = *Shape;
  L.Pointwise = true;
  L.InputZeroPoint = A.ZeroPoint;
  L.Quantization.ZeroPoint = R->OutputZeroPoint;
  L.Add = Layer::Addition{static_cast<int32_t>(-128 - A.ZeroPoint),
                          static_cast<int32_t>(127 - A.ZeroPoint),
                          static_cast<int32_t>(A.Scale),
                          static_cast<int32_t>(B.Scale),
                          static_cast<int32_t>(Shift),
                          static_cast<int32_t>(B.ZeroPoint)};
  L.Bias.assign(L.channels(), 0);
  L.Multiplier.assign(L.channels(), 1 << 30);
  L.Shift.assign(L.channels(), 30);
  readClamps(L);
  Why = {};
  return L;
}

std::optional<Layer> tenon::readRequantisation(tosa::RescaleOp Op,
                                               Refusal &Why) {
  auto Shape = shapeNHWC(Op.getType());
  if (!isInt8(Op.getInput().getType()) || !isInt8(Op.getType()) || !Shape ||
      Op.getInputUnsigned() || Op.getOutputUnsigned() ||
      isConstant(Op.getInput()))
    return std::nullopt;
  auto R = readRescale(Op, Why);
  if (!R)
    return std::nullopt;
  Layer L;
  L.Kind = LayerKind::Sum;
  L.Op = "requantise";
  L.Input = Op.getInput();
  L.Result = Op.getOutput();
  L.InputShape = L.ResultShape = *Shape;
  L.Pointwise = true;
  L.InputZeroPoint = R->InputZeroPoint;
  L.Quantization.ZeroPoint = R->OutputZeroPoint;
  int64_t Channels = L.channels();
  bool PerChannel = R->Multiplier.size() != 1;
  if (PerChannel && static_cast<int64_t>(R->Multiplier.size()) != Channels)
    return std::nullopt;
  L.Bias.assign(Channels, 0);
  for (int64_t C = 0; C < Channels; ++C) {
    L.Multiplier.push_back(R->Multiplier[PerChannel ? C : 0]);
    L.Shift.push_back(R->Shift[PerChannel ? C : 0]);
  }
  L.Members.insert(Op);
  readClamps(L);
  return L;
}

/// Whether anybody but the addition reads `V`, or what the addition makes of it
/// on the way: additions share what widens a common operand.
static bool isReadElsewhere(Value V, const Layer &Addition) {
  return V != Addition.Result &&
         llvm::any_of(V.getUsers(), [&](Operation *User) {
           return !Addition.Members.contains(User) ||
                  llvm::any_of(User->getResults(), [&](Value Next) {
                    return isReadElsewhere(Next, Addition);
                  });
         });
}

bool tenon::fuseAddition(Layer &Producer, const Layer &Addition) {
  if (!Addition.Add || Addition.Kind != LayerKind::Sum || Producer.Add)
    return false;
  if (Producer.Kind != LayerKind::Contract && Producer.Kind != LayerKind::Mac)
    return false;
  // The operand may come in either place.
  Layer::Addition Add = *Addition.Add;
  Value Other = Addition.Residual;
  int32_t ZeroPoint = Addition.InputZeroPoint;
  if (Producer.Result != Addition.Input) {
    if (Producer.Result != Addition.Residual)
      return false;
    ZeroPoint = Add.OperandZeroPoint;
    Add.OperandZeroPoint = Addition.InputZeroPoint;
    std::swap(Add.Scale, Add.OperandScale);
    Other = Addition.Input;
  }
  if (Other == Producer.Result ||
      ZeroPoint != Producer.Quantization.ZeroPoint ||
      isReadElsewhere(Producer.Result, Addition))
    return false;
  Add.Min = Producer.Quantization.Min - ZeroPoint;
  Add.Max = Producer.Quantization.Max - ZeroPoint;
  Producer.Add = Add;
  Producer.Residual = Other;
  Producer.Quantization = Addition.Quantization;
  Producer.Result = Addition.Result;
  Producer.Members.insert(Addition.Members.begin(), Addition.Members.end());
  return true;
}
