//===- tools/fpga/flow.cpp - From a configuration to a bitstream ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/flow.h"

#include "tools/fpga/board.h"
#include "tools/fpga/pll.h"
#include "tools/fpga/reports.h"

#include "isa/configuration.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "fmt/format.h"

#include <cmath>

namespace tenon::fpga {
namespace {

bool uses(const Board &board, absl::string_view text) {
  for (const Parameter &parameter : board.parameters())
    if (absl::StrContains(parameter.value(), text))
      return true;
  return false;
}

// The numbers that parameters may name.
absl::StatusOr<std::map<std::string, std::string>>
numbersOf(const Board &board, double &clockMegahertz) {
  std::map<std::string, std::string> numbers;
  if (uses(board, "{pll_")) {
    auto dividers =
        pllDividers(board.family(), board.oscillator_mhz(), clockMegahertz);
    if (!dividers.ok())
      return dividers.status();
    clockMegahertz = dividers->clockMegahertz;
    numbers["{pll_reference}"] = absl::StrCat(dividers->reference);
    numbers["{pll_feedback}"] = absl::StrCat(dividers->feedback);
    numbers["{pll_output}"] = absl::StrCat(dividers->output);
  }
  numbers["{clock_hz}"] = absl::StrCat(std::llround(clockMegahertz * 1e6));
  numbers["{clock_mhz}"] = absl::StrCat(std::llround(clockMegahertz));
  numbers["{memory_bytes}"] = absl::StrCat(board.memory_bytes());
  return numbers;
}

void addStep(const char *name, const StepResult &step,
             const FlowOptions &options, const char *log, BuildReport &report) {
  StepReport &entry = *report.add_steps();
  entry.set_name(name);
  entry.set_seconds(step.seconds);
  entry.set_cached(step.cached);
  entry.set_log(absl::StrCat(options.output, "/", log));
  report.set_seconds(report.seconds() + step.seconds);
}

// Whether it is known before placing that it does not fit: what synthesis
// counts is what the placer will count, or less (an iCE40 packs LUTs and
// flip-flops into cells).
bool isTooLarge(const Board &board, BuildReport &report) {
  Resources used;
  used.set_lut(report.lut());
  used.set_ff(report.ff());
  used.set_dsp(report.dsp());
  used.set_ram(report.ram());
  for (const Shortfall &entry : shortfallOf(used, board.available()))
    *report.add_shortfall() = entry;
  return report.shortfall_size() != 0;
}

// The memory on the chip has banks of whole words, two words at least
// (memory_array.sv).
absl::Status checkMemory(const Board &board, const isa::Layout &layout) {
  const uint32_t unit = 2 * layout.beatBytes;
  if (board.memory_bytes() % unit == 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("board ", board.name(), ": memory_bytes is ",
                   board.memory_bytes(), ", expected a multiple of ", unit,
                   ", two beats of configuration ", layout.config.name()));
}

} // namespace

absl::StatusOr<Design> makeDesign(const Board &board,
                                  const std::string &configuration,
                                  double clockMegahertz) {
  const std::string &name =
      configuration.empty() ? board.configuration() : configuration;
  auto loaded = configuration.empty() ? configurationOf(board)
                                      : isa::loadConfiguration(configuration);
  if (!loaded.ok())
    return loaded.status();
  auto layout = isa::Layout::get(*loaded);
  if (!layout.ok())
    return layout.status();
  if (absl::Status status = checkMemory(board, *layout); !status.ok())
    return status;
  Design design{board, *std::move(layout), name, clockMegahertz, {}};
  if (design.clockMegahertz == 0)
    design.clockMegahertz = board.clock_mhz();
  auto numbers = numbersOf(board, design.clockMegahertz);
  if (!numbers.ok())
    return numbers.status();
  for (const Parameter &parameter : board.parameters()) {
    std::string value = parameter.value();
    if (auto number = numbers->find(value); number != numbers->end())
      value = number->second;
    int64_t integer = 0;
    if (!absl::SimpleAtoi(value, &integer))
      return absl::InvalidArgumentError(
          absl::StrCat("board ", board.name(), ": parameter ", parameter.name(),
                       ": expected an integer or one of ",
                       absl::StrJoin(*numbers, ", ",
                                     [](std::string *out, const auto &entry) {
                                       absl::StrAppend(out, entry.first);
                                     }),
                       ", found '", value, "'"));
    design.parameters[parameter.name()] = absl::StrCat(integer);
  }
  return design;
}

// The steps that were asked for, as far as the device has room.
static absl::Status runSteps(const Design &design, const FlowOptions &options,
                             const BuildProgress &progress,
                             BuildReport &report) {
  auto synthesis = synthesise(design, options, progress, report);
  if (!synthesis.ok())
    return synthesis.status();
  addStep("synthesis", *synthesis, options, "synthesis.log", report);
  if (isTooLarge(design.board, report) || options.last == Stage::Synthesis)
    return absl::OkStatus();

  auto placed = place(design, *synthesis, options, progress, report);
  if (!placed.ok())
    return report.shortfall_size() ? absl::OkStatus() : placed.status();
  addStep("place and route", *placed, options, "place.log", report);
  if (options.last == Stage::Place)
    return absl::OkStatus();

  auto packed = pack(design, *placed, options, progress, report);
  if (!packed.ok())
    return packed.status();
  addStep("bitstream", *packed, options, "pack.log", report);
  return absl::OkStatus();
}

absl::StatusOr<BuildReport> runFlow(const Design &design,
                                    const FlowOptions &options,
                                    const BuildProgress &progress) {
  const Board &board = design.board;
  BuildReport report;
  report.set_board(board.name());
  report.set_configuration(design.layout.config.name());
  report.set_part(board.part());
  report.set_family(familyName(board.family()));
  report.set_target_mhz(design.clockMegahertz);
  *report.mutable_available() = board.available();
  report.mutable_netlist_check()->set_status("skipped");
  report.mutable_netlist_check()->set_reason("--check was not given");

  if (absl::Status status = runSteps(design, options, progress, report);
      !status.ok())
    return status;
  report.set_fits(report.shortfall_size() == 0);
  if (!report.fits())
    report.set_reason(absl::StrCat(
        "does not fit: ",
        describe({report.shortfall().begin(), report.shortfall().end()})));
  else if (report.fmax_mhz() > 0 && !report.timing_met())
    report.set_reason(fmt::format("misses {:g} MHz by {:.2f} ns",
                                  report.target_mhz(), -report.slack_ns()));
  return report;
}

} // namespace tenon::fpga
