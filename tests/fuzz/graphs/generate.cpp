// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/graphs/generate.h"

#include "isa/configuration.h"
#include "tests/differential/random.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cmath>

namespace tenon::graphs {
namespace {

using differential::Random;

/// Work that a graph may be: the CPU's execution of it is scalar code.
constexpr double mostMacs = 1.5e6;
/// Elements of the longest transfer that the instruction set has.
constexpr int64_t longestTransfer = 2047;
/// Fits that are tried for a node before it is given up.
constexpr int tries = 8;

class Generator {
public:
  Generator(uint64_t seed, bool onnxForm) : random(seed) {
    graph.onnxForm = onnxForm;
    graph.isFlat = random.oneIn(6);
  }

  Graph generate(bool oversized) {
    uint32_t inputs = !graph.onnxForm && random.oneIn(8) ? 2 : 1;
    graph.oversized = oversized && addOversized();
    graph.isFlat &= !graph.oversized;
    if (graph.oversized)
      inputs = 2; // the long row and the layer that reads it
    for (uint32_t i = 0; i < inputs && !graph.oversized; ++i)
      addInput();
    uint32_t wanted = inputs + random.range(1, random.pick({2, 4, 8}));
    for (int i = 0; i < 100 && graph.nodes.size() < wanted; ++i)
      addNode();
    chooseOutputs();
    return std::move(graph);
  }

private:
  //===- Values -----------------------------------------------------------===//

  const Shape &shape(int node) const { return shapes[node]; }
  int last() const { return int(graph.nodes.size()) - 1; }

  /// Mostly the newest tensor; others make graphs that branch.
  int drawInput() {
    return random.oneIn(3) ? int(random.below(graph.nodes.size())) : last();
  }

  /// Adds `node` where the graph stays valid and small.
  bool add(Node node) {
    node.seed = random.bits();
    node.named = graph.onnxForm || !random.oneIn(5);
    node.otherForm = !graph.onnxForm && random.oneIn(3);
    node.transposed = graph.onnxForm || random.oneIn(4);
    node.isUnsigned = !graph.onnxForm && random.oneIn(4);
    graph.nodes.push_back(std::move(node));
    auto read = shapesOf(graph);
    double more = read ? macs(graph.nodes.back(), *read) : 0;
    if (!read || work + more > mostMacs) {
      graph.nodes.pop_back();
      return false;
    }
    work += more;
    shapes = *std::move(read);
    return true;
  }

  static double macs(const Node &node, const std::vector<Shape> &shapes) {
    double outputs = elements(shapes.back());
    double window = double(node.kernel[0] * node.kernel[1]);
    if (node.op == Op::Conv || node.op == Op::Dense)
      window *= double(shapes[node.inputs[0]].back() / node.groups);
    return outputs * window;
  }

  //===- Numbers ----------------------------------------------------------===//

  double real(double low, double high) {
    return low + (high - low) * double(random.below(1 << 20)) / (1 << 20);
  }
  /// About `scale`, seldom far from it, as a float.
  double around(double scale) {
    double spread = random.oneIn(12) ? real(-8, 8) : real(-1.5, 1.5);
    return float(scale * std::exp2(spread));
  }
  int zeroPoint() {
    return random.oneIn(3)   ? 0
           : random.oneIn(6) ? random.pick({-128, 127})
                             : int(random.below(256)) - 128;
  }
  int64_t drawChannels() {
    if (random.oneIn(3))
      return random.range(1, 70);
    return random.pick({1, 2, 3, 4, 8, 8, 12, 16, 16, 16, 24, 32, 32, 48, 64});
  }
  int64_t drawExtent() {
    return random.oneIn(5) ? random.range(12, 34) : random.range(1, 12);
  }

  void drawClamp(Node &node) {
    if (!random.oneIn(3))
      return;
    if (random.oneIn(2)) { // as a Relu
      node.low = node.zeroPoint;
      return;
    }
    node.low = int(random.below(256)) - 128;
    node.high = int(random.range(node.low + 128, 255)) - 128;
  }

