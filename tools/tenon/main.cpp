//===- tools/tenon/main.cpp - The command line ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/interrupt.h"
#include "tools/tenon/last_words.h"

#include "CLI/CLI.hpp"

#include <exception>
#include <new>

using namespace tenon::tools;

static int runProgram(int argc, char **argv) {
  CLI::App program("Compiles networks for the Tenon accelerator, runs them and "
                   "says where the cycles went.",
                   "tenon");
  program.set_version_flag("--version", TENON_VERSION);
  program.require_subcommand(1);
  program.get_formatter()->column_width(34);
  int exitCode = ExitDone;
  addRun(program, exitCode);
  addCompile(program, exitCode);
  addBench(program, exitCode);
  addInspect(program, exitCode);
  addAssemble(program, exitCode);
  addDisassemble(program, exitCode);
  addVerify(program, exitCode);
  addQuantize(program, exitCode);
  addReport(program, exitCode);
  addConfig(program, exitCode);
  addFpga(program, exitCode);
  addDoctor(program, exitCode);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return program.exit(error) == 0 ? ExitDone : ExitBadCommandLine;
  }
  return exitCode;
}

int main(int argc, char **argv) {
  catchLastWords();
  endToolsOnInterrupt();
  // Only memory exhaustion and defects of libraries arrive here.
  try {
    return runProgram(argc, argv);
  } catch (const std::bad_alloc &) {
    return report(absl::ResourceExhaustedError("out of memory"));
  } catch (const std::exception &error) {
    return report(absl::InternalError(error.what()));
  }
}
