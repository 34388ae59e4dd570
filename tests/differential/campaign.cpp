// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/campaign.h"

#include "isa/assembler.h"
#include "isa/files.h"
#include "sim/memory/memory_options.h"
#include "tests/differential/random.h"
#include "tests/differential/shrink.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

#include <chrono>
#include <cmath>

namespace tenon::differential {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned shrinkAttempts = 600;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One configuration's executors and what they have shown.
class Stage {
public:
  static absl::StatusOr<std::unique_ptr<Stage>>
  create(const CampaignOptions &options, const std::string &name,
         Figures &figures) {
    auto configuration = configurationOf(name);
    if (!configuration.ok())
      return configuration.status();
    std::unique_ptr<Stage> stage(new Stage(options, name, figures));
    for (auto [wanted, executor, comparison] :
         {std::tuple(options.onTlm, "tlm", &stage->tlm),
          std::tuple(options.onRtl, "rtl", &stage->rtl)}) {
      if (!wanted)
        continue;
      auto made = Comparison::createOn(executor, *configuration);
      if (!made.ok())
        return made.status();
      *comparison = *std::move(made);
    }
    return stage;
  }

  /// False after a failure.
  bool run(uint64_t seed) {
    RandomProgram random = randomProgram(layout(), seed, options.size);
    isa::Program program = assembleRandomProgram(layout(), random);
    sim::MemoryTiming memory = memoryOf(seed);
    absl::Status status = compare(program, memory);
    ++programs;
    if (status.ok()) {
      count(seed);
      return true;
    }
    figures.add_failures(failure(status, seed, std::move(random)));
    return false;
  }

  void report(double buildSeconds, double runSeconds) {
    differential::Configuration &row = *figures.add_configurations();
    row.set_name(name);
    row.set_programs(programs);
    row.set_build_seconds(buildSeconds);
    row.set_run_seconds(runSeconds);
    if (rtl) {
      const Activity &seen = rtl->checker()->activity();
      figures.set_instructions_checked(figures.instructions_checked() +
                                       seen.instructions);
      figures.set_writes_checked(figures.writes_checked() + seen.writes);
    }
    row.set_rtl_cycles(rtlCycles);
    row.set_tlm_cycles(tlmCycles);
    figures.set_rtl_cycles(figures.rtl_cycles() + rtlCycles);
    figures.set_differential_programs(figures.differential_programs() +
                                      programs);
    figures.set_differential_configs(figures.differential_configs() + 1);
  }

private:
  Stage(const CampaignOptions &options, std::string name, Figures &figures)
      : options(options), name(std::move(name)), figures(figures) {}

  const isa::Layout &layout() const { return (rtl ? rtl : tlm)->layout(); }

  sim::MemoryTiming memoryOf(uint64_t seed) const {
    return options.memory == "random" ? randomMemory(seed)
                                      : *sim::parseMemoryTiming(options.memory);
  }

  absl::Status compare(const isa::Program &program,
                       const sim::MemoryTiming &memory) {
    if (rtl)
      if (absl::Status s = rtl->compare(program, memory); !s.ok())
        return s;
    return tlm ? tlm->compare(program, memory) : absl::OkStatus();
  }

  void count(uint64_t seed) {
    if (!rtl || !tlm)
      return;
    double found = tlm->lastCycles(), right = rtl->lastCycles();
    rtlCycles += rtl->lastCycles();
    tlmCycles += tlm->lastCycles();
    double percent = 100 * (found - right) / right;
    TlmError &error = *figures.mutable_tlm();
    error.set_programs(error.programs() + 1);
    if (std::abs(percent) > std::abs(error.worst_percent())) {
      error.set_worst_percent(percent);
      error.set_worst(command(seed));
    }
  }

  std::string command(uint64_t seed) const {
    return absl::StrFormat("tenon-differential --config %s --seed %d "
                           "--programs 1 --size %d --memory %s",
                           name, seed, options.size,
                           sim::printMemoryTiming(memoryOf(seed)));
  }

  std::string failure(const absl::Status &status, uint64_t seed,
                      RandomProgram random) {
    std::string text =
        absl::StrCat(status.message(), "\n  repeat: ", command(seed));
    if (!options.shrink)
      return text;
    sim::MemoryTiming memory = memoryOf(seed);
    size_t before = assembledSize(random);
    random = shrink(
        layout(), std::move(random),
        [&](const isa::Program &p) { return !compare(p, memory).ok(); },
        shrinkAttempts);
    isa::Program small = withoutUnreadData(layout(), random);
    absl::Status left = compare(small, memory);
    absl::StrAppend(&text, "\n  shrunk from ", before, " to ",
                    assembledSize(random), " instructions: ", left.message());
    if (options.keep.empty())
      return text;
    std::string path = absl::StrCat(
        options.keep, "/", absl::StrReplaceAll(name, {{":", "_"}, {"/", "_"}}),
        "_", seed, ".tasm");
    std::string comment =
        absl::StrCat("memory: ", sim::printMemoryTiming(memory),
                     "\nrepeat: tenon-differential ", path,
                     "\nfrom:   ", command(seed), "\n", left.message());
    absl::Status written = isa::writeFile(path, testText(small, comment));
    absl::StrAppend(&text, "\n  kept: ",
                    written.ok() ? path : std::string(written.message()),
                    "\n  repeat: tenon-differential ", path);
    return text;
  }