  void drawWindow(Node &node, bool pools) {
    for (int axis = 0; axis < 2; ++axis) {
      node.kernel[axis] =
          random.oneIn(4) ? random.range(1, 7) : random.pick({1, 2, 3, 3});
      node.stride[axis] = random.oneIn(3) ? random.range(1, 4) : 1;
      if (!pools && !graph.onnxForm && random.oneIn(5))
        node.dilation[axis] = random.range(1, 4);
      for (int side : {2 * axis, 2 * axis + 1})
        if (!random.oneIn(3))
          node.pad[side] = random.below(node.kernel[axis]);
    }
    if (random.oneIn(2)) { // as most networks have it
      node.kernel[1] = node.kernel[0];
      node.stride[1] = node.stride[0];
      node.pad.fill((node.kernel[0] - 1) / 2);
      node.dilation = {1, 1};
    }
    if (!pools && random.oneIn(25))
      node.pad[random.below(4)] = random.range(8, 20);
    if (graph.isFlat)
      flatten(node);
  }

  /// The window of a single row.
  static void flatten(Node &node) {
    node.kernel[0] = node.stride[0] = node.dilation[0] = 1;
    node.pad[0] = node.pad[1] = 0;
  }

  /// Groups of any width that the input's channels can be cut into; none for
  /// half of the convolutions.
  void drawGroups(Node &node, int64_t inputs) {
    std::vector<int64_t> divisors;
    for (int64_t g = 2; g <= inputs; ++g)
      if (inputs % g == 0)
        divisors.push_back(g);
    if (divisors.empty() || random.oneIn(2))
      return;
    node.groups = divisors[random.below(divisors.size())];
    uint32_t most = std::max<int64_t>(1, 70 / node.groups);
    node.channels = node.groups * random.range(1, most);
  }

  /// Scales of weights and result, so that results fill their range; random
  /// bytes have a deviation of 74.
  void drawScales(Node &node, double terms, bool hasWeights, int64_t channels) {
    const Node &input = graph.nodes[node.inputs[0]];
    node.zeroPoint = zeroPoint();
    double deviation = hasWeights ? 74 * 74 * std::sqrt(terms) : 74 * terms;
    if (hasWeights) {
      double scale = real(0.001, 0.1);
      node.weightScales.assign(random.oneIn(2) ? 1 : channels, 0);
      for (double &s : node.weightScales)
        s = float(scale * real(0.5, 2));
      node.weightZeroPoint = random.oneIn(3) ? zeroPoint() : 0;
    }
    node.scale = around(input.scale * node.weightScales[0] * deviation / 50.0);
    if (!graph.onnxForm && random.oneIn(5))
      node.multiplierBits = random.range(8, 30);
    drawClamp(node);
  }

  /// What keeps its values keeps their meaning.
  void keepScale(Node &node) {
    node.scale = graph.nodes[node.inputs[0]].scale;
    node.zeroPoint = graph.nodes[node.inputs[0]].zeroPoint;
  }

  //===- Nodes ------------------------------------------------------------===//

  void addInput() {
    Node node;
    node.op = Op::Input;
    int64_t batch = random.oneIn(5) ? random.range(2, 5) : 1;
    if (random.oneIn(10))
      node.shape = {batch, int64_t(random.range(1, 300))};
    else
      node.shape = {batch, graph.isFlat ? 1 : drawExtent(), drawExtent(),
                    random.oneIn(3) ? 3 : drawChannels()};
    node.scale = float(real(0.005, 0.05));
    node.zeroPoint = zeroPoint();
    add(node);
  }

  /// A long row and a layer that reads more of it at once than one transfer of
  /// any machine brings.
  bool addOversized() {
    Node row;
    row.op = Op::Input;
    int64_t width = random.range(longestTransfer + 3, 2600);
    row.shape = {1, int64_t(random.range(1, 3)), width,
                 int64_t(random.range(1, 4))};
    row.scale = float(real(0.005, 0.05));
    row.zeroPoint = zeroPoint();
    if (!add(row))
      return false;
    for (int i = 0; i < tries; ++i) {
      Node node;
      node.op =
          random.pick({Op::Conv, Op::Depthwise, Op::MaxPool, Op::AveragePool});
      node.inputs = {0};
      bool pools = node.op == Op::MaxPool || node.op == Op::AveragePool;
      if (!pools && random.oneIn(2)) {
        node.kernel = {1, 2};
        node.dilation[1] = random.range(longestTransfer, uint32_t(width - 1));
      } else {
        node.kernel = {1, width - int64_t(random.below(3))};
      }
      node.channels = random.range(1, 8);
      double terms = double(node.kernel[1] * row.shape[3]);
      if (pools)
        keepScale(node);
      else
        drawScales(node, terms, true, row.shape[3] * node.channels);
      if (add(node))
        return true;
    }
    graph.nodes.clear();
    shapes.clear();
    return false;
  }

