//===- Phases.cpp - Layers whose results lie between each other -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A tensor may be stored phase by phase: every so many rows and pixels by a
// layer of their own. So the accelerator joins phases that are computed, and
// repeats, interpolates and rearranges pixels.
//
//===----------------------------------------------------------------------===//

#include "AxisFactors.h"
#include "Border.h"
#include "CandidateReading.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tenon;

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

static bool isImage(Value V) {
  auto Type = dyn_cast<RankedTensorType>(V.getType());
  return Type && Type.hasStaticShape() && Type.getRank() == 4 && isInt8(Type);
}

/// A layer that leaves every element as it is.
static Candidate copyOf(Value Image, StringRef Name) {
  Candidate L;
  L.Kind = scheduling::Reduction::Sum;
  L.OpName = Name.str();
  L.Input = Image;
  setShape(L.In, *shapeNHWC(Image.getType()));
  L.Out = L.In;
  return L;
}

/// v -> v, for each channel of the result.
static void keepValues(Candidate &L) {
  constexpr int32_t One = 1 << 30, Bits = 30;
  L.Multiplier.assign(L.channels(), One);
  L.Shift.assign(L.channels(), Bits);
  if (L.isContract())
    L.Bias.assign(L.channels(), 0);
}

//===----------------------------------------------------------------------===//
// Phases that are computed
//===----------------------------------------------------------------------===//

/// The phase that an insertion stores with the given steps, from 0 to one less
/// than their product; none where it stores something else.
static std::optional<int64_t> phaseOf(tensor::InsertSliceOp Op, int64_t SY,
                                      int64_t SX) {
  ArrayRef<int64_t> First = Op.getStaticOffsets(),
                    Whole = Op.getDestType().getShape();
  if (Op.getStaticStrides() != ArrayRef<int64_t>{1, SY, SX, 1} || First[0] ||
      First[3] || First[1] >= SY || First[2] >= SX)
    return std::nullopt;
  SmallVector<int64_t> All{
      Whole[0], static_cast<int64_t>(llvm::divideCeil(Whole[1] - First[1], SY)),
      static_cast<int64_t>(llvm::divideCeil(Whole[2] - First[2], SX)),
      Whole[3]};
  if (shapeOf(Op.getSource()) != ArrayRef(All))
    return std::nullopt;
  return First[1] * SX + First[2];
}

/// Insertions of all phases into a tensor that has no elements yet.
static std::optional<Candidate> readInsertions(tensor::InsertSliceOp Last) {
  if (!isImage(Last.getResult()) || !Last.getOffsets().empty() ||
      !Last.getSizes().empty() || !Last.getStrides().empty())
    return std::nullopt;
  int64_t SY = Last.getStaticStrides()[1], SX = Last.getStaticStrides()[2];
  ArrayRef<int64_t> Whole = shapeOf(Last.getResult());
  if (SY < 1 || SX < 1 || SY > Whole[1] || SX > Whole[2] || SY * SX == 1)
    return std::nullopt;
  Candidate L = copyOf(Last.getResult(), "phases");
  L.Input = {};
  L.Step = {SY, SX};
  L.Concatenated.resize(SY * SX);
  Value Into = Last.getResult();
  while (auto Op = Into.getDefiningOp<tensor::InsertSliceOp>()) {
    auto Phase = phaseOf(Op, SY, SX);
    if (!Phase || L.Concatenated[*Phase] || isConstant(Op.getSource()) ||
        (Op != Last && !Op->hasOneUse()))
      return std::nullopt;
    L.Concatenated[*Phase] = Op.getSource();
    L.Members.insert(Op);
    Into = Op.getDest();
  }
  auto Empty = Into.getDefiningOp<tensor::EmptyOp>();
  if (!Empty || llvm::is_contained(L.Concatenated, Value()))
    return std::nullopt;
  L.Members.insert(Empty);
  L.Result = Last.getResult();
  keepValues(L);
  return L;
}

//===----------------------------------------------------------------------===//
// Pixels that are repeated
//===----------------------------------------------------------------------===//

static std::optional<SmallVector<int64_t>> readSizes(Value V) {
  auto Constant = V.getDefiningOp<tosa::ConstShapeOp>();
  if (!Constant)
    return std::nullopt;
  return llvm::map_to_vector(
      Constant.getValues().getValues<APInt>(),
      [](const APInt &Size) { return Size.getSExtValue(); });
}

/// Whether element i of the result is i / Factor of the input: TOSA's nearest
/// of (i * Down + Offset) / Up.
static bool repeats(int64_t In, int64_t Factor, int64_t Up, int64_t Down,
                    int64_t Offset) {
  for (int64_t I = 0; I < In * Factor; ++I) {
    int64_t At = I * Down + Offset, Whole = llvm::divideFloorSigned(At, Up);
    int64_t Nearest = Whole + (2 * (At - Whole * Up) >= Up);
    if (std::clamp<int64_t>(Nearest, 0, In - 1) != I / Factor)
      return false;
  }
  return true;
}

