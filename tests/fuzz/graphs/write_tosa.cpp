// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/graphs/write_tosa.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <tuple>

namespace tenon::graphs {
namespace {

/// An SSA value with its type.
struct Value {
  std::string name, element;
  Shape shape;
};

std::string typeOf(const Shape &shape, absl::string_view element) {
  return absl::StrCat("tensor<", absl::StrJoin(shape, "x"), "x", element, ">");
}

std::string typeOf(const Value &value) {
  return value.element == "shape"
             ? absl::StrCat("!tosa.shape<", value.shape[0], ">")
             : typeOf(value.shape, value.element);
}

template <typename List> std::string array(const List &values) {
  return absl::StrCat("array<i64: ", absl::StrJoin(values, ", "), ">");
}

class Writer {
public:
  explicit Writer(const Graph &graph)
      : graph(graph), shapes(*shapesOf(graph)) {}

  std::string write() {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node &node = graph.nodes[i];
      size_t before = lines.size();
      Value made = clamped(node, make(node, shapes[i], i));
      if (node.named && node.op != Op::Input && lines.size() > before)
        markLast(i);
      values.push_back(std::move(made));
    }
    std::vector<Value> results;
    for (int output : graph.outputs)
      results.push_back(border(output));
    return moduleText(results);
  }

private:
  const Value &input(const Node &node, size_t index = 0) const {
    return values[node.inputs[index]];
  }
  const Node &inputNode(const Node &node, size_t index = 0) const {
    return graph.nodes[node.inputs[index]];
  }

  //===- Operations -------------------------------------------------------===//

  Value emit(absl::string_view op, const std::vector<Value> &operands,
             const Shape &shape, absl::string_view element,
             absl::string_view attributes = "") {
    Value result{absl::StrCat("%", next++), std::string(element), shape};
    auto name = [](std::string *out, const Value &v) {
      absl::StrAppend(out, v.name);
    };
    auto type = [](std::string *out, const Value &v) {
      absl::StrAppend(out, typeOf(v));
    };
    lines.push_back({absl::StrCat("    ", result.name, " = tosa.", op, " ",
                                  absl::StrJoin(operands, ", ", name)),
                     std::string(attributes),
                     absl::StrCat(" : (", absl::StrJoin(operands, ", ", type),
                                  ") -> ", typeOf(result))});
    return result;
  }

  template <typename Number>
  Value constant(const std::vector<Number> &numbers, const Shape &shape,
                 absl::string_view element) {
    std::string text;
    if (numbers.size() == 1)
      text = absl::StrCat(int64_t(numbers[0]));
    else
      text = absl::StrCat("\"0x",
                          absl::BytesToHexString(absl::string_view(
                              reinterpret_cast<const char *>(numbers.data()),
                              numbers.size() * sizeof(Number))),
                          "\"");
    Value result{absl::StrCat("%", next++), std::string(element), shape};
    lines.push_back({absl::StrCat("    ", result.name,
                                  " = \"tosa.const\"() <{values = dense<", text,
                                  "> : ", typeOf(result), "}>"),
                     "", absl::StrCat(" : () -> ", typeOf(result))});
    return result;
  }
  Value byte(int value) { return constant<int>({value}, {1}, "i8"); }
  Value word(int64_t value, size_t rank = 1) {
    return constant<int64_t>({value}, Shape(rank, 1), "i32");
  }

  Value shapeConstant(const Shape &extents) {
    Value result{absl::StrCat("%", next++), "shape", {int64_t(extents.size())}};
    lines.push_back(
        {absl::StrCat("    ", result.name, " = tosa.const_shape"),
         absl::StrCat("values = dense<[", absl::StrJoin(extents, ", "),
                      "]> : tensor<", extents.size(), "xindex>"),
         absl::StrCat(" : () -> ", typeOf(result))});
    return result;
  }

  Value reshaped(const Value &value, const Shape &shape) {
    if (value.shape == shape)
      return value;
    return emit("reshape", {value, shapeConstant(shape)}, shape, value.element);
  }

