//===- WeightInputs.h - What the weights of a product meet ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_WEIGHTINPUTS_H
#define TENON_QUANTIZATION_WEIGHTINPUTS_H

#include <cstdint>
#include <vector>

namespace tenon::quantization {

/// Which input channels an output channel of a product sums over, and with how
/// many weights.  A matrix product has one group and windows of one.
struct WeightInputs {
  int64_t Groups = 1;   ///< of a convolution
  int64_t PerGroup = 1; ///< input channels that an output channel sums over
  int64_t Window = 1;   ///< weights an input channel

  int64_t channels() const { return Groups * PerGroup; }
  /// Weights of an output channel.
  int64_t terms() const { return PerGroup * Window; }
};

/// How a convolution's windows lie along one axis of its input, in elements.
struct WindowAxis {
  int64_t Kernel = 1, Stride = 1, Dilation = 1;
  int64_t Low = 0, High = 0; ///< padding, where it is `Given`
  /// ONNX's auto_pad: SAME has as many windows as strides fit the input.
  enum { Given, SameUpper, SameLower } Pads = Given;

  int64_t reach() const { return (Kernel - 1) * Dilation + 1; }
  /// How many windows an input of `Extent` elements has.
  int64_t windows(int64_t Extent) const;
  /// Where window `Index` begins; negative in the padding.
  int64_t begin(int64_t Index, int64_t Extent) const;
};

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_WEIGHTINPUTS_H
