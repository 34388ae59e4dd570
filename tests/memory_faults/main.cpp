// Part of Tenon, under the Apache License v2.0.
//
// tenon-memory-faults: random programs on the RTL while the memory misbehaves
// or the host stops them. A hostile memory (sim/memory/disturbance.h) must
// change no result, nor must what registers and scratchpads begin with. A
// launch that is stopped, or reset, at any cycle must end, and leave a machine
// that runs the next one rightly. With a byte of DRAM that fails, the launch
// must end with the whole DRAM right, or with an error that names an engine and
// a burst that can have touched the byte; the next launch of the same machine,
// on a memory that is well, must be right.

#include "isa/configuration.h"
#include "isa/files.h"
#include "sim/fault.h"
#include "sim/rtl/rtl_device.h"
#include "tests/differential/campaign.h"
#include "tests/differential/executors.h"
#include "tests/differential/random_program.h"
#include "tests/memory_faults/fault_message.h"
#include "tests/memory_faults/figures.pb.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <iostream>
#include <random>

using namespace tenon;

namespace {

struct Options {
  std::vector<std::string> configurations = {"tiny"};
  uint32_t programs = 20, hostile = 1, faults = 10, stops = 3, size = 40;
  uint64_t seed = 1;
};

/// One configuration's machine and what it must do.
class Campaign {
public:
  Campaign(const Options &options, std::string configuration,
           isa::Layout layout, sim::RtlDevice &rtl, sim::Simulator &functional,
           test::Figures &figures)
      : options(options), configuration(std::move(configuration)),
        layout(std::move(layout)), rtl(rtl), functional(functional),
        figures(figures) {}

  absl::Status run(uint64_t seed) {
    isa::Program program = differential::assembleRandomProgram(
        layout, differential::randomProgram(layout, seed, options.size));
    // What a launch leaves must not matter to the next one of a program.
    if (seed % 2)
      *program.add_steps() = isa::Step(program.steps(0));
    if (absl::Status s = runProgram(functional, program); !s.ok())
      return s;
    expected = contents(functional, program);
    if (absl::Status s = decode(program); !s.ok())
      return s;
    memory = differential::randomMemory(seed);
    figures.set_programs(figures.programs() + 1);
    rtl.powerUp(seed + 1);
    expectRight(program, "on a memory that is well", seed);
    std::mt19937_64 random(seed);
    for (uint32_t i = 0; i < options.hostile; ++i) {
      sim::MemoryDisturbance hostile;
      hostile.jitterSeed = random() | 1;
      disturbed(hostile, [&] {
        figures.set_hostile(figures.hostile() + 1);
        expectRight(program, "on a hostile memory", seed);
      });
    }
    for (uint32_t i = 0; i < options.stops; ++i)
      stopAt(program, random, seed);
    for (uint32_t i = 0; i < options.faults; ++i)
      breakAt(program, random() % program.dram_bytes(),
              random() % 2 ? random() | 1 : 0, seed);
    return absl::OkStatus();
  }

private:
  /// The launch of a random program: it has one, whose code is a segment.
  absl::Status decode(const isa::Program &program) {
    const isa::Segment &code = *program.segments().rbegin();
    const auto *bytes = reinterpret_cast<const uint8_t *>(code.data().data());
    launched = {{}, code.offset()};
    for (uint64_t at = 0; at < code.data().size();
         at += layout.instructionBytes) {
      auto instruction = isa::decode(layout, bytes + at);
      if (!instruction.ok())
        return instruction.status();
      launched.instructions.push_back(*instruction);
    }
    return absl::OkStatus();
  }

  template <typename Work>
  void disturbed(const sim::MemoryDisturbance &how, Work work) {
    rtl.disturb(how);
    work();
    rtl.disturb({});
  }

  static std::vector<uint8_t> contents(sim::Simulator &device,
                                       const isa::Program &program) {
    std::vector<uint8_t> bytes(program.dram_bytes());
    if (!device.read(0, absl::MakeSpan(bytes)).ok())
      bytes.clear();
    return bytes;
  }

  void wrong(uint64_t seed, std::string what) {
    figures.add_wrong(absl::StrFormat(
        "%s\n  tenon-memory-faults --config=%s --programs=1 --seed=%u "
        "--size=%u --hostile=%u --stops=%u --faults=%u",
        what, configuration, seed, options.size, options.hostile, options.stops,
        options.faults));
  }

  void expectRight(const isa::Program &program, const char *where,
                   uint64_t seed) {
    sim::LaunchResult result;
    absl::Status status = runProgram(rtl, program, &result, memory);
    cycles = std::max<uint64_t>(result.cycles, 1);
    if (!status.ok())
      wrong(seed, absl::StrCat(where, ": ", status.message()));
    else if (contents(rtl, program) != expected)
      wrong(seed, absl::StrCat(where, ": DRAM differs"));
  }