  Value transposed(const Value &value, const std::array<int, 4> &perms) {
    Shape shape;
    for (int from : perms)
      shape.push_back(value.shape[from]);
    return emit(
        "transpose", {value}, shape, value.element,
        absl::StrCat("perms = array<i32: ", absl::StrJoin(perms, ", "), ">"));
  }

  Value rescaled(const Value &value, const std::vector<MultiplierShift> &scales,
                 int inputZero, int outputZero, bool perChannel,
                 absl::string_view element = "i8") {
    std::vector<int32_t> multipliers;
    std::vector<int8_t> shifts;
    for (const MultiplierShift &scale : scales) {
      multipliers.push_back(scale.multiplier);
      shifts.push_back(scale.shift);
    }
    int64_t count = scales.size();
    auto isUnsigned = [](absl::string_view e) {
      return e == "ui8" ? "true" : "false";
    };
    return emit("rescale",
                {value, constant(multipliers, {count}, "i32"),
                 constant(shifts, {count}, "i8"),
                 constant<int>({inputZero}, {1}, value.element),
                 constant<int>({outputZero}, {1}, element)},
                value.shape, element,
                absl::StrCat("input_unsigned = ", isUnsigned(value.element),
                             ", output_unsigned = ", isUnsigned(element),
                             ", per_channel = ", perChannel ? "true" : "false",
                             ", rounding_mode = SINGLE_ROUND, scale32 = true"));
  }

  Value clamped(const Node &node, Value value) {
    if (node.low <= -128 && node.high >= 127)
      return value;
    return emit("clamp", {value}, value.shape, "i8",
                absl::StrCat("min_val = ", node.low,
                             " : i8, max_val = ", node.high, " : i8"));
  }

  /// Names the tensor that the last line computes.
  void markLast(size_t index) {
    std::string &attributes = lines.back().attributes;
    absl::StrAppend(&attributes, attributes.empty() ? "" : ", ",
                    "tenon.tensor = {name = \"t", index,
                    "\", shape = ", array(shapes[index]),
                    ", unsigned = false}");
  }

  //===- Nodes ------------------------------------------------------------===//

  Value make(const Node &node, const Shape &shape, size_t index) {
    switch (node.op) {
    case Op::Input:
      return argument(node, shape, index);
    case Op::Conv:
    case Op::Depthwise:
      return convolution(node, shape);
    case Op::Dense:
      return node.otherForm ? product(node, shape) : dense(node, shape);
    case Op::Add:
      return sum(node, shape);
    case Op::MaxPool: {
      Value read = windowInput(node, input(node));
      return emit("max_pool2d", {read}, shape, "i8", windowAttributes(node));
    }
    case Op::AveragePool: {
      Value read = windowInput(node, input(node));
      return emit("avg_pool2d",
                  {read, byte(inputNode(node).zeroPoint), byte(node.zeroPoint)},
                  shape, "i8",
                  absl::StrCat("acc_type = i32, ", windowAttributes(node)));
    }
    case Op::MeanPool:
      return mean(node, shape);
    case Op::Concat: {
      std::vector<Value> parts;
      for (size_t i = 0; i < node.inputs.size(); ++i)
        parts.push_back(input(node, i));
      return emit("concat", parts, shape, "i8",
                  absl::StrCat("axis = ", shape.size() - 1, " : i32"));
    }
    case Op::Slice:
      return emit(
          "slice",
          {input(node), shapeConstant(node.start), shapeConstant(node.shape)},
          shape, "i8");
    case Op::Pad:
      return padded(node, input(node), shape);
    case Op::Rescale:
      return rescaled(
          input(node),
          {*multiplierShift(ratioOf(graph, node, 0), node.multiplierBits)},
          inputNode(node).zeroPoint, node.zeroPoint, false);
    case Op::Clamp:
      return input(node);
    case Op::Reshape:
      return emit("reshape", {input(node), shapeConstant(shape)}, shape, "i8");
    case Op::Flatten:
      return emit("reshape",
                  {transposed(input(node), {0, 3, 1, 2}), shapeConstant(shape)},
                  shape, "i8");
    }
    return {};
  }

