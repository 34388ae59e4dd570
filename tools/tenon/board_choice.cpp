//===- tools/tenon/board_choice.cpp - What --board stands for -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/board_choice.h"

#include "isa/configuration.h"

#include "CLI/CLI.hpp"
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

absl::Status checkBoard(const BoardChoice &choice, const std::string &path,
                        const isa::Program &program) {
  const isa::Configuration &has = choice.configuration;
  const isa::Configuration &given = program.configuration();
  if (isa::configurationHash(has) == isa::configurationHash(given) &&
      has.clock_mhz() == given.clock_mhz())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": the program was compiled for configuration '", given.name(),
      "' at ", given.clock_mhz(), " MHz, board ", choice.board.name(), " has '",
      has.name(), "' at ", has.clock_mhz(),
      " MHz: compile the network again with --board=", choice.board.name()));
}

} // namespace tenon::tools
