//===- tools/tenon/fpga.cpp - tenon fpga ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/netlist_check.h"
#include "tools/tenon/progress.h"
#include "tools/tenon/result.h"
#include "tools/tenon/trust.h"

#include "isa/configuration.h"
#include "isa/files.h"
#include "tools/fpga/board.h"
#include "tools/fpga/flow.h"
#include "tools/fpga/proto/report.pb.h"
#include "tools/fpga/vivado.h"

#include "CLI/CLI.hpp"
#include "fmt/format.h"

#include <filesystem>

namespace tenon::tools {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string board;
  std::string config;
  double clock = 0;
  std::string output;
  std::string json;
  unsigned seed = 1;
  std::string stopAfter = "bitstream";
  std::string check;
  bool trustHostCode = false;
  unsigned toolLimit = 7200;
};

/// "yosys nextpnr-ecp5 ecppack", or what is missing of them.
std::string toolsText(const fpga::Board &board) {
  if (board.flow() == fpga::Board::VIVADO)
    return "project for Vivado";
  std::string missing;
  for (const fpga::ToolKind &kind : fpga::toolsFor(board.family()))
    if (fpga::findTool(kind).empty())
      missing += (missing.empty() ? "missing: " : ", ") + kind.names[0];
  return missing.empty() ? "present" : missing;
}

int list(const Options &options) {
  auto names = fpga::boardNames();
  if (!names.ok())
    return report(names.status());
  fpga::BoardList all;
  std::string text =
      fmt::format("{:<16}{:<13}{:<24}{:<15}{:>8}  {:<8}{}\n", "board", "family",
                  "part", "configuration", "clock", "flow", "tools");
  for (const std::string &name : *names) {
    auto board = fpga::loadBoard(name);
    if (!board.ok())
      return report(board.status());
    bool isVivado = board->flow() == fpga::Board::VIVADO;
    fpga::BoardList::Entry &entry = *all.add_boards();
    entry.set_board(board->name());
    entry.set_title(board->title());
    entry.set_family(fpga::familyName(board->family()));
    entry.set_part(board->part());
    entry.set_configuration(fs::path(board->configuration()).stem());
    entry.set_clock_mhz(board->clock_mhz());
    entry.set_flow(isVivado ? "vivado" : "open");
    entry.set_memory_bytes(board->memory_bytes());
    entry.set_tools(toolsText(*board));
    *entry.mutable_available() = board->available();
    text += fmt::format("{:<16}{:<13}{:<24}{:<15}{:>4g} MHz  {:<8}{}\n",
                        entry.board(), entry.family(), entry.part(),
                        entry.configuration(), entry.clock_mhz(), entry.flow(),
                        entry.tools());
  }
  if (!options.json.empty())
    return report(writeOutput(options.json, isa::toJson(all)));
  return report(writeOutput("-", text));
}

int generateProject(const fpga::Board &board,
                    const isa::Configuration &configuration,
                    const std::string &output) {
  if (auto status = fpga::generateVivadoProject(board, configuration, output);
      !status.ok())
    return report(status);
  return report(writeOutput(
      "-", fmt::format("{} · {} · {}\n  project       {}\n  next          "
                       "{}/README.md has the command for Vivado\n",
                       board.name(), configuration.name(), board.part(), output,
                       output)));
}

fpga::Stage stageOf(const std::string &name) {
  return name == "synth"   ? fpga::Stage::Synthesis
         : name == "place" ? fpga::Stage::Place
                           : fpga::Stage::Bitstream;
}

/// Writes a finished build's report and says how the program ends.
int finish(const fpga::BuildReport &result, const Options &options,
           const std::string &output) {
  const std::string json = isa::toJson(result);
  for (const std::string &path : {output + "/report.json", options.json})
    if (!path.empty())
      if (auto status = writeOutput(path, json); !status.ok())
        return report(status);
  if (options.json != "-")
    if (auto status = writeOutput("-", fpga::summary(result)); !status.ok())
      return report(status);
  if (!result.reason().empty()) {
    fmt::print(stderr, "tenon: {} on {}: {}\n", result.configuration(),
               result.part(), result.reason());
    return ExitCheckFailed;
  }
  return result.netlist_check().status() == "differs" ? ExitCheckFailed
                                                      : ExitDone;
}

