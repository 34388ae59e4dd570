//===- sim/rtl/rtl_device.cpp - The Verilated hardware as a device --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/rtl_device.h"

#include "isa/configuration.h"
#include "sim/fault.h"
#include "sim/rtl/diagnosis.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <numeric>

namespace tenon::sim {
namespace {

using Clock = std::chrono::steady_clock;

// Where DRAM lies on the AXI port: both words of the base register matter.
constexpr uint64_t dramBase = 0x340000000;
// How often the simulator calls back, and how often the user is called.
constexpr uint64_t progressCycles = 1 << 18;
constexpr std::chrono::milliseconds progressInterval{100};

// Watches in the order in which they fall due, with room for their data.
struct Watches {
  std::vector<ModelWatch> due;
  std::vector<std::vector<uint8_t>> snapshots;

  Watches(const std::vector<Watch> &watches, const uint8_t *dram) {
    for (const Watch &watch : watches) {
      snapshots.emplace_back(dram + watch.offset,
                             dram + watch.offset + watch.bytes);
      if (watch.afterStores)
        due.push_back({watch.afterStores, watch.offset, watch.bytes,
                       snapshots.back().data()});
    }
    std::sort(due.begin(), due.end(),
              [](const ModelWatch &a, const ModelWatch &b) {
                return a.afterStores < b.afterStores;
              });
  }
};

// Passes progress on, though not too often.
struct Throttle {
  const std::function<void(uint64_t, uint64_t)> &progress;
  Clock::time_point last = Clock::now();

  static void call(void *context, uint64_t cycles, uint64_t retired) {
    Throttle &self = *static_cast<Throttle *>(context);
    Clock::time_point now = Clock::now();
    if (now - self.last < progressInterval)
      return;
    self.last = now;
    self.progress(cycles, retired);
  }
};

// The memory of `options` behind a clock of `clockMhz`.
MemoryTiming memoryOf(const LaunchOptions &options, uint32_t clockMhz) {
  MemoryTiming timing = options.memory;
  timing.clockPicoseconds = 1000000 / clockMhz;
  return timing;
}

ModelLaunch modelLaunch(const LaunchOptions &options, const StreamFacts &facts,
                        const Watches &watches, uint32_t clockMhz) {
  ModelLaunch launch;
  launch.dramBase = dramBase;
  launch.startOffset = isa::control::control;
  launch.timing = memoryOf(options, clockMhz);
  for (unsigned e = 0; e < numEngines; ++e) {
    launch.runs[e] = options.runs.engines[e].data();
    launch.runCounts[e] = options.runs.engines[e].size();
  }
  launch.layers = options.runs.layers;
  launch.watches = watches.due.data();
  launch.watchCount = watches.due.size();
  launch.cycleLimit =
      options.cycleLimit ? options.cycleLimit : facts.cycleBound;
  if (options.trace)
    launch.trace = options.trace->sink();
  return launch;
}

} // namespace

absl::StatusOr<std::unique_ptr<RtlDevice>>
RtlDevice::create(const isa::Configuration &configuration,
                  const BuildProgress &progress) {
  absl::StatusOr<std::string> simulator = simulatorFor(configuration, progress);
  if (!simulator.ok())
    return simulator.status();
  return createFrom(configuration, *simulator);
}

absl::StatusOr<std::unique_ptr<RtlDevice>>
RtlDevice::createFrom(const isa::Configuration &configuration,
                      const std::string &simulator) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    return layout.status();
  absl::StatusOr<std::unique_ptr<LoadedModel>> model =
      LoadedModel::load(simulator);
  if (!model.ok())
    return model.status();
  std::unique_ptr<RtlDevice> device(
      new RtlDevice(*std::move(layout), *std::move(model)));
  if (absl::Status status = device->checkIdentity(); !status.ok())
    return status;
  return device;
}

absl::StatusOr<std::unique_ptr<RtlDevice>>
RtlDevice::createObserved(const isa::Configuration &configuration,
                          const ModelObserver &observer, Bodies bodies,
                          const BuildProgress &progress) {
  absl::StatusOr<std::string> simulator =
      observedSimulatorFor(configuration, bodies, progress);
  if (!simulator.ok())
    return simulator.status();
  absl::StatusOr<std::unique_ptr<RtlDevice>> device =
      createFrom(configuration, *simulator);
  if (device.ok())
    if (absl::Status status = (*device)->model->observe(observer); !status.ok())
      return status;
  return device;
}

