//===- runtime/fpga/uio_device.cpp - A board with Linux on it -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Who may touch the buffer: the processor from allocate to launch and again
// after it, the accelerator in between. The caches are moved at these two
// points and nowhere else.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/uio_device.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <set>
#include <thread>

namespace tenon::runtime {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

// What the accelerator's window is counted in.
constexpr uint64_t pageBytes = 4096;
constexpr milliseconds pollInterval{1}; // of `wait=poll`
// DRAM shared with a processor is slower than the model that bounds cycles.
constexpr double slackFactor = 8, slackSeconds = 1;

} // namespace

absl::StatusOr<UioOptions> parseUioTarget(absl::string_view text) {
  std::vector<std::string> words = absl::StrSplit(text, ',');
  UioOptions options;
  options.registers = words[0];
  if (options.registers.empty())
    return absl::InvalidArgumentError(
        "fpga:uio: expected a device, as in fpga:uio:/dev/uio0");
  std::set<std::string> seen;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::pair<std::string, std::string> word =
        absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    const auto &[key, value] = word;
    bool good = true;
    if (key == "buffer") {
      options.buffer = value;
      good = !value.empty();
    } else if (key == "cache") {
      options.cached = value == "on";
      good = value == "on" || value == "off";
    } else if (key == "wait") {
      options.interrupt = value == "interrupt";
      good = value == "interrupt" || value == "poll";
    } else if (key == "clock") {
      good = absl::SimpleAtod(value, &options.clockMhz) &&
             options.clockMhz > 0 && options.clockMhz <= 2000;
    } else if (key == "timeout") {
      good = absl::SimpleAtod(value, &options.timeLimit) &&
             options.timeLimit > 0 && options.timeLimit <= 1e6;
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "fpga:uio: unknown key '", key,
          "'; there are buffer=FILE, cache=on|off, wait=interrupt|poll, "
          "clock=MHZ, timeout=SECONDS"));
    }
    if (!good)
      return absl::InvalidArgumentError(
          absl::StrCat("fpga:uio: bad value '", value, "' of ", key));
    if (!seen.insert(key).second)
      return absl::InvalidArgumentError(
          absl::StrCat("fpga:uio: ", key, " is given twice"));
  }
  return options;
}

absl::StatusOr<std::unique_ptr<UioDevice>>
UioDevice::create(const isa::Configuration &configuration,
                  const UioOptions &options) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    return layout.status();
  auto registers = UioRegisters::open(options.registers, options.sysfs,
                                      options.interruptDescriptor);
  if (!registers.ok())
    return registers.status();
  if (absl::Status status = checkIdentity(**registers, *layout); !status.ok())
    return status;
  // A driver that was killed may have left a launch, which owns the buffer.
  if (absl::Status status = stopLaunch(**registers); !status.ok())
    return status;
  auto buffer = DmaBuffer::open(options.buffer, options.sysfs, options.cached);
  if (!buffer.ok())
    return buffer.status();
  UioOptions settled = options;
  if (settled.clockMhz == 0)
    settled.clockMhz = configuration.clock_mhz();
  return std::unique_ptr<UioDevice>(
      new UioDevice(*std::move(layout), std::move(settled),
                    *std::move(registers), *std::move(buffer)));
}

UioDevice::~UioDevice() {
  // It would go on writing into a buffer that is somebody else's by then.
  if (mayBeBusy)
    stopLaunch(*registers).IgnoreError();
}

// The buffer is the processor's, and was the accelerator's if a launch failed.
absl::Status UioDevice::settle() const {
  if (!mayBeBusy)
    return absl::OkStatus();
  absl::Status status = stopLaunch(*registers);
  if (status.ok())
    status = buffer->syncForCpu(dramBytes);
  mayBeBusy = !status.ok();
  return status;
}

// `error` of a launch that is stopped, and what went wrong beside it.
absl::Status UioDevice::stopped(absl::Status error) {
  absl::Status stop = settle();
  return stop.ok()
             ? error
             : absl::Status(error.code(), absl::StrCat(error.message(), "; ",
                                                       stop.message()));
}

