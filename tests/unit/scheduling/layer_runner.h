// Part of Tenon, under the Apache License v2.0.
//
// Lowers hand-made layers, runs them on the functional simulator and computes
// the same by the definition in AccelTensorOps.td.

#ifndef TESTS_UNIT_SCHEDULING_LAYER_RUNNER_H
#define TESTS_UNIT_SCHEDULING_LAYER_RUNNER_H

#include "tenon/Scheduling/CostModel.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tenon::scheduling {

/// A dense activation, NHWC.
struct Activation {
  int64_t n = 1, h = 1, w = 1, c = 1;
  std::vector<int8_t> data;
  int8_t at(int64_t i, int64_t y, int64_t x, int64_t channel) const {
    return data[((i * h + y) * w + x) * c + channel];
  }
};

/// A layer with its input (and residual, and weights that are computed), which
/// nothing repeats.
struct Case {
  Layer layer;
  Activation input, residual, weights;
  /// The residual's value for a pixel: its own, or the only one.
  int8_t operand(int64_t n, int64_t y, int64_t x, int64_t o) const {
    bool isSpread = layer.isSpread();
    return residual.at(n, isSpread ? 0 : y, isSpread ? 0 : x, o);
  }
};

/// A residual of one pixel for all: finishShapes completes it.
inline TensorView onePixel() {
  TensorView t;
  t.C = 0;
  return t;
}

/// Result shape from input shape, window, stride, dilation and padding.
void finishShapes(Layer &layer);

/// Random weights, parameters, zero points and activations for the shapes in
/// `layer` (weights, bias, ... are replaced).
Case makeCase(Layer layer, std::mt19937_64 &random);

/// The result by definition, one element after the other.
Activation compute(const Case &of);

/// The result of the program on the functional simulator, or what went wrong.
/// The schedule is searched with `threads` contexts unless one is given.
struct RunResult {
  std::string error;
  Activation output;
  uint64_t instructions = 0;
  Schedule schedule;
};
RunResult runCase(const isa::Layout &layout, Case of, uint32_t threads,
                  const Schedule *schedule = nullptr);

/// The results of a program whose tiles of both layers are interleaved;
/// `second` reads what `first` stores. Not found: no schedules fit.
struct PairResult {
  std::string error;
  bool found = false;
  Activation first, second;
  std::vector<StreamInstruction> stream;
};
PairResult runPair(const isa::Layout &layout, Case first, Case second);

} // namespace tenon::scheduling

#endif // TESTS_UNIT_SCHEDULING_LAYER_RUNNER_H