absl::Status RtlDevice::allocate(uint64_t bytes) {
  uint64_t beat = layout.beatBytes;
  uint64_t whole = (bytes + beat - 1) / beat * beat;
  if (whole < bytes || whole > dram.max_size())
    return absl::ResourceExhaustedError(
        absl::StrCat("rtl: cannot allocate ", bytes, " bytes of DRAM"));
  try {
    dram.resize(whole);
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError(
        absl::StrCat("rtl: cannot allocate ", bytes, " bytes of DRAM"));
  }
  poison(dram.data(), 0, dram.size());
  return absl::OkStatus();
}

absl::Status RtlDevice::checkRange(uint64_t offset, uint64_t bytes,
                                   absl::string_view what) const {
  if (offset <= dram.size() && bytes <= dram.size() - offset)
    return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat(
      "rtl: %s of %u bytes at offset 0x%x lies outside of the %u bytes of DRAM",
      what, bytes, offset, dram.size()));
}

absl::Status RtlDevice::write(uint64_t offset, absl::Span<const uint8_t> data) {
  if (absl::Status status = checkRange(offset, data.size(), "a write");
      !status.ok())
    return status;
  std::copy(data.begin(), data.end(), dram.begin() + offset);
  return absl::OkStatus();
}

absl::Status RtlDevice::read(uint64_t offset, absl::Span<uint8_t> data) const {
  if (absl::Status status = checkRange(offset, data.size(), "a read");
      !status.ok())
    return status;
  std::copy_n(dram.begin() + offset, data.size(), data.begin());
  return absl::OkStatus();
}

absl::Status RtlDevice::expectRegister(uint32_t offset, uint64_t expected,
                                       absl::string_view what) {
  absl::StatusOr<uint32_t> value = model->readControl(offset);
  if (!value.ok())
    return value.status();
  if (*value == static_cast<uint32_t>(expected))
    return absl::OkStatus();
  return absl::InternalError(absl::StrFormat(
      "rtl: a defect of the hardware: register %s has %u, expected %u", what,
      *value, static_cast<uint32_t>(expected)));
}

absl::Status RtlDevice::checkIdentity() {
  if (absl::Status status = expectRegister(isa::control::isaVersion,
                                           isa::isaVersion, "isa_version");
      !status.ok())
    return status;
  return expectRegister(isa::control::configuration,
                        isa::configurationHash(layout.config), "configuration");
}

