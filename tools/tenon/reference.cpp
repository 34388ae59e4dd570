//===- tools/tenon/reference.cpp - The network on the CPU -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/reference.h"

#include "absl/strings/str_cat.h"

namespace tenon::tools {

using runtime::Array;
using runtime::NamedTensors;

static Array emptyArray(isa::ElementType type, runtime::Shape shape) {
  std::vector<uint8_t> bytes(runtime::elementCount(shape) *
                             runtime::elementBytes(type));
  return {type, std::move(shape), std::move(bytes)};
}

absl::StatusOr<ReferenceNetwork>
ReferenceNetwork::load(const isa::Program &program, Optimization level) {
  auto reference =
      compileReference(llvm::StringRef(program.reference()), level);
  if (!reference)
    return absl::InvalidArgumentError(llvm::toString(reference.takeError()));
  for (const ReferenceTensor &tensor : reference->Tensors)
    if (tensor.ElementBits != 8)
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor '", tensor.Name, "', which the network names, has ",
          tensor.ElementBits, " bits, not 8"));
  auto code = runtime::HostCode::load(reference->Object);
  if (!code.ok())
    return code.status();
  return ReferenceNetwork(program, *std::move(reference), *std::move(code));
}

absl::StatusOr<NamedTensors>
ReferenceNetwork::run(absl::Span<const Array> inputs) const {
  std::vector<void *> pointers;
  for (const Array &input : inputs)
    pointers.push_back(const_cast<uint8_t *>(input.bytes.data()));
  std::vector<Array> arrays;
  for (uint32_t index : program->outputs()) {
    const isa::Buffer &buffer = program->buffers(index);
    arrays.push_back(emptyArray(
        buffer.type(), {buffer.shape().begin(), buffer.shape().end()}));
  }
  for (const ReferenceTensor &tensor : reference.Tensors)
    arrays.push_back(emptyArray(isa::INT8, tensor.Shape));
  for (Array &array : arrays)
    pointers.push_back(array.bytes.data());
  if (auto status = code.call("main_packed", pointers); !status.ok())
    return status;
  NamedTensors result;
  size_t outputs = program->outputs_size();
  for (size_t i = 0; i < reference.Tensors.size(); ++i) {
    const ReferenceTensor &tensor = reference.Tensors[i];
    Array array = runtime::permute(arrays[outputs + i], tensor.Permutation);
    if (tensor.IsUnsigned) {
      runtime::addOffset(array.bytes, 128);
      array.type = isa::UINT8;
    }
    array.shape = tensor.OnnxShape;
    result[tensor.Name] = std::move(array);
  }
  for (size_t i = 0; i < outputs; ++i)
    result[program->buffers(program->outputs(i)).name()] = std::move(arrays[i]);
  return result;
}

std::vector<Array>
ReferenceNetwork::outputs(const NamedTensors &tensors) const {
  std::vector<Array> result;
  for (uint32_t index : program->outputs())
    result.push_back(tensors.at(program->buffers(index).name()));
  return result;
}

} // namespace tenon::tools
