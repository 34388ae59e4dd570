//===- sim/tlm/program.cpp - A program in DRAM, decoded -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/program.h"

#include "absl/strings/str_format.h"

namespace tenon::sim::tlm {

absl::StatusOr<Program> decodeProgram(const isa::Layout &layout,
                                      absl::Span<const uint8_t> dram,
                                      uint64_t offset, uint64_t count) {
  if (count == 0)
    return absl::InvalidArgumentError("tlm: a program has at least FINISH");
  Program program;
  program.offset = offset;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t at = offset + i * layout.instructionBytes;
    if (at > dram.size() || dram.size() - at < layout.instructionBytes)
      return absl::InvalidArgumentError(absl::StrFormat(
          "tlm: instruction %u at DRAM offset 0x%x lies outside of the %u "
          "bytes of DRAM",
          i, at, dram.size()));
    absl::StatusOr<isa::Instruction> instruction =
        isa::decode(layout, dram.data() + at);
    if (!instruction.ok())
      return absl::InvalidArgumentError(
          absl::StrFormat("tlm: undefined encoding: instruction %u at DRAM "
                          "offset 0x%x: %s",
                          i, at, instruction.status().message()));
    bool isFinish = std::holds_alternative<isa::Finish>(*instruction);
    if (isFinish != (i + 1 == count))
      return absl::InvalidArgumentError(absl::StrFormat(
          "tlm: instruction %u of %u is %s: a program ends with its only "
          "FINISH",
          i, count, isa::disassemble(layout, *instruction)));
    if (isFinish)
      break;
    isa::Engine engine = isa::engineOf(*instruction);
    program.order.push_back(engine);
    program.engines[unsigned(engine)].push_back(
        {*instruction, isa::waitOf(*instruction), isa::signalOf(*instruction),
         std::holds_alternative<isa::Set>(*instruction), i});
  }
  return program;
}

} // namespace tenon::sim::tlm
