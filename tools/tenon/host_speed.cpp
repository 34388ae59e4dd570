//===- tools/tenon/host_speed.cpp - --host-speed
//---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/host_speed.h"

#include "tools/tenon/host_network.h"

#include "runtime/open_device.h"

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "fmt/format.h"

#include "onnx/onnx_pb.h"

#include <chrono>
#include <cmath>
#include <limits>

namespace tenon::tools {

namespace {

constexpr int64_t channels = 32, extent = 96, window = 3;
constexpr int runs = 5;
/// 10^9 a second are as many 10^6 a millisecond.
constexpr double perMs = 1e6;

void addConstant(onnx::GraphProto &graph, const std::string &name,
                 onnx::TensorProto::DataType type,
                 std::initializer_list<int64_t> shape,
                 const std::string &bytes) {
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t size : shape)
    tensor.add_dims(size);
  tensor.set_raw_data(bytes);
}

void addBorder(onnx::ValueInfoProto &border, const std::string &name) {
  border.set_name(name);
  auto &type = *border.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::INT8);
  for (int64_t size : {int64_t{1}, channels, extent, extent})
    type.mutable_shape()->add_dim()->set_dim_value(size);
}

std::string bytesOf(float value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof value);
}

/// A convolution that both the CPU and the accelerator take.
std::string convolution() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  onnx::OperatorSetIdProto &operators = *model.add_opset_import();
  operators.set_domain("");
  operators.set_version(17);
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.set_name("convolution");
  addBorder(*graph.add_input(), "x");
  addBorder(*graph.add_output(), "y");
  addConstant(graph, "scale", onnx::TensorProto::FLOAT, {}, bytesOf(0.0625f));
  addConstant(graph, "zero", onnx::TensorProto::INT8, {}, std::string(1, 0));
  addConstant(graph, "w", onnx::TensorProto::INT8,
              {channels, channels, window, window},
              std::string(channels * channels * window * window, 1));
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type("QLinearConv");
  for (const char *name :
       {"x", "scale", "zero", "w", "scale", "zero", "scale", "zero"})
    node.add_input(name);
  node.add_output("y");
  onnx::AttributeProto &pads = *node.add_attribute();
  pads.set_name("pads");
  pads.set_type(onnx::AttributeProto::INTS);
  for (int side = 0; side < 4; ++side)
    pads.add_ints(window / 2);
  return model.SerializeAsString();
}

double sinceMs(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

/// Milliseconds of the convolution on the CPU.
absl::StatusOr<double> convolutionMs(const std::string &content,
                                     absl::Span<const runtime::Array> inputs) {
  auto network = HostNetwork::compile(content, "convolution", {});
  if (!network.ok())
    return network.status();
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    if (auto outputs = (*network)->run(inputs); !outputs.ok())
      return outputs.status();
    best = std::min(best, sinceMs(begin));
  }
  return best;
}

/// Milliseconds of packing its input, the first step on the accelerator.
absl::StatusOr<double> packMs(const std::string &content,
                              absl::Span<const runtime::Array> inputs) {
  compiler::Options options;
  options.keepReference = options.verify = false;
  auto compiled = compiler::compileContent(content, "convolution", options,
                                           compiler::Level::Program);
  if (!compiled.ok())
    return compiled.status();
  auto device =
      runtime::openDevice("functional", compiled->program.configuration());
  if (!device.ok())
    return device.status();
  auto loaded = runtime::LoadedProgram::load(std::move(compiled->program),
                                             runtime::HostCodeTrust::Any);
  if (!loaded.ok())
    return loaded.status();
  runtime::Observer observer;
  auto session =
      runtime::Session::create(*std::move(loaded), **device, &observer);
  if (!session.ok())
    return session.status();
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    if (auto outputs = (*session)->run(inputs); !outputs.ok())
      return outputs.status();
    best = std::min(best, observer.execution.hostSteps.front().milliseconds);
  }
  return best;
}

std::optional<HostSpeed> parseSpeed(const std::string &text) {
  std::vector<std::string> numbers = absl::StrSplit(text, ',');
  double operations, bytes;
  if (numbers.size() != 2 || !absl::SimpleAtod(numbers[0], &operations) ||
      !absl::SimpleAtod(numbers[1], &bytes))
    return std::nullopt;
  for (double number : {operations, bytes})
    if (!(number > 0) || !std::isfinite(number))
      return std::nullopt;
  return HostSpeed{operations * perMs, bytes * perMs};
}

} // namespace

absl::StatusOr<HostSpeed> measureHostSpeed() {
  const std::string content = convolution();
  runtime::Array input;
  input.type = isa::INT8;
  input.shape = {1, channels, extent, extent};
  input.bytes.assign(channels * extent * extent, 1);
  auto computing = convolutionMs(content, {&input, 1});
  if (!computing.ok())
    return computing.status();
  auto packing = packMs(content, {&input, 1});
  if (!packing.ok())
    return packing.status();
  const double macs =
      double(channels * channels) * extent * extent * window * window;
  return HostSpeed{macs / *computing, input.bytes.size() / *packing};
}

void addHostSpeedOption(CLI::App &verb, compiler::Options &options) {
  verb.add_option_function<std::string>(
          "--host-speed",
          [&options](const std::string &text) {
            if (text == "here") {
              auto measured = measureHostSpeed();
              if (!measured.ok())
                throw CLI::ValidationError(
                    "--host-speed", std::string(measured.status().message()));
              options.hostSpeed = *measured;
              fmt::print(stderr,
                         "tenon: remark: measured --host-speed={:.3g},"
                         "{:.3g}\n",
                         measured->OperationsPerMs / perMs,
                         measured->PackedBytesPerMs / perMs);
              return;
            }
            auto speed = parseSpeed(text);
            if (!speed)
              throw CLI::ValidationError(
                  "--host-speed",
                  absl::StrCat("'", text,
                               "' is neither OPERATIONS,BYTES, both "
                               "above 0, nor here"));
            options.hostSpeed = *speed;
          },
          fmt::format(
              "the host that groups are placed for: multiply-accumulates and "
              "packed bytes, 10^9 a second each, or 'here' to measure this "
              "machine (default: {:g},{:g}, an Arm core of a small FPGA)",
              options.hostSpeed.OperationsPerMs / perMs,
              options.hostSpeed.PackedBytesPerMs / perMs))
      ->type_name("OPERATIONS,BYTES");
}

} // namespace tenon::tools
