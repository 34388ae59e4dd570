//===- SelectByConvolution.cpp - Slices and pads on the accelerator -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A slice with steps, a slice of channels and a pad select elements: as 1x1
// convolutions with a selection matrix the accelerator can do them.
//
//===----------------------------------------------------------------------===//

#include "CandidateReading.h"
#include "GroupedConvolution.h"
#include "tenon/Transforms/CountingPass.h"
#include "tenon/Transforms/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon {
#define GEN_PASS_DEF_SELECTBYCONVOLUTION
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

namespace {

/// What is selected along one axis: `Count` elements from `Start` on, `Step`
/// apart; `Before` and `After` elements of padding around them.
struct Extent {
  int64_t Start = 0, Count = 0, Step = 1, Before = 0, After = 0;

  int64_t size() const { return Before + Count + After; }
  /// The elements from the first to the last one that is taken.
  int64_t reach() const { return (Count - 1) * Step + 1; }
  bool isWhole(int64_t Dim) const { return size() == Dim && Count == Dim; }
};

/// A selection from an image N, H, W, C.
struct Selection {
  Value Image;
  std::array<Extent, 4> Ranges;
  int64_t Padding = 0; ///< the value of padded elements
};

/// Writes the convolution.
class SelectionBuilder {
public:
  SelectionBuilder(OpBuilder &B, Location Loc) : B(B), Loc(Loc) {}

  Value convolution(const Selection &S);

private:
  /// The rows and columns between the first and the last that are taken.
  Value cut(const Selection &S);
  Value matrix(const Selection &S);
  Value splat(ArrayRef<int64_t> Shape, unsigned Width, int64_t Value);
  Value sizes(ArrayRef<int64_t> Values);
  RankedTensorType type(ArrayRef<int64_t> Shape, unsigned Width) {
    return RankedTensorType::get(Shape, B.getIntegerType(Width));
  }

  OpBuilder &B;
  Location Loc;
};

} // namespace

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// What is selected
//===----------------------------------------------------------------------===//

static bool isImage(Value V) {
  return isInt8(V.getType()) && shapeOf(V).size() == 4;
}

/// The elements of a constant shape; none when it is computed.
static std::optional<SmallVector<int64_t>> readSizes(Value V) {
  auto Constant = V.getDefiningOp<tosa::ConstShapeOp>();
  if (!Constant)
    return std::nullopt;
  return llvm::map_to_vector(
      Constant.getValues().getValues<APInt>(),
      [](const APInt &Size) { return Size.getSExtValue(); });
}

static Selection wholeOf(Value Image) {
  Selection S{Image, {}};
  for (auto [Of, Dim] : llvm::zip(S.Ranges, shapeOf(Image)))
    Of.Count = Dim;
  return S;
}

static std::optional<Selection> readSlice(tosa::SliceOp Op) {
  auto Starts = readSizes(Op.getStart());
  if (!Starts || !isImage(Op.getInput1()))
    return std::nullopt;
  Selection S = wholeOf(Op.getInput1());
  for (auto [Of, Start, Count] :
       llvm::zip(S.Ranges, *Starts, shapeOf(Op.getOutput())))
    Of = {Start, Count};
  return S;
}

static std::optional<Selection> readSlice(tensor::ExtractSliceOp Op) {
  if (!isImage(Op.getSource()) || !isImage(Op.getResult()) ||
      !Op.getOffsets().empty() || !Op.getSizes().empty() ||
      !Op.getStrides().empty())
    return std::nullopt;
  Selection S = wholeOf(Op.getSource());
  for (auto [Of, Start, Count, Step] :
       llvm::zip(S.Ranges, Op.getStaticOffsets(), Op.getStaticSizes(),
                 Op.getStaticStrides())) {
    if (Step < 1)
      return std::nullopt;
    Of = {Start, Count, Step};
  }
  return S;
}

static std::optional<Selection> readPad(tosa::PadOp Op) {
  auto Pads = readSizes(Op.getPadding());
  auto Value = readSplat(Op.getPadConst());
  if (!Pads || !Value || !isImage(Op.getInput1()) ||
      llvm::any_of(*Pads, [](int64_t Pad) { return Pad < 0; }))
    return std::nullopt;
  Selection S = wholeOf(Op.getInput1());
  S.Padding = *Value;
  for (auto [Axis, Of] : llvm::enumerate(S.Ranges)) {
    Of.Before = (*Pads)[2 * Axis];
    Of.After = (*Pads)[2 * Axis + 1];
  }
  return S;
}

static std::optional<Selection> readSelection(Operation *Op) {
  return llvm::TypeSwitch<Operation *, std::optional<Selection>>(Op)
      .Case<tosa::SliceOp, tensor::ExtractSliceOp>(
          [](auto Slice) { return readSlice(Slice); })
      .Case([](tosa::PadOp Pad) { return readPad(Pad); })
      .Default(std::nullopt);
}

/// Slices that only take groups of channels for convolutions with groups, which
/// read them where they are.
static DenseSet<Operation *> slicesOfGroups(func::FuncOp Function) {
  DenseMap<Operation *, int64_t> Reads; // of each slice by such convolutions
  Function.walk([&](tosa::ConcatOp Op) {
    if (auto G = readGrouped(Op))
      for (tosa::SliceOp Slice : G->Slices)
        ++Reads[Slice];
  });
  DenseSet<Operation *> Result;
  for (auto [Slice, Count] : Reads)
    if (llvm::hasNItems(Slice->getUses(), Count))
      Result.insert(Slice);
  return Result;
}

