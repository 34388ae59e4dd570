// Part of Tenon, under the Apache License v2.0.

#include "isa/check_buffers.h"

#include "isa/program.h"

#include "absl/algorithm/container.h"
#include "fmt/format.h"

namespace tenon::isa {
namespace {

constexpr int maxRank = 8;

template <typename... Args>
absl::Status invalid(fmt::format_string<Args...> format, Args &&...args) {
  return absl::InvalidArgumentError(
      fmt::format(format, std::forward<Args>(args)...));
}

bool isInput(const Program &program, uint32_t buffer) {
  return absl::c_linear_search(program.inputs(), buffer);
}

/// Whether an input has the open dimension `name`.
bool isBound(const Program &program, const std::string &name) {
  return absl::c_any_of(program.inputs(), [&](uint32_t input) {
    return absl::c_linear_search(program.buffers(int(input)).symbols(), name);
  });
}

absl::Status checkSymbols(const Program &program, uint32_t index) {
  const Buffer &buffer = program.buffers(int(index));
  if (buffer.symbols_size() && buffer.symbols_size() != buffer.shape_size())
    return invalid("it has {} symbols for {} dimensions", buffer.symbols_size(),
                   buffer.shape_size());
  for (int i = 0; i < buffer.symbols_size(); ++i) {
    const std::string &name = buffer.symbols(i);
    if (name.empty())
      continue;
    if (buffer.shape(i) != 0)
      return invalid("dimension {} is open ('{}') and has extent {}, "
                     "expected 0",
                     i, name, buffer.shape(i));
    if (name == "?" && isInput(program, index))
      return invalid("dimension {} of an input is '?', expected a name that a "
                     "run binds",
                     i);
    if (name != "?" && !isBound(program, name))
      return invalid("no input has the open dimension '{}', so that nothing "
                     "binds it",
                     name);
  }
  return absl::OkStatus();
}

absl::Status checkBuffer(const Program &program, uint32_t index) {
  const Buffer &buffer = program.buffers(int(index));
  absl::StatusOr<uint64_t> count = elementCount(buffer.shape());
  if (!findElementFormat(buffer.type()))
    return invalid("element type {} is not known", int(buffer.type()));
  if (buffer.shape_size() > maxRank)
    return invalid("the shape has too many dimensions");
  return count.ok() ? checkSymbols(program, index) : count.status();
}

} // namespace

bool hasOpenDimension(const Buffer &buffer) {
  return absl::c_any_of(buffer.symbols(),
                        [](const std::string &name) { return !name.empty(); });
}

absl::Status checkBuffers(const Program &program) {
  for (int i = 0; i < program.buffers_size(); ++i)
    if (absl::Status status = checkBuffer(program, uint32_t(i)); !status.ok())
      return invalid("buffer {} '{}': {}", i, program.buffers(i).name(),
                     std::string(status.message()));
  return absl::OkStatus();
}

absl::Status checkReads(const Program &program) {
  std::vector<bool> holds(program.buffers_size()); // values, not just memory
  for (uint32_t input : program.inputs())
    holds[input] = true;
  for (int i = 0; i < program.steps_size(); ++i) {
    const Step &step = program.steps(i);
    const HostKernel &kernel = step.host_kernel();
    if (step.has_pack() && !holds[step.pack().buffer()])
      return invalid("step {}: pack: no step before it writes buffer '{}', "
                     "which is no input",
                     i, program.buffers(int(step.pack().buffer())).name());
    for (uint32_t input : kernel.inputs())
      if (!holds[input])
        return invalid("step {}: host_kernel {}: no step before it writes "
                       "buffer '{}', which is no input",
                       i, kernel.symbol(), program.buffers(int(input)).name());
    for (uint32_t output : kernel.outputs()) {
      const Buffer &buffer = program.buffers(int(output));
      if (hasOpenDimension(buffer) && isInput(program, output))
        return invalid("step {}: host_kernel {}: it makes buffer '{}', which "
                       "is an input with an open dimension",
                       i, kernel.symbol(), buffer.name());
      holds[output] = true;
    }
    if (step.has_unpack())
      holds[step.unpack().buffer()] = true;
  }
  for (uint32_t output : program.outputs())
    if (!holds[output])
      return invalid("no step writes output '{}', which is no input",
                     program.buffers(int(output)).name());
  return absl::OkStatus();
}

} // namespace tenon::isa