  void stopAt(const isa::Program &program, std::mt19937_64 &random,
              uint64_t seed) {
    figures.set_stops(figures.stops() + 1);
    sim::MemoryDisturbance hostile;
    hostile.jitterSeed = random() % 2 ? random() | 1 : 0;
    rtl.stopAfter(1 + random() % (2 * cycles),
                  random() % 2 ? sim::controlStop : sim::controlReset);
    absl::Status status;
    disturbed(hostile,
              [&] { status = runProgram(rtl, program, nullptr, memory); });
    rtl.stopAfter(0, 0);
    if (absl::IsCancelled(status))
      figures.set_stopped(figures.stopped() + 1);
    else if (!status.ok())
      wrong(seed, absl::StrCat("stopped: ", status.message()));
    expectRight(program, "behind a stop", seed);
  }

  void breakAt(const isa::Program &program, uint64_t offset, uint64_t jitter,
               uint64_t seed) {
    figures.set_failed_bytes(figures.failed_bytes() + 1);
    sim::MemoryDisturbance broken;
    broken.faultOffset = offset;
    broken.jitterSeed = jitter;
    absl::Status status;
    disturbed(broken,
              [&] { status = runProgram(rtl, program, nullptr, memory); });
    const std::string at = absl::StrFormat("byte 0x%x fails: ", offset);
    if (status.ok()) {
      if (contents(rtl, program) == expected)
        figures.set_untouched(figures.untouched() + 1);
      else
        wrong(seed, at + "no error, and DRAM differs");
    } else if (absl::IsAborted(status) || absl::IsResourceExhausted(status)) {
      figures.set_hangs(figures.hangs() + 1);
      wrong(seed, at + std::string(status.message()));
    } else if (!test::namesFault(layout, launched,
                                 std::string(status.message()), offset)) {
      wrong(seed, at + std::string(status.message()));
    } else {
      figures.set_named(figures.named() + 1);
    }
    expectRight(program, "behind a fault", seed);
  }

  const Options &options;
  const std::string configuration;
  const isa::Layout layout;
  sim::RtlDevice &rtl;
  sim::Simulator &functional;
  test::Figures &figures;
  sim::MemoryTiming memory;
  std::vector<uint8_t> expected;
  uint64_t cycles = 1; // of the last launch that was right
  test::Launched launched;
};

absl::Status runOn(const std::string &name, const Options &options,
                   test::Figures &figures) {
  auto configuration = differential::configurationOf(name);
  if (!configuration.ok())
    return configuration.status();
  auto layout = isa::Layout::get(*configuration);
  if (!layout.ok())
    return layout.status();
  auto rtl = sim::RtlDevice::create(*configuration);
  if (!rtl.ok())
    return rtl.status();
  auto functional = makeExecutor("functional", *configuration);
  if (!functional.ok())
    return functional.status();
  Campaign campaign(options, name, *layout, **rtl, **functional, figures);
  for (uint64_t seed = options.seed; seed < options.seed + options.programs;
       ++seed)
    if (absl::Status status = campaign.run(seed); !status.ok())
      return status;
  figures.set_configurations(figures.configurations() + 1);
  return absl::OkStatus();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Random programs on the RTL behind a memory that is hostile or "
               "fails, and stopped by the host. Exit codes: 0 all well, 1 bad "
               "input, 3 a wrong result, a wrong message or a launch that does "
               "not end.");
  app.add_option("--config", options.configurations,
                 "shipped ones, files, or random:SEED");
  uint32_t configurations = 0;
  app.add_option("--configs", configurations,
                 "so many, shipped and random, in place of --config");
  app.add_option("--programs", options.programs, "of each configuration")
      ->capture_default_str();
  app.add_option("--hostile", options.hostile,
                 "runs on a hostile memory, a program")
      ->capture_default_str();
  app.add_option("--stops", options.stops, "runs that are stopped, a program")
      ->capture_default_str();
  app.add_option("--faults", options.faults, "bytes that fail, a program")
      ->capture_default_str();
  app.add_option("--size", options.size, "instructions of a program, roughly")
      ->capture_default_str();
  app.add_option("--seed", options.seed,
                 "of the first program and of the first random configuration")
      ->capture_default_str();
  std::string json;
  app.add_option("--json", json, "file for the figures as JSON");
  CLI11_PARSE(app, argc, argv);

  if (configurations)
    options.configurations =
        differential::campaignConfigurations(configurations, options.seed);
  test::Figures figures;
  absl::Status status;
  for (const std::string &name : options.configurations)
    if (status.ok()) {
      status = runOn(name, options, figures);
      std::cerr << name << ": " << figures.hostile() << " runs on a hostile "
                << "memory, " << figures.wrong_size() << " wrong so far\n";
    }
  if (status.ok() && !json.empty())
    status = isa::writeFile(json, isa::toJson(figures));
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return 1;
  }
  std::cout << figures.programs() << " programs on " << figures.configurations()
            << " configurations; " << figures.hostile()
            << " runs on a hostile memory; " << figures.stops() << " stops, "
            << figures.stopped() << " of them in time; "
            << figures.failed_bytes() << " faults: " << figures.named()
            << " named, " << figures.untouched()
            << " without an error, all of DRAM right, " << figures.hangs()
            << " hangs; " << figures.wrong_size() << " wrong\n";
  for (const std::string &line : figures.wrong())
    std::cout << line << "\n";
  return figures.wrong().empty() ? 0 : 3;
}
