//===- tools/tenon/run_options.h - What tenon run is asked for --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_RUN_OPTIONS_H
#define TENON_TOOLS_TENON_RUN_OPTIONS_H

#include "tools/tenon/files.h"
#include "tools/tenon/report_files.h"
#include "tools/tenon/trust.h"

#include "compiler/driver/compile.h"
#include "runtime/check.h"
#include "runtime/loaded_program.h"

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace tenon::tools {

struct RunOptions {
  std::string model;
  std::string target = "rtl";
  compiler::Options compile;
  bool configGiven = false;
  std::string compiling; // an option given that only a network has use for
  std::string board;     // --board
  std::string require;
  std::vector<std::string> inputs;
  std::string preprocess;
  std::string many, expectLabels;      // --inputs, --expect-labels
  std::string manyOption = "--inputs"; // what `many` is called
  std::vector<std::string> expect;
  std::optional<runtime::Tolerance> tolerance; // of --expect; else the usual
  std::string outputDir, dumpTensors, json, labels, memory;
  ReportFiles reportFiles;
  std::vector<std::string> check{"functional", "cpu"};
  bool checkGiven = false, noVerify = false, trustHostCode = false;
  uint64_t seed = 1;
  unsigned top = 3;

  /// Of the program's host code; what is compiled here is trusted.
  runtime::HostCodeTrust trust() const { return trustOf(model, trustHostCode); }
  /// Whether results are compared with this execution.
  bool wants(absl::string_view with) const {
    return absl::c_linear_search(check, with);
  }
};

/// Adds the options of the verb, which fill `options`.
void addRunOptions(CLI::App &verb, RunOptions &options);

/// What outputs may be off by without --tolerance: integers of up to 16 bits,
/// which quantised values are, one LSB, since a value half way between two may
/// become either; wider ones (counts, indices) and bool nothing; floats what
/// ONNX's own runner of test data lets them.
runtime::Tolerance usualTolerance(isa::ElementType type);

bool isFloat(isa::ElementType type);

/// What of the options excludes each other; empty where nothing does.
std::string contradiction(const RunOptions &options);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_RUN_OPTIONS_H