/// Most weights of a selection matrix: the host moves the elements sooner than
/// an accelerator reads more.
static constexpr int64_t MaxWeights = 1 << 24;

/// Every batch as it is; and more than rows and columns cut off, which is no
/// work for a convolution.
static bool isConvolution(const Selection &S) {
  ArrayRef<int64_t> Shape = shapeOf(S.Image);
  if (!S.Ranges[0].isWhole(Shape[0]) ||
      S.Ranges[3].size() > MaxWeights / Shape[3])
    return false;
  bool Pads = llvm::any_of(
      S.Ranges, [](const Extent &Of) { return Of.Before || Of.After; });
  return Pads || S.Ranges[1].Step > 1 || S.Ranges[2].Step > 1 ||
         !S.Ranges[3].isWhole(Shape[3]);
}

//===----------------------------------------------------------------------===//
// The convolution
//===----------------------------------------------------------------------===//

Value SelectionBuilder::splat(ArrayRef<int64_t> Shape, unsigned Width,
                              int64_t Value) {
  APInt Bits(Width, Value, /*isSigned=*/true);
  RankedTensorType Type = type(Shape, Width);
  return tosa::ConstOp::create(B, Loc, Type,
                               DenseElementsAttr::get(Type, Bits));
}

Value SelectionBuilder::sizes(ArrayRef<int64_t> Values) {
  return tosa::ConstShapeOp::create(
      B, Loc, tosa::shapeType::get(B.getContext(), Values.size()),
      B.getIndexTensorAttr(Values));
}

Value SelectionBuilder::cut(const Selection &S) {
  ArrayRef<int64_t> Shape = shapeOf(S.Image);
  const Extent &Rows = S.Ranges[1], &Columns = S.Ranges[2];
  SmallVector<int64_t> Dims{Shape[0], Rows.reach(), Columns.reach(), Shape[3]};
  if (Shape == ArrayRef(Dims))
    return S.Image;
  return tosa::SliceOp::create(B, Loc, type(Dims, 8), S.Image,
                               sizes({0, Rows.Start, Columns.Start, 0}),
                               sizes(Dims));
}

/// One row a channel of the result, with a 1 at the channel it takes.
Value SelectionBuilder::matrix(const Selection &S) {
  const Extent &Channels = S.Ranges[3];
  int64_t Depth = shapeOf(S.Image)[3];
  std::vector<int8_t> Weights(Channels.size() * Depth, 0);
  for (int64_t To = 0; To < Channels.Count; ++To)
    Weights[(Channels.Before + To) * Depth + Channels.Start +
            To * Channels.Step] = 1;
  RankedTensorType Type = type({Channels.size(), 1, 1, Depth}, 8);
  return tosa::ConstOp::create(B, Loc, Type,
                               DenseElementsAttr::get(Type, ArrayRef(Weights)));
}

Value SelectionBuilder::convolution(const Selection &S) {
  const Extent &Rows = S.Ranges[1], &Columns = S.Ranges[2];
  SmallVector<int64_t> Dims =
      llvm::map_to_vector(S.Ranges, [](const Extent &Of) { return Of.size(); });
  int64_t Channels = Dims[3];
  Value Input = cut(S), Weights = matrix(S), Bias = splat({Channels}, 32, 0);
  Value Zero = splat({1}, 8, S.Padding), WeightZero = splat({1}, 8, 0);
  Value Sums = tosa::Conv2DOp::create(
      B, Loc, type(Dims, 32), Input, Weights, Bias, Zero, WeightZero,
      ArrayRef{Rows.Before, Rows.After, Columns.Before, Columns.After},
      ArrayRef{Rows.Step, Columns.Step}, ArrayRef<int64_t>{1, 1},
      B.getI32Type());
  // Every sum is one element: the scale is one, for each channel.
  constexpr int64_t One = 1 << 30, Bits = 30;
  Value Multiplier = splat({Channels}, 32, One),
        Shift = splat({Channels}, 8, Bits), SumZero = splat({1}, 32, 0);
  return tosa::RescaleOp::create(
      B, Loc, type(Dims, 8), Sums, Multiplier, Shift, SumZero, Zero,
      /*scale32=*/true, tosa::RoundingMode::SINGLE_ROUND, /*per_channel=*/true,
      /*input_unsigned=*/false, /*output_unsigned=*/false);
}

namespace {

struct SelectByConvolution
    : tenon::impl::SelectByConvolutionBase<SelectByConvolution>,
      CountingPass {
  void runOnOperation() override {
    DenseSet<Operation *> OfGroups = slicesOfGroups(getOperation());
    SmallVector<std::pair<Operation *, Selection>> Found;
    getOperation().walk([&](Operation *Op) {
      auto S = OfGroups.contains(Op) ? std::nullopt : readSelection(Op);
      if (S && isConvolution(*S))
        Found.emplace_back(Op, *S);
    });
    for (auto &[Op, S] : Found) {
      OpBuilder B(Op);
      S.Image = Op->getOperand(0); // one before it may have been replaced
      Value Result = SelectionBuilder(B, Op->getLoc()).convolution(S);
      Result.getDefiningOp()->setDiscardableAttrs(
          Op->getDiscardableAttrDictionary());
      Op->getResult(0).replaceAllUsesWith(Result);
      Op->erase();
      count("selections by convolution");
    }
  }
};

} // namespace
