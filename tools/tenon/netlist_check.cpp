//===- tools/tenon/netlist_check.cpp - A netlist runs a program -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/netlist_check.h"

#include "tools/tenon/arrays.h"
#include "tools/tenon/files.h"

#include "compiler/driver/compile.h"
#include "isa/configuration.h"
#include "isa/program.h"
#include "runtime/check.h"
#include "runtime/fpga/serial_device.h"
#include "runtime/run_once.h"
#include "sim/board/board_process.h"
#include "sim/functional/functional_device.h"
#include "tools/fpga/board.h"

#include "absl/strings/str_cat.h"
#include "fmt/format.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <unistd.h>

namespace tenon::tools {

namespace {

namespace fs = std::filesystem;

uint64_t clockHz(const fpga::Design &design) {
  return std::llround(design.clockMegahertz * 1e6);
}

sim::CellFamily cellFamily(fpga::Board::Family family) {
  switch (family) {
  case fpga::Board::GOWIN:
    return sim::CellFamily::Gowin;
  case fpga::Board::ICE40:
    return sim::CellFamily::Ice40;
  default:
    return sim::CellFamily::Ecp5;
  }
}

/// A compiled program is taken as it is; a network is compiled for `design`.
absl::StatusOr<isa::Program> loadProgram(const fpga::Design &design,
                                         const std::string &path) {
  if (isProgram(path)) {
    auto program = isa::readProgram(path);
    if (!program.ok())
      return program.status();
    if (isa::configurationHash(program->configuration()) !=
        isa::configurationHash(design.layout.config))
      return absl::InvalidArgumentError(absl::StrCat(
          path, " was compiled for configuration '",
          program->configuration().name(), "', the board is built with '",
          design.layout.config.name(), "'"));
    return program;
  }
  compiler::Options options;
  options.config = design.configuration;
  options.keepReference = false;
  auto compiled = compiler::compile(path, options, compiler::Level::Program);
  if (!compiled.ok())
    return compiled.status();
  return std::move(compiled->program);
}

/// What a simulated board did with the program.
struct BoardRun {
  runtime::Execution execution;
  double cycles = 0;
  sim::BoardStatistics statistics;
};

absl::StatusOr<BoardRun>
runOn(const sim::BoardModel &model, const fpga::Design &design,
      const isa::Program &program, absl::Span<const runtime::Array> inputs,
      runtime::HostCodeTrust trust, const char *what, Progress &progress) {
  auto board = sim::startBoard(
      model, {clockHz(design)}, [&](const std::string &phase, double seconds) {
        progress.show(fmt::format("{}: {}, {:.0f} s", what, phase, seconds));
      });
  if (!board.ok())
    return board.status();
  runtime::LinkOptions link;
  link.baud = clockHz(design); // a clock a bit
  auto device = runtime::SerialDevice::create((*board)->port(),
                                              design.layout.config, link);
  if (!device.ok())
    return device.status();
  runtime::Observer observer;
  observer.keepDram = true;
  observer.progress = [&](uint64_t cycles, uint64_t retired) {
    progress.show(
        fmt::format("{}: {} cycles, {} instructions", what, cycles, retired));
  };
  progress.show(fmt::format("{}: moving the program", what));
  auto outcome =
      runtime::runOnce(program, **device, inputs, std::move(observer), trust);
  if (!outcome.ok())
    return absl::Status(outcome.status().code(),
                        absl::StrCat(what, ": ", outcome.status().message()));
  auto statistics = (*board)->statistics();
  if (!statistics.ok())
    return statistics.status();
  BoardRun run{std::move(outcome->execution), 0, *statistics};
  for (const sim::LaunchResult &launch : run.execution.launches)
    run.cycles += launch.cycles;
  return run;
}

std::string mismatchText(const char *what, const runtime::Check &check) {
  return fmt::format("{} differs from functional in {} of {} bytes, first in "
                     "{} at {}: got {}, want {}",
                     what, check.mismatches, check.elements, check.layer,
                     check.index, check.got, check.want);
}

} // namespace

absl::StatusOr<sim::BoardModel> rtlBoard(const fpga::Design &design) {
  return sim::bridgeModel(design.layout,
                          {design.board.memory_bytes(), clockHz(design)});
}

absl::StatusOr<sim::BoardModel> netlistBoard(const fpga::Design &design,
                                             const std::string &netlist) {
  auto share = fpga::yosysShare();
  if (!share.ok())
    return share.status();
  auto model = sim::netlistModel(netlist, fpga::checkedModule(design.board),
                                 cellFamily(design.board.family()), *share);
  if (!model.ok())
    return model.status();
  model->name = design.board.name() + "-netlist";
  model->inputs = {{"sck_i", 0}, {"csn_i", 1}, {"mosi_i", 0}};
  return model;
}

absl::StatusOr<fpga::NetlistCheck> checkNetlist(const fpga::Design &design,
                                                const std::string &netlist,
                                                const std::string &path,
                                                runtime::HostCodeTrust trust,
                                                Progress &progress) {
  const auto start = std::chrono::steady_clock::now();
  progress.show("compiling " + path);
  auto program = loadProgram(design, path);
  if (!program.ok())
    return program.status();
  const std::vector<runtime::Array> inputs = randomInputs(*program, 1);
  auto functional = sim::FunctionalDevice::create(design.layout.config);
  if (!functional.ok())
    return functional.status();
  auto want = runtime::runOnce(*program, **functional, inputs,
                               runtime::Observer::ofEverything(), trust);
  if (!want.ok())
    return want.status();
  auto rtlModel = rtlBoard(design);
  auto cells = netlistBoard(design, netlist);
  if (!rtlModel.ok() || !cells.ok())
    return rtlModel.ok() ? cells.status() : rtlModel.status();
  auto rtl = runOn(*rtlModel, design, *program, inputs, trust, "RTL", progress);
  if (!rtl.ok())
    return rtl.status();
  auto gates =
      runOn(*cells, design, *program, inputs, trust, "netlist", progress);
  if (!gates.ok())
    return gates.status();

  fpga::NetlistCheck result;
  result.set_status("differs");
  result.set_program(baseName(path));
  result.set_cycles(gates->cycles);
  result.set_rtl_cycles(rtl->cycles);
  result.set_sim_khz(gates->statistics.kiloHertz());
  runtime::Check rtlCheck =
      compareDram(*program, rtl->execution, want->execution);
  runtime::Check check =
      compareDram(*program, gates->execution, want->execution);
  result.set_elements(check.elements);
  result.set_mismatches(check.mismatches);
  if (check.mismatches || !check.elements)
    result.set_reason(mismatchText("the netlist", check));
  else if (rtlCheck.mismatches)
    result.set_reason(mismatchText("the RTL", rtlCheck));
  else if (gates->cycles != rtl->cycles)
    result.set_reason(fmt::format("the netlist takes {} cycles, the RTL {}",
                                  gates->cycles, rtl->cycles));
  else
    result.set_status("bit-exact");
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  result.set_seconds(took.count());
  return result;
}

} // namespace tenon::tools