int buildVivado(fpga::Board board, const Options &options,
                const std::string &output) {
  if (!options.check.empty())
    return reportUsage("--check needs a board of the open flow: of " +
                       board.name() + " there is no netlist before Vivado");
  if (options.clock > 0)
    board.set_clock_mhz(options.clock);
  auto configuration = isa::loadConfiguration(
      options.config.empty() ? board.configuration() : options.config);
  if (!configuration.ok())
    return report(configuration.status());
  if (auto status = makeDirectory(
          fs::absolute(output).lexically_normal().parent_path().string());
      !status.ok())
    return report(status);
  return generateProject(board, *configuration, output);
}

int buildOpen(const fpga::Board &board, const Options &options,
              const std::string &output) {
  auto design = fpga::makeDesign(board, options.config, options.clock);
  if (!design.ok())
    return report(design.status());
  if (auto status = makeDirectory(output); !status.ok())
    return report(status);
  fpga::FlowOptions flow;
  flow.seed = options.seed;
  flow.last = stageOf(options.stopAfter);
  flow.output = output;
  flow.toolLimit = std::chrono::seconds(options.toolLimit);
  Progress progress;
  auto result = fpga::runFlow(
      *design, flow, [&](const std::string &phase, double seconds) {
        progress.show(fmt::format("{}, {:.0f} s", phase, seconds));
      });
  if (!result.ok())
    return progress.clear(), report(result.status());
  if (!options.check.empty()) {
    auto check =
        checkNetlist(*design, result->netlist(), options.check,
                     trustOf(options.check, options.trustHostCode), progress);
    if (!check.ok())
      return progress.clear(), report(check.status());
    *result->mutable_netlist_check() = *std::move(check);
  }
  progress.clear();
  return finish(*result, options, output);
}

int build(const Options &options) {
  auto board = fpga::loadBoard(options.board);
  if (!board.ok())
    return report(board.status());
  const std::string output =
      options.output.empty() ? "out/" + board->name() : options.output;
  return board->flow() == fpga::Board::VIVADO
             ? buildVivado(*board, options, output)
             : buildOpen(*board, options, output);
}

} // namespace

void addFpga(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *verb = program.add_subcommand(
      "fpga", "Boards, and from a configuration to a bitstream");
  verb->require_subcommand(1);
  CLI::App *listVerb =
      verb->add_subcommand("list", "The boards, and whether their tools are "
                                   "there");
  listVerb->add_option("--json", options->json,
                       "file for the table as JSON; '-' is stdout");
  listVerb->callback([options, &exitCode] { exitCode = list(*options); });

  CLI::App *buildVerb = verb->add_subcommand(
      "build", "Synthesis, place and route, bitstream; a project where only "
               "Vivado can do that");
  buildVerb->add_option("--board", options->board, "name or .textproto file")
      ->required();
  buildVerb->add_option("--config", options->config,
                        "machine, name or .textproto file; default: the "
                        "board's");
  buildVerb->add_option("--clock", options->clock, "MHz; default: the board's")
      ->check(CLI::Range(1.0, 2000.0));
  buildVerb->add_option("-o,--output", options->output,
                        "directory for bitstream, netlist, logs and "
                        "report.json; default: out/BOARD");
  buildVerb->add_option("--json", options->json,
                        "file for the report as JSON; '-' is stdout");
  buildVerb->add_option("--seed", options->seed, "of placement")
      ->capture_default_str();
  buildVerb->add_option("--stop-after", options->stopAfter, "last step")
      ->check(CLI::IsMember({"synth", "place", "bitstream"}))
      ->capture_default_str();
  buildVerb
      ->add_option("--check", options->check,
                   "program or network to run on the simulated netlist "
                   "and RTL, compared with functional")
      ->type_name("PROGRAM|MODEL");
  addTrustOption(*buildVerb, options->trustHostCode);
  buildVerb
      ->add_option("--tool-limit", options->toolLimit,
                   "seconds that each tool may take")
      ->check(CLI::Range(1u, 1000000u))
      ->capture_default_str();
  buildVerb->callback([options, &exitCode] { exitCode = build(*options); });

  addFpgaSimulate(*verb, exitCode);
}

} // namespace tenon::tools