  Value argument(const Node &node, Shape shape, size_t index) {
    bool moved = node.transposed && shape.size() == 4;
    if (moved)
      shape = {shape[0], shape[3], shape[1], shape[2]};
    Value value{absl::StrCat("%arg", arguments.size()),
                node.isUnsigned ? "ui8" : "i8", shape};
    arguments.push_back(absl::StrCat(value.name, ": ", typeOf(value),
                                     " {tenon.name = \"t", index, "\"}"));
    if (node.isUnsigned)
      value = rescaled(value, {{1 << 30, 30}}, 128, 0, false);
    return moved ? transposed(value, {0, 2, 3, 1}) : value;
  }

  Value border(int output) {
    const Node &node = graph.nodes[output];
    Value value = values[output];
    if (node.transposed && node.op != Op::Input && value.shape.size() == 4)
      value = transposed(value, {0, 3, 1, 2});
    if (node.isUnsigned && node.op != Op::Input)
      value = rescaled(value, {{1 << 30, 30}}, 0, 128, false, "ui8");
    return value;
  }

  /// Cuts rows and columns that the window never reaches.
  Value windowInput(const Node &node, const Value &value) {
    auto fit = fitWindow(node, value.shape);
    Shape read{value.shape[0], fit->read[0], fit->read[1], value.shape[3]};
    if (read == value.shape)
      return value;
    return emit("slice",
                {value, shapeConstant({0, 0, 0, 0}), shapeConstant(read)}, read,
                "i8");
  }

  std::string windowAttributes(const Node &node) {
    auto fit = fitWindow(node, input(node).shape);
    bool pools = node.op == Op::MaxPool || node.op == Op::AveragePool;
    return absl::StrCat(pools ? "kernel = " : "dilation = ",
                        array(pools ? node.kernel : node.dilation),
                        ", pad = ", array(fit->pad),
                        ", stride = ", array(node.stride));
  }

  std::vector<MultiplierShift> scalesOf(const Node &node, int64_t channels) {
    std::vector<MultiplierShift> scales;
    for (int64_t c = 0; c < channels; ++c)
      scales.push_back(
          *multiplierShift(ratioOf(graph, node, c), node.multiplierBits));
    return scales;
  }

  Value rescaledSums(const Node &node, const Value &sums) {
    bool perChannel = node.weightScales.size() > 1;
    return rescaled(sums, scalesOf(node, perChannel ? sums.shape.back() : 1), 0,
                    node.zeroPoint, perChannel);
  }

  Value padded(const Node &node, const Value &value, const Shape &shape) {
    Shape amounts(8, 0);
    std::copy(node.pad.begin(), node.pad.end(), amounts.begin() + 2);
    return emit(
        "pad", {value, shapeConstant(amounts), byte(inputNode(node).zeroPoint)},
        shape, "i8");
  }

  /// The other form has its bias behind the sums.
  Value convolution(const Node &node, const Shape &shape) {
    const Value &x = input(node);
    bool depthwise = node.op == Op::Depthwise;
    Value read = windowInput(node, x);
    std::string window = windowAttributes(node);
    // Upstream's decomposition of such a one pads 32-bit values with 8-bit
    // ones.
    if (depthwise && node.kernel == std::array<int64_t, 2>{1, 1})
      std::tie(read, window) = paddedApart(node, read);
    std::vector<int32_t> bias = biasOf(node, x.shape), none(bias.size());
    int64_t channels = bias.size();
    const std::vector<int32_t> &first = node.otherForm ? none : bias;
    Value sums =
        node.groups > 1
            ? groupSums(node, read, shape, first)
            : emit(depthwise ? "depthwise_conv2d" : "conv2d",
                   {read,
                    constant(weightsOf(node, x.shape),
                             weightShape(node, x.shape), "i8"),
                    constant(first, {channels}, "i32"),
                    byte(inputNode(node).zeroPoint),
                    byte(node.weightZeroPoint)},
                   shape, "i32", absl::StrCat("acc_type = i32, ", window));
    if (node.otherForm)
      sums = emit("add", {sums, constant(bias, {1, 1, 1, channels}, "i32")},
                  shape, "i32");
    return rescaledSums(node, sums);
  }