static std::optional<Candidate> readRepeated(tosa::ResizeOp Op, Refusal &Why) {
  auto Scale = readSizes(Op.getScale()), Offset = readSizes(Op.getOffset());
  if (!isImage(Op.getInput()) || !isImage(Op.getOutput()) || !Scale || !Offset)
    return std::nullopt;
  ArrayRef<int64_t> From = shapeOf(Op.getInput()), To = shapeOf(Op.getOutput());
  int64_t SY = To[1] / From[1], SX = To[2] / From[2];
  if (To[1] % From[1] || To[2] % From[2] || SY * SX < 2 ||
      !repeats(From[1], SY, (*Scale)[0], (*Scale)[1], (*Offset)[0]) ||
      !repeats(From[2], SX, (*Scale)[2], (*Scale)[3], (*Offset)[1])) {
    Why = {"it does more than repeat each pixel the same number of times",
           "nearest pixels with integer factors"};
    return std::nullopt;
  }
  Candidate L = copyOf(Op.getInput(), "resize");
  L.Step = {SY, SX};
  L.Phases.resize(SY * SX);
  L.Result = Op.getOutput();
  L.Members.insert(Op);
  keepValues(L);
  return L;
}

//===----------------------------------------------------------------------===//
// Pixels between pixels
//===----------------------------------------------------------------------===//

namespace {
/// An axis whose element i lies at (i * Down + Offset) / Up of the input.
struct Grid {
  int64_t In, Out, Up, Down, Offset;

  /// The distance of elements that lie alike between the input's.
  int64_t step() const { return Up / Down; }
};

/// What elements of one phase are made of along an axis: one or two neighbours,
/// with so much padding around the input.
struct Neighbours {
  SmallVector<int64_t, 2> Taps;
  int64_t Before, After;
};
} // namespace

static Neighbours neighboursOf(const Grid &Of, int64_t Phase) {
  int64_t At = Phase * Of.Down + Of.Offset;
  int64_t First = llvm::divideFloorSigned(At, Of.Up);
  int64_t Fraction = At - First * Of.Up;
  Neighbours Result{{Of.Up - Fraction}, -First, 0};
  if (Fraction)
    Result.Taps.push_back(Fraction);
  int64_t Count = llvm::divideCeil(Of.Out - Phase, Of.step());
  Result.After = Count + First + int64_t(Result.Taps.size()) - 1 - Of.In;
  return Result;
}

/// Whether each phase is a window over the input and its padding.
static bool hasPhases(const Grid &Of) {
  if (Of.Down < 1 || Of.Up % Of.Down || Of.step() > Of.Out)
    return false;
  return llvm::all_of(llvm::seq(Of.step()), [&](int64_t Phase) {
    Neighbours N = neighboursOf(Of, Phase);
    return N.Before >= 0 && N.After >= 0;
  });
}

/// Both axes at once: products of their taps, for each channel.
static Candidate::Phase phaseOf(const Candidate &L, const Neighbours &Y,
                                const Neighbours &X) {
  Candidate::Phase Result;
  Result.KH = Y.Taps.size(), Result.KW = X.Taps.size();
  Result.Top = Y.Before, Result.Bottom = Y.After;
  Result.Left = X.Before, Result.Right = X.After;
  for (int64_t Row : Y.Taps)
    for (int64_t Column : X.Taps)
      Result.Weights.insert(Result.Weights.end(), L.In.C,
                            Row * Column + L.WeightZp);
  return Result;
}

/// As a layer it has the window of the phase that has the largest.
static void setPhases(Candidate &L, const Grid &Y, const Grid &X) {
  for (int64_t y = 0; y < Y.step(); ++y)
    for (int64_t x = 0; x < X.step(); ++x)
      L.Phases.push_back(phaseOf(L, neighboursOf(Y, y), neighboursOf(X, x)));
  for (const Candidate::Phase &Each : L.Phases) {
    if (Each.KH * Each.KW < L.KH * L.KW)
      continue;
    L.KH = Each.KH, L.KW = Each.KW;
    L.Top = Each.Top, L.Bottom = Each.Bottom;
    L.Left = Each.Left, L.Right = Each.Right;
  }
  L.Out.H = L.In.H + L.Top + L.Bottom - L.KH + 1;
  L.Out.W = L.In.W + L.Left + L.Right - L.KW + 1;
}

