//===- tools/fpga/place.cpp - nextpnr and the packers ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/floorplan.h"
#include "tools/fpga/flow.h"
#include "tools/fpga/reports.h"

#include "isa/files.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "fmt/format.h"

#include <filesystem>

namespace tenon::fpga {
namespace {

namespace fs = std::filesystem;

// Files that placer and packer of a family pass on.
struct FamilyFiles {
  std::string constraints, placed, bitstream; // suffix of the last
};

FamilyFiles filesOf(Board::Family family) {
  switch (family) {
  case Board::GOWIN:
    return {"constraints.cst", "placed.json", ".fs"};
  case Board::ICE40:
    return {"constraints.pcf", "placed.asc", ".bin"};
  default:
    return {"constraints.lpf", "placed.config", ".bit"};
  }
}

std::vector<std::string> placeArguments(const Design &design,
                                        const FlowOptions &options) {
  const Board &board = design.board;
  const FamilyFiles files = filesOf(board.family());
  const bool constrained = !board.constraints().empty();
  std::vector<std::string> arguments;
  auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  auto chosen = [&](const std::string &option) {
    return absl::c_any_of(board.place_options(), [&](const std::string &word) {
      return word.substr(0, word.find('=')) == option;
    });
  };
  switch (board.family()) {
  case Board::GOWIN:
    add({"--device", board.device(), "--vopt", "family=" + board.pack_device(),
         "--write", files.placed});
    if (constrained)
      add({"--vopt", "cst=" + files.constraints});
    // A full device ends with the cell that found no place, not with the time
    // limit: the default allows a hundred million attempts a cell.
    if (!chosen("--placer-heap-cell-placement-timeout"))
      add({"--placer-heap-cell-placement-timeout", "20000"});
    break;
  case Board::ICE40:
    add({"--" + board.device(), "--package", board.package(), "--asc",
         files.placed});
    if (constrained)
      add({"--pcf", files.constraints});
    break;
  default:
    add({"--" + board.device(), "--package", board.package(), "--textcfg",
         files.placed});
    if (!board.speed().empty())
      add({"--speed", board.speed()});
    if (constrained)
      add({"--lpf", files.constraints});
  }
  // At 20,000 LUTs of an ECP5 the electrostatic placer needs two thirds of the
  // default's time, a sixth less wire, and its clock is a fourth faster.
  if (board.family() == Board::ECP5 && !chosen("--placer"))
    add({"--placer", "static"});
  // Whether the clock is met is judged here, by the report.
  add({"--json", "design.json", "--report", "report.json", "--freq",
       fmt::format("{}", design.clockMegahertz), "--timing-allow-fail",
       "--seed", absl::StrCat(options.seed)});
  arguments.insert(arguments.end(), board.place_options().begin(),
                   board.place_options().end());
  return arguments;
}

void describePlaced(const Design &design, const NextpnrReport &placed,
                    BuildReport &report) {
  Resources used = usedResources(design.board.family(), placed);
  report.set_stage("place and route");
  report.set_lut(used.lut());
  if (used.ff() > 0) // iCE40 counts cells of LUT and flip-flop
    report.set_ff(used.ff());
  report.set_dsp(used.dsp());
  report.set_ram(used.ram());
  std::vector<Clock> clocks = clocksOf(placed);
  report.clear_clocks();
  for (const Clock &clock : clocks)
    *report.add_clocks() = clock;
  if (clocks.empty())
    return;
  const Clock &worst = clocks.front();
  report.set_fmax_mhz(worst.fmax_mhz());
  report.set_target_mhz(worst.target_mhz());
  report.set_slack_ns(slackOf(worst));
  report.set_timing_met(report.slack_ns() >= 0);
  *report.mutable_critical_path() = worst.critical_path();
}

} // namespace

absl::StatusOr<StepResult> place(const Design &design,
                                 const StepResult &synthesis,
                                 const FlowOptions &options,
                                 const BuildProgress &progress,
                                 BuildReport &report) {
  const Board &board = design.board;
  auto tool = requireTool(toolsFor(board.family())[1], progress);
  if (!tool.ok())
    return tool.status();
  const FamilyFiles files = filesOf(board.family());
  Step step;
  step.name = "place";
  step.title = absl::StrCat("place and route of ", design.layout.config.name(),
                            " for ", board.name());
  step.tool = *tool;
  step.limit = options.toolLimit;
  step.arguments = placeArguments(design, options);
  step.linksKey = synthesis.key;
  step.outputs = {files.placed, "report.json"};
  if (board.floorplan().empty()) {
    step.links = {synthesis.file("design.json")};
  } else {
    auto netlist = isa::readFile(synthesis.file("design.json"));
    if (!netlist.ok())
      return netlist.status();
    step.files.push_back(
        {"design.json", withFloorplan(*netlist, board.floorplan())});
  }
  if (!board.constraints().empty()) {
    auto constraints = hardwareFile(board.constraints());
    if (!constraints.ok())
      return absl::Status(constraints.status().code(),
                          absl::StrCat("board ", board.name(), ": ",
                                       constraints.status().message()));
    step.files.push_back({files.constraints, constraints->text});
  }
  step.explain = [&](const std::string &directory) -> absl::Status {
    auto log = isa::readFile(directory + "/place.log");
    if (!log.ok())
      return absl::OkStatus();
    std::vector<Shortfall> over = overusedIn(*log);
    for (const Shortfall &entry : over)
      *report.add_shortfall() = entry;
    if (!over.empty())
      return absl::ResourceExhaustedError(
          absl::StrCat("does not fit: ", describe(over)));
    std::string errors = errorsIn(*log);
    if (auto sites = gowinSitesIn(*log);
        sites && board.family() == Board::GOWIN && !errors.empty() &&
        sites->used() > sites->available()) {
      *report.add_shortfall() = *sites;
      return absl::ResourceExhaustedError(
          absl::StrCat("does not fit: ", describe({*sites}), ": ", errors));
    }
    return errors.empty() ? absl::OkStatus()
                          : absl::InvalidArgumentError(
                                absl::StrCat("place and route: ", errors));
  };
  auto result = runStep(step, options.output, progress);
  if (!result.ok())
    return result.status();
  auto json = isa::readFile(result->file("report.json"));
  if (!json.ok())
    return json.status();
  auto placed = parseNextpnrReport(*json);
  if (!placed.ok())
    return placed.status();
  describePlaced(design, *placed, report);
  return result;
}

absl::StatusOr<StepResult> pack(const Design &design, const StepResult &placed,
                                const FlowOptions &options,
                                const BuildProgress &progress,
                                BuildReport &report) {
  const Board &board = design.board;
  auto tool = requireTool(toolsFor(board.family())[2], progress);
  if (!tool.ok())
    return tool.status();
  const FamilyFiles files = filesOf(board.family());
  const std::string bitstream = "design" + files.bitstream;
  Step step;
  step.name = "pack";
  step.title = absl::StrCat("bitstream for ", board.name());
  step.tool = *tool;
  step.limit = options.toolLimit;
  step.links = {placed.file(files.placed)};
  step.linksKey = placed.key;
  step.outputs = {bitstream};
  if (board.family() == Board::GOWIN)
    step.arguments = {"-d", board.pack_device(), "-o", bitstream};
  else if (board.family() == Board::ECP5)
    step.arguments = {"--compress"};
  step.arguments.insert(step.arguments.end(), board.pack_options().begin(),
                        board.pack_options().end());
  step.arguments.push_back(files.placed);
  if (board.family() != Board::GOWIN)
    step.arguments.push_back(bitstream);
  auto result = runStep(step, options.output, progress);
  if (!result.ok())
    return result.status();
  auto bytes = isa::readFile(result->file(bitstream));
  if (!bytes.ok())
    return bytes.status();
  report.set_bitstream(
      absl::StrCat(options.output, "/", board.name(), files.bitstream));
  report.set_bitstream_bytes(bytes->size());
  if (absl::Status status = isa::writeFile(report.bitstream(), *bytes);
      !status.ok())
    return status;
  return result;
}

} // namespace tenon::fpga