  /// The input with its padding, and the window's attributes without.
  std::pair<Value, std::string> paddedApart(const Node &node,
                                            const Value &read) {
    auto fit = fitWindow(node, input(node).shape);
    Node apart = node;
    apart.pad = fit->pad;
    Shape shape = read.shape;
    shape[1] += fit->pad[0] + fit->pad[1];
    shape[2] += fit->pad[2] + fit->pad[3];
    return {shape == read.shape ? read : padded(apart, read, shape),
            absl::StrCat("dilation = ", array(node.dilation),
                         ", pad = array<i64: 0, 0, 0, 0>, stride = ",
                         array(node.stride))};
  }

  /// A convolution of each group's channels, and their sums side by side.
  Value groupSums(const Node &node, const Value &read, const Shape &shape,
                  const std::vector<int32_t> &bias) {
    Shape weightDims = weightShape(node, read.shape), from = read.shape,
          to = shape;
    weightDims[0] /= node.groups, to[3] /= node.groups, from[3] /= node.groups;
    std::vector<int8_t> weights = weightsOf(node, read.shape);
    std::vector<Value> sums;
    for (int64_t g = 0; g < node.groups; ++g) {
      auto part = [&](auto values) {
        int64_t size = int64_t(values.size()) / node.groups;
        return decltype(values)(values.begin() + g * size,
                                values.begin() + (g + 1) * size);
      };
      Value group = emit(
          "slice",
          {read, shapeConstant({0, 0, 0, g * from[3]}), shapeConstant(from)},
          from, "i8");
      sums.push_back(emit(
          "conv2d",
          {group, constant(part(weights), weightDims, "i8"),
           constant(part(bias), {to[3]}, "i32"),
           byte(inputNode(node).zeroPoint), byte(node.weightZeroPoint)},
          to, "i32", absl::StrCat("acc_type = i32, ", windowAttributes(node))));
    }
    return emit("concat", sums, shape, "i32", "axis = 3 : i32");
  }

  /// As the importer writes Gemm: a convolution of one row.
  Value dense(const Node &node, const Shape &shape) {
    const Value &x = input(node);
    Value row = reshaped(x, {1, 1, x.shape[0], x.shape[1]});
    std::vector<int32_t> bias = biasOf(node, x.shape);
    Value sums = emit(
        "conv2d",
        {row,
         constant(weightsOf(node, x.shape), weightShape(node, x.shape), "i8"),
         constant(bias, {node.channels}, "i32"),
         byte(inputNode(node).zeroPoint), byte(node.weightZeroPoint)},
        {1, 1, shape[0], shape[1]}, "i32",
        "acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, "
        "0, 0>, stride = array<i64: 1, 1>");
    return reshaped(rescaledSums(node, sums), shape);
  }

  Value product(const Node &node, const Shape &shape) {
    const Value &x = input(node);
    int64_t depth = x.shape[1], out = node.channels;
    std::vector<int8_t> weights = weightsOf(node, x.shape),
                        turned(weights.size());
    for (int64_t o = 0; o < out; ++o)
      for (int64_t i = 0; i < depth; ++i)
        turned[i * out + o] = weights[o * depth + i];
    Value sums =
        emit("matmul",
             {reshaped(x, {1, x.shape[0], depth}),
              constant(turned, {1, depth, out}, "i8"),
              byte(inputNode(node).zeroPoint), byte(node.weightZeroPoint)},
             {1, shape[0], out}, "i32");
    sums =
        emit("add", {sums, constant(biasOf(node, x.shape), {1, 1, out}, "i32")},
             sums.shape, "i32");
    return reshaped(rescaledSums(node, sums), shape);
  }

