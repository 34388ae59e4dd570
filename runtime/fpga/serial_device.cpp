//===- runtime/fpga/serial_device.cpp - A board on a serial port ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/serial_device.h"

#include "isa/configuration.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <thread>

namespace tenon::runtime {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr uint64_t dramBase = 0;   // of the bridge's memory
constexpr uint64_t memoryUnit = 8; // of requests
// Between two looks at the status, and at the counters.
constexpr std::chrono::microseconds firstPause{200}, longestPause{50000};
constexpr std::chrono::milliseconds counterInterval{100};
// Without any engine at work; no wait for memory is as long.
constexpr uint64_t idleLimit = 100000;
constexpr double clockMargin = 4, clockSeconds = 10;

class LinkRegisters : public RegisterPort {
public:
  explicit LinkRegisters(Link &link) : link(link) {}
  absl::string_view name() const override { return link.path(); }
  absl::Status write(uint32_t offset, uint32_t value) override {
    return link.writeRegister(offset, value);
  }
  absl::Status read(uint32_t offset, absl::Span<uint32_t> values) override {
    return link.readRegisters(offset, values);
  }

private:
  Link &link;
};

// "'small'" for the low word of a hash, where it is a shipped configuration's.
std::string configurationOf(uint32_t hash) {
  for (const std::string &name : isa::shippedConfigurations()) {
    absl::StatusOr<isa::Configuration> config = isa::loadConfiguration(name);
    if (config.ok() &&
        static_cast<uint32_t>(isa::configurationHash(*config)) == hash)
      return absl::StrCat("'", name, "'");
  }
  return absl::StrFormat("one that Tenon does not ship (hash 0x%08x)", hash);
}

// Instructions retired, and cycles of engines that did something or were
// served.
std::pair<uint64_t, uint64_t> workOf(const sim::LaunchCounts &counts) {
  std::pair<uint64_t, uint64_t> work;
  for (unsigned e = 0; e < sim::numEngines; ++e) {
    work.first += counts.retired[e];
    for (unsigned s = 0; s < sim::numStates; ++s)
      if (s != sim::stateToken && s != sim::stateEmpty && s != sim::stateDone)
        work.second += counts.states[e].cycles[s];
  }
  return work;
}

} // namespace

absl::StatusOr<std::unique_ptr<SerialDevice>>
SerialDevice::create(const std::string &port,
                     const isa::Configuration &configuration,
                     const LinkOptions &options) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    return layout.status();
  absl::StatusOr<std::unique_ptr<Link>> link = Link::open(port, options);
  if (!link.ok())
    return link.status();
  std::unique_ptr<SerialDevice> device(
      new SerialDevice(*std::move(layout), *std::move(link)));
  if (absl::Status status = device->claimBoard(); !status.ok())
    return status;
  return device;
}

absl::Status SerialDevice::claimBoard() {
  const uint32_t hash = link->board().configuration;
  if (hash != static_cast<uint32_t>(isa::configurationHash(layout.config)))
    return absl::FailedPreconditionError(absl::StrCat(
        link->path(), ": expected a board with configuration '",
        layout.config.name(), "', this one has ", configurationOf(hash),
        "; load a bitstream of '", layout.config.name(),
        "', or compile for the board's with --config"));
  LinkRegisters registers(*link);
  absl::Status status = checkIdentity(registers, layout);
  return status.ok() ? settle() : status;
}

// The board's memory is the host's from here on: a launch that failed, or that
// a killed driver left, may own it still.
absl::Status SerialDevice::settle() const {
  if (!mayBeBusy)
    return absl::OkStatus();
  LinkRegisters registers(*link);
  absl::Status status = stopLaunch(registers);
  mayBeBusy = !status.ok();
  return status;
}

