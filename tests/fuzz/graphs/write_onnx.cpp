// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/graphs/write_onnx.h"

#include "absl/strings/str_cat.h"
#include "onnx/onnx_pb.h"

namespace tenon::graphs {
namespace {

using onnx::TensorProto;

class Writer {
public:
  explicit Writer(const Graph &graph)
      : graph(graph), shapes(*shapesOf(graph)) {}

  std::string write() {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    out().set_name("graph");
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      writeNode(int(i));
    for (int output : graph.outputs)
      declare(*out().add_output(), output);
    return model.SerializeAsString();
  }

private:
  /// In a flat graph without the row's axis.
  Shape channelsFirst(const Shape &shape) const {
    if (shape.size() != 4)
      return shape;
    Shape result{shape[0], shape[3], shape[1], shape[2]};
    if (graph.isFlat)
      result.erase(result.begin() + 2);
    return result;
  }
  /// What an attribute says of rows and columns, of columns in a flat graph.
  template <typename List> Shape axes(const List &values) const {
    Shape result(values.begin(), values.end());
    for (size_t half = result.size() / 2; graph.isFlat && half > 0; --half)
      result.erase(result.begin() + (half - 1) * 2);
    return result;
  }

  onnx::GraphProto &out() { return *model.mutable_graph(); }
  const Node &node(int index) const { return graph.nodes[index]; }
  const Shape &inputShape(int index) const {
    return shapes[node(index).inputs[0]];
  }

  static std::string quantized(int index) { return absl::StrCat("t", index); }
  static std::string name(const char *what, int index) {
    return absl::StrCat(what, index);
  }

  void declare(onnx::ValueInfoProto &info, int index) {
    info.set_name(quantized(index));
    auto &type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(TensorProto::INT8);
    for (int64_t extent : channelsFirst(shapes[index]))
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  }

  template <typename Number>
  std::string constant(const std::string &called, TensorProto::DataType type,
                       const std::vector<Number> &values, const Shape &shape) {
    TensorProto &tensor = *out().add_initializer();
    tensor.set_name(called);
    tensor.set_data_type(type);
    for (int64_t extent : shape)
      tensor.add_dims(extent);
    tensor.set_raw_data(
        std::string(reinterpret_cast<const char *>(values.data()),
                    values.size() * sizeof(Number)));
    return called;
  }

  onnx::NodeProto &add(const char *op, const std::vector<std::string> &inputs,
                       const std::string &output) {
    onnx::NodeProto &made = *out().add_node();
    made.set_op_type(op);
    made.set_name("n_" + output);
    for (const std::string &input : inputs)
      made.add_input(input);
    made.add_output(output);
    return made;
  }

  template <typename List>
  static void listAttribute(onnx::NodeProto &made, const char *called,
                            const List &values) {
    onnx::AttributeProto &a = *made.add_attribute();
    a.set_name(called);
    a.set_type(onnx::AttributeProto::INTS);
    for (int64_t value : values)
      a.add_ints(value);
  }
  static void attribute(onnx::NodeProto &made, const char *called,
                        int64_t value) {
    onnx::AttributeProto &a = *made.add_attribute();
    a.set_name(called);
    a.set_type(onnx::AttributeProto::INT);
    a.set_i(value);
  }

  std::string scaleOf(int index) {
    return constant<float>(name("scale", index), TensorProto::FLOAT,
                           {float(node(index).scale)}, {});
  }
  std::string zeroOf(int index) {
    return constant<int8_t>(name("zero", index), TensorProto::INT8,
                            {int8_t(node(index).zeroPoint)}, {});
  }

  /// The float tensor behind node `index`: each use has its own Dequantize.
  std::string real(int index) {
    std::string result = absl::StrCat("f", index, "_", uses++);
    std::string scale = absl::StrCat("scale_", result),
                zero = absl::StrCat("zero_", result);
    add("DequantizeLinear",
        {quantized(index),
         constant<float>(scale, TensorProto::FLOAT, {float(node(index).scale)},
                         {}),
         constant<int8_t>(zero, TensorProto::INT8,
                          {int8_t(node(index).zeroPoint)}, {})},
        result);
    return result;
  }

