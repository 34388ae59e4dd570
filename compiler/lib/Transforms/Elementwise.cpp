//===- Elementwise.cpp - Additions, products and requantisations ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A quantised addition is ((x - zx)*m1 + (y - zy)*m2 + 2^(s-1)) >> s in TOSA:
// two widened operands, MUL, MUL, ADD and a RESCALE by 2^-s.  It is a layer of
// its own, or the end of the layer that computes one of the operands.  A
// product is ((x - zx)*(y - zy)*m + 2^(s-1)) >> s.  The second operand may be
// one pixel of an image for all of them.
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
  int64_t Min = -128, Max = 127; ///< Source is clamped to
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

/// The clamp in front of an addend that no layer before it has as its own,
/// because others read what it clamps.
static tosa::ClampOp sharedClamp(const Addend &A) {
  auto Clamp = A.Source.getDefiningOp<tosa::ClampOp>();
  bool IsShared = Clamp && !Clamp.getInput().hasOneUse() &&
                  !isConstant(Clamp.getInput()) &&
                  llvm::isa<IntegerAttr>(Clamp.getMinValAttr()) &&
                  llvm::isa<IntegerAttr>(Clamp.getMaxValAttr());
  return IsShared ? Clamp : tosa::ClampOp();
}

/// QUANT_ADD clamps its first addend. Not where the second one is the clamp's
/// result, too: then something else has to make it.
static void foldClamp(Addend &A, const Addend &B, Candidate &L) {
  tosa::ClampOp Clamp = sharedClamp(A);
  if (!Clamp || B.Source == A.Source)
    return;
  A.Min = cast<IntegerAttr>(Clamp.getMinValAttr()).getValue().getSExtValue();
  A.Max = cast<IntegerAttr>(Clamp.getMaxValAttr()).getValue().getSExtValue();
  A.Source = Clamp.getInput();
  L.Members.insert(Clamp);
}

/// Brings the operand with all pixels to the first place; false where none has
/// them, or the other has neither all nor one.
static bool orderOperands(Addend &A, Addend &B, Type Result) {
  if (A.Source.getType() != Result)
    std::swap(A, B);
  auto Whole = shapeNHWC(Result), Second = shapeNHWC(B.Source.getType());
  return A.Source.getType() == Result && Whole && Second &&
         (*Second == *Whole ||
          *Second == ShapeNHWC{(*Whole)[0], 1, 1, (*Whole)[3]});
}

/// A layer of two activations, whose epilogue the caller adds.
static void takeOperands(Candidate &L, const Addend &A, const Addend &B) {
  L.Input = A.Source;
  L.Residual = B.Source;
  L.HasResidual = true;
  setShape(L.In, *shapeNHWC(A.Source.getType()));
  L.Out = L.In;
  setShape(L.Layer::Residual, *shapeNHWC(B.Source.getType()));
  L.Pointwise = L.In.H * L.In.W == L.Layer::Residual.H * L.Layer::Residual.W;
  L.InputZp = A.ZeroPoint;
  L.Bias.assign(L.channels(), 0);
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
  Why = {
      "an addition whose operands have neither one shape, nor is one of them "
      "a pixel of an image, or whose rescale is not a shift",
      "operands of one shape"};
  auto R = readRescale(Op, Why);
  if (!R || R->Multiplier.size() != 1 || R->InputZeroPoint ||
      !orderOperands(A, B, Op.getType()))
    return std::nullopt;
  if (A.Source.getType() == B.Source.getType() && !sharedClamp(A) &&
      sharedClamp(B))
    std::swap(A, B);
  foldClamp(A, B, L);
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
  takeOperands(L, A, B);
  L.Result = Op.getOutput();
  L.OutputZp = R->OutputZeroPoint;
  L.AddendMin = A.Min - A.ZeroPoint, L.AddendMax = A.Max - A.ZeroPoint;
  L.AddendScale = A.Scale, L.OperandScale = B.Scale;
  L.AddShift = Shift;
  L.OperandZp = B.ZeroPoint;
  L.Multiplier.assign(L.channels(), 1 << 30);
  L.Shift.assign(L.channels(), 30);
  readClamps(L);
  Why = {};
  return L;
}

