// Part of Tenon, under the Apache License v2.0.
//
// The program container. A mutation hardly ever keeps the checksum, so that
// bytes without a header are taken as the message of a container. What is read
// is printed, verified and, where it verifies and is small, executed.

#include "isa/program.h"
#include "isa/assembler.h"
#include "isa/verifier/verifier.h"
#include "runtime/host_code.h"
#include "runtime/run_once.h"
#include "sim/functional/functional_device.h"
#include "tests/fuzz/input/target.h"

#include "absl/strings/match.h"

namespace tenon::fuzz {
namespace {

constexpr uint64_t mostBytes = 1 << 20;
constexpr uint64_t mostSteps = 1 << 20; // of the loops of all instructions

uint64_t stepsOf(const isa::Instruction &instruction) {
  return std::visit(
      [](const auto &fields) -> uint64_t {
        using Fields = std::decay_t<decltype(fields)>;
        if constexpr (std::is_same_v<Fields, isa::Gemm> ||
                      std::is_same_v<Fields, isa::Alu>)
          return uint64_t(fields.uopCount) * fields.outerCount *
                 fields.innerCount;
        else if constexpr (std::is_same_v<Fields, isa::Load> ||
                           std::is_same_v<Fields, isa::Store>)
          return uint64_t(fields.ySize) * fields.xSize;
        else
          return 1;
      },
      instruction);
}

/// Whether an execution ends soon and needs little memory.
bool isSmall(const isa::Program &program, const isa::Layout &layout) {
  uint64_t bytes = program.dram_bytes();
  for (const isa::Buffer &buffer : program.buffers()) {
    auto count = isa::elementCount(buffer.shape());
    if (!count.ok() || *count > mostBytes)
      return false;
    bytes += *count * isa::elementBytes(buffer.type());
  }
  uint64_t steps = 0;
  for (const isa::Segment &segment : program.segments())
    for (size_t at = 0; at + layout.instructionBytes <= segment.data().size();
         at += layout.beatBytes)
      if (auto decoded = isa::decode(layout, reinterpret_cast<const uint8_t *>(
                                                 segment.data().data() + at));
          decoded.ok())
        steps += stepsOf(*decoded);
  return bytes <= mostBytes &&
         steps * uint64_t(program.steps_size() + 1) <= mostSteps;
}

void execute(const isa::Program &program) {
  auto device = sim::FunctionalDevice::create(program.configuration());
  if (!device.ok())
    broken("a valid program's machine: " + device.status().ToString());
  std::vector<runtime::Array> inputs;
  for (uint32_t index : program.inputs()) {
    const isa::Buffer &buffer = program.buffers(int(index));
    runtime::Shape shape(buffer.shape().begin(), buffer.shape().end());
    std::vector<uint8_t> bytes(runtime::elementCount(shape) *
                               isa::elementBytes(buffer.type()));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = uint8_t(i * 7 + 1);
    inputs.push_back({buffer.type(), std::move(shape), std::move(bytes)});
  }
  auto outcome = runtime::runOnce(program, **device, inputs);
  checkError(outcome.status());
  if (!outcome.ok())
    return;
  for (const runtime::Array &output : outcome->outputs)
    if (output.bytes.size() != uint64_t(runtime::elementCount(output.shape)) *
                                   isa::elementBytes(output.type))
      broken("an output has not the bytes of its type and shape");
}

/// Loads host code and calls nothing of it: what is not refused does no harm.
void load(const isa::Program &program) {
  if (program.host_code().executables_size())
    checkError(runtime::HostCode::load(program.host_code()).status());
}

} // namespace

absl::Status program(absl::string_view input) {
  std::string container;
  if (!absl::StartsWith(input, "\x89TENON")) {
    container = containerOf(input);
    input = container;
  }
  auto program = isa::parseProgram(input, "input");
  if (!program.ok())
    return program.status();
  auto again = isa::assembleProgram(
      isa::disassembleProgram(*program, /*annotate=*/true), "printed");
  if (!again.ok())
    broken("a program's text does not assemble: " + again.status().ToString());
  load(*program);
  auto verification = isa::verify(*program);
  checkError(verification.status());
  auto layout = isa::Layout::get(program->configuration());
  // Host code is code: whoever runs it trusts it.
  if (layout.ok() && verification.ok() && verification->verified() &&
      program->host_code().executables().empty() && isSmall(*program, *layout))
    execute(*program);
  return absl::OkStatus();
}

} // namespace tenon::fuzz
