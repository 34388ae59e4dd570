//===- tools/fpga/tools.h - The programs of the open flows ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Each is looked for in $TENON_FPGA_TOOLS (a bin directory), then in PATH,
// first as PyPI's YoWASP packages name it, then under its own name.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_TOOLS_H
#define TENON_TOOLS_FPGA_TOOLS_H

#include "hw/boards/proto/board.pb.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon::fpga {

/// One line for a person: what is being done, and for how many seconds.
using BuildProgress =
    std::function<void(const std::string &phase, double seconds)>;

/// What a tool is for and how it comes onto a machine.
struct ToolKind {
  std::string name;               // "yosys"
  std::vector<std::string> names; // of the program, the first found is taken
  std::string purpose;            // "synthesis"
  std::string package;            // of PyPI, with its version
};

struct Tool {
  ToolKind kind;
  std::string path;    // absolute
  std::string version; // a line; a part of cache keys
};

/// Synthesis, place and route, packer of a family of the open flow, in order.
std::vector<ToolKind> toolsFor(Board::Family family);

/// Every tool of the open flows.
std::vector<ToolKind> allTools();

/// The path of a tool, or "".
std::string findTool(const ToolKind &kind);

/// "pip install ...": of the tool's package.
std::string installCommand(const ToolKind &kind);

/// Finds the tool and asks its version (the first start of a YoWASP tool
/// compiles it, which takes up to two minutes). FailedPrecondition: it is
/// missing (with the command that installs it) or does not start.
absl::StatusOr<Tool> requireTool(const ToolKind &kind,
                                 const BuildProgress &progress);

/// The folder with the models of cells that the found Yosys ships: ecp5/,
/// gowin/, ... FailedPrecondition: there is no Yosys, or it has none.
absl::StatusOr<std::string> yosysShare();

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_TOOLS_H
