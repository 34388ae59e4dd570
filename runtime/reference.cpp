//===- runtime/reference.cpp - Runs a network on the CPU alone ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/reference.h"

namespace tenon::runtime {

absl::StatusOr<Reference> Reference::load(isa::Program program) {
  if (program.steps_size() != 1 || !program.steps(0).has_host_kernel())
    return absl::InvalidArgumentError(
        "a reference is a program of one host kernel");
  auto code = HostCode::load(program.executables());
  if (!code.ok())
    return code.status();
  return Reference(std::move(program), *std::move(code));
}

absl::StatusOr<NamedTensors>
Reference::run(absl::Span<const Array> inputs) const {
  std::vector<void *> pointers;
  for (const Array &input : inputs)
    pointers.push_back(const_cast<uint8_t *>(input.bytes.data()));
  std::vector<Array> arrays;
  for (uint32_t output : program.outputs()) {
    const isa::Buffer &buffer = program.buffers(int(output));
    Shape shape(buffer.shape().begin(), buffer.shape().end());
    std::vector<uint8_t> bytes(elementCount(shape) *
                               elementBytes(buffer.type()));
    arrays.push_back({buffer.type(), std::move(shape), std::move(bytes)});
    pointers.push_back(arrays.back().bytes.data());
  }
  const std::string &symbol = program.steps(0).host_kernel().symbol();
  auto kernel = code.kernel(symbol);
  if (!kernel.ok())
    return kernel.status();
  (*kernel)(pointers.data());
  NamedTensors result;
  // An output is often a quantised tensor as well: the output stays.
  for (size_t i = 0; i < arrays.size(); ++i)
    result.emplace(program.buffers(int(program.outputs(int(i)))).name(),
                   std::move(arrays[i]));
  return result;
}

} // namespace tenon::runtime
