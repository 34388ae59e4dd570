//===- tools/run/main.cpp - tenon-run -------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Runs compiled programs where there is no compiler: on a board, whose
// accelerator it drives, or by the functional simulator anywhere.
//
//===----------------------------------------------------------------------===//

#include "tools/run/run_program.h"

#include "CLI/CLI.hpp"
#include "fmt/format.h"

#include <exception>

using namespace tenon;

int main(int argc, char **argv) {
  CLI::App app("Runs a compiled program on an accelerator or its functional "
               "simulator.",
               "tenon-run");
  tools::ProgramRun run;
  app.set_version_flag("--version", TENON_VERSION);
  app.add_option("PROGRAM", run.program, "compiled program (.tenon)")
      ->required();
  app.add_option("--target", run.target,
                 "functional; fpga:uio:DEVICE[,KEY=VALUE...], the accelerator "
                 "beside this processor; fpga:serial:PORT[@BAUD]; cpu for a "
                 "program without accelerator")
      ->capture_default_str();
  app.add_option("--input", run.inputs, "NAME=FILE.npy, once for each input");
  app.add_option("--output-dir", run.outputDir,
                 "folder for output_0.npy, output_1.npy, ...");
  app.add_flag("--no-verify", run.noVerify,
               "run also what is not free of races and deadlock");
  app.add_flag("--trust-host-code", run.trustHostCode,
               "run native code that another user, or this one elsewhere, "
               "compiled: it can do whatever you can");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (absl::Status status = tools::runProgram(run); !status.ok()) {
      fmt::print(stderr, "tenon-run: {}\n", std::string(status.message()));
      return absl::IsUnauthenticated(status) ? 3 : 1;
    }
  } catch (const std::exception &error) { // memory
    fmt::print(stderr, "tenon-run: {}\n", error.what());
    return 1;
  }
  return 0;
}
