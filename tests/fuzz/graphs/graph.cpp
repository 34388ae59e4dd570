// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/graphs/graph.h"

#include "tests/differential/random.h"

#include <algorithm>
#include <cmath>

namespace tenon::graphs {

using differential::Random;

const char *opName(Op op) {
  static constexpr const char *names[opCount] = {
      "input",    "conv",         "depthwise", "dense",   "add",
      "max_pool", "average_pool", "mean_pool", "concat",  "slice",
      "pad",      "rescale",      "clamp",     "reshape", "flatten"};
  return names[int(op)];
}

int64_t elements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::optional<WindowFit> fitWindow(const Node &node, const Shape &input) {
  WindowFit fit;
  fit.pad = node.pad;
  for (int axis = 0; axis < 2; ++axis) {
    int64_t reach = (node.kernel[axis] - 1) * node.dilation[axis] + 1;
    int64_t size = input[1 + axis], &behind = fit.pad[2 * axis + 1];
    int64_t room = size + node.pad[2 * axis] + behind - reach;
    if (room < 0)
      return std::nullopt;
    int64_t rest = room % node.stride[axis];
    int64_t lessPad = std::min(rest, behind);
    behind -= lessPad;
    fit.read[axis] = size - (rest - lessPad);
    fit.result[axis] = room / node.stride[axis] + 1;
    if (fit.read[axis] < 1)
      return std::nullopt;
  }
  return fit;
}

std::optional<MultiplierShift> multiplierShift(double scale, int bits) {
  if (!(scale > 0) || !std::isfinite(scale))
    return std::nullopt;
  int exponent;
  double mantissa = std::frexp(scale, &exponent);
  int64_t multiplier = std::llrint(std::ldexp(mantissa, bits));
  if (multiplier == int64_t(1) << bits) {
    multiplier /= 2;
    ++exponent;
  }
  int shift = bits - exponent;
  if (shift > 62) {
    multiplier >>= std::min(31, shift - 62);
    shift = 62;
  }
  if (shift < 2)
    return std::nullopt;
  return MultiplierShift{multiplier, shift};
}

std::optional<AdditionScale> additionScale(double first, double second) {
  int exponent;
  std::frexp(std::max(first, second), &exponent);
  int shift = 21 - exponent;
  if (shift < 2 || shift > 62)
    return std::nullopt;
  return AdditionScale{std::llrint(std::ldexp(first, shift)),
                       std::llrint(std::ldexp(second, shift)), shift};
}

int64_t channelsOf(const Node &node, const Shape &input) {
  return node.op == Op::Depthwise  ? input.back() * node.channels
         : node.op == Op::MeanPool ? input.back()
                                   : node.channels;
}

Shape weightShape(const Node &node, const Shape &input) {
  if (node.op == Op::Depthwise)
    return {node.kernel[0], node.kernel[1], input.back(), node.channels};
  if (node.op == Op::Dense)
    return {node.channels, 1, 1, input.back()};
  return {node.channels, node.kernel[0], node.kernel[1],
          input.back() / node.groups};
}

std::vector<int8_t> weightsOf(const Node &node, const Shape &input) {
  Random random(node.seed);
  std::vector<int8_t> weights(elements(weightShape(node, input)));
  for (int8_t &weight : weights)
    weight = int8_t(random.bits());
  return weights;
}

double weightScale(const Node &node, int64_t channel) {
  return node.weightScales[channel % node.weightScales.size()];
}

std::vector<int32_t> biasOf(const Node &node, const Shape &input) {
  Random random(node.seed + 1);
  std::vector<int32_t> bias(channelsOf(node, input));
  for (int32_t &value : bias)
    value = random.number(14);
  return bias;
}

double ratioOf(const Graph &graph, const Node &node, int64_t channel) {
  double ratio = graph.nodes[node.inputs[0]].scale / node.scale;
  switch (node.op) {
  case Op::Conv:
  case Op::Depthwise:
  case Op::Dense:
    // As the ONNX importer rounds: weights times input, then the result.
    return weightScale(node, channel) * graph.nodes[node.inputs[0]].scale /
           node.scale;
  case Op::MeanPool:
    return ratio / double(node.kernel[0] * node.kernel[1]);
  default:
    return ratio;
  }
}

namespace {

/// TOSA defines a rescale of |value| < 2^(shift-1) whose result fits 32 bits.
bool rescales(double ratio, int bits, double largest) {
  auto scale = multiplierShift(ratio, bits);
  return scale && scale->multiplier > 0 &&
         largest < std::ldexp(1, scale->shift - 1) && largest * ratio < 1e9;
}

class ShapeReader {
public:
  explicit ShapeReader(const Graph &graph) : graph(graph) {}

