//===- Elementwise.cpp - Additions and requantisations --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A quantised addition is ((x - zx)*m1 + (y - zy)*m2 + 2^(s-1)) >> s in TOSA:
// two widened operands, MUL, MUL, ADD and a RESCALE by 2^-s.  It is a layer of
// its own, or the end of the layer that computes one of the operands.
//
//===----------------------------------------------------------------------===//

#include "CandidateReading.h"

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
static bool readWidened(Value V, Addend &A, Candidate &L) {
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
static bool readAddend(Value V, Addend &A, Candidate &L) {
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

std::optional<Candidate> tenon::readAddition(tosa::RescaleOp Op, Refusal &Why) {
  auto Sum = Op.getInput().getDefiningOp<tosa::AddOp>();
  if (!Sum || !isInt8(Op.getType()) || Op.getOutputUnsigned() ||
      !getElementTypeOrSelf(Sum.getType()).isInteger(32))
    return std::nullopt;
  Candidate L;
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
  L.Kind = scheduling::Reduction::Sum;
  L.OpName = "addition";
  L.Input = A.Source;
  L.Residual = B.Source;
  L.Result = Op.getOutput();
  setShape(L.In, *Shape), setShape(L.Out, *Shape);
  L.Pointwise = true;
  L.InputZp = A.ZeroPoint;
  L.OutputZp = R->OutputZeroPoint;
  L.HasResidual = true;
  L.AddendMin = -128 - A.ZeroPoint, L.AddendMax = 127 - A.ZeroPoint;
  L.AddendScale = A.Scale, L.OperandScale = B.Scale;
  L.AddShift = Shift;
  L.OperandZp = B.ZeroPoint;
  L.Bias.assign(L.channels(), 0);
  L.Multiplier.assign(L.channels(), 1 << 30);
  L.Shift.assign(L.channels(), 30);
  readClamps(L);
  Why = {};
  return L;
}

std::optional<Candidate> tenon::readRequantisation(tosa::RescaleOp Op,
                                                   Refusal &Why) {
  auto Shape = shapeNHWC(Op.getType());
  if (!isInt8(Op.getInput().getType()) || !isInt8(Op.getType()) || !Shape ||
      Op.getInputUnsigned() || Op.getOutputUnsigned() ||
      isConstant(Op.getInput()))
    return std::nullopt;
  auto R = readRescale(Op, Why);
  if (!R)
    return std::nullopt;
  Candidate L;
  L.Kind = scheduling::Reduction::Sum;
  L.OpName = "requantise";
  L.Input = Op.getInput();
  L.Result = Op.getOutput();
  setShape(L.In, *Shape), setShape(L.Out, *Shape);
  L.Pointwise = true;
  L.InputZp = R->InputZeroPoint;
  L.OutputZp = R->OutputZeroPoint;
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
static bool isReadElsewhere(Value V, const Candidate &Addition) {
  return V != Addition.Result &&
         llvm::any_of(V.getUsers(), [&](Operation *User) {
           return !Addition.Members.contains(User) ||
                  llvm::any_of(User->getResults(), [&](Value Next) {
                    return isReadElsewhere(Next, Addition);
                  });
         });
}

bool tenon::fuseAddition(Candidate &Producer, const Candidate &Addition) {
  using Kind = scheduling::Reduction;
  if (!Addition.HasResidual || Addition.Kind != Kind::Sum ||
      Producer.HasResidual)
    return false;
  if (Producer.Kind != Kind::Contract && Producer.Kind != Kind::Mac)
    return false;
  // The operand may come in either place.
  int32_t Scale = Addition.AddendScale, OtherScale = Addition.OperandScale;
  int32_t ZeroPoint = Addition.InputZp, OtherZp = Addition.OperandZp;
  Value Other = Addition.Residual;
  if (Producer.Result != Addition.Input) {
    if (Producer.Result != Addition.Residual)
      return false;
    std::swap(Scale, OtherScale);
    std::swap(ZeroPoint, OtherZp);
    Other = Addition.Input;
  }
  if (Other == Producer.Result || ZeroPoint != Producer.OutputZp ||
      isReadElsewhere(Producer.Result, Addition))
    return false;
  Producer.HasResidual = true;
  Producer.AddendMin = Producer.ClampMin - ZeroPoint;
  Producer.AddendMax = Producer.ClampMax - ZeroPoint;
  Producer.AddendScale = Scale, Producer.OperandScale = OtherScale;
  Producer.AddShift = Addition.AddShift;
  Producer.OperandZp = OtherZp;
  Producer.Residual = Other;
  Producer.OutputZp = Addition.OutputZp;
  Producer.ClampMin = Addition.ClampMin, Producer.ClampMax = Addition.ClampMax;
  Producer.Result = Addition.Result;
  Producer.Members.insert(Addition.Members.begin(), Addition.Members.end());
  return true;
}