  size_t assembledSize(const RandomProgram &random) const {
    return assembleRandomProgram(layout(), random)
        .steps(0)
        .launch()
        .instruction_count();
  }

  const CampaignOptions &options;
  const std::string name;
  Figures &figures;
  std::unique_ptr<Comparison> rtl, tlm;
  uint32_t programs = 0;
  uint64_t rtlCycles = 0, tlmCycles = 0;
};

void finishTlm(Figures &figures) {
  double sum = 0, right = 0;
  for (const auto &row : figures.configurations()) {
    sum += std::abs(double(row.tlm_cycles()) - double(row.rtl_cycles()));
    right += row.rtl_cycles();
  }
  figures.mutable_tlm()->set_mean_percent(right > 0 ? 100 * sum / right : 0);
}

std::string progressLine(const CampaignOptions &options, size_t done,
                         const Figures &figures) {
  const differential::Configuration &last = *figures.configurations().rbegin();
  return absl::StrFormat(
      "%d of %d: %s, %d programs, built in %.0f s, run in %.0f s; %d programs, "
      "%d failures so far",
      done, options.configurations.size(), last.name(), last.programs(),
      last.build_seconds(), last.run_seconds(), figures.differential_programs(),
      figures.failures_size());
}

// The line `; memory: TEXT` of a kept program.
std::string memoryComment(const std::string &text) {
  static const std::string key = "; memory: ";
  size_t at = text.find(key);
  if (at == std::string::npos)
    return "";
  at += key.size();
  return text.substr(at, text.find('\n', at) - at);
}

} // namespace

std::vector<std::string> campaignConfigurations(uint32_t count) {
  std::vector<std::string> names = {"tiny", "small", "pynq", "batch4", "wide"};
  names.resize(std::min<size_t>(names.size(), count));
  for (uint32_t i = 1; names.size() < count; ++i)
    names.push_back(absl::StrCat("random:", i));
  return names;
}

sim::MemoryTiming randomMemory(uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15);
  sim::MemoryTiming memory;
  if (random.oneIn(4))
    return memory;
  if (random.oneIn(3))
    memory = *sim::parseMemoryTiming(random.oneIn(2) ? "dram=ddr3-1066"
                                                     : "dram=ddr4-2400");
  memory.latency = random.oneIn(4) ? 1 : random.range(2, 200);
  if (random.oneIn(3))
    memory.bytesPerCycle = random.range(1, 16);
  if (random.oneIn(2))
    memory.outstanding = random.range(1, 16);
  return memory;
}

absl::StatusOr<Figures> runCampaign(const CampaignOptions &options) {
  if (options.memory != "random")
    if (auto memory = sim::parseMemoryTiming(options.memory); !memory.ok())
      return memory.status();
  Figures figures;
  Clock::time_point begin = Clock::now();
  size_t done = 0;
  for (const std::string &name : options.configurations) {
    if (options.minutes > 0 && secondsSince(begin) > 60 * options.minutes)
      break;
    Clock::time_point start = Clock::now();
    auto stage = Stage::create(options, name, figures);
    if (!stage.ok())
      return absl::Status(stage.status().code(),
                          absl::StrCat(name, ": ", stage.status().message()));
    double built = secondsSince(start);
    start = Clock::now();
    uint64_t seed = options.seed + done++ * options.programs;
    for (uint32_t i = 0; i < options.programs && (*stage)->run(seed + i); ++i) {
    }
    (*stage)->report(built, secondsSince(start));
    if (options.progress)
      options.progress(progressLine(options, done, figures));
  }
  finishTlm(figures);
  return figures;
}

std::string figuresText(const Figures &figures) {
  std::string text;
  auto row = [&](const char *what, const std::string &value) {
    absl::StrAppendFormat(&text, "%-44s %14s\n", what, value);
  };
  row("programs", absl::StrCat(figures.differential_programs()));
  row("configurations", absl::StrCat(figures.differential_configs()));
  row("instructions retired by the RTL, checked",
      absl::StrCat(figures.instructions_checked()));
  row("writes of the RTL, checked", absl::StrCat(figures.writes_checked()));
  row("cycles of the RTL", absl::StrCat(figures.rtl_cycles()));
  row("SystemC against RTL, mean of configurations",
      absl::StrFormat("%.3f %%", figures.tlm().mean_percent()));
  row("SystemC against RTL, worst program",
      absl::StrFormat("%+.3f %%", figures.tlm().worst_percent()));
  if (!figures.tlm().worst().empty())
    absl::StrAppend(&text, "  repeat: ", figures.tlm().worst(), "\n");
  row("failures", absl::StrCat(figures.failures_size()));
  for (const std::string &failure : figures.failures())
    absl::StrAppend(&text, "\n", failure, "\n");
  return text;
}

absl::Status compareFile(const std::string &path) {
  auto text = isa::readFile(path);
  if (!text.ok())
    return text.status();
  auto program = isa::assembleProgram(*text, path);
  if (!program.ok())
    return program.status();
  auto memory = sim::parseMemoryTiming(memoryComment(*text));
  if (!memory.ok())
    return memory.status();
  for (const char *executor : {"tlm", "rtl"}) {
    auto both = Comparison::createOn(executor, program->configuration());
    if (!both.ok())
      return both.status();
    if (absl::Status s = (*both)->compare(*program, *memory); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

} // namespace tenon::differential
