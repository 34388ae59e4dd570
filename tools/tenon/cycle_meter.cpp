//===- tools/tenon/cycle_meter.cpp - Cycles of programs -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/cycle_meter.h"

#include "isa/configuration.h"
#include "isa/content_hash.h"
#include "sim/tlm/tlm_device.h"

#include <vector>

namespace tenon::tools {

/// What cycles depend on: the machine, instructions and micro-ops; of other
/// constants, where they lie.
static std::string keyOf(const isa::Program &program) {
  std::vector<std::string> parts = {
      absl::StrCat(isa::configurationHash(program.configuration())),
      absl::StrCat(program.dram_bytes())};
  for (const isa::Step &step : program.steps())
    if (step.has_launch())
      parts.push_back(absl::StrCat("launch ", step.launch().program_offset(),
                                   " ", step.launch().instruction_count()));
  for (const isa::Segment &segment : program.segments()) {
    parts.push_back(
        absl::StrCat("at ", segment.offset(), " ", segment.data().size()));
    if (segment.name() == "instructions" || segment.name() == "micro-ops")
      parts.push_back(segment.data());
  }
  isa::ContentHash hash;
  hash.add(parts);
  return hash.hex();
}

static absl::StatusOr<uint64_t> measure(const isa::Program &program) {
  auto device = sim::TlmDevice::create(program.configuration());
  if (!device.ok())
    return device.status();
  if (auto status = (*device)->allocate(program.dram_bytes()); !status.ok())
    return status;
  for (const isa::Segment &segment : program.segments()) {
    const auto *bytes =
        reinterpret_cast<const uint8_t *>(segment.data().data());
    auto status =
        (*device)->write(segment.offset(), {bytes, segment.data().size()});
    if (!status.ok())
      return status;
  }
  uint64_t cycles = 0;
  for (const isa::Step &step : program.steps()) {
    if (!step.has_launch())
      continue;
    sim::LaunchOptions options;
    options.programOffset = step.launch().program_offset();
    options.instructionCount = step.launch().instruction_count();
    auto result = (*device)->launch(options);
    if (!result.ok())
      return result.status();
    cycles += result->cycles;
  }
  return cycles;
}

absl::StatusOr<uint64_t> CycleMeter::cyclesOf(const isa::Program &program) {
  const std::string key = keyOf(program);
  if (auto found = known.find(key); found != known.end())
    return found->second;
  auto cycles = measure(program);
  if (cycles.ok())
    known[key] = *cycles;
  return cycles;
}

} // namespace tenon::tools