/// The largest product of an axis' taps with another's.
static int64_t largestTap(const Grid &Y, const Grid &X) {
  auto Largest = [](const Grid &Of) {
    int64_t Result = 0;
    for (int64_t Phase = 0; Phase < Of.step(); ++Phase)
      for (int64_t Tap : neighboursOf(Of, Phase).Taps)
        Result = std::max(Result, Tap);
    return Result;
  };
  return Largest(Y) * Largest(X);
}

static std::optional<Candidate> readInterpolation(tosa::ResizeOp Op,
                                                  Refusal &Why) {
  auto Scale = readSizes(Op.getScale()), Offset = readSizes(Op.getOffset());
  if (!isImage(Op.getInput()) || !Scale || !Offset ||
      !getElementTypeOrSelf(Op.getType()).isInteger(32))
    return std::nullopt;
  ArrayRef<int64_t> From = shapeOf(Op.getInput()), To = shapeOf(Op.getOutput());
  Grid Y{From[1], To[1], (*Scale)[0], (*Scale)[1], (*Offset)[0]};
  Grid X{From[2], To[2], (*Scale)[2], (*Scale)[3], (*Offset)[1]};
  if (!hasPhases(Y) || !hasPhases(X) || Y.step() * X.step() < 2) {
    Why = {"its pixels do not lie in a whole number of places between those of "
           "its input",
           "a linear resize by integer factors"};
    return std::nullopt;
  }
  constexpr int64_t MostTap = INT8_MAX - INT8_MIN;
  int64_t Largest = largestTap(Y, X);
  if (Largest > MostTap) {
    Why = {llvm::formatv("a pixel has the part {0}/{1} of another, which taps "
                         "of 8 bits (up to {2}) cannot say exactly",
                         Largest, Y.Up * X.Up, MostTap)
               .str(),
           "smaller factors, or two resizes"};
    return std::nullopt;
  }
  Candidate L = copyOf(Op.getInput(), "resize");
  L.Kind = scheduling::Reduction::Mac;
  L.Step = {Y.step(), X.step()};
  L.RepeatsEdge = true;
  L.WeightZp = Largest > INT8_MAX ? INT8_MIN : 0;
  L.Members.insert(Op);
  setPhases(L, Y, X);
  L.Weights = L.Phases.front().Weights;
  if (!readEpilogue(L, Op.getOutput(), Why))
    return std::nullopt;
  return L;
}

//===----------------------------------------------------------------------===//
// Pixels and channels that change places
//===----------------------------------------------------------------------===//

namespace {
/// How channels count the phases (y, x) and the channels of each: channel
/// y * Y + x * X + c * C.
struct ChannelOrder {
  int64_t Y, X, C;
};
} // namespace

/// All six, each from the digit that counts slowest to the fastest.
static SmallVector<ChannelOrder, 6> channelOrders(int64_t SY, int64_t SX,
                                                  int64_t Channels) {
  std::array<int64_t, 3> Sizes{SY, SX, Channels}, Digits{0, 1, 2};
  SmallVector<ChannelOrder, 6> Result;
  do {
    std::array<int64_t, 3> Distance;
    int64_t Next = 1;
    for (int64_t Digit : llvm::reverse(Digits)) {
      Distance[Digit] = Next;
      Next *= Sizes[Digit];
    }
    Result.push_back({Distance[0], Distance[1], Distance[2]});
  } while (std::next_permutation(Digits.begin(), Digits.end()));
  return Result;
}

static Axis axisOf(ArrayRef<Factor> Factors) {
  Axis Result;
  for (const Factor &F : Factors)
    append(Result, F);
  return Result;
}

/// The channels that phase (y, x) takes become its own: copied where blocks
/// begin with them, else multiplied by ones.
static void setPhases(Candidate &L, const ChannelOrder &Of, int64_t BlockMax) {
  auto [SY, SX] = L.Step;
  int64_t Depth = L.In.C, Channels = Depth / (SY * SX);
  bool AreBlocks = Of.C == 1 && Channels % BlockMax == 0;
  L.Out.C = Channels;
  if (AreBlocks)
    L.In.C = Channels;
  else
    L.Kind = scheduling::Reduction::Contract;
  for (int64_t Y = 0; Y < SY; ++Y)
    for (int64_t X = 0; X < SX; ++X) {
      int64_t First = Y * Of.Y + X * Of.X;
      Candidate::Phase &Phase = L.Phases.emplace_back();
      if (AreBlocks) {
        Phase.FirstChannel = First;
        continue;
      }
      Phase.Weights.assign(Channels * Depth, 0);
      for (int64_t C = 0; C < Channels; ++C)
        Phase.Weights[C * Depth + First + C * Of.C] = 1;
    }
  L.Weights = L.Phases.front().Weights;
}

