//===- tools/fpga/board.cpp - Boards as data ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/board.h"

#include "tools/fpga/board_words.h"
#include "tools/fpga/sources.h"

#include "isa/files.h"
#include "sim/memory/memory_options.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <filesystem>

namespace tenon::fpga {
namespace {

namespace fs = std::filesystem;

constexpr double mostMegahertz = 2000;

// "./x" in the board's file is x beside that file.
void resolve(const fs::path &folder, std::string &path) {
  if (absl::StartsWith(path, "./") || absl::StartsWith(path, "../"))
    path = fs::absolute(folder / path).lexically_normal().string();
}

// What a flow cannot do without.
absl::Status checkOpenFlow(const Board &board) {
  std::vector<std::string> missing;
  auto need = [&](bool given, const char *field) {
    if (!given)
      missing.push_back(field);
  };
  need(!board.device().empty(), "device");
  need(board.family() == Board::GOWIN || !board.package().empty(), "package");
  need(board.family() != Board::GOWIN || !board.pack_device().empty(),
       "pack_device");
  need(!board.top().empty(), "top");
  need(board.sources_size() != 0, "sources");
  need(board.has_available(), "available");
  if (!missing.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("the open flow needs ", absl::StrJoin(missing, ", ")));
  if (board.family() != Board::ECP5 && board.family() != Board::GOWIN &&
      board.family() != Board::ICE40)
    return absl::InvalidArgumentError(absl::StrCat(
        "the open flow has no family ", Board::Family_Name(board.family()),
        "; it has ECP5, GOWIN and ICE40"));
  return absl::OkStatus();
}

absl::Status checkBoard(const Board &board) {
  if (board.name().empty())
    return absl::InvalidArgumentError("name is missing");
  if (board.configuration().empty())
    return absl::InvalidArgumentError("configuration is missing");
  if (absl::Status status = checkWords(board); !status.ok())
    return status;
  if (auto timing = sim::parseMemoryTiming(board.memory().timing());
      !timing.ok())
    return absl::InvalidArgumentError(
        absl::StrCat("memory.timing: ", timing.status().message()));
  if (!(board.clock_mhz() > 0) || board.clock_mhz() > mostMegahertz)
    return absl::InvalidArgumentError(
        absl::StrCat("clock_mhz: expected more than 0 and at most ",
                     mostMegahertz, ", found ", board.clock_mhz()));
  switch (board.flow()) {
  case Board::YOSYS_NEXTPNR:
    return checkOpenFlow(board);
  case Board::VIVADO:
    return board.has_vivado()
               ? absl::OkStatus()
               : absl::InvalidArgumentError("flow VIVADO needs vivado { ... }");
  default:
    return absl::InvalidArgumentError(
        "flow: expected YOSYS_NEXTPNR or VIVADO, found none");
  }
}

std::string stem(const std::string &path) { return fs::path(path).stem(); }

} // namespace

absl::StatusOr<Board> parseBoard(const std::string &text,
                                 const std::string &source,
                                 const fs::path &folder) {
  Board board;
  if (absl::Status status = isa::parseText(text, source, 1, board);
      !status.ok())
    return status;
  if (absl::Status status = checkBoard(board); !status.ok())
    return absl::InvalidArgumentError(
        absl::StrCat(source, ": ", status.message()));
  for (std::string &glob : *board.mutable_sources())
    resolve(folder, glob);
  resolve(folder, *board.mutable_constraints());
  return board;
}

absl::StatusOr<std::vector<std::string>> boardNames() {
  auto files = hardwareFiles("boards/*.textproto");
  if (!files.ok())
    return files.status();
  std::vector<std::string> names;
  for (const SourceFile &file : *files)
    names.push_back(stem(file.path));
  return names;
}

absl::StatusOr<Board> loadBoard(absl::string_view nameOrPath) {
  const std::string name(nameOrPath);
  if (absl::StrContains(name, "/") || absl::EndsWith(name, ".textproto")) {
    auto text = isa::readFile(name);
    if (!text.ok())
      return text.status();
    return parseBoard(*text, name, fs::path(name).parent_path());
  }
  auto files = hardwareFiles("boards/*.textproto");
  if (!files.ok())
    return files.status();
  std::vector<std::string> names;
  for (const SourceFile &file : *files) {
    if (stem(file.path) == name)
      return parseBoard(file.text, "hw/" + file.path, "");
    names.push_back(stem(file.path));
  }
  return absl::NotFoundError(absl::StrCat("there is no board '", name,
                                          "'; there are ",
                                          absl::StrJoin(names, ", ")));
}

absl::StatusOr<isa::Configuration> configurationOf(const Board &board) {
  const std::string &name = board.configuration();
  if (!absl::StartsWith(name, "boards/"))
    return isa::loadConfiguration(name);
  auto file = hardwareFile(name);
  if (!file.ok())
    return file.status();
  return isa::parseConfiguration(file->text, "hw/" + name);
}

std::string familyName(Board::Family family) {
  switch (family) {
  case Board::ECP5:
    return "ECP5";
  case Board::GOWIN:
    return "Gowin";
  case Board::ICE40:
    return "iCE40";
  case Board::XILINX_7:
    return "Xilinx 7";
  case Board::XILINX_ULTRASCALE_PLUS:
    return "UltraScale+";
  default:
    return "unknown";
  }
}

std::string checkedModule(const Board &board) {
  return board.checked_module().empty() ? "bridge_top" : board.checked_module();
}

} // namespace tenon::fpga
