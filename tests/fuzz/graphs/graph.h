// Part of Tenon, under the Apache License v2.0.
//
// A quantised network as the fuzzer draws it: each node makes one int8 tensor.
// It can be written as TOSA (write_tosa.h) and, where `onnxForm`, as ONNX
// (write_onnx.h).  Weights follow from a node's seed and shape, so that a graph
// whose extents are changed by hand or by reduction stays a whole one.

#ifndef TESTS_FUZZ_GRAPHS_GRAPH_H
#define TESTS_FUZZ_GRAPHS_GRAPH_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenon::graphs {

using Shape = std::vector<int64_t>; // NHWC where there are four axes

enum class Op {
  Input,     // `shape`
  Conv,      // `channels` out; 4 axes
  Depthwise, // `channels` filters each input channel; 4 axes
  Dense,     // `channels` out; 2 axes
  Add,       // two operands of one shape
  MaxPool,
  AveragePool, // keeps the scale; border windows divide by what is inside
  MeanPool,    // over the whole image, sum and rescale
  Concat,      // of channels
  Slice,       // `start`, `shape`
  Pad,         // rows and columns, by the zero point
  Rescale,
  Clamp,
  Reshape, // to `shape`
  Flatten, // to rows of C, H, W, in this order
};
constexpr int opCount = int(Op::Flatten) + 1;
const char *opName(Op op);

/// One node; what does not concern its operator stays as it is here.
struct Node {
  Op op = Op::Input;
  std::vector<int> inputs; // nodes before it
  Shape shape, start;
  int64_t channels = 0;
  int64_t groups = 1; // of a Conv: both sides' channels are in so many
  std::array<int64_t, 2> kernel{1, 1}, stride{1, 1}, dilation{1, 1}; // y, x
  std::array<int64_t, 4> pad{0, 0, 0, 0}; // top, bottom, left, right
  uint64_t seed = 0;                      // of weights and bias

  double scale = 1;                      // of the result, as a float holds it
  int zeroPoint = 0;                     // of the result
  std::vector<double> weightScales{1.0}; // one, or one a channel (repeated)
  int weightZeroPoint = 0;
  int low = -128, high = 127; // what the result is clamped to

  // Choices among forms of TOSA that compute the same.
  int multiplierBits = 31; // of a rescale; fewer lose nothing but precision
  bool otherForm = false;  // see write_tosa.cpp
  bool transposed = false; // an input or output in NCHW
  bool isUnsigned = false; // an input or output is uint8
  bool named = true;       // compared by itself, not only through its users
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<int> outputs; // without repetition

  /// Whether a layer of it fits no machine.
  bool oversized = false;

  /// Whether images have one row: tensors without rows in the ONNX form.
  bool isFlat = false;

  /// Whether every node can be an ONNX node that tosa_reference.py knows.
  bool onnxForm = false;
};

/// The shape of each node's result; nullopt where the graph is not a valid one:
/// an operand that does not fit, a window that does not fit its image, a tensor
/// beyond `mostElements`, a sum or a scale beyond what TOSA defines.
std::optional<std::vector<Shape>> shapesOf(const Graph &graph);
constexpr int64_t mostElements = 1 << 18;

int64_t elements(const Shape &shape);

/// Rows and columns of the input that a window reads, and the padding behind
/// them that it needs: TOSA wants both to come out even with the stride.
struct WindowFit {
  std::array<int64_t, 2> read, result;
  std::array<int64_t, 4> pad;
};
std::optional<WindowFit> fitWindow(const Node &node, const Shape &input);

/// A scale as TOSA's multiplier and shift (apply_scale_32).
struct MultiplierShift {
  int64_t multiplier = 0;
  int shift = 0;
};
/// nullopt for a scale that TOSA's shifts of 2 to 62 do not reach.
std::optional<MultiplierShift> multiplierShift(double scale, int bits = 31);

/// Multipliers of 21 bits and the shift of an addition with one rounding.
struct AdditionScale {
  int64_t first = 0, second = 0;
  int shift = 0;
};
std::optional<AdditionScale> additionScale(double first, double second);

/// Output channels of a contraction whose input has this shape.
int64_t channelsOf(const Node &node, const Shape &input);
/// Weights in TOSA's order (O,KH,KW,I; KH,KW,C,M; for Dense O,1,1,I).
Shape weightShape(const Node &node, const Shape &input);
std::vector<int8_t> weightsOf(const Node &node, const Shape &input);
std::vector<int32_t> biasOf(const Node &node, const Shape &input);
double weightScale(const Node &node, int64_t channel);
/// Scale of the sums of output channel `channel` over that of the result.
double ratioOf(const Graph &graph, const Node &node, int64_t channel);

} // namespace tenon::graphs

#endif // TESTS_FUZZ_GRAPHS_GRAPH_H