  /// Widened, minus its zero point, times a multiplier.
  Value addend(const Node &node, size_t index, int64_t multiplier) {
    const Value &x = input(node, index);
    int zero = inputNode(node, index).zeroPoint;
    Value wide;
    if (node.otherForm) {
      wide = rescaled(x, {{1 << 30, 30}}, zero, 0, false, "i32");
    } else {
      wide = emit("cast", {x}, x.shape, "i32");
      wide = emit("sub", {wide, word(zero, x.shape.size())}, x.shape, "i32");
    }
    return emit("mul", {wide, word(multiplier, x.shape.size()), byte(0)},
                x.shape, "i32");
  }

  Value sum(const Node &node, const Shape &shape) {
    auto scale = *additionScale(inputNode(node, 0).scale / node.scale,
                                inputNode(node, 1).scale / node.scale);
    Value first = addend(node, 0, scale.first);
    Value second = addend(node, 1, scale.second);
    Value both = emit("add", {first, second}, shape, "i32");
    return rescaled(both, {{1, scale.shift}}, 0, node.zeroPoint, false);
  }

  /// As the importer writes it, a depthwise convolution with ones, or as two
  /// sums of the widened tensor.
  Value mean(const Node &node, const Shape &shape) {
    const Value &x = input(node);
    Value sums;
    if (node.otherForm) {
      sums = emit("cast", {x}, x.shape, "i32");
      sums = emit("sub", {sums, word(inputNode(node).zeroPoint, 4)}, x.shape,
                  "i32");
      for (int axis : {1, 2}) {
        Shape less = sums.shape;
        less[axis] = 1;
        sums = emit("reduce_sum", {sums}, less, "i32",
                    absl::StrCat("axis = ", axis, " : i32"));
      }
    } else {
      Shape ones{node.kernel[0], node.kernel[1], x.shape[3], 1};
      std::vector<int8_t> weights(elements(ones), 1);
      std::vector<int32_t> bias(x.shape[3], 0);
      sums = emit("depthwise_conv2d",
                  {x, constant(weights, ones, "i8"),
                   constant(bias, {x.shape[3]}, "i32"),
                   byte(inputNode(node).zeroPoint), byte(0)},
                  shape, "i32",
                  "acc_type = i32, dilation = array<i64: 1, 1>, pad = "
                  "array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>");
    }
    return rescaledSums(node, sums);
  }

  //===- The module -------------------------------------------------------===//

  std::string moduleText(const std::vector<Value> &results) {
    std::vector<std::string> types, named, names;
    for (size_t i = 0; i < results.size(); ++i) {
      types.push_back(typeOf(results[i]));
      // An input that is a result has two names.
      named.push_back(absl::StrCat(types[i], " {tenon.name = \"o",
                                   graph.outputs[i], "\"}"));
      names.push_back(results[i].name);
    }
    std::string text =
        absl::StrCat("func.func @main(", absl::StrJoin(arguments, ", "),
                     ") -> (", absl::StrJoin(named, ", "), ") {\n");
    for (const Line &line : lines)
      absl::StrAppend(&text, line.head,
                      line.attributes.empty()
                          ? ""
                          : absl::StrCat(" {", line.attributes, "}"),
                      line.type, "\n");
    absl::StrAppend(&text, "    return ", absl::StrJoin(names, ", "), " : ",
                    absl::StrJoin(types, ", "), "\n}\n");
    return text;
  }

  struct Line {
    std::string head, attributes, type;
  };

  const Graph &graph;
  std::vector<Shape> shapes;
  std::vector<Value> values;
  std::vector<Line> lines;
  std::vector<std::string> arguments;
  int next = 0;
};

} // namespace

std::string writeTosa(const Graph &graph) { return Writer(graph).write(); }

} // namespace tenon::graphs