  void writeNode(int index) {
    const Node &n = node(index);
    std::string result = name("y", index);
    switch (n.op) {
    case Op::Input:
      return declare(*out().add_input(), index);
    case Op::Flatten:
      add("Reshape",
          {quantized(n.inputs[0]),
           constant<int64_t>(name("shape", index), TensorProto::INT64,
                             shapes[index], {int64_t(shapes[index].size())})},
          quantized(index));
      return;
    case Op::Conv:
    case Op::Depthwise: {
      auto &made = add("Conv", operands(index), result);
      listAttribute(made, "kernel_shape", axes(n.kernel));
      window(made, n);
      attribute(made, "group",
                n.op == Op::Depthwise ? inputShape(index).back() : n.groups);
      break;
    }
    case Op::Dense:
      attribute(add("Gemm", operands(index), result), "transB", 1);
      break;
    case Op::Add:
      add("Add", {real(n.inputs[0]), real(n.inputs[1])}, result);
      break;
    case Op::AveragePool:
    case Op::MeanPool: {
      auto &made = add("AveragePool", {real(n.inputs[0])}, result);
      listAttribute(made, "kernel_shape", axes(n.kernel));
      window(made, n);
      break;
    }
    default:
      return; // no graph in ONNX form has it
    }
    quantize(index, clamped(index, result));
  }

  void window(onnx::NodeProto &made, const Node &n) const {
    listAttribute(made, "strides", axes(n.stride));
    listAttribute(made, "pads",
                  axes(Shape{n.pad[0], n.pad[2], n.pad[1], n.pad[3]}));
  }

  std::string clamped(int index, const std::string &input) {
    const Node &n = node(index);
    std::string result = name("c", index);
    if (n.low <= -128 && n.high >= 127)
      return input;
    if (n.low == n.zeroPoint && n.high >= 127) {
      add("Relu", {input}, result);
      return result;
    }
    auto bound = [&](const char *called, int value) {
      return constant<float>(name(called, index), TensorProto::FLOAT,
                             {float((value - n.zeroPoint) * n.scale)}, {});
    };
    add("Clip", {input, bound("low", n.low), bound("high", n.high)}, result);
    return result;
  }

  void quantize(int index, const std::string &input) {
    add("QuantizeLinear", {input, scaleOf(index), zeroOf(index)},
        quantized(index));
  }

  /// Activation, weights and bias of a contraction.
  std::vector<std::string> operands(int index) {
    return {real(node(index).inputs[0]), weights(index), bias(index)};
  }

  std::string weights(int index) {
    const Node &n = node(index);
    const Shape &input = inputShape(index);
    std::vector<int8_t> tosa = weightsOf(n, input), moved(tosa.size());
    int64_t out = channelsOf(n, input), window = n.kernel[0] * n.kernel[1];
    int64_t in = n.op == Op::Depthwise ? 1 : input.back() / n.groups;
    for (int64_t o = 0; o < out; ++o)
      for (int64_t i = 0; i < in; ++i)
        for (int64_t w = 0; w < window; ++w)
          moved[(o * in + i) * window + w] =
              n.op == Op::Depthwise ? tosa[w * out + o]
                                    : tosa[(o * window + w) * in + i];
    Shape shape{out, in};
    if (n.op != Op::Dense)
      for (int64_t extent : axes(n.kernel))
        shape.push_back(extent);
    bool perChannel = n.weightScales.size() > 1;
    int64_t count = perChannel ? out : 1;
    std::vector<float> scales;
    for (int64_t c = 0; c < count; ++c)
      scales.push_back(float(weightScale(n, c)));
    Shape scaleShape = perChannel ? Shape{count} : Shape{};
    auto &made = add(
        "DequantizeLinear",
        {constant(name("w", index), TensorProto::INT8, moved, shape),
         constant(name("ws", index), TensorProto::FLOAT, scales, scaleShape),
         constant(name("wz", index), TensorProto::INT8,
                  std::vector<int8_t>(count, int8_t(n.weightZeroPoint)),
                  scaleShape)},
        name("wf", index));
    if (perChannel)
      attribute(made, "axis", 0);
    return name("wf", index);
  }

  std::string bias(int index) {
    const Node &n = node(index);
    const Shape &input = inputShape(index);
    bool perChannel = n.weightScales.size() > 1;
    int64_t out = channelsOf(n, input), count = perChannel ? out : 1;
    std::vector<float> scales;
    for (int64_t c = 0; c < count; ++c)
      scales.push_back(float(weightScale(n, c) * node(n.inputs[0]).scale));
    auto &made = add("DequantizeLinear",
                     {constant(name("b", index), TensorProto::INT32,
                               biasOf(n, input), {out}),
                      constant(name("bs", index), TensorProto::FLOAT, scales,
                               perChannel ? Shape{count} : Shape{})},
                     name("bf", index));
    if (perChannel)
      attribute(made, "axis", 0);
    return name("bf", index);
  }

  const Graph &graph;
  std::vector<Shape> shapes;
  onnx::ModelProto model;
  int uses = 0;
};

} // namespace

std::string writeOnnx(const Graph &graph) { return Writer(graph).write(); }

} // namespace tenon::graphs
