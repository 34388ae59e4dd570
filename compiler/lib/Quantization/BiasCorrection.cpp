//===- BiasCorrection.cpp - The mean of what rounding weights does --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/BiasCorrection.h"

using namespace tenon::quantization;

/// The input channel that weight `Index` meets.
static int64_t inputOf(int64_t Index, const WeightShape &Shape,
                       const WeightInputs &Inputs) {
  if (Shape.Outer > 1)
    return Index / (Shape.Channels * Shape.Inner);
  const int64_t Group =
      Shape.channelOf(Index) / (Shape.Channels / Inputs.Groups);
  return Group * Inputs.PerGroup + Index % Shape.Inner / Inputs.Window;
}

std::vector<double> tenon::quantization::meanShift(
    const std::vector<float> &Weights, const IntegerWeights &Rounded,
    const WeightShape &Shape, const WeightInputs &Inputs,
    const std::vector<double> &Means) {
  std::vector<double> Result(Shape.Channels, 0);
  for (int64_t Index = 0; Index < Shape.size(); ++Index) {
    const int64_t Channel = Shape.channelOf(Index);
    const double Moved = Rounded.Values[Index] *
                             double(Rounded.scaleOf(Shape.scaleIndex(Index))) -
                         Weights[Index];
    Result[Channel] += Moved * Means[inputOf(Index, Shape, Inputs)];
  }
  return Result;
}
