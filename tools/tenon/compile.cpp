//===- tools/tenon/compile.cpp - tenon compile ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/board_choice.h"
#include "tools/tenon/commands.h"
#include "tools/tenon/diagnostics.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/host_speed.h"
#include "tools/tenon/places.h"
#include "tools/tenon/records.h"
#include "tools/tenon/shapes.h"
#include "tools/tenon/statistics_text.h"

#include "compiler/driver/compile.h"
#include "isa/assembler.h"
#include "isa/files.h"
#include "isa/host_code_digest.h"
#include "isa/host_target.h"
#include "isa/program.h"

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <future>
#include <map>
#include <system_error>

namespace tenon::tools {

namespace {

enum class Emit { Onnx, Tosa, Graph, Schedule, Tiled, Stream, Asm, Program };

struct Options {
  std::string model;
  std::string output;
  Emit emit = Emit::Program;
  compiler::Options compile;
  std::string require, board;
  bool noReference = false, noVerify = false;
  bool writesProgram() const {
    return emit == Emit::Program && !output.empty();
  }
  std::string json; // of statistics
};

compiler::Level levelOf(Emit emit) {
  using compiler::Level;
  switch (emit) {
  case Emit::Onnx:
    return Level::Onnx;
  case Emit::Tosa:
    return Level::Tosa;
  case Emit::Graph:
    return Level::Graph;
  case Emit::Schedule:
    return Level::Schedule;
  case Emit::Tiled:
    return Level::Tiled;
  case Emit::Stream:
    return Level::Stream;
  default:
    return Level::Program;
  }
}

/// In a thread of its own; where the system refuses that, when it is asked for.
template <typename Function>
std::future<absl::Status> beside(const Function &run) {
  try {
    return std::async(std::launch::async, run);
  } catch (const std::system_error &) {
    return std::async(std::launch::deferred, run);
  }
}

/// A program is put into its form while it is proved, and not written where it
/// cannot be.
absl::Status writeProved(const Options &options, const isa::Program &program) {
  auto proof = beside([&]() -> absl::Status {
    if (options.noVerify)
      return absl::OkStatus();
    return compiler::prove(program, options.model).status();
  });
  auto bytes = isa::serializeProgram(program);
  if (absl::Status status = proof.get(); !status.ok())
    return status;
  return bytes.ok() ? writeOutput(options.output, *bytes) : bytes.status();
}

/// The program or the text of the level; nothing where no file was named and
/// the statistics are all that is asked for.
absl::Status writeCompiled(const Options &options,
                           compiler::Compiled &compiled) {
  if (options.output.empty())
    return absl::OkStatus();
  if (options.writesProgram())
    return writeProved(options, compiled.program);
  if (options.emit == Emit::Asm)
    compiled.text = isa::disassembleProgram(compiled.program, true);
  return writeOutput(options.output, compiled.text);
}

/// A table on stdout, unless JSON goes there.
absl::Status writeStatistics(const Options &options,
                             const compiler::Statistics &statistics) {
  absl::Status status;
  if (!options.json.empty())
    status = writeOutput(options.json, isa::toJson(statistics));
  if (status.ok() && options.json != "-")
    status = writeOutput("-", statisticsText(statistics));
  return status;
}

int run(Options &options) {
  bool wantsStatistics = options.compile.statistics;
  if (!options.json.empty() && !wantsStatistics)
    return reportUsage("compile: --json is of --stats");
  if (options.output == "-" && wantsStatistics)
    return reportUsage("compile: --stats and -o - both write on stdout; name "
                       "a file");
  if (options.output.empty() && !wantsStatistics) {
    if (options.emit == Emit::Program)
      return reportUsage("compile: name the program to write with -o P.tenon");
    options.output = "-";
  }
  options.compile.requireAccelerator = options.require == "accelerator";
  options.compile.keepReference = !options.noReference;
  options.compile.verify = !options.noVerify && !options.writesProgram();
  Progress progress;
  options.compile.listener = remarkPrinter(progress);
  options.compile.progress = [&](const std::string &phase) {
    progress.show("compiling: " + phase);
  };
  auto compiled =
      compiler::compile(options.model, options.compile, levelOf(options.emit));
  if (!compiled.ok())
    return report(compiled.status());
  if (absl::Status status = isa::addHostCodeDigest(compiled->program);
      !status.ok())
    return report(status);
  if (options.writesProgram())
    progress.show("compiling: verifying");
  absl::Status status = writeCompiled(options, *compiled);
  if (status.ok() && wantsStatistics)
    status = writeStatistics(options, compiled->statistics);
  return report(status);
}

std::string hostNames() {
  return absl::StrJoin(isa::hostTargets(), ", ",
                       [](std::string *out, const isa::HostTarget &target) {
                         absl::StrAppend(out, target.name);
                       });
}

} // namespace

void addCompile(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *verb =
      program.add_subcommand("compile", "Compile a network to a program");
  verb->add_option("MODEL", options->model, "ONNX file, or TOSA in .mlir")
      ->required();
  verb->add_option("-o,--output", options->output,
                   "file to write; '-' is stdout, the default for texts "
                   "without --stats");
  verb->add_option("--config", options->compile.config,
                   "configuration, by name or file")
      ->capture_default_str();
  addBoardOption(*verb, options->board,
                 "its configuration and clock; --config takes the place of the "
                 "first");
  std::map<std::string, Emit> levels{
      {"onnx", Emit::Onnx},   {"tosa", Emit::Tosa},
      {"graph", Emit::Graph}, {"schedule", Emit::Schedule},
      {"tiled", Emit::Tiled}, {"stream", Emit::Stream},
      {"asm", Emit::Asm},     {"program", Emit::Program}};
  addShapeOption(*verb, options->compile);
  addPlaceOption(*verb, options->compile);
  addRecordsOption(*verb, options->compile);
  addHostSpeedOption(*verb, options->compile);
  verb->add_option("--emit", options->emit,
                   "level to stop at: onnx, tosa, graph, schedule (the layers "
                   "and their schedules), tiled, stream, asm or program "
                   "(default)")
      ->transform(CLI::CheckedTransformer(levels).description(""));
  verb->add_option(
          "--host", options->compile.hosts,
          absl::StrCat(
              "hosts to carry code for, separated by commas: ", hostNames(),
              "; default: all of this machine's architecture. One with -vnni, "
              "-amx or -dotprod adds code for products of bytes, where there "
              "are some"))
      ->delimiter(',');
  verb->add_option("--require", options->require,
                   "'accelerator': a node on the CPU is an error")
      ->check(CLI::IsMember({"accelerator"}));
  verb->add_option("--virtual-threads", options->compile.virtualThreads,
                   "scratchpad contexts that tiles alternate between, where "
                   "that many fit")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  verb->add_option("--schedule", options->compile.schedules,
                   "file with schedules to take instead of searching, as "
                   "--emit=schedule prints them");
  verb->add_flag(
      "--no-reference", options->noReference,
      "leave out the imported network; the cpu check is then skipped");
  verb->add_flag("--no-verify", options->noVerify,
                 "do not prove the program free of races and deadlock");
  verb->add_flag("--stats", options->compile.statistics,
                 "print what each optimisation pass did: operators, bytes and "
                 "the most alive at one time, before and after");
  verb->add_option("--json", options->json,
                   "file for the statistics as JSON; '-' is stdout");
  verb->add_option("--dump-ir-after", options->compile.dumpIrAfter,
                   "print the module on stderr after this pass");
  verb->callback([options, verb, &exitCode] {
    if (!options->board.empty()) {
      bool given = verb->count("--config") > 0;
      auto chosen =
          chooseBoard(options->board, given ? options->compile.config : "");
      if (!chosen.ok()) {
        exitCode = report(chosen.status());
        return;
      }
      options->compile.machine = chosen->configuration;
    }
    exitCode = run(*options);
  });
}

} // namespace tenon::tools
