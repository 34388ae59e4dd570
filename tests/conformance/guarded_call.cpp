// Part of Tenon, under the Apache License v2.0.
//
// guarded_call LIST: each line of the file LIST names a model and the files of
// its inputs. The model is compiled for this machine and its kernel called with
// all memory beside pages that nobody may touch, once with their ends there and
// once with their beginnings, on other poison: both results must be equal.
// Prints one line a model: "same", what was refused, or what is wrong. Where
// the process ends with a signal, the model behind the last line is to blame.

#include "compiler/driver/compile.h"
#include "compiler/driver/reference.h"
#include "runtime/border.h"
#include "runtime/host_code.h"
#include "tests/conformance/guarded_memory.h"
#include "tools/tenon/tensor_proto.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace tenon;

namespace {

/// The bytes of the outputs, or the message of the kernel.
std::vector<std::string> called(const isa::Program &network,
                                const runtime::Kernel &kernel,
                                const std::vector<runtime::Array> &inputs,
                                Touches side, uint8_t poison) {
  GuardedMemory memory(side, poison, kernel.workspace,
                       network.host_code().constants());
  std::vector<std::vector<int64_t>> shapes;
  for (const runtime::Array &input : inputs)
    shapes.push_back(input.shape);
  for (uint32_t output : network.outputs()) {
    const auto &shape = network.buffers(int(output)).shape();
    shapes.emplace_back(shape.begin(), shape.end());
  }
  std::vector<TenonHostTensor> tensors;
  for (size_t i = 0; i < shapes.size(); ++i) {
    void *data = nullptr;
    if (i < inputs.size()) {
      data = memory.block(inputs[i].bytes.size(),
                          runtime::elementBytes(inputs[i].type));
      std::copy(inputs[i].bytes.begin(), inputs[i].bytes.end(),
                static_cast<uint8_t *>(data));
    } else if (const isa::Buffer &buffer = network.buffers(
                   int(network.outputs(int(i - inputs.size()))));
               buffer.symbols().empty()) {
      const unsigned width = runtime::elementBytes(buffer.type());
      data = memory.block(uint64_t(runtime::elementCount(shapes[i])) * width,
                          width);
    }
    tensors.push_back({data, shapes[i].data()});
  }
  if (setjmp(memory.end))
    return {"there is no memory"};
  if (const char *message = kernel.call(tensors.data(), &memory))
    return {message};
  std::vector<std::string> results;
  for (size_t i = inputs.size(); i < tensors.size(); ++i) {
    const isa::Buffer &buffer =
        network.buffers(int(network.outputs(int(i - inputs.size()))));
    results.push_back(runtime::shapeText(shapes[i]));
    results.back().append(static_cast<char *>(tensors[i].data),
                          size_t(runtime::elementCount(shapes[i])) *
                              runtime::elementBytes(buffer.type()));
  }
  return results;
}

absl::StatusOr<bool> same(const std::string &model,
                          const std::vector<std::string> &files) {
  compiler::Options options;
  auto compiled = compiler::compile(model, options, compiler::Level::Reference);
  if (!compiled.ok())
    return compiled.status();
  auto network =
      compiler::compileReference(compiled->program, Optimization::ForSpeed,
                                 /*withTensors=*/false);
  if (!network.ok())
    return network.status();
  auto code = runtime::HostCode::load(network->host_code());
  if (!code.ok())
    return code.status();
  auto kernel = code->kernel("main_packed");
  if (!kernel.ok())
    return kernel.status();
  std::vector<runtime::Array> inputs;
  for (const std::string &file : files) {
    auto read = tools::readTensorProto(file);
    if (!read.ok())
      return read.status();
    inputs.push_back(*std::move(read));
  }
  // What a kernel may be given: extents that the import has fixed are checked
  // by its caller.
  std::vector<runtime::ConstView> views;
  for (const runtime::Array &input : inputs)
    views.push_back(runtime::viewOf(input));
  runtime::Extents extents;
  if (absl::Status status = runtime::Border(*network).bind(views, extents);
      !status.ok())
    return status;
  return called(*network, *kernel, inputs, Touches::End, 0x55) ==
         called(*network, *kernel, inputs, Touches::Begin, 0xaa);
}

} // namespace

int main(int argc, char **argv) {
  std::ifstream list(argc > 1 ? argv[1] : "");
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string model;
    std::vector<std::string> files;
    words >> model;
    for (std::string file; words >> file;)
      files.push_back(file);
    auto result = same(model, files);
    if (!result.ok())
      std::cout << "refused: " << result.status().message() << std::endl;
    else
      std::cout << (*result ? "same" : "differs") << std::endl;
  }
}