absl::Status RtlDevice::checkOptions(const LaunchOptions &options) const {
  if (dram.empty())
    return absl::FailedPreconditionError("rtl: DRAM is not allocated");
  if (options.programOffset % layout.beatBytes)
    return absl::InvalidArgumentError(absl::StrFormat(
        "rtl: the program's offset 0x%x is not a multiple of a beat, %u bytes",
        options.programOffset, layout.beatBytes));
  for (const Watch &watch : options.watches)
    if (absl::Status status = checkRange(watch.offset, watch.bytes, "a watch");
        !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status RtlDevice::writeRegisters(const LaunchOptions &options) {
  const std::pair<uint32_t, uint64_t> registers[] = {
      {isa::control::program, options.programOffset / layout.beatBytes},
      {isa::control::baseLow, dramBase},
      {isa::control::baseHigh, dramBase >> 32},
      {isa::control::window, windowPages(dramBase, dram.size())}};
  for (auto [offset, value] : registers)
    if (absl::Status status =
            model->writeControl(offset, static_cast<uint32_t>(value));
        !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status RtlDevice::checkOutcome(const LaunchOptions &options,
                                     const Stream &stream,
                                     const StreamFacts &facts,
                                     const ModelLaunch &launch,
                                     const ModelResult &result) {
  auto engines = [&] { return describeEngines(layout, stream, facts, result); };
  switch (result.outcome) {
  case ModelOutcome::Done:
    return absl::OkStatus();
  case ModelOutcome::CycleLimit:
    return absl::ResourceExhaustedError(absl::StrCat(
        "rtl: the program has not ended within ", launch.cycleLimit,
        options.cycleLimit ? " cycles, the limit that was set"
                           : " cycles, more than its instructions can take",
        engines()));
  case ModelOutcome::Idle:
    return absl::AbortedError(
        absl::StrCat("rtl: no progress for ", launch.idleLimit,
                     " cycles, in cycle ", result.cycles, engines()));
  case ModelOutcome::Protocol:
    return absl::InvalidArgumentError(
        absl::StrCat("rtl: ", result.message, engines()));
  case ModelOutcome::Assertion:
    return absl::InternalError(
        absl::StrCat("rtl: a defect of the hardware: the assertion at ",
                     result.message, " failed", engines()));
  case ModelOutcome::NoControl:
    return absl::InternalError(absl::StrCat("rtl: ", result.message));
  }
  return absl::InternalError("rtl: the simulator's outcome is unknown");
}

absl::Status RtlDevice::checkFault(const LaunchOptions &options,
                                   const Stream &stream) {
  absl::StatusOr<uint32_t> status = model->readControl(isa::control::status);
  if (!status.ok())
    return status.status();
  if (!(*status & statusError))
    return *status & statusDone
               ? absl::OkStatus()
               : absl::CancelledError("rtl: the launch was reset");
  absl::StatusOr<uint32_t> where = model->readControl(isa::control::fault);
  if (!where.ok())
    return where.status();
  return faultStatus({name(), layout, stream, dramBase, options}, *status,
                     *where);
}

absl::Status RtlDevice::checkCounters(const ModelResult &result) {
  for (unsigned e = 0; e < numEngines; ++e)
    if (result.states[e].total() != result.cycles)
      return absl::InternalError(absl::StrFormat(
          "rtl: a defect of the hardware: engine %u was in a state in %u of "
          "%u cycles",
          e, result.states[e].total(), result.cycles));
  if (layout.config.counters() == isa::Configuration::NONE)
    return absl::OkStatus();

  std::vector<std::tuple<uint32_t, uint64_t, std::string>> expected = {
      {isa::control::cycles, result.cycles, "cycles"}};
  for (unsigned e = 0; e < numEngines; ++e)
    expected.emplace_back(isa::control::retired + 4 * e, result.retired[e],
                          absl::StrCat("retired of engine ", e));
  if (layout.config.counters() == isa::Configuration::FULL) {
    for (unsigned e = 0; e < numEngines; ++e)
      for (unsigned s = 0; s < numStates; ++s)
        expected.emplace_back(isa::control::states + 4 * (16 * e + s),
                              result.states[e].cycles[s],
                              absl::StrCat("state ", s, " of engine ", e));
    for (unsigned c = 0; c < numChannels; ++c)
      expected.emplace_back(isa::control::tokenWaits + 4 * c,
                            result.tokenWaits[c],
                            absl::StrCat("token_waits of channel ", c));
  }
  for (const auto &[offset, value, what] : expected)
    if (absl::Status status = expectRegister(offset, value, what); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::StatusOr<LaunchResult> RtlDevice::launch(const LaunchOptions &options) {
  if (absl::Status status = checkOptions(options); !status.ok())
    return status;
  Stream stream{dram, options.programOffset, options.instructionCount};
  MemoryTiming slowest = memoryOf(options, layout.config.clock_mhz());
  slowest.latency += disturbance.mostDelay();
  absl::StatusOr<StreamFacts> facts = examineStream(layout, stream, slowest);
  if (!facts.ok())
    return facts.status();

  Watches watches(options.watches, dram.data());
  Throttle throttle{options.progress};
  ModelLaunch launch =
      modelLaunch(options, *facts, watches, layout.config.clock_mhz());
  launch.idleLimit = options.idleLimit + longestSilence(layout, slowest);
  launch.dram = dram.data();
  launch.dramBytes = dram.size();
  launch.disturbance = disturbance;
  launch.stopAfter = stopCycles;
  launch.stopValue = stopValue;
  launch.allAwake = allAwake;
  if (options.progress) {
    launch.progress = Throttle::call;
    launch.progressContext = &throttle;
    launch.progressCycles = progressCycles;
  }
  LaunchResult result;
  result.layers.resize(std::max(options.runs.layers, 1u));
  ModelResult raw;
  raw.layers = result.layers.data();

  Clock::time_point start = Clock::now();
  absl::Status status = writeRegisters(options);
  if (status.ok()) {
    model->launch(launch, raw);
    result.seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    status = checkOutcome(options, stream, *facts, launch, raw);
  }
  // What the hardware reports itself leaves it ready for the next launch.
  if (status.ok())
    if (absl::Status fault = checkFault(options, stream); !fault.ok())
      return fault;
  if (status.ok())
    status = checkCounters(raw);
  if (!status.ok()) {
    model->restart();
    return status;
  }
  result.done = true;
  result.cycles = raw.cycles;
  std::copy_n(raw.states, numEngines, result.states.begin());
  std::copy_n(raw.tokenWaits, numChannels, result.tokenWaits.begin());
  std::copy_n(raw.retired, numEngines, result.retired.begin());
  result.fetchBytes = raw.fetchBytes;
  result.snapshots = std::move(watches.snapshots);
  return result;
}

} // namespace tenon::sim
