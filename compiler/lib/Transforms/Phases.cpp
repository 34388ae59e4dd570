//===- Phases.cpp - Layers whose results lie between each other -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A tensor may be stored phase by phase: every so many rows and pixels by a
// layer of their own. So the accelerator joins phases that are computed, and
// repeats and rearranges pixels.
//
//===----------------------------------------------------------------------===//

#include "AxisFactors.h"
#include "Border.h"
#include "CandidateReading.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
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

static std::optional<Candidate> readResize(tosa::ResizeOp Op, Refusal &Why) {
  auto Scale = readSizes(Op.getScale()), Offset = readSizes(Op.getOffset());
  if (!isImage(Op.getInput()) || !isImage(Op.getOutput()) || !Scale || !Offset)
    return std::nullopt;
  ArrayRef<int64_t> From = shapeOf(Op.getInput()), To = shapeOf(Op.getOutput());
  int64_t SY = To[1] / From[1], SX = To[2] / From[2];
  if (Op.getMode() != tosa::ResizeMode::NEAREST_NEIGHBOR || To[1] % From[1] ||
      To[2] % From[2] || SY * SX < 2 ||
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
    return readResize(Resize, Why);
  return readRearrangement(Op, BlockMax);
}
