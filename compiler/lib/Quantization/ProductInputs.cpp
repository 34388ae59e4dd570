//===- ProductInputs.cpp - What a product's weights meet ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/ProductInputs.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;
using namespace tenon::quantization;

static ArrayRef<int64_t> weightDims(const Node &N) {
  return cast<RankedTensorType>(N.input(1).getType()).getShape();
}

std::optional<WeightInputs>
tenon::quantization::weightInputsOf(const Node &N, const PlannedLayer &Layer) {
  auto Dims = weightDims(N);
  WeightInputs Result;
  if (N.is("Conv")) {
    auto Groups = N.integer("group", 1);
    if (failed(Groups))
      return std::nullopt;
    Result = {*Groups, Dims[1], 1};
    for (int64_t Extent : Dims.drop_front(2))
      Result.Window *= Extent;
    return Result;
  }
  auto IsTransposed = N.is("Gemm") ? N.integer("transA", 0) : 0;
  if (N.is("ConvTranspose") || failed(IsTransposed) || *IsTransposed ||
      Dims.size() != 2)
    return std::nullopt;
  Result.PerGroup = Dims[1 - Layer.WeightAxis];
  return Result;
}

std::optional<std::vector<WindowAxis>>
tenon::quantization::windowAxesOf(const Node &N) {
  if (!N.is("Conv"))
    return std::vector<WindowAxis>();
  auto Kernel = weightDims(N).drop_front(2);
  const size_t Rank = Kernel.size();
  SmallVector<int64_t> Ones(Rank, 1), None(2 * Rank, 0);
  auto Strides = N.integers("strides", Ones);
  auto Dilations = N.integers("dilations", Ones);
  auto Pads = N.integers("pads", None);
  auto Mode = N.string("auto_pad", "NOTSET");
  if (failed(Strides) || failed(Dilations) || failed(Pads) || failed(Mode) ||
      Strides->size() != Rank || Dilations->size() != Rank ||
      Pads->size() != 2 * Rank)
    return std::nullopt;
  std::vector<WindowAxis> Result;
  for (size_t Axis = 0; Axis < Rank; ++Axis) {
    WindowAxis &A = Result.emplace_back(
        WindowAxis{Kernel[Axis], (*Strides)[Axis], (*Dilations)[Axis]});
    if (*Mode == "NOTSET") {
      A.Low = (*Pads)[Axis];
      A.High = (*Pads)[Axis + Rank];
    }
    A.Pads = *Mode == "SAME_UPPER"   ? WindowAxis::SameUpper
             : *Mode == "SAME_LOWER" ? WindowAxis::SameLower
                                     : WindowAxis::Given;
  }
  return Result;
}
