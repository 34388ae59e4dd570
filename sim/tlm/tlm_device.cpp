//===- sim/tlm/tlm_device.cpp - The SystemC model as a device -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/tlm_device.h"

#include "sim/tlm/program.h"
#include "sim/tlm/system.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>

namespace tenon::sim {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds progressInterval{100};

// Copies what the watches ask for when STORE has retired so many.
class Snapshots {
public:
  Snapshots(const std::vector<Watch> &watches, absl::Span<const uint8_t> dram)
      : watches(watches), dram(dram), data(watches.size()),
        order(watches.size()) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return watches[a].afterStores < watches[b].afterStores;
    });
    take(0);
  }

  void take(uint64_t stores) {
    for (; next < order.size(); ++next) {
      const Watch &watch = watches[order[next]];
      if (watch.afterStores > stores)
        return;
      auto from = dram.begin() + watch.offset;
      data[order[next]].assign(from, from + watch.bytes);
    }
  }
  bool complete() const { return next == order.size(); }
  std::vector<std::vector<uint8_t>> release() { return std::move(data); }

private:
  const std::vector<Watch> &watches;
  absl::Span<const uint8_t> dram;
  std::vector<std::vector<uint8_t>> data;
  std::vector<size_t> order; // by afterStores
  size_t next = 0;
};

LaunchResult resultOf(const tlm::Context &context, tlm::Cycle cycles) {
  const Accounting &accounting = context.accounting;
  LaunchResult result;
  result.done = true;
  result.cycles = cycles;
  result.states = accounting.totals();
  result.tokenWaits = accounting.tokenWaits();
  result.layers = accounting.layerResults();
  for (unsigned e = 0; e < numEngines; ++e)
    result.retired[e] = accounting.retired(e);
  result.fetchBytes = context.fetchBytes;
  return result;
}

} // namespace

absl::StatusOr<std::unique_ptr<TlmDevice>>
TlmDevice::create(const isa::Configuration &configuration) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    return layout.status();
  tlm::elaborateSystem();
  return std::unique_ptr<TlmDevice>(new TlmDevice(*layout));
}

absl::Status TlmDevice::allocate(uint64_t dramBytes) {
  try {
    dram.resize(dramBytes);
  } catch (const std::exception &) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("tlm: no memory for %u bytes of DRAM", dramBytes));
  }
  poison(dram.data(), 0, dram.size());
  return absl::OkStatus();
}

absl::Status TlmDevice::checkRange(absl::string_view what, uint64_t offset,
                                   uint64_t bytes) const {
  if (offset <= dram.size() && bytes <= dram.size() - offset)
    return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat(
      "tlm: %s of %u bytes at offset 0x%x lies outside of the %u bytes of DRAM",
      what, bytes, offset, dram.size()));
}

absl::Status TlmDevice::write(uint64_t offset, absl::Span<const uint8_t> data) {
  if (absl::Status s = checkRange("a write", offset, data.size()); !s.ok())
    return s;
  std::copy(data.begin(), data.end(), dram.begin() + offset);
  return absl::OkStatus();
}

absl::Status TlmDevice::read(uint64_t offset, absl::Span<uint8_t> data) const {
  if (absl::Status s = checkRange("a read", offset, data.size()); !s.ok())
    return s;
  std::copy_n(dram.begin() + offset, data.size(), data.begin());
  return absl::OkStatus();
}

absl::Status TlmDevice::checkOptions(const LaunchOptions &options) const {
  if (dram.empty())
    return absl::FailedPreconditionError("tlm: DRAM is not allocated");
  if (options.programOffset % layout.beatBytes)
    return absl::InvalidArgumentError(absl::StrFormat(
        "tlm: the program's offset 0x%x is not a multiple of a beat, %u bytes",
        options.programOffset, layout.beatBytes));
  for (const Watch &watch : options.watches)
    if (absl::Status s = checkRange("a watch", watch.offset, watch.bytes);
        !s.ok())
      return s;
  return absl::OkStatus();
}

absl::StatusOr<LaunchResult> TlmDevice::launch(const LaunchOptions &given) {
  if (absl::Status s = checkOptions(given); !s.ok())
    return s;
  Clock::time_point start = Clock::now(), lastProgress = start;
  LaunchOptions options = given;
  options.memory.clockPicoseconds = 1000000 / layout.config.clock_mhz();
  absl::StatusOr<tlm::Program> program = tlm::decodeProgram(
      layout, dram, options.programOffset, options.instructionCount);
  if (!program.ok())
    return program.status();

  Snapshots snapshots(options.watches, dram);
  tlm::Context context(layout, options, *program, state);
  std::optional<tlm::Launch> launch;
  state.startLaunch();
  tlm::runOnSystem(
      {options.memory, layout.beatBytes, absl::MakeSpan(dram)},
      [&](const tlm::Ports &ports,
          absl::Span<uint8_t> memory) -> tlm::Launch & {
        state.dram = memory;
        return launch.emplace(context, ports,
                              [&](uint64_t stores) { snapshots.take(stores); });
      },
      [&](tlm::Cycle cycles) {
        if (!options.progress || Clock::now() - lastProgress < progressInterval)
          return;
        lastProgress = Clock::now();
        options.progress(cycles, launch->retired());
      });
  state.dram = {};
  if (!launch->status.ok())
    return launch->status;
  if (!snapshots.complete())
    return absl::InvalidArgumentError(absl::StrFormat(
        "tlm: a watch waits for more STORE instructions than the %u of the "
        "program",
        context.accounting.retired(3)));
  context.accounting.finish();
  LaunchResult result = resultOf(context, launch->cycles());
  result.snapshots = snapshots.release();
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

} // namespace tenon::sim