  void addNode() {
    static constexpr Op all[] = {
        Op::Conv,     Op::Conv,      Op::Conv,      Op::Conv,
        Op::Conv,     Op::Depthwise, Op::Depthwise, Op::Depthwise,
        Op::Dense,    Op::Dense,     Op::Add,       Op::Add,
        Op::Add,      Op::MaxPool,   Op::MaxPool,   Op::AveragePool,
        Op::MeanPool, Op::Concat,    Op::Concat,    Op::Slice,
        Op::Pad,      Op::Rescale,   Op::Clamp,     Op::Reshape,
        Op::Flatten};
    static constexpr Op known[] = {Op::Conv,        Op::Conv,     Op::Depthwise,
                                   Op::Dense,       Op::Dense,    Op::Add,
                                   Op::AveragePool, Op::MeanPool, Op::Flatten};
    Op op = graph.onnxForm ? known[random.below(std::size(known))]
                           : all[random.below(std::size(all))];
    for (int i = 0; i < tries; ++i)
      if (addOp(op, drawInput()))
        return;
  }

  bool addOp(Op op, int input) {
    const Shape from = shape(input);
    Node node;
    node.op = op;
    node.inputs = {input};
    bool isImage = from.size() == 4;
    switch (op) {
    case Op::Conv:
      return isImage && addConv(node, from, drawChannels());
    case Op::Depthwise:
      if (!isImage || (graph.onnxForm && from[3] == 1))
        return false;
      drawWindow(node, false);
      node.channels = random.oneIn(4) ? random.range(2, 3) : 1;
      drawScales(node, double(node.kernel[0] * node.kernel[1]), true,
                 from[3] * node.channels);
      return add(node);
    case Op::Dense:
      node.channels = drawChannels();
      drawScales(node, double(from.back()), true, node.channels);
      return add(node);
    case Op::Add:
      return addSum(node, input);
    case Op::MaxPool:
    case Op::AveragePool:
      return isImage && addPool(node, from);
    case Op::MeanPool:
      if (!isImage)
        return false;
      node.kernel = {from[1], from[2]};
      drawScales(node, 1 / std::sqrt(double(from[1] * from[2])), false,
                 from[3]);
      return add(node);
    case Op::Concat:
      return addConcat(node, input);
    case Op::Slice:
      return addSlice(node, from);
    case Op::Pad:
      for (int64_t &pad : node.pad)
        pad = random.below(4);
      keepScale(node);
      return isImage && add(node);
    case Op::Rescale:
      drawScales(node, 0.7, false, from.back());
      return add(node);
    case Op::Clamp:
      keepScale(node);
      node.low = int(random.below(128)) - 128;
      node.high = int(random.below(127));
      return add(node);
    case Op::Reshape:
      return addReshape(node, from);
    case Op::Flatten:
      keepScale(node);
      return isImage && add(node);
    case Op::Input:
      return false;
    }
    return false;
  }

  bool addConv(Node node, const Shape &from, int64_t channels) {
    node.channels = channels;
    drawWindow(node, false);
    drawGroups(node, from[3]);
    int64_t terms = node.kernel[0] * node.kernel[1] * from[3] / node.groups;
    drawScales(node, double(terms), true, node.channels);
    return add(node);
  }

  bool addPool(Node node, const Shape &from) {
    drawWindow(node, true);
    keepScale(node);
    if (graph.onnxForm || random.oneIn(4)) {
      node.kernel = {from[1], from[2]};
      node.stride = {1, 1};
      node.pad = {0, 0, 0, 0};
    }
    if (node.op == Op::AveragePool && random.oneIn(3))
      node.zeroPoint = zeroPoint();
    return add(node);
  }

  /// A node of the same shape as `input`'s, itself at last.
  int sameShape(int input) {
    std::vector<int> others;
    for (int i = 0; i <= last(); ++i)
      if (i != input && shape(i) == shape(input))
        others.push_back(i);
    return others.empty() || random.oneIn(10)
               ? input
               : others[random.below(others.size())];
  }

