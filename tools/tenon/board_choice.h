//===- tools/tenon/board_choice.h - What --board stands for -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_BOARD_CHOICE_H
#define TENON_TOOLS_TENON_BOARD_CHOICE_H

#include "isa/proto/program.pb.h"
#include "tools/fpga/board.h"

#include "CLI/CLI.hpp"

#include <string>

namespace tenon::tools {

/// Adds --board: `what` it stands for in this verb.
void addBoardOption(CLI::App &verb, std::string &board,
                    const std::string &what);

/// A board, and the machine in it at the board's clock: its own configuration,
/// or `config` (name or file; "": none).
struct BoardChoice {
  fpga::Board board;
  isa::Configuration configuration;
};
absl::StatusOr<BoardChoice> chooseBoard(const std::string &board,
                                        const std::string &config);

/// A compiled program runs at the board's clock; InvalidArgument, if it is for
/// another machine.
absl::Status setBoard(const BoardChoice &choice, const std::string &path,
                      isa::Program &program);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_BOARD_CHOICE_H
