// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/campaign.h"

#include "isa/assembler.h"
#include "isa/files.h"
#include "sim/memory/memory_options.h"
#include "tests/differential/coverage.h"
#include "tests/differential/random.h"
#include "tests/differential/shrink.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tenon::differential {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned shrinkAttempts = 600;

// The machines that ship run every fourth program with the bodies that
// synthesis reads.
constexpr const char *shippedMachines[] = {"tiny", "small", "pynq"};
constexpr uint64_t synthesisShare = 4;

// Percent of cycles that the SystemC model may be off: of a program, and of a
// configuration's programs together, if they are a hundred (docs/tlm.md: what
// was measured).
constexpr double programTolerance = 5, sumTolerance = 2;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The memory gives a beat a cycle to whoever asked for it early enough.
bool isSteady(const isa::Layout &layout, const sim::MemoryTiming &memory) {
  return memory.dram.banks == 0 && (memory.bytesPerCycle == 0 ||
                                    memory.bytesPerCycle >= layout.beatBytes);
}

// How far the SystemC model's cycles are from the RTL's, of the last program.
double tlmPercent(const Comparison &tlm, const Comparison &rtl) {
  double found = tlm.lastCycles(), right = rtl.lastCycles();
  return 100 * (found - right) / right;
}

// An error if that is beyond what docs/tlm.md allows.
absl::Status checkCycles(const Comparison &tlm, const Comparison &rtl) {
  double percent = tlmPercent(tlm, rtl);
  if (std::abs(percent) <= programTolerance)
    return absl::OkStatus();
  return absl::InternalError(absl::StrFormat(
      "tlm takes %d cycles and rtl %d: %+.2f %%, expected within %.0f %%",
      tlm.lastCycles(), rtl.lastCycles(), percent, programTolerance));
}

