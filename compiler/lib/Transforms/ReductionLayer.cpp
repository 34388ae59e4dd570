//===- ReductionLayer.cpp - Read a layer from its reduction ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An operation that upstream's lowering shows to be a reduction: its weights in
// the scheduler's order, its window, and what follows it.
//
//===----------------------------------------------------------------------===//

#include "CandidateReading.h"
#include "GroupedConvolution.h"

using namespace mlir;
using namespace tenon;

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

/// Copies weights of any axis order into one with the axes given (-1: an axis
/// of size 1 the source lacks); `Extents` are those of the result.
static std::vector<int8_t> permute(ArrayRef<int8_t> Values,
                                   ArrayRef<int64_t> Shape, ArrayRef<int> Axes,
                                   ArrayRef<int64_t> Extents) {
  SmallVector<int64_t> Strides(Shape.size(), 1), Steps;
  for (int I = static_cast<int>(Shape.size()) - 2; I >= 0; --I)
    Strides[I] = Strides[I + 1] * Shape[I + 1];
  for (int Axis : Axes)
    Steps.push_back(Axis < 0 ? 0 : Strides[Axis]);
  std::vector<int8_t> Result(llvm::product_of(Extents));
  SmallVector<int64_t> At(Extents.size());
  const int64_t Inner = Extents.back(), Step = Steps.back();
  int64_t Offset = 0;
  for (size_t Row = 0; Row < Result.size(); Row += Inner) {
    for (int64_t I = 0; I < Inner; ++I)
      Result[Row + I] = Values[Offset + I * Step];
    for (size_t Axis = Extents.size() - 1; Axis-- > 0;) {
      Offset += Steps[Axis];
      if (++At[Axis] < Extents[Axis])
        break;
      Offset -= Steps[Axis] * std::exchange(At[Axis], 0);
    }
  }
  return Result;
}

static int64_t extent(ArrayRef<int64_t> Shape, int Axis) {
  return Axis < 0 ? 1 : Shape[Axis];
}

static int64_t rows(const Candidate &L) { return L.Out.N * L.Out.H * L.Out.W; }

/// Weights O, KH, KW, I of a GEMM.
static void takeDenseWeights(Candidate &L, const Reduction &R,
                             ArrayRef<int8_t> Values, ArrayRef<int64_t> Shape) {
  auto Axes = ArrayRef(R.Match.WeightAxes);
  int64_t Out = extent(Shape, Axes[AxisOut]), In = extent(Shape, Axes[AxisIn]);
  L.Kind = scheduling::Reduction::Contract;
  L.OpName =
      L.isPointwise() && L.In.H == 1 && L.In.W == 1 ? "dense" : "convolution";
  L.Weights = permute(Values, Shape,
                      {Axes[AxisOut], Axes[AxisY], Axes[AxisX], Axes[AxisIn]},
                      {Out, L.KH, L.KW, In});
  L.Macs = rows(L) * L.Weights.size();
}

/// One filter a channel: taps KH, KW, C for the ALU, or with a multiplier a
/// group of weights for each on GEMM.
static void takeChannelWeights(Candidate &L, const Reduction &R,
                               ArrayRef<int8_t> Values,
                               ArrayRef<int64_t> Shape) {
  auto Axes = ArrayRef(R.Match.WeightAxes);
  int64_t Channels = extent(Shape, Axes[AxisIn]);
  int64_t Times = extent(Shape, R.Match.MultiplierAxis);
  auto Taps =
      permute(Values, Shape,
              {Axes[AxisY], Axes[AxisX], Axes[AxisIn], R.Match.MultiplierAxis},
              {L.KH, L.KW, Channels, Times});
  L.OpName = "depthwise";
  L.Macs = rows(L) * Taps.size();
  int64_t One = 1 + int64_t(L.WeightZp);
  if (Times == 1) {
    L.Kind = scheduling::Reduction::Mac;
    L.Weights = std::move(Taps);
    // Taps of one only sum.
    if (llvm::all_of(L.Weights, [&](int64_t T) { return T == One; })) {
      L.Kind = scheduling::Reduction::Sum;
      L.OpName = L.isPointwise() ? "requantise" : "average_pool";
      L.Macs = 0;
      L.Weights.clear();
      L.WeightZp = 0;
    }
    return;
  }
  L.Kind = scheduling::Reduction::Contract;
  L.Groups = Channels;
  L.Weights = permute(Taps, {L.KH * L.KW, Channels, Times}, {1, 2, 0},
                      {Channels, Times, L.KH * L.KW});
}