  /// As residual networks have it: one operand is the other's convolution.
  bool addSum(Node node, int input) {
    int other = sameShape(input);
    if (other == input && shape(input).size() == 4 && !random.oneIn(4)) {
      Node branch;
      branch.op = Op::Conv;
      branch.inputs = {input};
      branch.channels = shape(input)[3];
      branch.kernel = random.oneIn(2) ? std::array<int64_t, 2>{1, 1}
                                      : std::array<int64_t, 2>{3, 3};
      branch.pad.fill(branch.kernel[0] / 2);
      if (graph.isFlat)
        flatten(branch);
      drawScales(branch,
                 double(branch.kernel[0] * branch.kernel[1] * branch.channels),
                 true, branch.channels);
      if (!add(branch))
        return false;
      other = last();
    }
    node.inputs = {input, other};
    if (random.oneIn(2))
      std::swap(node.inputs[0], node.inputs[1]);
    node.scale = around(
        1.3 * std::max(graph.nodes[input].scale, graph.nodes[other].scale));
    node.zeroPoint = zeroPoint();
    drawClamp(node);
    return add(node);
  }

  bool addConcat(Node node, int input) {
    uint32_t parts = random.range(2, 4);
    std::vector<int> others;
    for (int i = 0; i <= last(); ++i)
      if (shape(i).size() == shape(input).size() &&
          std::equal(shape(i).begin(), shape(i).end() - 1,
                     shape(input).begin()))
        others.push_back(i);
    while (node.inputs.size() < parts)
      node.inputs.push_back(others[random.below(others.size())]);
    keepScale(node);
    return add(node);
  }

  bool addSlice(Node node, const Shape &from) {
    for (int64_t extent : from) {
      int64_t start = random.oneIn(2) ? 0 : random.below(extent);
      node.start.push_back(start);
      node.shape.push_back(random.oneIn(2)
                               ? extent - start
                               : random.range(1, uint32_t(extent - start)));
    }
    keepScale(node);
    return node.shape != from && add(node);
  }

  bool addReshape(Node node, const Shape &from) {
    int64_t rows = elements(from) / from.back();
    std::vector<Shape> shapes{
        {rows, from.back()},       {1, elements(from)},
        {1, rows, 1, from.back()}, {1, 1, rows, from.back()},
        {1, 1, 1, elements(from)}, {rows, 1, 1, from.back()},
        {1, rows, from.back()}};
    if (from.size() == 4)
      shapes.push_back({from[0], from[2], from[1], from[3]});
    if (from.size() == 4 && from[3] % 2 == 0)
      shapes.push_back({from[0], from[1], from[2] * 2, from[3] / 2});
    node.shape = shapes[random.below(shapes.size())];
    keepScale(node);
    return node.shape != from && add(node);
  }

  void chooseOutputs() {
    std::vector<bool> used(graph.nodes.size());
    for (const Node &node : graph.nodes)
      for (int input : node.inputs)
        used[input] = true;
    for (int i = 0; i <= last(); ++i) {
      bool isInput = graph.nodes[i].op == Op::Input;
      if (!used[i] ? !isInput || last() == 0 : !isInput && random.oneIn(12))
        graph.outputs.push_back(i);
    }
  }

  Random random;
  Graph graph;
  std::vector<Shape> shapes;
  double work = 0;
};

} // namespace

Graph drawGraph(uint64_t seed, bool onnxForm, bool oversized) {
  return Generator(seed, onnxForm).generate(oversized);
}

Machine drawMachine(uint64_t seed) {
  static const std::vector<std::string> shipped = isa::shippedConfigurations();
  Random random(~seed);
  Machine machine;
  machine.virtualThreads = random.oneIn(4) ? 1 : 2;
  machine.configuration = random.oneIn(2)
                              ? shipped[random.below(shipped.size())]
                              : absl::StrCat("random:", seed);
  return machine;
}

absl::StatusOr<isa::Configuration> configurationOf(const std::string &name) {
  absl::string_view text = name;
  uint64_t seed;
  if (absl::StartsWith(name, "name:"))
    return isa::parseConfiguration(name, "configuration");
  if (!absl::ConsumePrefix(&text, "random:"))
    return isa::loadConfiguration(name);
  if (!absl::SimpleAtoi(text, &seed))
    return absl::InvalidArgumentError(
        absl::StrCat("'", name, "': expected random:SEED"));
  std::mt19937_64 random(seed);
  return isa::randomConfiguration(random);
}

} // namespace tenon::graphs