// One configuration's executors and what they have shown.
class Stage {
public:
  static absl::StatusOr<std::unique_ptr<Stage>>
  create(const CampaignOptions &options, const std::string &name,
         uint64_t firstSeed, Figures &figures, Coverage &coverage) {
    auto configuration = configurationOf(name);
    if (!configuration.ok())
      return configuration.status();
    std::unique_ptr<Stage> stage(new Stage(options, name, figures, coverage));
    bool onSimulation = false, onSynthesis = false;
    for (uint32_t i = 0; options.onRtl && i < options.programs; ++i)
      (stage->hasSynthesisBodies(firstSeed + i) ? onSynthesis : onSimulation) =
          true;
    for (auto [wanted, executor, comparison] :
         {std::tuple(options.onTlm, "tlm", &stage->tlm),
          std::tuple(onSimulation, "rtl", &stage->rtl),
          std::tuple(onSynthesis, "synthesis", &stage->synthesis)}) {
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
    absl::Status status = compare(seed, program, memory);
    ++programs;
    synthesisPrograms += options.onRtl && hasSynthesisBodies(seed);
    coverage.add(layout(), program);
    if (status.ok()) {
      count(seed, memory);
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
    for (const Comparison *machine : {rtl.get(), synthesis.get()}) {
      if (!machine)
        continue;
      const Activity &seen = machine->checker()->activity();
      figures.set_instructions_checked(figures.instructions_checked() +
                                       seen.instructions);
      figures.set_writes_checked(figures.writes_checked() + seen.writes);
      coverage.add(seen);
    }
    double percent =
        rtlCycles ? 100 * (double(tlmCycles) - rtlCycles) / rtlCycles : 0;
    if (programs >= 100 && std::abs(percent) > sumTolerance)
      figures.add_failures(absl::StrFormat(
          "%s: the programs together take %d cycles on tlm and %d on rtl: "
          "%+.2f %%, expected within %.1f %%",
          name, tlmCycles, rtlCycles, percent, sumTolerance));
    row.set_rtl_cycles(rtlCycles);
    row.set_tlm_cycles(tlmCycles);
    figures.set_rtl_cycles(figures.rtl_cycles() + rtlCycles);
    figures.set_differential_programs(figures.differential_programs() +
                                      programs);
    figures.set_synthesis_programs(figures.synthesis_programs() +
                                   synthesisPrograms);
    figures.set_differential_configs(figures.differential_configs() + 1);
  }

private:
  Stage(const CampaignOptions &options, std::string name, Figures &figures,
        Coverage &coverage)
      : options(options), name(std::move(name)), figures(figures),
        coverage(coverage) {}

  const isa::Layout &layout() const {
    return (rtl ? rtl : synthesis ? synthesis : tlm)->layout();
  }

  bool hasSynthesisBodies(uint64_t seed) const {
    return seed % synthesisShare == 0 &&
           std::count(std::begin(shippedMachines), std::end(shippedMachines),
                      name);
  }

  // The RTL that runs program `seed`; null without RTL.
  Comparison *rtlOf(uint64_t seed) const {
    return hasSynthesisBodies(seed) ? synthesis.get() : rtl.get();
  }

  sim::MemoryTiming memoryOf(uint64_t seed) const {
    return options.memory == "random" ? randomMemory(seed)
                                      : *sim::parseMemoryTiming(options.memory);
  }

  absl::Status compare(uint64_t seed, const isa::Program &program,
                       const sim::MemoryTiming &memory) {
    Comparison *machine = rtlOf(seed);
    if (machine)
      if (absl::Status s = machine->compare(program, memory); !s.ok())
        return s;
    if (tlm)
      if (absl::Status s = tlm->compare(program, memory); !s.ok())
        return s;
    return machine && tlm ? checkCycles(*tlm, *machine) : absl::OkStatus();
  }

  void count(uint64_t seed, const sim::MemoryTiming &memory) {
    Comparison *machine = rtlOf(seed);
    if (!machine || !tlm)
      return;
    rtlCycles += machine->lastCycles();
    tlmCycles += tlm->lastCycles();
    TlmError &error = isSteady(layout(), memory) ? *figures.mutable_tlm_steady()
                                                 : *figures.mutable_tlm_other();
    error.set_programs(error.programs() + 1);
    double percent = tlmPercent(*tlm, *machine);
    if (std::abs(percent) <= std::abs(error.worst_percent()))
      return;
    error.set_worst_percent(percent);
    error.set_worst(command(seed));
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
        [&](const isa::Program &p) { return !compare(seed, p, memory).ok(); },
        shrinkAttempts);
    isa::Program small = withoutUnreadData(layout(), random);
    absl::Status left = compare(seed, small, memory);
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
  Coverage &coverage;
  std::unique_ptr<Comparison> rtl, synthesis, tlm;
  uint32_t programs = 0, synthesisPrograms = 0;
  uint64_t rtlCycles = 0, tlmCycles = 0;
};

void finishCoverage(const Coverage &coverage, Figures &figures) {
  for (const auto &[point, count] : coverage.points()) {
    figures.set_coverage_points(figures.coverage_points() + 1);
    if (count) {
      figures.set_coverage_reached(figures.coverage_reached() + 1);
      continue;
    }
    std::string reason = Coverage::reason(point);
    figures.add_coverage_holes(
        reason.empty() ? point : absl::StrCat(point, " (", reason, ")"));
  }
}

void finishTlm(Figures &figures) {
  double sum = 0, right = 0;
  for (const auto &row : figures.configurations()) {
    sum += std::abs(double(row.tlm_cycles()) - double(row.rtl_cycles()));
    right += row.rtl_cycles();
  }
  figures.set_tlm_mean_percent(right > 0 ? 100 * sum / right : 0);
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

std::vector<std::string> campaignConfigurations(uint32_t count, uint64_t seed) {
  std::vector<std::string> names = {"tiny", "small",  "pynq",
                                    "wide", "batch4", "huge"};
  names.resize(std::min<size_t>(names.size(), count));
  while (names.size() < count)
    names.push_back(absl::StrCat("random:", seed++));
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
  Coverage coverage;
  Clock::time_point begin = Clock::now();
  size_t done = 0;
  for (const std::string &name : options.configurations) {
    if (options.minutes > 0 && secondsSince(begin) > 60 * options.minutes)
      break;
    Clock::time_point start = Clock::now();
    uint64_t seed = options.seed + done++ * options.programs;
    auto stage = Stage::create(options, name, seed, figures, coverage);
    if (!stage.ok())
      return absl::Status(stage.status().code(),
                          absl::StrCat(name, ": ", stage.status().message()));
    double built = secondsSince(start);
    start = Clock::now();
    for (uint32_t i = 0; i < options.programs && (*stage)->run(seed + i); ++i) {
    }
    (*stage)->report(built, secondsSince(start));
    if (options.progress)
      options.progress(progressLine(options, done, figures));
  }
  finishTlm(figures);
  finishCoverage(coverage, figures);
  return figures;
}

std::string figuresText(const Figures &figures) {
  std::string text;
  auto row = [&](const char *what, const std::string &value) {
    absl::StrAppendFormat(&text, "%-44s %14s\n", what, value);
  };
  row("programs", absl::StrCat(figures.differential_programs()));
  row("configurations", absl::StrCat(figures.differential_configs()));
  row("of them on the RTL's bodies for synthesis",
      absl::StrCat(figures.synthesis_programs()));
  row("instructions retired by the RTL, checked",
      absl::StrCat(figures.instructions_checked()));
  row("writes of the RTL, checked", absl::StrCat(figures.writes_checked()));
  row("cycles of the RTL", absl::StrCat(figures.rtl_cycles()));
  row("SystemC against RTL, mean of configurations",
      absl::StrFormat("%.3f %%", figures.tlm_mean_percent()));
  auto tlmRow = [&](const char *what, const TlmError &error) {
    row(what, absl::StrFormat("%+.2f %%", error.worst_percent()));
    if (!error.worst().empty())
      absl::StrAppend(&text, "  of ", error.programs(),
                      ", repeat: ", error.worst(), "\n");
  };
  tlmRow("  worst program, a beat a cycle", figures.tlm_steady());
  tlmRow("  worst program, banks or a slow bus", figures.tlm_other());
  row("points of functional coverage reached",
      absl::StrCat(figures.coverage_reached(), " of ",
                   figures.coverage_points()));
  for (const std::string &hole : figures.coverage_holes())
    absl::StrAppend(&text, "  not reached: ", hole, "\n");
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
  std::unique_ptr<Comparison> tlm, rtl;
  for (auto [executor, comparison] :
       {std::pair("tlm", &tlm), std::pair("rtl", &rtl)}) {
    auto made = Comparison::createOn(executor, program->configuration());
    if (!made.ok())
      return made.status();
    *comparison = *std::move(made);
    if (absl::Status s = (*comparison)->compare(*program, *memory); !s.ok())
      return s;
  }
  return checkCycles(*tlm, *rtl);
}

} // namespace tenon::differential
