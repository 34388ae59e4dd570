//===- tools/tenon/board_choice.h - What --board stands for -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_BOARD_CHOICE_H
#define TENON_TOOLS_TENON_BOARD_CHOICE_H

#include "isa/proto/program.pb.h"
#include "tools/fpga/board.h"

#include <string>

namespace CLI {
class App;
} // namespace CLI

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

/// InvalidArgument, if a compiled program is for another machine or clock,
/// which decides what of it runs on the host.
absl::Status checkBoard(const BoardChoice &choice, const std::string &path,
                        const isa::Program &program);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_BOARD_CHOICE_H