absl::Status UioDevice::takeBack(absl::string_view what) const {
  if (running)
    return absl::FailedPreconditionError(
        absl::StrCat("fpga: ", what, " while a launch is outstanding"));
  return settle();
}

absl::Status UioDevice::allocate(uint64_t bytes) {
  if (absl::Status status = takeBack("an allocation"); !status.ok())
    return status;
  const uint64_t room = buffer->size() / pageBytes * pageBytes;
  if (bytes > room)
    return absl::ResourceExhaustedError(absl::StrFormat(
        "%s has %u bytes, this program needs %u: give its node in the device "
        "tree a larger `size`",
        options.buffer, room, bytes));
  const uint64_t beat = layout.beatBytes;
  dramBytes = (bytes + beat - 1) / beat * beat;
  if (absl::Status status = buffer->syncForCpu(dramBytes); !status.ok())
    return status;
  sim::poison(buffer->data(), 0, dramBytes);
  return absl::OkStatus();
}

absl::Status UioDevice::checkRange(uint64_t offset, uint64_t bytes,
                                   absl::string_view what) const {
  if (absl::Status status = takeBack(what); !status.ok())
    return status;
  if (offset <= dramBytes && bytes <= dramBytes - offset)
    return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat(
      "fpga: %s of %u bytes at offset 0x%x lies outside of the %u bytes of "
      "DRAM",
      what, bytes, offset, dramBytes));
}

absl::Status UioDevice::write(uint64_t offset, absl::Span<const uint8_t> data) {
  if (absl::Status status = checkRange(offset, data.size(), "a write");
      !status.ok())
    return status;
  std::copy(data.begin(), data.end(), buffer->data() + offset);
  return absl::OkStatus();
}

absl::Status UioDevice::read(uint64_t offset, absl::Span<uint8_t> data) const {
  if (absl::Status status = checkRange(offset, data.size(), "a read");
      !status.ok())
    return status;
  std::copy_n(buffer->data() + offset, data.size(), data.begin());
  return absl::OkStatus();
}

sim::Stream UioDevice::streamOf(const sim::Launch &launch) const {
  return {absl::MakeSpan(buffer->data(), dramBytes), launch.programOffset,
          launch.instructionCount};
}

absl::StatusOr<sim::StreamFacts>
UioDevice::examine(const sim::Launch &launch) const {
  if (dramBytes == 0)
    return absl::FailedPreconditionError("fpga: DRAM is not allocated");
  if (launch.programOffset % layout.beatBytes)
    return absl::InvalidArgumentError(absl::StrFormat(
        "fpga: the program's offset 0x%x is not a multiple of a beat, %u bytes",
        launch.programOffset, layout.beatBytes));
  auto facts = sim::examineStream(layout, streamOf(launch), {});
  if (!facts.ok())
    return facts;
  // The port reaches all of memory: whether the program is verified or not.
  absl::Status inside = sim::checkTransfers(layout, streamOf(launch));
  return inside.ok() ? facts : inside;
}

duration<double> UioDevice::limitOf(const sim::StreamFacts &facts) const {
  if (options.timeLimit > 0)
    return duration<double>(options.timeLimit);
  return duration<double>(
      slackFactor * facts.cycleBound / (options.clockMhz * 1e6) + slackSeconds);
}

absl::Status UioDevice::startHardware(const sim::Launch &launch) {
  if (options.interrupt)
    if (absl::Status status = registers->clearInterrupt(); !status.ok())
      return status;
  if (absl::Status status = startLaunch(*registers, layout,
                                        {buffer->physicalAddress(), dramBytes},
                                        launch.programOffset);
      !status.ok())
    return status;
  // The line is low from the start on until the launch is done.
  return options.interrupt ? registers->enableInterrupt() : absl::OkStatus();
}

absl::Status UioDevice::start(const sim::Launch &launch) {
  if (absl::Status status = settle(); !status.ok())
    return status;
  absl::StatusOr<sim::StreamFacts> facts = examine(launch);
  if (!facts.ok())
    return facts.status();
  const Clock::time_point begin = Clock::now();
  if (absl::Status status = buffer->syncForDevice(dramBytes); !status.ok())
    return status;
  mayBeBusy = true;
  if (absl::Status status = startHardware(launch); !status.ok())
    return stopped(status);
  running = Running{launch, limitOf(*facts), begin};
  return absl::OkStatus();
}