  std::optional<std::vector<Shape>> read() {
    for (const Node &node : graph.nodes) {
      auto shape = shapeOf(node);
      if (!shape || shape->empty() || elements(*shape) > mostElements ||
          *std::min_element(shape->begin(), shape->end()) < 1)
        return std::nullopt;
      shapes.push_back(*std::move(shape));
    }
    return std::move(shapes);
  }

private:
  const Shape &input(const Node &node, size_t index = 0) const {
    return shapes[node.inputs[index]];
  }

  std::optional<Shape> shapeOf(const Node &node) {
    switch (node.op) {
    case Op::Input:
      return node.shape;
    case Op::Conv:
    case Op::Depthwise:
    case Op::MaxPool:
    case Op::AveragePool:
      return windowed(node);
    case Op::MeanPool:
      return mean(node);
    case Op::Dense:
      if (input(node).size() != 2 || !scalesFit(node))
        return std::nullopt;
      return Shape{input(node)[0], node.channels};
    case Op::Add:
      return sum(node);
    case Op::Concat:
      return concatenated(node);
    case Op::Slice:
      return sliced(node);
    case Op::Pad:
      if (input(node).size() != 4)
        return std::nullopt;
      return Shape{input(node)[0], input(node)[1] + node.pad[0] + node.pad[1],
                   input(node)[2] + node.pad[2] + node.pad[3], input(node)[3]};
    case Op::Rescale:
      if (!rescales(ratioOf(graph, node, 0), node.multiplierBits, 256))
        return std::nullopt;
      return input(node);
    case Op::Clamp:
      return input(node);
    case Op::Reshape:
      if (elements(input(node)) != elements(node.shape))
        return std::nullopt;
      return node.shape;
    case Op::Flatten:
      if (input(node).size() != 4)
        return std::nullopt;
      return Shape{input(node)[0], elements(input(node)) / input(node)[0]};
    }
    return std::nullopt;
  }

  bool scalesFit(const Node &node) {
    double terms = node.kernel[0] * node.kernel[1] *
                   (node.op == Op::Depthwise || node.op == Op::MeanPool
                        ? 1
                        : input(node).back() / node.groups);
    double largest = terms * 256 * (node.op == Op::MeanPool ? 1 : 256) + 16384;
    if (largest > 1 << 30)
      return false;
    int64_t channels = channelsOf(node, input(node));
    for (int64_t c = 0; c < channels; ++c)
      if (!rescales(ratioOf(graph, node, c), node.multiplierBits, largest))
        return false;
    return true;
  }

  std::optional<Shape> windowed(const Node &node) {
    if (input(node).size() != 4)
      return std::nullopt;
    if (node.groups < 1 || input(node)[3] % node.groups ||
        (node.op == Op::Conv && node.channels % node.groups))
      return std::nullopt;
    auto fit = fitWindow(node, input(node));
    bool pools = node.op == Op::MaxPool || node.op == Op::AveragePool;
    for (int side = 0; side < 4 && pools; ++side)
      if (node.pad[side] >= node.kernel[side / 2])
        return std::nullopt;
    if (!fit || (!pools && !scalesFit(node)))
      return std::nullopt;
    int64_t channels = pools ? input(node)[3] : channelsOf(node, input(node));
    return Shape{input(node)[0], fit->result[0], fit->result[1], channels};
  }

  std::optional<Shape> mean(const Node &node) {
    if (input(node).size() != 4 || node.kernel[0] != input(node)[1] ||
        node.kernel[1] != input(node)[2] || !scalesFit(node))
      return std::nullopt;
    return Shape{input(node)[0], 1, 1, input(node)[3]};
  }

  std::optional<Shape> sum(const Node &node) {
    if (input(node, 0) != input(node, 1))
      return std::nullopt;
    double first = graph.nodes[node.inputs[0]].scale / node.scale;
    double second = graph.nodes[node.inputs[1]].scale / node.scale;
    auto scale = additionScale(first, second);
    // The sum of products must fit 32 bits. (TOSA would also have it below
    // 2^(shift-1), which no quantised addition in this form keeps.)
    if (!scale || (scale->first + scale->second) * 256 >= int64_t(1) << 31)
      return std::nullopt;
    return input(node);
  }

  std::optional<Shape> concatenated(const Node &node) {
    Shape result = input(node);
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      const Shape &other = input(node, i);
      if (other.size() != result.size() ||
          !std::equal(other.begin(), other.end() - 1, result.begin()))
        return std::nullopt;
      result.back() += other.back();
    }
    return result;
  }

  std::optional<Shape> sliced(const Node &node) {
    if (input(node).size() != node.shape.size() ||
        node.start.size() != node.shape.size())
      return std::nullopt;
    for (size_t axis = 0; axis < node.shape.size(); ++axis)
      if (node.start[axis] + node.shape[axis] > input(node)[axis])
        return std::nullopt;
    return node.shape;
  }

  const Graph &graph;
  std::vector<Shape> shapes;
};

} // namespace

std::optional<std::vector<Shape>> shapesOf(const Graph &graph) {
  return ShapeReader(graph).read();
}

} // namespace tenon::graphs