/// Of a product the right operands as GEMM wants them, before a transposition
/// of their matrices.
static bool takeRightOperand(Candidate &L, const Reduction &R, Refusal &Why) {
  auto Transpose = R.Weights.getDefiningOp<tosa::TransposeOp>();
  if (!Transpose || Transpose.getPerms() != ArrayRef<int32_t>{0, 2, 1}) {
    Why = {"no transposition makes its right operand",
           "accel-transpose-right-operands before placement"};
    return false;
  }
  L.Kind = scheduling::Reduction::Product;
  L.OpName = "matmul";
  L.Pointwise = false;
  L.RightOperand = Transpose.getInput1();
  setShape(L.ComputedWeights, *shapeNHWC(L.RightOperand.getType()));
  L.Macs = rows(L) * L.Out.C * L.In.C;
  L.Members.insert(Transpose);
  return true;
}

/// The kind, the weights and the bias of a matched reduction.
static bool takeOperands(Candidate &L, const Reduction &R, Refusal &Why) {
  using Kind = enum Intrinsic::Kind;
  switch (R.Match.Decl->Kind) {
  case Kind::Sum:
    L.Kind = scheduling::Reduction::Sum;
    L.OpName = "average_pool";
    break;
  case Kind::Max:
    L.Kind = scheduling::Reduction::Max;
    L.OpName = "max_pool";
    break;
  case Kind::Product:
    if (!takeRightOperand(L, R, Why))
      return false;
    break;
  default: {
    auto Values = readBytes(R.Weights);
    if (!Values) {
      Why = {"its weights are not 8-bit constants",
             "weights that are initializers of the network"};
      return false;
    }
    if (R.Match.Decl->Kind == Kind::Gemm)
      takeDenseWeights(L, R, *Values, shapeOf(R.Weights));
    else
      takeChannelWeights(L, R, *Values, shapeOf(R.Weights));
  }
  }
  if (!R.Bias)
    return true;
  auto Bias = readIntegers(R.Bias);
  int64_t Count = Bias ? Bias->size() : 0;
  if (!Bias || (Count != 1 && Count != L.channels())) {
    Why = {"its bias is no constant a channel", "a constant bias"};
    return false;
  }
  for (int64_t C = 0; C < L.channels(); ++C)
    L.Bias.push_back(static_cast<int32_t>((*Bias)[Count == 1 ? 0 : C]));
  return true;
}

/// Whether a window reads no more of an axis of `Whole` elements than of its
/// first `Part`: the accelerator computes floor((H + pads - reach) / stride)
/// + 1.
static bool reachesAlike(int64_t Whole, int64_t Part, int64_t Taps,
                         int64_t Stride, int64_t Dilation, int64_t Before,
                         int64_t After, int64_t Result) {
  int64_t Room = Whole + Before + After - ((Taps - 1) * Dilation + 1);
  // Padding behind a slice lies elsewhere than padding behind the whole.
  return Room / Stride + 1 == Result && (Whole == Part || !After);
}

/// Folds a slice that only cuts rows and columns the strided window never
/// reaches.
static void foldInputSlice(Candidate &L) {
  auto Slice = L.Input.getDefiningOp<tosa::SliceOp>();
  if (!Slice || L.Pointwise)
    return;
  auto Start = Slice.getStart().getDefiningOp<tosa::ConstShapeOp>();
  if (!Start || !isInt8(Slice.getInput1().getType()) ||
      llvm::any_of(Start.getValues().getValues<APInt>(),
                   [](const APInt &V) { return !V.isZero(); }))
    return;
  auto Whole = shapeNHWC(Slice.getInput1().getType());
  if (!Whole || (*Whole)[0] != L.In.N || (*Whole)[3] != L.In.C ||
      !reachesAlike((*Whole)[1], L.In.H, L.KH, L.SY, L.DY, L.Top, L.Bottom,
                    L.Out.H) ||
      !reachesAlike((*Whole)[2], L.In.W, L.KW, L.SX, L.DX, L.Left, L.Right,
                    L.Out.W))
    return;
  setShape(L.In, *Whole);
  L.Input = Slice.getInput1();
  L.Members.insert(Slice);
}

static bool hasTrivialWindow(const Candidate &L) {
  return L.isPointwise() && L.SY == 1 && L.SX == 1 && !L.Top && !L.Bottom &&
         !L.Left && !L.Right;
}