absl::Status UioDevice::tooLate(const LaunchStatus &status) {
  const double limit = running->limit.count();
  if (status.done)
    return absl::DeadlineExceededError(absl::StrFormat(
        "%s: the launch is done, but its interrupt did not come within %.3g "
        "s; is `interrupts` of its node in the device tree the accelerator's "
        "line? (wait=poll does without)",
        registers->name(), limit));
  absl::StatusOr<sim::LaunchCounts> counts = readCounters(*registers, layout);
  if (!counts.ok())
    return counts.status();
  return absl::DeadlineExceededError(absl::StrFormat(
      "%s: the launch did not end within %.3g s (%s, after %u cycles; retired: "
      "load %u, gemm %u, alu %u, store %u) and was stopped; timeout=SECONDS "
      "gives it longer",
      registers->name(), limit, status.running ? "running" : "idle",
      counts->cycles, counts->retired[0], counts->retired[1],
      counts->retired[2], counts->retired[3]));
}

// Whether the end of the launch may have come, after `limit` at most.
absl::StatusOr<bool> UioDevice::mayHaveEnded(std::chrono::nanoseconds limit) {
  if (options.interrupt)
    return registers->waitForInterrupt(std::chrono::ceil<milliseconds>(limit));
  std::this_thread::sleep_for(
      std::min<std::chrono::nanoseconds>(pollInterval, limit));
  return true;
}

// The status of the launch when it has ended or after `limit`.
absl::StatusOr<LaunchStatus> UioDevice::look(std::chrono::nanoseconds limit) {
  const Clock::time_point end = Clock::now() + limit;
  for (;;) {
    const Clock::time_point last = std::min(
        end, running->begin +
                 std::chrono::duration_cast<Clock::duration>(running->limit));
    absl::StatusOr<bool> perhaps =
        mayHaveEnded(std::max(last - Clock::now(), Clock::duration::zero()));
    if (!perhaps.ok())
      return perhaps.status();
    absl::StatusOr<LaunchStatus> status = readStatus(*registers);
    if (!status.ok())
      return status;
    if (*perhaps && status->done)
      return status;
    if (Clock::now() - running->begin > running->limit)
      return tooLate(*status);
    // Somebody else on the line.
    if (*perhaps && options.interrupt)
      if (absl::Status again = registers->enableInterrupt(); !again.ok())
        return again;
    // Done only when the interrupt says so: the next launch must not take it.
    status->done = false;
    if (Clock::now() >= end)
      return status;
  }
}

absl::StatusOr<sim::LaunchCounts>
UioDevice::finish(const LaunchStatus &status) {
  if (absl::Status error =
          checkStatus(*registers,
                      {registers->name(), layout, streamOf(running->launch),
                       buffer->physicalAddress(), running->launch},
                      status);
      !error.ok())
    return error;
  absl::StatusOr<sim::LaunchCounts> counts = readCounters(*registers, layout);
  if (!counts.ok())
    return counts;
  counts->done = true;
  counts->seconds = duration<double>(Clock::now() - running->begin).count();
  return counts;
}

absl::StatusOr<sim::LaunchCounts>
UioDevice::await(std::chrono::nanoseconds limit) {
  absl::Cleanup drop = [this] { running.reset(); }; // also where it throws
  absl::StatusOr<LaunchStatus> status = look(limit);
  if (!status.ok())
    return stopped(status.status());
  if (!status->done) {
    absl::StatusOr<sim::LaunchCounts> counts = readCounters(*registers, layout);
    if (!counts.ok())
      return stopped(counts.status());
    std::move(drop).Cancel();
    return counts;
  }
  if (absl::Status synced = buffer->syncForCpu(dramBytes); !synced.ok())
    return synced;
  mayBeBusy = false;
  return finish(*status);
}

} // namespace tenon::runtime
