//===- tools/fpga/board_words.cpp - What a board file hands to tools ------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/board_words.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <string>

namespace tenon::fpga {
namespace {

/// What a text may be: not empty, of letters, digits and `others`.
struct Kind {
  const char *description;
  const char *others;
  bool beginsWithLetter = false; // or '_'
};

constexpr Kind name{"letters, digits, '.', '_' and '-', a letter or '_' first",
                    "._-", true};
constexpr Kind identifier{"a Verilog identifier", "_", true};
constexpr Kind partName{"letters, digits, '.', '_', '-' and '/'", "._-/"};
constexpr Kind word{"letters, digits, '.', '_', '-', '=' and '+'", "._-=+"};
constexpr Kind hierarchy{"part of a cell's name", "._$[]"};
constexpr Kind title{"letters, digits, spaces and any of . , - _ + ( )",
                     " .,-_+()"};
constexpr Kind boardPart{"letters, digits, '.', '_', '-', ':' and '='",
                         "._-:="};
constexpr Kind property{"a name of letters, digits and '_'", "_", true};
constexpr Kind siteList{"names of sites, separated by spaces", "_/ "};

bool isOf(const Kind &kind, absl::string_view text) {
  if (text.empty() || (kind.beginsWithLetter && !absl::ascii_isalpha(text[0]) &&
                       text[0] != '_'))
    return false;
  return absl::c_all_of(text, [&](char c) {
    return absl::ascii_isalnum(c) ||
           absl::string_view(kind.others).find(c) != absl::string_view::npos;
  });
}

absl::Status wrong(absl::string_view field, absl::string_view expected,
                   absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(
      field, ": expected ", expected, ", found '", absl::CEscape(found), "'"));
}

/// nextpnr executes files by some options (--run, --pre-pack and others, each
/// also by a part of its name), and what a word beside options names: a board
/// has options of its algorithms alone, with their values in the same word.
absl::Status checkPlaceOption(absl::string_view word) {
  const absl::string_view option = word.substr(0, word.find('='));
  if (absl::StartsWith(option, "--placer") ||
      absl::StartsWith(option, "--router"))
    return absl::OkStatus();
  for (absl::string_view known :
       {"--no-tmdriv", "--tmg-ripup", "--opt-timing", "--no-promote-globals",
        "--parallel-refine", "--threads", "--slack_redist_iter"})
    if (option == known)
      return absl::OkStatus();
  return wrong("place_options",
               "an option of placer or router, its value behind '=' in the "
               "same word (--placer=heap)",
               word);
}

} // namespace

bool isPlainPath(absl::string_view path) { return isOf(partName, path); }

absl::Status checkWords(const Board &board) {
  absl::Status status;
  auto check = [&](const char *field, const Kind &kind,
                   absl::string_view text) {
    if (!isOf(kind, text))
      status.Update(wrong(field, kind.description, text));
  };
  auto checkIfGiven = [&](const char *field, const Kind &kind,
                          absl::string_view text) {
    if (!text.empty())
      check(field, kind, text);
  };
  check("name", name, board.name());
  checkIfGiven("title", title, board.title());
  checkIfGiven("memory.title", title, board.memory().title());
  checkIfGiven("configuration", partName, board.configuration());
  checkIfGiven("part", partName, board.part());
  checkIfGiven("device", partName, board.device());
  checkIfGiven("package", partName, board.package());
  checkIfGiven("speed", partName, board.speed());
  checkIfGiven("pack_device", partName, board.pack_device());
  checkIfGiven("top", identifier, board.top());
  checkIfGiven("checked_module", identifier, board.checked_module());
  for (const Parameter &parameter : board.parameters())
    check("parameters.name", identifier, parameter.name());
  for (const std::string &option : board.synthesis_options())
    check("synthesis_options", word, option);
  for (const std::string &option : board.place_options()) {
    check("place_options", word, option);
    status.Update(checkPlaceOption(option));
  }
  for (const std::string &option : board.pack_options())
    check("pack_options", word, option);
  const Vivado &vivado = board.vivado();
  checkIfGiven("vivado.part", partName, vivado.part());
  checkIfGiven("vivado.board_part", boardPart, vivado.board_part());
  for (const std::string &connection : vivado.board_connections())
    check("vivado.board_connections", boardPart, connection);
  for (const Vivado::Property &entry : vivado.processor()) {
    check("vivado.processor.name", property, entry.name());
    if (!absl::c_all_of(entry.value(), absl::ascii_isprint))
      status.Update(
          wrong("vivado.processor.value", "printable ASCII", entry.value()));
  }
  for (const Floorplan &entry : board.floorplan()) {
    check("floorplan.type", identifier, entry.type());
    checkIfGiven("floorplan.within", hierarchy, entry.within());
    for (const std::string &sites : entry.sites())
      check("floorplan.sites", siteList, sites);
  }
  return status;
}

} // namespace tenon::fpga
