//===- tools/tenon/fpga_simulate.cpp - tenon fpga simulate ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/netlist_check.h"
#include "tools/tenon/progress.h"

#include "sim/board/board_process.h"
#include "tools/fpga/board.h"
#include "tools/fpga/flow.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "fmt/format.h"

#include <csignal>
#include <ctime>

namespace tenon::tools {

namespace {

struct Options {
  std::string board;
  std::string config;
  double clock = 0;
  std::string output;
  bool netlist = false;
};

/// Simulates until the process is told to end, or the board ends by itself.
int serve(const sim::BoardModel &model, const fpga::Design &design,
          Progress &progress) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  auto board = sim::startBoard(
      model, {static_cast<uint64_t>(design.clockMegahertz * 1e6 + 0.5)},
      [&](const std::string &phase, double seconds) {
        progress.show(
            fmt::format("{}: {}, {:.0f} s", model.name, phase, seconds));
      });
  progress.clear();
  if (!board.ok())
    return report(board.status());
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const std::string text = fmt::format(
      "{0}\n  tenon run MODEL --config {1} --target=fpga:serial:{0}@{2:.0f}\n",
      (*board)->port(), design.configuration, design.clockMegahertz * 1e6);
  if (auto status = writeOutput("-", text); !status.ok())
    return report(status);
  const timespec second{1, 0};
  while (sigtimedwait(&ends, nullptr, &second) < 0)
    if (auto statistics = (*board)->statistics(); !statistics.ok())
      return report(statistics.status());
  return ExitDone;
}

int simulate(const Options &options) {
  auto board = fpga::loadBoard(options.board);
  if (!board.ok())
    return report(board.status());
  if (board->flow() != fpga::Board::YOSYS_NEXTPNR || !board->memory_bytes())
    return report(absl::InvalidArgumentError(absl::StrCat(
        "board ", board->name(), " has no serial port to simulate")));
  auto design = fpga::makeDesign(*board, options.config, options.clock);
  if (!design.ok())
    return report(design.status());
  Progress progress;
  if (!options.netlist) {
    auto model = rtlBoard(*design);
    return model.ok() ? serve(*model, *design, progress)
                      : report(model.status());
  }
  const std::string output =
      options.output.empty() ? "out/" + board->name() : options.output;
  if (auto status = makeDirectory(output); !status.ok())
    return report(status);
  fpga::FlowOptions flow;
  flow.last = fpga::Stage::Synthesis;
  flow.output = output;
  auto built = fpga::runFlow(
      *design, flow, [&](const std::string &phase, double seconds) {
        progress.show(fmt::format("{}, {:.0f} s", phase, seconds));
      });
  if (!built.ok())
    return progress.clear(), report(built.status());
  auto model = netlistBoard(*design, built->netlist());
  return model.ok() ? serve(*model, *design, progress) : report(model.status());
}

} // namespace

void addFpgaSimulate(CLI::App &fpga, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *verb = fpga.add_subcommand(
      "simulate", "A simulated board behind a pseudo-terminal, until Ctrl-C");
  verb->add_option("--board", options->board, "name or .textproto file")
      ->required();
  verb->add_option("--config", options->config,
                   "machine, name or .textproto file; default: the board's");
  verb->add_option("--clock", options->clock, "MHz; default: the board's")
      ->check(CLI::Range(1.0, 2000.0));
  verb->add_flag("--netlist", options->netlist,
                 "what synthesis makes of it instead of the RTL");
  verb->add_option("-o,--output", options->output,
                   "directory for --netlist; default: out/BOARD");
  verb->callback([options, &exitCode] { exitCode = simulate(*options); });
}

} // namespace tenon::tools
