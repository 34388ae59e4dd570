//===- tools/tenon/board_choice.cpp - What --board stands for -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/board_choice.h"

#include "isa/configuration.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

namespace tenon::tools {

void addBoardOption(CLI::App &verb, std::string &board,
                    const std::string &what) {
  verb.add_option("--board", board,
                  "name of a board (`tenon fpga list`) or its file: " + what)
      ->type_name("NAME");
}

absl::StatusOr<BoardChoice> chooseBoard(const std::string &board,
                                        const std::string &config) {
  auto loaded = fpga::loadBoard(board);
  if (!loaded.ok())
    return loaded.status();
  auto configuration = config.empty() ? fpga::configurationOf(*loaded)
                                      : isa::loadConfiguration(config);
  if (!configuration.ok())
    return configuration.status();
  configuration->set_clock_mhz(
      std::max(1u, unsigned(std::lround(loaded->clock_mhz()))));
  return BoardChoice{*std::move(loaded), *std::move(configuration)};
}

absl::Status setBoard(const BoardChoice &choice, const std::string &path,
                      isa::Program &program) {
  if (isa::configurationHash(choice.configuration) !=
      isa::configurationHash(program.configuration()))
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": the program was compiled for configuration '",
        program.configuration().name(), "', board ", choice.board.name(),
        " has '", choice.configuration.name(),
        "': compile the network again with --board=", choice.board.name()));
  program.mutable_configuration()->set_clock_mhz(
      choice.configuration.clock_mhz());
  return absl::OkStatus();
}

} // namespace tenon::tools
