//===- tools/fpga/board.h - Boards as data ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// hw/boards/NAME.textproto describes a board; this reads and checks it.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_BOARD_H
#define TENON_TOOLS_FPGA_BOARD_H

#include "hw/boards/proto/board.pb.h"
#include "isa/configuration.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tenon::fpga {

/// Names of the boards in hw/boards, sorted.
absl::StatusOr<std::vector<std::string>> boardNames();

/// Reads and checks a board: the name of one in hw/boards, or a file where the
/// argument contains '/' or ends in ".textproto". Paths in it that begin with
/// "./" are made relative to the file's folder, the others stay relative to
/// hw/. NotFound lists the boards there are; syntax errors say
/// file:line:column; InvalidArgument names the field.
absl::StatusOr<Board> loadBoard(absl::string_view nameOrPath);

/// The same of a text; `source` is what errors call it, `folder` what "./" is
/// relative to.
absl::StatusOr<Board> parseBoard(const std::string &text,
                                 const std::string &source,
                                 const std::filesystem::path &folder);

/// The board's configuration: one by name, or a file of hw/ ("boards/...").
absl::StatusOr<isa::Configuration> configurationOf(const Board &board);

/// "ECP5", "Gowin GW2A", ...: for people.
std::string familyName(Board::Family family);

/// The module that is simulated as a netlist.
std::string checkedModule(const Board &board);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_BOARD_H