std::optional<Candidate> tenon::readMultiplication(tosa::RescaleOp Op,
                                                   Refusal &Why) {
  auto Product = Op.getInput().getDefiningOp<tosa::MulOp>();
  auto Shift = Product ? readSplat(Product.getShift()) : std::nullopt;
  if (!Shift || *Shift || !isInt8(Op.getType()) || Op.getOutputUnsigned() ||
      !getElementTypeOrSelf(Product.getType()).isInteger(32))
    return std::nullopt;
  Candidate L;
  Addend A, B;
  L.Members.insert(Op);
  L.Members.insert(Product);
  if (!readWidened(Product.getInput1(), A, L) ||
      !readWidened(Product.getInput2(), B, L))
    return std::nullopt;
  auto R = readRescale(Op, Why);
  if (!R)
    return std::nullopt;
  Why = {
      "a product whose operands have neither one shape, nor is one of them a "
      "pixel of an image",
      "operands of one shape"};
  if (R->Multiplier.size() != 1 || R->InputZeroPoint ||
      !orderOperands(A, B, Op.getType()))
    return std::nullopt;
  L.Kind = scheduling::Reduction::Multiply;
  L.OpName = "multiplication";
  takeOperands(L, A, B);
  L.WeightZp = B.ZeroPoint;
  L.Result = Op.getOutput();
  L.OutputZp = R->OutputZeroPoint;
  L.Multiplier.assign(L.channels(), R->Multiplier[0]);
  L.Shift.assign(L.channels(), R->Shift[0]);
  readClamps(L);
  Why = {};
  return L;
}

/// Takes a constant, one value or one a channel, that is added to `Sums`; what
/// it is added to.
static Value takeConstant(Value Sums, Candidate &L) {
  auto Add = Sums.getDefiningOp<tosa::AddOp>();
  if (!Add)
    return Sums;
  Value Constant = Add.getInput2(), Other = Add.getInput1();
  if (isConstant(Other))
    std::swap(Constant, Other);
  auto Values = readIntegers(Constant);
  auto Shape = shapeNHWC(Constant.getType());
  if (!Values || !Shape || Other.getType() != Add.getType() ||
      (Values->size() != 1 && *Shape != ShapeNHWC{1, 1, 1, L.channels()}))
    return {};
  for (int64_t C = 0; C < L.channels(); ++C)
    L.Bias[C] = int32_t((*Values)[Values->size() == 1 ? 0 : C]);
  L.Members.insert(Add);
  return Other;
}

std::optional<Candidate> tenon::readScaling(tosa::RescaleOp Op, Refusal &Why) {
  auto Shape = shapeNHWC(Op.getType());
  if (!Shape || !isInt8(Op.getType()) || Op.getOutputUnsigned() ||
      !getElementTypeOrSelf(Op.getInput().getType()).isInteger(32))
    return std::nullopt;
  Candidate L;
  Addend A;
  L.Members.insert(Op);
  setShape(L.In, *Shape), setShape(L.Out, *Shape);
  L.Bias.assign(L.channels(), 0);
  Value Sums = takeConstant(Op.getInput(), L);
  if (!Sums || !readAddend(Sums, A, L) || !llvm::isInt<32>(A.Scale) ||
      !A.Scale || A.Source.getType() != Op.getType())
    return std::nullopt;
  auto R = readRescale(Op, Why);
  bool PerChannel = R && R->Multiplier.size() != 1;
  if (!R || R->InputZeroPoint ||
      (PerChannel && int64_t(R->Multiplier.size()) != L.channels()))
    return std::nullopt;
  L.Kind = scheduling::Reduction::Multiply;
  L.OpName = "requantise";
  L.Factor = A.Scale;
  L.Input = A.Source;
  L.Result = Op.getOutput();
  L.Pointwise = true;
  L.InputZp = A.ZeroPoint;
  L.OutputZp = R->OutputZeroPoint;
  for (int64_t C = 0; C < L.channels(); ++C) {
    L.Multiplier.push_back(R->Multiplier[PerChannel ? C : 0]);
    L.Shift.push_back(R->Shift[PerChannel ? C : 0]);
  }
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
      Producer.HasResidual || extents(Producer.Out) != extents(Addition.Out))
    return false;
  // The addend that is clamped can only be the first.
  if (Addition.AddendMin > -128 - Addition.InputZp ||
      Addition.AddendMax < 127 - Addition.InputZp)
    return false;
  if (Producer.Kind != Kind::Contract && Producer.Kind != Kind::Mac)
    return false;
  // The operand may come in either place.
  int32_t Scale = Addition.AddendScale, OtherScale = Addition.OperandScale;
  int32_t ZeroPoint = Addition.InputZp, OtherZp = Addition.OperandZp;
  Value Other = Addition.Residual;
  scheduling::TensorView OtherView = Addition.Layer::Residual;
  if (Producer.Result != Addition.Input) {
    if (Producer.Result != Addition.Residual)
      return false;
    std::swap(Scale, OtherScale);
    std::swap(ZeroPoint, OtherZp);
    Other = Addition.Input, OtherView = Addition.In;
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
  Producer.Residual = Other, Producer.Layer::Residual = OtherView;
  Producer.OutputZp = Addition.OutputZp;
  Producer.ClampMin = Addition.ClampMin, Producer.ClampMax = Addition.ClampMax;
  Producer.Result = Addition.Result;
  Producer.Members.insert(Addition.Members.begin(), Addition.Members.end());
  return true;
}
