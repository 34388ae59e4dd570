// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/executors.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_device.h"
#include "sim/tlm/tlm_device.h"

namespace tenon {

absl::StatusOr<std::unique_ptr<sim::Simulator>>
makeExecutor(const std::string &name, const isa::Configuration &configuration) {
  if (name == "functional")
    return sim::FunctionalDevice::create(configuration);
  uint64_t seed;
  absl::string_view text = name;
  if (absl::ConsumePrefix(&text, "functional:") &&
      absl::SimpleAtoi(text, &seed))
    return sim::FunctionalDevice::create(configuration, seed);
  if (name == "tlm")
    return sim::TlmDevice::create(configuration);
  if (name == "rtl")
    return sim::RtlDevice::create(configuration);
  return absl::InvalidArgumentError(
      absl::StrCat("no executor `", name,
                   "`: expected functional, functional:SEED, tlm "
                   "or rtl"));
}

absl::Status runProgram(sim::Simulator &device, const isa::Program &program,
                        sim::LaunchResult *result,
                        const sim::MemoryTiming &memory) {
  if (absl::Status s = device.allocate(program.dram_bytes()); !s.ok())
    return s;
  for (const isa::Segment &segment : program.segments()) {
    auto bytes = absl::MakeConstSpan(
        reinterpret_cast<const uint8_t *>(segment.data().data()),
        segment.data().size());
    if (absl::Status s = device.write(segment.offset(), bytes); !s.ok())
      return s;
  }
  for (const isa::Step &step : program.steps()) {
    if (!step.has_launch())
      return absl::InvalidArgumentError("a step that is no launch");
    sim::LaunchOptions options;
    options.programOffset = step.launch().program_offset();
    options.instructionCount = step.launch().instruction_count();
    options.memory = memory;
    auto launched = device.launch(options);
    if (!launched.ok())
      return launched.status();
    if (result)
      *result = *std::move(launched);
  }
  return absl::OkStatus();
}

} // namespace tenon