static void setWindow(Candidate &L, const Reduction &R) {
  L.KH = R.Match.Kernel[0], L.KW = R.Match.Kernel[1];
  L.SY = R.Match.Stride[0], L.SX = R.Match.Stride[1];
  L.DY = R.Match.Dilation[0], L.DX = R.Match.Dilation[1];
  L.Top = R.Pad[0], L.Bottom = R.Pad[1], L.Left = R.Pad[2], L.Right = R.Pad[3];
  L.Pointwise = hasTrivialWindow(L);
}

/// The accumulation of reduction `Op`, without what follows it.
static std::optional<Candidate>
readAccumulation(Operation *Op, const Reduction &R, Refusal &Why) {
  Candidate L;
  L.Input = R.Input;
  auto InputShape = shapeNHWC(L.Input.getType());
  auto ResultShape = shapeNHWC(Op->getResult(0).getType());
  if (!InputShape || !ResultShape || !isInt8(L.Input.getType())) {
    Why = {"its input is not an 8-bit tensor of up to four axes",
           "8-bit quantisation"};
    return std::nullopt;
  }
  setShape(L.In, *InputShape);
  setShape(L.Out, *ResultShape);
  setWindow(L, R);
  L.InputZp = R.InputZeroPoint;
  L.WeightZp = R.WeightZeroPoint;
  L.Members.insert(Op);
  if (!takeOperands(L, R, Why))
    return std::nullopt;
  return L;
}

static std::optional<Reduction> readOneReduction(Operation *Op, Refusal &Why) {
  auto R = readReduction(Op, Why.Reason);
  if (!R && !Why.Reason.empty())
    Why.Remedy = "an intrinsic declared for it";
  return R;
}

/// A convolution with groups: their weights and biases one behind the other.
static std::optional<Candidate> readGroupedLayer(GroupedConvolution &G,
                                                 Refusal &Why) {
  std::optional<Candidate> L;
  for (tosa::Conv2DOp Conv : G.Convolutions) {
    auto R = readOneReduction(Conv, Why);
    auto Group = R ? readAccumulation(Conv, *R, Why) : std::nullopt;
    if (!Group)
      return std::nullopt;
    Group->Bias.resize(Group->Out.C);
    if (!L) {
      L = std::move(Group);
      continue;
    }
    llvm::append_range(L->Weights, Group->Weights);
    llvm::append_range(L->Bias, Group->Bias);
    L->Macs += Group->Macs;
  }
  L->OpName = "convolution";
  L->Groups = G.Convolutions.size();
  L->Input = G.Input;
  L->In.C *= L->Groups, L->Out.C *= L->Groups;
  L->Members.insert(G.Slices.begin(), G.Slices.end());
  L->Members.insert(G.Convolutions.begin(), G.Convolutions.end());
  L->Members.insert(G.Sums);
  foldInputSlice(*L);
  if (!readEpilogue(*L, G.Sums.getOutput(), Why))
    return std::nullopt;
  return L;
}

std::optional<Candidate> tenon::readReductionLayer(Operation *Op,
                                                   Refusal &Why) {
  if (auto Conv = dyn_cast<tosa::Conv2DOp>(Op))
    if (auto G = readGrouped(Conv))
      return readGroupedLayer(*G, Why);
  auto R = readOneReduction(Op, Why);
  auto L = R ? readAccumulation(Op, *R, Why) : std::nullopt;
  if (!L)
    return std::nullopt;
  Value Accumulator = Op->getResult(0);
  foldInputSlice(*L);
  if (auto Average = dyn_cast<tosa::AvgPool2dOp>(Op)) {
    // TOSA's reciprocal of the elements inside is the intrinsic's `average`.
    auto InputZero = readSplat(Average.getInputZp());
    auto OutputZero = readSplat(Average.getOutputZp());
    if (!InputZero || !OutputZero || !isInt8(Average.getType()))
      return std::nullopt;
    L->Kind = scheduling::Reduction::Average;
    L->InputZp = *InputZero;
    L->OutputZp = *OutputZero;
  } else if (R->HasEpilogue) {
    Why = {"what follows its reduction is no rescale", ""};
    return std::nullopt;
  } else if (L->Kind != scheduling::Reduction::Max) {
    if (!readEpilogue(*L, Accumulator, Why))
      return std::nullopt;
    return L;
  }
  L->Result = Accumulator;
  readClamps(*L);
  return L;
}
