//===- InputSamples.h - Some of the inputs of a product ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_QUANTIZATION_INPUTSAMPLES_H
#define TENON_QUANTIZATION_INPUTSAMPLES_H

#include "tenon/Quantization/WeightInputs.h"
#include <random>

namespace tenon::quantization {

/// What output elements of a product sum over: a sample of all that were seen,
/// each as likely as another one (Li, "Reservoir-sampling algorithms of time
/// complexity O(n(1 + log(N/n)))", 1994, algorithm L), drawn from a fixed seed.
/// Memory is bounded: twice as many samples as there are weights to an output
/// channel, at least 128 and at most 1,024, of four bytes a term and group.
class InputSamples {
public:
  /// `Axes`: of a convolution's windows, none of a matrix product.
  InputSamples(const WeightInputs &Of, std::vector<WindowAxis> Axes);

  /// Values of a run: row-major [items, channels, an extent for each axis], or
  /// [..., channels] of a matrix product.
  void add(const float *Values, const std::vector<int64_t> &Shape);

  const WeightInputs &inputs() const { return Of; }
  /// How many there are.
  int64_t count() const;
  /// The terms of sample `Index` that group `Group` sums over, in the order of
  /// its weights.
  const float *sample(int64_t Index, int64_t Group) const {
    return &Terms[(Group * Capacity + Index) * Of.terms()];
  }

private:
  struct Image; // a tensor, and how many windows each axis has

  void skip();
  double draw();
  void take(const Image &From, int64_t Position, int64_t Slot);
  void takeChannel(const Image &From, const float *Channel,
                   const std::vector<int64_t> &Begin, float *To) const;

  WeightInputs Of;
  std::vector<WindowAxis> Axes;
  int64_t Capacity;
  int64_t Seen = 0, Next = 0; // positions; the next one that is taken
  double Weight = 1;          // W of algorithm L
  std::mt19937_64 Random;
  std::vector<float> Terms;
};

} // namespace tenon::quantization

#endif // TENON_QUANTIZATION_INPUTSAMPLES_H
