//===- tools/tenon/doctor.cpp - tenon doctor ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"

#include "sim/rtl/process.h"
#include "tools/fpga/tools.h"

#include "CLI/CLI.hpp"
#include "fmt/format.h"

#include <vector>

namespace tenon::tools {

namespace {

/// An external tool, any of its names, what it is for, and the Debian package
/// that has the first.
struct Tool {
  std::vector<const char *> names;
  const char *purpose;
  const char *package;
  bool required;
};

const Tool tools[] = {
    {{"verilator"},
     "builds the RTL simulators (--target=rtl)",
     "verilator",
     true},
    {{"clang++-22", "g++", "clang++"},
     "compiles the RTL simulators (clang++-22 fastest)",
     "clang-22",
     true},
    {{"make"}, "drives Verilator's builds", "make", true},
    {{"ccache"}, "keeps compiled simulators", "ccache", false},
    {{"yosys"}, "reads the RTL for synthesis (tests)", "yosys", false},
    {{"yosys-smtbmc"}, "proves properties of the RTL", "yosys", false},
    {{"z3"}, "solver of the proofs", "z3", false},
    {{"chromium"}, "opens the report (tests)", "chromium", false},
};

std::string row(const std::string &name, const char *state,
                const std::string &purpose, const std::string &where) {
  return fmt::format("{:<33}{:<10}{:<54}{}\n", name, state, purpose, where);
}

int diagnose() {
  std::string text;
  bool complete = true;
  for (const Tool &tool : tools) {
    std::string path, name = tool.names[0];
    for (const char *other : tool.names)
      if (path.empty() && !(path = sim::findProgram(other)).empty())
        name = other;
    bool found = !path.empty();
    complete = complete && (found || !tool.required);
    text += row(name, found ? "found" : (tool.required ? "MISSING" : "missing"),
                tool.purpose,
                found ? path : fmt::format("apt-get install {}", tool.package));
  }
  for (const fpga::ToolKind &kind : fpga::allTools()) {
    std::string path = fpga::findTool(kind);
    text += row(kind.names[0], path.empty() ? "missing" : "found",
                kind.purpose + " (tenon fpga build)",
                path.empty() ? fpga::installCommand(kind) : path);
  }
  text += row("devices", "",
              "functional, tlm, rtl, cpu, fpga:serial:, fpga:uio:", "");
  if (auto status = writeOutput("-", text); !status.ok())
    return report(status);
  return complete ? ExitDone : ExitMissing;
}

} // namespace

void addDoctor(CLI::App &program, int &exitCode) {
  program
      .add_subcommand("doctor", "Which tools and devices are there, and how to "
                                "install what is missing")
      ->callback([&exitCode] { exitCode = diagnose(); });
}

} // namespace tenon::tools