/// `V` has SY * SX times as many pixels as `Root`, and channels as fewer.
static std::optional<Candidate>
readDepthToSpace(Value V, Value Root, const Axes &Is, int64_t BlockMax) {
  ArrayRef<int64_t> From = shapeOf(Root), To = shapeOf(V);
  int64_t H = From[1], W = From[2], C = From[3];
  int64_t SY = To[1] / H, SX = To[2] / W;
  if (To[1] % H || To[2] % W || SY < 2 || SX < 2 || To[3] * SY * SX != C)
    return std::nullopt;
  for (const ChannelOrder &Of : channelOrders(SY, SX, To[3])) {
    Axes Wanted{axisOf({{From[0], H * W * C}}),
                axisOf({{H, W * C}, {SY, Of.Y}}), axisOf({{W, C}, {SX, Of.X}}),
                axisOf({{To[3], Of.C}})};
    if (Is != Wanted)
      continue;
    Candidate L = copyOf(Root, "depth_to_space");
    L.Step = {SY, SX};
    setPhases(L, Of, BlockMax);
    keepValues(L);
    return L;
  }
  return std::nullopt;
}

/// `V` has pixels of SY * SX pixels of `Root`: a convolution with a window of
/// them, which selects.
static std::optional<Candidate> readSpaceToDepth(Value V, Value Root,
                                                 const Axes &Is) {
  ArrayRef<int64_t> From = shapeOf(Root), To = shapeOf(V);
  int64_t H = From[1], W = From[2], C = From[3];
  int64_t SY = H / To[1], SX = W / To[2];
  if (H % To[1] || W % To[2] || SY < 2 || SX < 2 || C * SY * SX != To[3])
    return std::nullopt;
  for (const ChannelOrder &Of : channelOrders(SY, SX, C)) {
    std::array<std::pair<int64_t, Factor>, 3> Digits{
        {{Of.Y, {SY, W * C}}, {Of.X, {SX, C}}, {Of.C, {C, 1}}}};
    llvm::sort(Digits, [](auto &A, auto &B) { return A.first > B.first; });
    Axes Wanted{axisOf({{From[0], H * W * C}}), axisOf({{To[1], SY * W * C}}),
                axisOf({{To[2], SX * C}}),
                axisOf({Digits[0].second, Digits[1].second, Digits[2].second})};
    if (Is != Wanted)
      continue;
    Candidate L = copyOf(Root, "space_to_depth");
    L.Kind = scheduling::Reduction::Contract;
    setShape(L.Out, *shapeNHWC(V.getType()));
    L.KH = L.SY = SY, L.KW = L.SX = SX;
    L.Weights.assign(To[3] * SY * SX * C, 0);
    for (int64_t Tap = 0; Tap < SY * SX; ++Tap)
      for (int64_t Channel = 0; Channel < C; ++Channel) {
        int64_t Out = Tap / SX * Of.Y + Tap % SX * Of.X + Channel * Of.C;
        L.Weights[(Out * SY * SX + Tap) * C + Channel] = 1;
      }
    keepValues(L);
    return L;
  }
  return std::nullopt;
}

/// Reshapes and transpositions that end in `Last`.
static std::optional<Candidate> readRearrangement(Operation *Last,
                                                  int64_t BlockMax) {
  if (!isBorderCandidate(Last) || !isImage(Last->getResult(0)))
    return std::nullopt;
  Value V = Last->getResult(0);
  SmallVector<Operation *> Chain;
  for (Value At = V; Operation *Op = At.getDefiningOp();
       At = Op->getOperand(0)) {
    if (!isBorderCandidate(Op))
      break;
    Chain.push_back(Op);
    Value Root = Op->getOperand(0);
    if (Chain.size() < 2 || !isImage(Root) || isConstant(Root))
      continue;
    auto Is = followed(V, Root);
    auto L = Is ? readDepthToSpace(V, Root, *Is, BlockMax) : std::nullopt;
    if (Is && !L)
      L = readSpaceToDepth(V, Root, *Is);
    if (!L)
      continue;
    L->Result = V;
    L->Members.insert(Chain.begin(), Chain.end());
    return L;
  }
  return std::nullopt;
}

std::optional<Candidate> tenon::readPhases(Operation *Op, int64_t BlockMax,
                                           Refusal &Why) {
  if (auto Insert = dyn_cast<tensor::InsertSliceOp>(Op))
    return readInsertions(Insert);
  if (auto Resize = dyn_cast<tosa::ResizeOp>(Op))
    return Resize.getMode() == tosa::ResizeMode::BILINEAR
               ? readInterpolation(Resize, Why)
               : readRepeated(Resize, Why);
  return readRearrangement(Op, BlockMax);
}