absl::Status SerialDevice::allocate(uint64_t bytes) {
  const uint64_t unit = std::max<uint64_t>(layout.beatBytes, memoryUnit);
  const uint64_t whole = (bytes + unit - 1) / unit * unit;
  if (whole < bytes || whole > link->board().memoryBytes)
    return absl::ResourceExhaustedError(absl::StrCat(
        link->path(), ": the program needs ", bytes,
        " bytes of DRAM, the board has ", link->board().memoryBytes));
  dramBytes = whole;
  mirror.resize(whole);
  return absl::OkStatus();
}

absl::Status SerialDevice::checkRange(uint64_t offset, uint64_t bytes,
                                      absl::string_view what) const {
  if (running)
    return absl::FailedPreconditionError(
        absl::StrCat("fpga: ", what, " while a launch is outstanding"));
  if (offset <= dramBytes && bytes <= dramBytes - offset)
    return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat(
      "fpga: %s of %u bytes at offset 0x%x lies outside of the %u bytes of "
      "DRAM",
      what, bytes, offset, dramBytes));
}

absl::Status SerialDevice::write(uint64_t offset,
                                 absl::Span<const uint8_t> data) {
  if (absl::Status status = checkRange(offset, data.size(), "a write");
      !status.ok())
    return status;
  return mirror.write(*link, offset, data);
}

absl::Status SerialDevice::read(uint64_t offset,
                                absl::Span<uint8_t> data) const {
  if (absl::Status status = checkRange(offset, data.size(), "a read");
      !status.ok())
    return status;
  if (absl::Status status = settle(); !status.ok())
    return status;
  if (absl::Status status = mirror.download(*link, offset, data.size());
      !status.ok())
    return status;
  std::copy_n(mirror.contents().begin() + offset, data.size(), data.begin());
  return absl::OkStatus();
}

sim::Stream SerialDevice::streamOf(const sim::Launch &launch) const {
  return {mirror.contents(), launch.programOffset, launch.instructionCount};
}

// Brings the board's memory up to date.
absl::StatusOr<sim::StreamFacts>
SerialDevice::prepare(const sim::Launch &launch) {
  if (!dramBytes)
    return absl::FailedPreconditionError("fpga: DRAM is not allocated");
  if (launch.programOffset % layout.beatBytes)
    return absl::InvalidArgumentError(absl::StrFormat(
        "fpga: the program's offset 0x%x is not a multiple of a beat, %u bytes",
        launch.programOffset, layout.beatBytes));
  const uint64_t programBytes =
      std::min(dramBytes, launch.instructionCount * layout.instructionBytes);
  if (absl::Status status =
          checkRange(launch.programOffset, programBytes, "a program");
      !status.ok())
    return status;
  if (absl::Status status = settle(); !status.ok())
    return status;
  if (absl::Status status =
          mirror.download(*link, launch.programOffset, programBytes);
      !status.ok())
    return status;
  absl::StatusOr<sim::StreamFacts> facts =
      sim::examineStream(layout, streamOf(launch), {});
  if (!facts.ok())
    return facts.status();
  // Whether the program is verified or not.
  if (absl::Status status = sim::checkTransfers(layout, streamOf(launch));
      !status.ok())
    return status;
  if (absl::Status status = mirror.upload(*link); !status.ok())
    return status;
  return facts;
}

absl::Status SerialDevice::start(const sim::Launch &launch) {
  absl::StatusOr<sim::StreamFacts> facts = prepare(launch);
  if (!facts.ok())
    return facts.status();
  const Clock::time_point begin = Clock::now();
  LinkRegisters registers(*link);
  mirror.changed();
  mayBeBusy = true;
  if (absl::Status status = startLaunch(
          registers, layout, {dramBase, dramBytes}, launch.programOffset);
      !status.ok())
    return stopped(status);
  running = Running{launch, *facts, begin, firstPause, begin + counterInterval,
                    {},     {}};
  return absl::OkStatus();
}

// Whatever the counters say, and where there are none.
absl::Status SerialDevice::checkTime(Clock::time_point now) const {
  const uint64_t cycles = running->facts.cycleBound;
  const double expected = double(cycles) / link->board().clockHz;
  const double limit =
      clockSeconds + clockMargin * std::max(1.0, link->slowness()) * expected;
  if (Seconds(now - running->begin).count() <= limit)
    return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrFormat("fpga: the launch has not ended within %.1f s; its %u "
                      "cycles should take %.1f s",
                      limit, cycles, expected));
}

