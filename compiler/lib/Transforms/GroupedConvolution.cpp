//===- GroupedConvolution.cpp - A convolution a group ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "GroupedConvolution.h"

#include "Reduction.h"

using namespace mlir;
using namespace tenon;

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

/// Whether the slice is all of its source but for channels from `First` on.
static bool cutsChannels(tosa::SliceOp Slice, int64_t First) {
  auto Start = Slice.getStart().getDefiningOp<tosa::ConstShapeOp>();
  ArrayRef<int64_t> From = shapeOf(Slice.getInput1()),
                    To = shapeOf(Slice.getOutput());
  if (!Start || From.size() != 4 || From.drop_back() != To.drop_back())
    return false;
  auto Starts =
      llvm::map_to_vector(Start.getValues().getValues<APInt>(),
                          [](const APInt &V) { return V.getSExtValue(); });
  return Starts == SmallVector<int64_t>{0, 0, 0, First};
}

/// Whether both have the same window, shapes and zero points.
static bool areAlike(tosa::Conv2DOp A, tosa::Conv2DOp B) {
  return A.getProperties() == B.getProperties() &&
         A.getOperandTypes() == B.getOperandTypes() &&
         A.getType() == B.getType() &&
         readSplat(A.getInputZp()) == readSplat(B.getInputZp()) &&
         readSplat(A.getWeightZp()) == readSplat(B.getWeightZp());
}

std::optional<GroupedConvolution> tenon::readGrouped(tosa::ConcatOp Sums) {
  if (Sums.getAxis() != 3)
    return std::nullopt;
  GroupedConvolution G;
  G.Sums = Sums;
  int64_t First = 0;
  for (Value Sum : Sums.getInput1()) {
    auto Each = Sum.getDefiningOp<tosa::Conv2DOp>();
    auto Slice =
        Each ? Each.getInput().getDefiningOp<tosa::SliceOp>() : tosa::SliceOp();
    if (!Slice || !Each->hasOneUse() || !cutsChannels(Slice, First))
      return std::nullopt;
    if (!G.Input)
      G.Input = Slice.getInput1();
    else if (Slice.getInput1() != G.Input ||
             !areAlike(Each, G.Convolutions.front()))
      return std::nullopt;
    G.Slices.push_back(Slice);
    G.Convolutions.push_back(Each);
    First += shapeOf(Slice.getOutput())[3];
  }
  if (!G.Input || First != shapeOf(G.Input)[3])
    return std::nullopt;
  return G;
}

std::optional<GroupedConvolution> tenon::readGrouped(tosa::Conv2DOp Conv) {
  auto Sums = Conv->hasOneUse() ? dyn_cast<tosa::ConcatOp>(*Conv->user_begin())
                                : tosa::ConcatOp();
  return Sums ? readGrouped(Sums) : std::nullopt;
}
