//===- tools/fpga/step.h - A step of a flow, kept by content ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A step runs tools in a directory of its own on files that it is given and
// leaves files behind. The directory is kept in the cache (sim/rtl/build.h says
// where) under a key of everything that went in, so it cannot go stale. It is
// made under another name and renamed; a lock keeps two processes from the same
// step. Tools see relative paths only: the YoWASP ones have another /tmp.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_STEP_H
#define TENON_TOOLS_FPGA_STEP_H

#include "tools/fpga/sources.h"
#include "tools/fpga/tools.h"

#include "absl/strings/string_view.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tenon::fpga {

struct Step {
  std::string name;  // "synth": of directory and log
  std::string title; // "synthesis": for people
  Tool tool;
  std::vector<std::string> arguments;
  std::vector<SourceFile> files;    // written into its directory before it runs
  std::vector<std::string> links;   // absolute paths of earlier steps' files,
                                    // linked into its directory
  std::string linksKey;             // what their contents follow from
  std::vector<std::string> outputs; // files it must leave
  std::chrono::seconds limit{7200};
  /// Makes an error of what the tool left behind where it failed (its files
  /// are in `directory`), or OK to have the general one with the log's end.
  std::function<absl::Status(const std::string &directory)> explain;
};

struct StepResult {
  std::string directory;
  std::string key;
  double seconds = 0; // that it took when it ran
  bool cached = false;

  std::string file(absl::string_view name) const;
};

/// Runs a step or takes it from the cache. Where it fails, its log is copied to
/// `logs` and the error names it: Internal, the tool failed; what `explain`
/// gave; DeadlineExceeded, the tool's limit or the lock's; FailedPrecondition,
/// the cache cannot be written.
absl::StatusOr<StepResult> runStep(const Step &step, const std::string &logs,
                                   const BuildProgress &progress);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_STEP_H
