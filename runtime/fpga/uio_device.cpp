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

// FETCH may run ahead of FINISH by this much.
constexpr uint64_t fetchAhead = 64 << 10;
// How often the user hears of a launch, and how often `wait=poll` looks.
constexpr milliseconds progressInterval{100}, pollInterval{1};
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

absl::Status UioDevice::allocate(uint64_t bytes) {
  const uint64_t beat = layout.beatBytes;
  const uint64_t room = buffer->size() > fetchAhead
                            ? (buffer->size() - fetchAhead) / beat * beat
                            : 0;
  if (bytes > room)
    return absl::ResourceExhaustedError(absl::StrFormat(
        "%s has %u bytes, of which %u are for a program; this one needs %u: "
        "give its node in the device tree a larger `size`",
        options.buffer, buffer->size(), room, bytes));
  dramBytes = (bytes + beat - 1) / beat * beat;
  if (absl::Status status = buffer->syncForCpu(dramBytes + fetchAhead);
      !status.ok())
    return status;
  sim::poison(buffer->data(), 0, dramBytes + fetchAhead);
  return absl::OkStatus();
}

absl::Status UioDevice::checkRange(uint64_t offset, uint64_t bytes,
                                   absl::string_view what) const {
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

absl::Status UioDevice::checkOptions(const sim::LaunchOptions &launch) const {
  if (dramBytes == 0)
    return absl::FailedPreconditionError("fpga: DRAM is not allocated");
  if (launch.programOffset % layout.beatBytes)
    return absl::InvalidArgumentError(absl::StrFormat(
        "fpga: the program's offset 0x%x is not a multiple of a beat, %u bytes",
        launch.programOffset, layout.beatBytes));
  for (const sim::Watch &watch : launch.watches) {
    if (watch.afterStores)
      return absl::UnimplementedError(
          "fpga: hardware cannot copy DRAM during a launch");
    if (absl::Status status = checkRange(watch.offset, watch.bytes, "a watch");
        !status.ok())
      return status;
  }
  return absl::OkStatus();
}

duration<double> UioDevice::limitOf(const sim::LaunchOptions &launch,
                                    const sim::StreamFacts &facts) const {
  if (options.timeLimit > 0)
    return duration<double>(options.timeLimit);
  const double hertz = options.clockMhz * 1e6;
  if (launch.cycleLimit)
    return duration<double>(launch.cycleLimit / hertz + slackSeconds);
  return duration<double>(slackFactor * facts.cycleBound / hertz +
                          slackSeconds);
}

// Tells the user how far the launch has come.
absl::Status UioDevice::tell(const sim::LaunchOptions &launch) {
  if (!launch.progress)
    return absl::OkStatus();
  sim::LaunchResult result;
  if (absl::Status status = readCounters(*registers, layout, result);
      !status.ok())
    return status;
  uint64_t retired = 0;
  for (uint64_t count : result.retired)
    retired += count;
  launch.progress(result.cycles, retired);
  return absl::OkStatus();
}

absl::Status UioDevice::tooLate(const LaunchStatus &status,
                                duration<double> limit) {
  if (status.done)
    return absl::DeadlineExceededError(absl::StrFormat(
        "%s: the launch is done, but its interrupt did not come within %.3g "
        "s; is `interrupts` of its node in the device tree the accelerator's "
        "line? (wait=poll does without)",
        registers->name(), limit.count()));
  sim::LaunchResult result;
  if (absl::Status read = readCounters(*registers, layout, result); !read.ok())
    return read;
  return absl::DeadlineExceededError(absl::StrFormat(
      "%s: the launch did not end within %.3g s (%s, after %u cycles; retired: "
      "load %u, gemm %u, alu %u, store %u); timeout=SECONDS gives it longer, "
      "otherwise load the bitstream again",
      registers->name(), limit.count(), status.running ? "running" : "idle",
      result.cycles, result.retired[0], result.retired[1], result.retired[2],
      result.retired[3]));
}

// Whether the end of the launch may have come.
absl::StatusOr<bool> UioDevice::waitAWhile() {
  if (options.interrupt)
    return registers->waitForInterrupt(progressInterval);
  std::this_thread::sleep_for(pollInterval);
  return true;
}

absl::StatusOr<LaunchStatus> UioDevice::run(const sim::LaunchOptions &launch,
                                            duration<double> limit) {
  if (options.interrupt)
    if (absl::Status status = registers->clearInterrupt(); !status.ok())
      return status;
  if (absl::Status status = startLaunch(
          *registers, layout, buffer->physicalAddress(), launch.programOffset);
      !status.ok())
    return status;
  // The line is low from the start on until the launch is done.
  if (options.interrupt)
    if (absl::Status status = registers->enableInterrupt(); !status.ok())
      return status;
  const Clock::time_point start = Clock::now();
  Clock::time_point told = start;
  for (;;) {
    absl::StatusOr<bool> perhaps = waitAWhile();
    if (!perhaps.ok())
      return perhaps.status();
    const Clock::time_point now = Clock::now();
    const bool late = now - start > limit;
    if (*perhaps || late) {
      absl::StatusOr<LaunchStatus> status = readStatus(*registers);
      if (!status.ok() || (*perhaps && status->done))
        return status;
      if (late)
        return tooLate(*status, limit);
      // Somebody else on the line.
      if (options.interrupt)
        if (absl::Status again = registers->enableInterrupt(); !again.ok())
          return again;
    }
    if (now - told >= progressInterval) {
      told = now;
      if (absl::Status status = tell(launch); !status.ok())
        return status;
    }
  }
}

absl::StatusOr<sim::LaunchResult>
UioDevice::launch(const sim::LaunchOptions &launch) {
  if (absl::Status status = checkOptions(launch); !status.ok())
    return status;
  const sim::Stream stream{absl::MakeSpan(buffer->data(), dramBytes),
                           launch.programOffset, launch.instructionCount};
  absl::StatusOr<sim::StreamFacts> facts =
      sim::examineStream(layout, stream, launch.memory);
  if (!facts.ok())
    return facts.status();
  sim::LaunchResult result;
  result.layers.resize(std::max(launch.runs.layers, 1u));
  for (const sim::Watch &watch : launch.watches)
    result.snapshots.emplace_back(buffer->data() + watch.offset,
                                  buffer->data() + watch.offset + watch.bytes);

  const Clock::time_point start = Clock::now();
  if (absl::Status status = buffer->syncForDevice(dramBytes + fetchAhead);
      !status.ok())
    return status;
  absl::StatusOr<LaunchStatus> status = run(launch, limitOf(launch, *facts));
  // Whatever became of it, the buffer is the processor's again.
  if (absl::Status synced = buffer->syncForCpu(dramBytes + fetchAhead);
      !synced.ok())
    return synced;
  if (!status.ok())
    return status.status();
  result.seconds = duration<double>(Clock::now() - start).count();
  if (absl::Status error = checkStatus(*registers,
                                       {registers->name(), layout, stream,
                                        buffer->physicalAddress(), launch},
                                       *status);
      !error.ok())
    return error;
  if (absl::Status error = readCounters(*registers, layout, result);
      !error.ok())
    return error;
  if (launch.cycleLimit && result.cycles > launch.cycleLimit)
    return absl::ResourceExhaustedError(absl::StrCat(
        "fpga: the program took ", result.cycles, " cycles, more than the ",
        launch.cycleLimit, " that were set"));
  return result;
}

} // namespace tenon::runtime
