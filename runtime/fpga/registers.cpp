//===- runtime/fpga/registers.cpp - A launch, register by register --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/registers.h"

#include "isa/configuration.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <array>
#include <chrono>
#include <thread>

namespace tenon::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds controlLimit{1}, stopLimit{1};
// Words from one engine's first state to the next engine's.
constexpr unsigned stateWords = 16;

absl::StatusOr<uint32_t> readRegister(RegisterPort &port, uint32_t offset) {
  uint32_t value = 0;
  if (absl::Status status = port.read(offset, absl::MakeSpan(&value, 1));
      !status.ok())
    return status;
  return value;
}

// A read behind the write comes back when the write has arrived.
absl::Status writeControl(RegisterPort &port, uint32_t value) {
  if (absl::Status status = port.write(isa::control::control, value);
      !status.ok())
    return status;
  const Clock::time_point limit = Clock::now() + controlLimit;
  for (;;) {
    absl::StatusOr<uint32_t> pending =
        readRegister(port, isa::control::control);
    if (!pending.ok())
      return pending.status();
    if (*pending == 0)
      return absl::OkStatus();
    if (Clock::now() > limit)
      return absl::DeadlineExceededError(absl::StrFormat(
          "%s: the accelerator did not take what was written to register "
          "control: it reads 0x%x after a second, expected 0",
          port.name(), *pending));
    std::this_thread::yield();
  }
}

using Retired = std::array<uint32_t, sim::numEngines>;

absl::StatusOr<Retired> readRetired(RegisterPort &port) {
  Retired retired{};
  if (absl::Status status =
          port.read(isa::control::retired, absl::MakeSpan(retired));
      !status.ok())
    return status;
  return retired;
}

} // namespace

absl::Status checkIdentity(RegisterPort &port, const isa::Layout &layout) {
  absl::StatusOr<uint32_t> version =
      readRegister(port, isa::control::isaVersion);
  if (!version.ok())
    return version.status();
  absl::StatusOr<uint32_t> hash =
      readRegister(port, isa::control::configuration);
  if (!hash.ok())
    return hash.status();
  if (*version != isa::isaVersion)
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: expected an accelerator with version %u of the instruction set, "
        "found %u (0x%08x); is its bitstream loaded?",
        port.name(), isa::isaVersion, *version, *version));
  const auto expected =
      static_cast<uint32_t>(isa::configurationHash(layout.config));
  if (*hash != expected)
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: expected configuration '%s' (hash 0x%08x), the accelerator there "
        "has hash 0x%08x; build its bitstream for this configuration, or "
        "compile for the accelerator's",
        port.name(), layout.config.name(), expected, *hash));
  return absl::OkStatus();
}

absl::StatusOr<LaunchStatus> readStatus(RegisterPort &port) {
  absl::StatusOr<uint32_t> value = readRegister(port, isa::control::status);
  if (!value.ok())
    return value.status();
  return LaunchStatus{(*value & sim::statusDone) != 0,
                      (*value & sim::statusRunning) != 0, *value};
}

absl::Status stopLaunch(RegisterPort &port) {
  if (absl::Status status = writeControl(port, sim::controlReset); !status.ok())
    return status;
  const Clock::time_point limit = Clock::now() + stopLimit;
  for (;;) {
    absl::StatusOr<LaunchStatus> status = readStatus(port);
    if (!status.ok())
      return status.status();
    if (!status->running)
      return absl::OkStatus();
    if (Clock::now() > limit)
      return absl::DeadlineExceededError(absl::StrCat(
          port.name(),
          ": the accelerator was stopped, but the memory has not answered all "
          "of its bursts within a second; load its bitstream again"));
    std::this_thread::yield();
  }
}

absl::Status startLaunch(RegisterPort &port, const isa::Layout &layout,
                         const DramWindow &window, uint64_t programOffset) {
  absl::StatusOr<LaunchStatus> before = readStatus(port);
  if (!before.ok())
    return before.status();
  if (before->running)
    return absl::FailedPreconditionError(
        absl::StrCat(port.name(), ": the accelerator is busy: a launch that "
                                  "could not be stopped runs still; load its "
                                  "bitstream again"));
  const std::pair<uint32_t, uint64_t> writes[] = {
      {isa::control::program, programOffset / layout.beatBytes},
      {isa::control::baseLow, window.base},
      {isa::control::baseHigh, window.base >> 32},
      {isa::control::window, sim::windowPages(window.base, window.bytes)}};
  for (auto [offset, value] : writes)
    if (absl::Status status = port.write(offset, static_cast<uint32_t>(value));
        !status.ok())
      return status;
  return writeControl(port, sim::controlStart);
}

absl::Status checkStatus(RegisterPort &port, const sim::FaultyLaunch &launch,
                         const LaunchStatus &status) {
  if (!(status.value & sim::statusError))
    return absl::OkStatus();
  absl::StatusOr<uint32_t> where = readRegister(port, isa::control::fault);
  if (!where.ok())
    return where.status();
  return sim::faultStatus(launch, status.value, *where);
}

absl::StatusOr<sim::LaunchCounts> readCounters(RegisterPort &port,
                                               const isa::Layout &layout) {
  const isa::Configuration::Counters counters = layout.config.counters();
  sim::LaunchCounts result;
  if (counters == isa::Configuration::NONE)
    return result;
  absl::StatusOr<uint32_t> cycles = readRegister(port, isa::control::cycles);
  if (!cycles.ok())
    return cycles.status();
  absl::StatusOr<Retired> retired = readRetired(port);
  if (!retired.ok())
    return retired.status();
  result.cycles = *cycles;
  std::copy(retired->begin(), retired->end(), result.retired.begin());

  if (counters == isa::Configuration::FULL) {
    std::array<uint32_t, sim::numEngines * stateWords> states{};
    if (absl::Status status =
            port.read(isa::control::states, absl::MakeSpan(states));
        !status.ok())
      return status;
    for (unsigned e = 0; e < sim::numEngines; ++e)
      for (unsigned s = 0; s < sim::numStates; ++s)
        result.states[e].cycles[s] = states[e * stateWords + s];
    std::array<uint32_t, sim::numChannels> waits{};
    if (absl::Status status =
            port.read(isa::control::tokenWaits, absl::MakeSpan(waits));
        !status.ok())
      return status;
    std::copy(waits.begin(), waits.end(), result.tokenWaits.begin());
  }
  return result;
}

} // namespace tenon::runtime
