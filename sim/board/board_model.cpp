//===- sim/board/board_model.cpp - A board's logic as Verilog -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/board/board_model.h"

#include "isa/verilog.h"
#include "sim/board/sources.h"
#include "sim/rtl/recipe.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace tenon::sim {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::string> readText(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)),
                   std::istreambuf_iterator<char>());
  if (!in)
    return absl::NotFoundError(absl::StrCat("cannot read ", path.string()));
  return text;
}

const char *familyName(CellFamily family) {
  static const char *const names[] = {"ecp5", "gowin", "ice40"};
  return names[static_cast<int>(family)];
}

// The position of "module NAME" that begins a line at or behind `from`; NAME
// goes to `name`.
size_t nextModule(absl::string_view text, size_t from, std::string &name) {
  constexpr absl::string_view keyword = "module ";
  for (size_t at = text.find(keyword, from); at != absl::string_view::npos;
       at = text.find(keyword, at + 1)) {
    if (at && text[at - 1] != '\n')
      continue;
    size_t begin = text.find_first_not_of(" \\", at + keyword.size());
    size_t end = text.find_first_of(" (#;\n", begin);
    name = std::string(text.substr(begin, end - begin));
    return at;
  }
  return absl::string_view::npos;
}

std::set<std::string> modulesOf(absl::string_view text) {
  std::set<std::string> names;
  std::string name;
  for (size_t at = nextModule(text, 0, name); at != absl::string_view::npos;
       at = nextModule(text, at + 1, name))
    names.insert(name);
  return names;
}

// The text without its modules of these names: where ours stand for black
// boxes.
std::string without(absl::string_view text,
                    const std::set<std::string> &names) {
  constexpr absl::string_view end = "\nendmodule";
  std::string result, name;
  size_t kept = 0;
  for (size_t at = nextModule(text, 0, name); at != absl::string_view::npos;
       at = nextModule(text, at + 1, name)) {
    if (!names.count(name))
      continue;
    absl::StrAppend(&result, text.substr(kept, at - kept));
    size_t last = text.find(end, at);
    kept = last == absl::string_view::npos ? text.size() : last + end.size();
  }
  absl::StrAppend(&result, text.substr(kept));
  return result;
}

// Everything that Yosys ships for the family's cells: the models and what they
// include, whose names differ between families.
absl::StatusOr<std::vector<SourceFile>>
vendorCells(const fs::path &share, const std::string &family,
            const std::set<std::string> &ours) {
  std::vector<SourceFile> files;
  std::error_code error;
  fs::path folder = share / family;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name != "cells_sim.v" && it->path().extension() != ".vh")
      continue;
    absl::StatusOr<std::string> text = readText(it->path());
    if (!text.ok())
      return text.status();
    files.push_back({"cells/" + name, without(*text, ours)});
  }
  if (error || files.empty())
    return absl::NotFoundError(absl::StrCat(
        "no models of cells in ", folder.string(), " (Yosys's share folder)"));
  return files;
}

} // namespace

absl::StatusOr<BoardModel> bridgeModel(const isa::Layout &layout,
                                       const BridgeParameters &parameters) {
  BoardModel model;
  model.name = layout.config.name() + "-bridge";
  model.top = "bridge_top";
  model.inputs = {{"sck_i", 0}, {"csn_i", 1}, {"mosi_i", 0}};
  model.parameters = {{"ClockHz", absl::StrCat(parameters.clockHz)},
                      {"MemoryBytes", absl::StrCat(parameters.memoryBytes)}};
  model.files.push_back({"rtl/tenon_pkg.sv", isa::verilogPackage(layout)});
  absl::StatusOr<std::vector<SourceFile>> rtl = rtlSources();
  if (!rtl.ok())
    return rtl.status();
  absl::StatusOr<std::vector<SourceFile>> bridge =
      hardwareSources("bridge", embeddedBoardSources());
  if (!bridge.ok())
    return bridge.status();
  for (const auto *files : {&*rtl, &*bridge})
    for (const SourceFile &file : *files)
      if (file.path != "rtl/tenon_pkg.sv")
        model.files.push_back({file.path, onBothEdges(file.text)});
  model.cyclesOnBothEdges = true;
  return model;
}

absl::StatusOr<BoardModel> netlistModel(const std::string &netlist,
                                        const std::string &top,
                                        CellFamily family,
                                        const std::string &yosysShare) {
  BoardModel model;
  model.name = top;
  model.top = top;
  model.isNetlist = true;
  model.defines = {"NO_INCLUDES", "NO_ICE40_DEFAULT_ASSIGNMENTS"};
  absl::StatusOr<std::string> text = readText(netlist);
  if (!text.ok())
    return text.status();
  model.files.push_back({"netlist.v", *std::move(text)});
  const std::string ours =
      absl::StrCat("boards/cells/", familyName(family), ".v");
  std::set<std::string> replaced;
  for (const SourceFile &file : embeddedBoardSources())
    if (file.path == ours) {
      model.files.push_back(file);
      replaced = modulesOf(file.text);
    }
  absl::StatusOr<std::vector<SourceFile>> cells =
      vendorCells(yosysShare, familyName(family), replaced);
  if (!cells.ok())
    return cells.status();
  for (SourceFile &file : *cells)
    model.files.push_back(std::move(file));
  return model;
}

} // namespace tenon::sim
