// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/compare.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "isa/configuration.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_device.h"
#include "tests/differential/executors.h"

#include <algorithm>

namespace tenon::differential {
namespace {

absl::Status withContext(absl::string_view context,
                         const absl::Status &status) {
  return absl::Status(status.code(),
                      absl::StrCat(context, ": ", status.message()));
}

absl::Status compareDram(const sim::Simulator &a, const sim::Simulator &b,
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

} // namespace

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

absl::StatusOr<std::unique_ptr<Comparison>>
Comparison::create(std::unique_ptr<sim::Simulator> other,
                   std::unique_ptr<RetireChecker> checker) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(other->configuration());
  if (!layout.ok())
    return layout.status();
  auto functional = sim::FunctionalDevice::create(other->configuration());
  if (!functional.ok())
    return functional.status();
  return std::unique_ptr<Comparison>(
      new Comparison(*std::move(layout), *std::move(functional),
                     std::move(checker), std::move(other)));
}

absl::StatusOr<std::unique_ptr<Comparison>>
Comparison::createOn(const std::string &executor,
                     const isa::Configuration &configuration) {
  if (executor != "rtl" && executor != "synthesis") {
    auto device = makeExecutor(executor, configuration);
    return device.ok() ? create(*std::move(device)) : device.status();
  }
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    return layout.status();
  auto checker = std::make_unique<RetireChecker>(*layout);
  auto device = sim::RtlDevice::createObserved(
      configuration, checker->observer(),
      executor == "rtl" ? sim::Bodies::Simulation : sim::Bodies::Synthesis);
  return device.ok() ? create(*std::move(device), std::move(checker))
                     : device.status();
}

// A difference that the checker has seen is nearer to its cause than an error
// of the launch.
absl::Status Comparison::runOther(const isa::Program &program,
                                  const sim::MemoryTiming &memory,
                                  sim::LaunchResult &result) {
  if (retireChecker) {
    auto run = expectedRun(layoutOfBoth, program);
    if (!run.ok())
      return run.status();
    retireChecker->begin(*std::move(run));
  }
  absl::Status status = runProgram(*other, program, &result, memory);
  absl::Status checked =
      retireChecker ? retireChecker->end() : absl::OkStatus();
  return withContext(other->name(), checked.ok() ? status : checked);
}

absl::Status Comparison::compare(const isa::Program &program,
                                 const sim::MemoryTiming &memory) {
  sim::LaunchResult expected, found;
  if (absl::Status s = runProgram(*functional, program, &expected); !s.ok())
    return withContext("functional", s);
  if (absl::Status s = runOther(program, memory, found); !s.ok())
    return s;
  cyclesOfLast = found.cycles;
  totalCycles += found.cycles;
  if (absl::Status s = compareDram(*functional, *other, program.dram_bytes());
      !s.ok())
    return s;
  if (expected.retired != found.retired)
    return absl::InternalError("the numbers of retired instructions differ");
  return found.cycles ? checkStates(found) : absl::OkStatus();
}

} // namespace tenon::differential