// Whether the launch can still end.
absl::Status SerialDevice::checkProgress(Clock::time_point now) {
  if (absl::Status status = checkTime(now); !status.ok())
    return status;
  if (layout.config.counters() == isa::Configuration::NONE ||
      now < running->nextCounters)
    return absl::OkStatus();
  running->nextCounters = now + counterInterval;
  LinkRegisters registers(*link);
  absl::StatusOr<sim::LaunchCounts> counts = readCounters(registers, layout);
  if (!counts.ok())
    return counts.status();
  running->counts = *counts;
  if (counts->cycles > running->facts.cycleBound)
    return absl::ResourceExhaustedError(absl::StrCat(
        "fpga: the program has not ended within ", running->facts.cycleBound,
        " cycles, more than its instructions can take"));
  const auto idle = static_cast<uint32_t>( // as the register, which wraps
      counts->cycles - running->active.cycles);
  if (layout.config.counters() != isa::Configuration::FULL ||
      workOf(*counts) != workOf(running->active))
    running->active = *counts;
  else if (idle > idleLimit)
    return absl::AbortedError(absl::StrCat(
        "fpga: no engine has done anything for ", idle, " cycles, after ",
        workOf(*counts).first,
        " instructions: a deadlock; target rtl names who waits for whom"));
  return absl::OkStatus();
}

absl::Status SerialDevice::finish(const LaunchStatus &status) {
  LinkRegisters registers(*link);
  if (absl::Status error =
          checkStatus(registers,
                      {link->path(), layout, streamOf(running->launch),
                       dramBase, running->launch},
                      status);
      !error.ok())
    return error;
  absl::StatusOr<sim::LaunchCounts> counts = readCounters(registers, layout);
  if (!counts.ok())
    return counts.status();
  running->counts = *counts;
  running->counts.done = true;
  if (layout.config.counters() == isa::Configuration::NONE)
    running->counts.retired = running->facts.instructions;
  running->counts.seconds = Seconds(Clock::now() - running->begin).count();
  return absl::OkStatus();
}

// Whether the launch has ended.
absl::StatusOr<bool> SerialDevice::look() {
  LinkRegisters registers(*link);
  absl::StatusOr<LaunchStatus> status = readStatus(registers);
  if (!status.ok())
    return status.status();
  if (!status->done && !status->running)
    return absl::UnavailableError(absl::StrCat(
        link->path(),
        ": the board does not know of the launch that it was at; was it "
        "reset?"));
  absl::Status next =
      status->done ? finish(*status) : checkProgress(Clock::now());
  return next.ok() ? absl::StatusOr<bool>(status->done) : next;
}

// `error` of a launch that is stopped, and what went wrong beside it.
absl::Status SerialDevice::stopped(absl::Status error) {
  absl::Status stop = settle();
  return stop.ok() || absl::IsUnavailable(stop)
             ? error
             : absl::Status(error.code(), absl::StrCat(error.message(), "; ",
                                                       stop.message()));
}

absl::StatusOr<sim::LaunchCounts>
SerialDevice::await(std::chrono::nanoseconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  absl::Cleanup drop = [this] { running.reset(); }; // also where it throws
  for (;;) {
    absl::StatusOr<bool> done = look();
    if (!done.ok())
      return stopped(done.status());
    if (*done) {
      mayBeBusy = false;
      return running->counts;
    }
    const Clock::duration left = end - Clock::now();
    if (left <= Clock::duration::zero()) {
      std::move(drop).Cancel();
      return running->counts;
    }
    std::this_thread::sleep_for(std::min(running->pause, left));
    running->pause =
        std::min<Clock::duration>(running->pause * 3 / 2, longestPause);
  }
}

} // namespace tenon::runtime
