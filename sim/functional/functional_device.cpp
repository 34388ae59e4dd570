// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/functional_device.h"

#include "absl/strings/str_format.h"
#include "sim/memory/poison.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <numeric>

namespace tenon::sim {
namespace {

// Follows a launch by its retirements: bytes by layer, snapshots, progress.
class Recorder {
public:
  Recorder(const isa::Layout &layout, const LaunchOptions &options,
           absl::Span<const uint8_t> dram, LaunchResult &result)
      : layout(layout), options(options), dram(dram), result(result),
        watchOrder(options.watches.size()) {
    result.layers.resize(std::max(1u, options.runs.layers));
    result.snapshots.resize(options.watches.size());
    std::iota(watchOrder.begin(), watchOrder.end(), 0);
    std::sort(watchOrder.begin(), watchOrder.end(), [&](size_t a, size_t b) {
      return options.watches[a].afterStores < options.watches[b].afterStores;
    });
    takeSnapshots(0);
  }

  void retire(isa::Engine engine, const isa::Instruction &instruction) {
    LayerResult &layer = layerOf(engine);
    if (const auto *load = std::get_if<isa::Load>(&instruction))
      layer.readBytes += uint64_t(load->ySize) * load->xSize *
                         layout.transferBytes(load->memory);
    if (const auto *store = std::get_if<isa::Store>(&instruction))
      layer.writeBytes +=
          uint64_t(store->ySize) * store->xSize * layout.outBytes;
    uint64_t count = ++result.retired[unsigned(engine)];
    if (engine == isa::Engine::Store)
      takeSnapshots(count);
    reportProgress();
  }

  /// Watches that ask for more retirements than there are.
  size_t pendingWatches() const { return watchOrder.size() - nextWatch; }

private:
  // The layer of the instruction that retires: runs are in ascending order.
  LayerResult &layerOf(isa::Engine engine) {
    const std::vector<LayerRun> &runs = options.runs.engines[unsigned(engine)];
    size_t &next = nextRun[unsigned(engine)];
    uint64_t index = result.retired[unsigned(engine)];
    while (next < runs.size() &&
           (next == 0 || runs[next].firstInstruction <= index))
      layer[unsigned(engine)] = runs[next++].layer;
    return result.layers[std::min<size_t>(layer[unsigned(engine)],
                                          result.layers.size() - 1)];
  }

  void takeSnapshots(uint64_t stores) {
    for (; nextWatch < watchOrder.size(); ++nextWatch) {
      const Watch &watch = options.watches[watchOrder[nextWatch]];
      if (watch.afterStores > stores)
        return;
      auto from = dram.begin() + watch.offset;
      result.snapshots[watchOrder[nextWatch]].assign(from, from + watch.bytes);
    }
  }

  void reportProgress() {
    // The clock is looked at now and then only: instructions are short.
    if (!options.progress || ++sinceClock < 256)
      return;
    sinceClock = 0;
    auto now = std::chrono::steady_clock::now();
    if (now - lastProgress < std::chrono::milliseconds(100))
      return;
    lastProgress = now;
    options.progress(0, std::accumulate(result.retired.begin(),
                                        result.retired.end(), uint64_t(0)));
  }

  const isa::Layout &layout;
  const LaunchOptions &options;
  absl::Span<const uint8_t> dram;
  LaunchResult &result;
  std::vector<size_t> watchOrder; // by afterStores
  size_t nextWatch = 0;
  std::array<size_t, numEngines> nextRun{};
  std::array<uint32_t, numEngines> layer{};
  unsigned sinceClock = 0;
  std::chrono::steady_clock::time_point lastProgress =
      std::chrono::steady_clock::now();
};

} // namespace

absl::StatusOr<std::unique_ptr<FunctionalDevice>>
FunctionalDevice::create(const isa::Configuration &configuration,
                         std::optional<uint64_t> seed, bool detectRaces) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    return layout.status();
  return std::unique_ptr<FunctionalDevice>(
      new FunctionalDevice(*layout, seed, detectRaces));
}

absl::Status FunctionalDevice::allocate(uint64_t dramBytes) {
  try {
    dram.resize(dramBytes);
  } catch (const std::exception &) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("no memory for %d bytes of DRAM", dramBytes));
  }
  sim::poison(dram.data(), 0, dram.size());
  if (races)
    races->allocate(dramBytes);
  return absl::OkStatus();
}

absl::Status FunctionalDevice::checkRegion(absl::string_view what,
                                           uint64_t offset,
                                           uint64_t bytes) const {
  if (offset <= dram.size() && bytes <= dram.size() - offset)
    return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrFormat("%s of %d bytes at offset 0x%x, but DRAM has 0x%x bytes",
                      what, bytes, offset, dram.size()));
}

absl::Status FunctionalDevice::write(uint64_t offset,
                                     absl::Span<const uint8_t> data) {
  if (absl::Status s = checkRegion("write", offset, data.size()); !s.ok())
    return s;
  std::copy(data.begin(), data.end(), dram.begin() + offset);
  if (races)
    races->hostWrites(offset, data.size());
  return absl::OkStatus();
}

absl::Status FunctionalDevice::read(uint64_t offset,
                                    absl::Span<uint8_t> data) const {
  if (absl::Status s = checkRegion("read", offset, data.size()); !s.ok())
    return s;
  std::copy_n(dram.begin() + offset, data.size(), data.begin());
  return absl::OkStatus();
}

absl::StatusOr<LaunchResult>
FunctionalDevice::launch(const LaunchOptions &options) {
  if (dram.empty())
    return absl::FailedPreconditionError(
        "launch before allocate: the device has no DRAM");
  if (options.programOffset % layout.beatBytes != 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "the program begins at DRAM byte 0x%x, which is not a whole beat of %d "
        "bytes",
        options.programOffset, layout.beatBytes));
  for (const Watch &watch : options.watches)
    if (absl::Status s = checkRegion("watch", watch.offset, watch.bytes);
        !s.ok())
      return s;

  auto start = std::chrono::steady_clock::now();
  LaunchResult result;
  Recorder recorder(layout, options, dram, result);
  functional::RunOptions run;
  run.programOffset = options.programOffset;
  run.instructionCount = options.instructionCount;
  run.seed = seed;
  run.races = races.get();
  run.onRetire = [&](isa::Engine engine, const isa::Instruction &instruction) {
    recorder.retire(engine, instruction);
  };
  if (absl::Status s = machine.run(absl::MakeSpan(dram), run); !s.ok())
    return s;
  if (recorder.pendingWatches() != 0)
    return absl::InvalidArgumentError(absl::StrFormat(
        "a watch waits for more STORE instructions than the %d of the program",
        result.retired[unsigned(isa::Engine::Store)]));
  result.done = true;
  result.fetchBytes = machine.fetched() * layout.instructionBytes;
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return result;
}

} // namespace tenon::sim
