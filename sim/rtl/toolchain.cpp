//===- sim/rtl/toolchain.cpp - Verilator and the C++ compiler -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/toolchain.h"

#include "sim/rtl/process.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <fstream>

namespace tenon::sim {
namespace {

absl::StatusOr<std::string> firstLine(const Command &command) {
  absl::StatusOr<std::string> text = outputOf(command);
  if (!text.ok())
    return text.status();
  return std::string(
      absl::StripAsciiWhitespace(text->substr(0, text->find('\n'))));
}

// Model and feature flags of the first CPU.
std::string cpuIdentity() {
  std::ifstream in("/proc/cpuinfo");
  std::string identity, line;
  while (std::getline(in, line) && !line.empty())
    if (absl::StartsWith(line, "model name") || absl::StartsWith(line, "flags"))
      absl::StrAppend(&identity, line, "\n");
  return identity;
}

absl::Status missing(absl::string_view what, absl::string_view purpose,
                     absl::string_view package) {
  return absl::FailedPreconditionError(
      absl::StrCat(what, " is not in PATH; it is needed to ", purpose,
                   ". Install it with: apt-get install ", package));
}

} // namespace

absl::StatusOr<Toolchain> findToolchain() {
  Toolchain tools;
  tools.verilator = findProgram("verilator");
  if (tools.verilator.empty())
    return missing("verilator", "turn the RTL into a simulator", "verilator");
  for (const char *name : {"clang++-22", "g++", "clang++"})
    if (tools.compiler.empty())
      tools.compiler = findProgram(name);
  if (tools.compiler.empty())
    return missing("a C++ compiler (clang++-22, g++ or clang++)",
                   "compile the simulator", "g++");
  tools.ccache = findProgram("ccache");
  tools.cpu = cpuIdentity();

  absl::StatusOr<std::string> line = firstLine({tools.verilator, "--version"});
  if (!line.ok())
    return line.status();
  tools.verilatorVersion = *line;
  line = firstLine({tools.verilator, "--getenv", "VERILATOR_ROOT"});
  if (!line.ok())
    return line.status();
  tools.verilatorRoot = *line;
  line = firstLine({tools.compiler, "--version"});
  if (!line.ok())
    return line.status();
  tools.compilerVersion = *line;
  return tools;
}

} // namespace tenon::sim
