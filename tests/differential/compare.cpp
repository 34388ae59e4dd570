// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/compare.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "isa/assembler.h"
#include "isa/configuration.h"
#include "sim/functional/functional_device.h"
#include "tests/differential/executors.h"

#include <algorithm>

namespace tenon::differential {
namespace {

absl::Status withContext(absl::string_view context,
                         const absl::Status &status) {
  return absl::Status(status.code(),
                      absl::StrCat(context, ": ", status.message()));
}

absl::Status compareDram(const sim::Device &a, const sim::Device &b,
                         uint64_t size) {
  std::vector<uint8_t> left(size), right(size);
  if (absl::Status s = a.read(0, absl::MakeSpan(left)); !s.ok())
    return s;
  if (absl::Status s = b.read(0, absl::MakeSpan(right)); !s.ok())
    return s;
  uint64_t differences = 0, first = 0;
  for (uint64_t i = size; i-- > 0;)
    if (left[i] != right[i]) {
      ++differences;
      first = i;
    }
  if (differences == 0)
    return absl::OkStatus();
  return absl::InternalError(absl::StrFormat(
      "DRAM differs in %d bytes, first at 0x%x: %s has %02x, %s %02x",
      differences, first, std::string(a.name()), left[first],
      std::string(b.name()), right[first]));
}

absl::Status checkStates(const sim::LaunchResult &result) {
  for (unsigned e = 0; e < sim::numEngines; ++e)
    if (result.states[e].total() != result.cycles)
      return absl::InternalError(
          absl::StrFormat("the states of engine %d add up to %d of %d cycles",
                          e, result.states[e].total(), result.cycles));
  return absl::OkStatus();
}

absl::StatusOr<isa::Configuration> configurationOf(absl::string_view name) {
  uint64_t seed;
  if (absl::ConsumePrefix(&name, "random:")) {
    if (!absl::SimpleAtoi(name, &seed))
      return absl::InvalidArgumentError("expected random:SEED");
    std::mt19937_64 random(seed);
    return isa::randomConfiguration(random);
  }
  return isa::loadConfiguration(name);
}

// The stream of the program, without its data.
std::string instructionText(const isa::Layout &layout,
                            const isa::Program &program) {
  std::string text;
  const std::string &code = program.segments(1).data();
  for (size_t at = 0; at < code.size(); at += layout.instructionBytes) {
    auto instruction = isa::decode(
        layout, reinterpret_cast<const uint8_t *>(code.data()) + at);
    if (instruction.ok())
      absl::StrAppend(&text, "    ", isa::disassemble(layout, *instruction),
                      "\n");
  }
  return text;
}

std::string failureReport(const Options &options, uint64_t seed,
                          const absl::Status &status, const isa::Layout &layout,
                          const isa::Program &shrunk,
                          const absl::Status &shrunkStatus) {
  return absl::StrFormat(
      "%s\n  seed %d, configuration %s {%s}\n  repeat: tenon-differential "
      "--config %s --executor %s --seed %d --programs 1 --size %d\n  smallest "
      "program found (%s):\n%s",
      status.message(), seed, options.configuration,
      layout.config.ShortDebugString(), options.configuration, options.executor,
      seed, options.size, shrunkStatus.message(),
      instructionText(layout, shrunk));
}

} // namespace

absl::StatusOr<std::unique_ptr<Comparison>>
Comparison::create(std::unique_ptr<sim::Device> other) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(other->configuration());
  if (!layout.ok())
    return layout.status();
  auto functional = sim::FunctionalDevice::create(other->configuration());
  if (!functional.ok())
    return functional.status();
  return std::unique_ptr<Comparison>(new Comparison(
      *std::move(layout), *std::move(functional), std::move(other)));
}

absl::Status Comparison::compare(const isa::Program &program) {
  sim::LaunchResult expected, found;
  if (absl::Status s = runProgram(*functional, program, &expected); !s.ok())
    return withContext("functional", s);
  if (absl::Status s = runProgram(*other, program, &found); !s.ok())
    return withContext(other->name(), s);
  totalCycles += found.cycles;
  if (absl::Status s = compareDram(*functional, *other, program.dram_bytes());
      !s.ok())
    return s;
  if (expected.retired != found.retired)
    return absl::InternalError("the numbers of retired instructions differ");
  return found.cycles ? checkStates(found) : absl::OkStatus();
}

RandomProgram Comparison::shrink(RandomProgram program, unsigned attempts) {
  size_t chunk = program.instructions.size() / 2;
  while (chunk > 0 && attempts > 0) {
    bool dropped = false;
    for (size_t at = 0; at < program.instructions.size() && attempts > 0;) {
      RandomProgram smaller = program;
      auto from = smaller.instructions.begin() + at;
      smaller.instructions.erase(
          from,
          from + std::min<size_t>(chunk, smaller.instructions.end() - from));
      --attempts;
      if (compare(assembleRandomProgram(layoutOfBoth, smaller)).ok()) {
        at += chunk;
      } else {
        program = std::move(smaller);
        dropped = true;
      }
    }
    if (!dropped)
      chunk /= 2;
  }
  return program;
}

absl::Status compareRandomPrograms(const Options &options, uint64_t *cycles) {
  absl::StatusOr<isa::Configuration> configuration =
      configurationOf(options.configuration);
  if (!configuration.ok())
    return configuration.status();
  auto device = makeExecutor(options.executor, *configuration);
  if (!device.ok())
    return device.status();
  auto comparison = Comparison::create(*std::move(device));
  if (!comparison.ok())
    return comparison.status();
  Comparison &both = **comparison;
  for (uint64_t seed = options.seed; seed < options.seed + options.programs;
       ++seed) {
    RandomProgram random = randomProgram(both.layout(), seed, options.size);
    absl::Status status =
        both.compare(assembleRandomProgram(both.layout(), random));
    if (!status.ok()) {
      if (options.shrink)
        random = both.shrink(random, 300);
      isa::Program shrunk = assembleRandomProgram(both.layout(), random);
      return absl::InternalError(failureReport(
          options, seed, status, both.layout(), shrunk, both.compare(shrunk)));
    }
  }
  if (cycles)
    *cycles = both.cycles();
  return absl::OkStatus();
}

} // namespace tenon::differential
