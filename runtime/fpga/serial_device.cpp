//===- runtime/fpga/serial_device.cpp - A board on a serial port ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/serial_device.h"

#include "isa/configuration.h"
#include "sim/rtl/program_walk.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace tenon::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr uint64_t dramBase = 0;   // of the bridge's memory
constexpr uint64_t memoryUnit = 8; // of requests
// Between two looks at the status, and at the counters.
constexpr std::chrono::microseconds firstPause{200}, longestPause{50000};
constexpr std::chrono::milliseconds counterInterval{100};
// Without counters only time tells that a launch does not end.
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

// How far a launch has come, from its counters.
struct Progress {
  uint64_t cycles = 0, retired = 0;
  uint64_t work = 0; // cycles of engines that did something or were served
};

Progress progressOf(const sim::LaunchResult &result) {
  Progress progress;
  progress.cycles = result.cycles;
  for (unsigned e = 0; e < sim::numEngines; ++e) {
    progress.retired += result.retired[e];
    for (unsigned s = 0; s < sim::numStates; ++s)
      if (s != sim::stateToken && s != sim::stateEmpty && s != sim::stateDone)
        progress.work += result.states[e].cycles[s];
  }
  return progress;
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
  if (absl::Status status = device->checkBoard(); !status.ok())
    return status;
  return device;
}

absl::Status SerialDevice::checkBoard() const {
  const uint32_t hash = link->board().configuration;
  if (hash != static_cast<uint32_t>(isa::configurationHash(layout.config)))
    return absl::FailedPreconditionError(absl::StrCat(
        link->path(), ": expected a board with configuration '",
        layout.config.name(), "', this one has ", configurationOf(hash),
        "; load a bitstream of '", layout.config.name(),
        "', or compile for the board's with --config"));
  LinkRegisters registers(*link);
  return checkIdentity(registers, layout);
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
  if (absl::Status status = mirror.download(*link, offset, data.size());
      !status.ok())
    return status;
  std::copy_n(mirror.contents().begin() + offset, data.size(), data.begin());
  return absl::OkStatus();
}

absl::Status
SerialDevice::checkOptions(const sim::LaunchOptions &options) const {
  if (!dramBytes)
    return absl::FailedPreconditionError("fpga: DRAM is not allocated");
  if (options.programOffset % layout.beatBytes)
    return absl::InvalidArgumentError(absl::StrFormat(
        "fpga: the program's offset 0x%x is not a multiple of a beat, %u bytes",
        options.programOffset, layout.beatBytes));
  if (!options.watches.empty() || options.trace)
    return absl::FailedPreconditionError(
        absl::StrCat("fpga: hardware cannot ",
                     options.trace ? "record the events of a launch"
                                   : "copy DRAM while a launch runs",
                     "; use the target rtl or tlm for that"));
  return absl::OkStatus();
}

// Until done, or until the launch has taken longer than it can.
absl::Status SerialDevice::waitForEnd(const sim::LaunchOptions &options,
                                      const sim::Stream &stream,
                                      uint64_t cycleLimit) {
  LinkRegisters registers(*link);
  const auto counters = layout.config.counters();
  const Clock::time_point begin = Clock::now();
  const double secondsLimit =
      clockSeconds + clockMargin * std::max(1.0, link->slowness()) *
                         cycleLimit / link->board().clockHz;
  Clock::time_point nextCounters = begin + counterInterval;
  Progress last;
  for (Clock::duration pause = firstPause;;) {
    absl::StatusOr<LaunchStatus> status = readStatus(registers);
    if (!status.ok())
      return status.status();
    if (status->done)
      return checkStatus(registers,
                         {link->path(), layout, stream, dramBase, options},
                         *status);
    Clock::time_point now = Clock::now();
    if (counters == isa::Configuration::NONE) {
      if (Seconds(now - begin).count() > secondsLimit)
        return absl::ResourceExhaustedError(absl::StrFormat(
            "fpga: the launch has not ended within %.1f s; its %u cycles "
            "should take %.1f s",
            secondsLimit, cycleLimit,
            double(cycleLimit) / link->board().clockHz));
    } else if (now >= nextCounters) {
      nextCounters = now + counterInterval;
      sim::LaunchResult result;
      if (absl::Status counted = readCounters(registers, layout, result);
          !counted.ok())
        return counted;
      Progress progress = progressOf(result);
      if (options.progress)
        options.progress(progress.cycles, progress.retired);
      if (progress.cycles > cycleLimit)
        return absl::ResourceExhaustedError(absl::StrCat(
            "fpga: the program has not ended within ", cycleLimit,
            options.cycleLimit ? " cycles, the limit that was set"
                               : " cycles, more than its instructions can take",
            "; load the board's bitstream again"));
      if (counters != isa::Configuration::FULL ||
          progress.retired != last.retired || progress.work != last.work)
        last = progress;
      else if (progress.cycles - last.cycles > options.idleLimit)
        return absl::AbortedError(absl::StrCat(
            "fpga: no engine has done anything for ",
            progress.cycles - last.cycles, " cycles, after ", progress.retired,
            " instructions: a deadlock; target rtl names who waits for whom"));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min<Clock::duration>(pause * 3 / 2, longestPause);
  }
}

absl::StatusOr<sim::LaunchResult>
SerialDevice::launch(const sim::LaunchOptions &options) {
  if (absl::Status status = checkOptions(options); !status.ok())
    return status;
  const uint64_t programBytes =
      std::min(dramBytes, options.instructionCount * layout.instructionBytes);
  if (absl::Status status =
          checkRange(options.programOffset, programBytes, "a program");
      !status.ok())
    return status;
  if (absl::Status status =
          mirror.download(*link, options.programOffset, programBytes);
      !status.ok())
    return status;
  sim::Stream stream{mirror.contents(), options.programOffset,
                     options.instructionCount};
  absl::StatusOr<sim::StreamFacts> facts =
      sim::examineStream(layout, stream, options.memory);
  if (!facts.ok())
    return facts.status();
  if (absl::Status status = mirror.upload(*link); !status.ok())
    return status;

  sim::LaunchResult result;
  result.layers.resize(std::max(options.runs.layers, 1u));
  const Clock::time_point start = Clock::now();
  LinkRegisters registers(*link);
  mirror.changed();
  absl::Status status =
      startLaunch(registers, layout, dramBase, options.programOffset);
  if (status.ok())
    status =
        waitForEnd(options, stream,
                   options.cycleLimit ? options.cycleLimit : facts->cycleBound);
  if (status.ok())
    status = readCounters(registers, layout, result);
  if (!status.ok())
    return status;
  if (layout.config.counters() == isa::Configuration::NONE)
    result.retired = facts->instructions; // it is done
  result.seconds = Seconds(Clock::now() - start).count();
  return result;
}

} // namespace tenon::runtime
