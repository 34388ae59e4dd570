//===- tools/fpga/area_model.cpp - Area without synthesis -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/area_model.h"
#include "tools/fpga/area_blocks.h"
#include "tools/fpga/area_coefficients.h"
#include "tools/fpga/board.h"
#include "tools/fpga/reports.h"
#include "tools/fpga/sources.h"

#include "isa/content_hash.h"
#include "isa/specification.h"

#include "absl/strings/str_join.h"
#include "fmt/format.h"

#include <algorithm>
#include <cmath>

namespace tenon::fpga {
namespace {

std::string str(absl::string_view text) { return std::string(text); }

AreaPart &partOf(Area &area, absl::string_view name) {
  for (AreaPart &entry : *area.mutable_parts())
    if (entry.name() == name)
      return entry;
  AreaPart &entry = *area.add_parts();
  entry.set_name(str(name));
  return entry;
}

/// What the fitted parts take, by the order of the terms.
absl::Status addParts(const isa::Names &names, Area &area) {
  for (const AreaTerm &term : areaTerms()) {
    if (term.family != area.family())
      continue;
    auto value = isa::evaluate(term.feature, names);
    if (!value.ok())
      return value.status();
    Resources &used = *partOf(area, term.part).mutable_used();
    used.set_lut(used.lut() + *value * term.lut);
    used.set_ff(used.ff() + *value * term.ff);
  }
  return absl::OkStatus();
}

/// "block_in 32 (fitted 4 to 16)" of every feature outside of the fitted runs.
absl::StatusOr<std::string> outside(absl::string_view family,
                                    const isa::Names &names) {
  std::vector<std::string> found;
  for (const AreaRange &range : areaRanges()) {
    if (range.family != family)
      continue;
    auto value = isa::evaluate(range.feature, names);
    if (!value.ok())
      return value.status();
    if (*value < range.least || *value > range.most)
      found.push_back(fmt::format("{} {} (fitted {} to {})", range.feature,
                                  *value, range.least, range.most));
  }
  return found.empty()
             ? ""
             : "beyond the fitted runs: " + absl::StrJoin(found, ", ");
}

Resources sum(const Resources &a, const Resources &b) {
  Resources result;
  result.set_lut(a.lut() + b.lut());
  result.set_ff(a.ff() + b.ff());
  result.set_dsp(a.dsp() + b.dsp());
  result.set_ram(a.ram() + b.ram());
  return result;
}

/// Host bridge and the memory behind it (hw/bridge): a bank for each bit that
/// is set in its number of words, every byte of a word a RAM of its own.
absl::StatusOr<Resources> bridgeArea(const isa::Names &names,
                                     absl::string_view family,
                                     const Board &board) {
  Resources used;
  if (board.memory_bytes() == 0)
    return used;
  Area area;
  area.set_family(str(family) + "-bridge");
  if (absl::Status status = addParts(names, area); !status.ok())
    return status;
  for (const AreaPart &part : area.parts())
    used = sum(used, part.used());
  used.set_lut(std::round(used.lut()));
  used.set_ff(std::round(used.ff()));
  const int64_t lanes = names.at("beat_bytes");
  const int64_t words = board.memory_bytes() / lanes;
  for (int64_t bank = 1; bank <= words; bank *= 2)
    if (words & bank)
      used.set_ram(used.ram() +
                   lanes * blockRams(family, {bank, 1, 8}, /*forced=*/true));
  return used;
}

} // namespace

std::vector<std::string> areaFamilies() {
  return {"ecp5", "gowin", "ice40", "xc7"};
}

absl::StatusOr<std::string> areaFamily(Board::Family family) {
  switch (family) {
  case Board::ECP5:
    return "ecp5";
  case Board::GOWIN:
    return "gowin";
  case Board::ICE40:
    return "ice40";
  case Board::XILINX_7:
  case Board::XILINX_ULTRASCALE_PLUS:
    return "xc7";
  default:
    return absl::InvalidArgumentError("the board names no family");
  }
}

absl::StatusOr<Area> estimateArea(const isa::Configuration &configuration,
                                  absl::string_view family) {
  const auto families = areaFamilies();
  if (std::find(families.begin(), families.end(), family) == families.end())
    return absl::NotFoundError(
        fmt::format("no model of family '{}'; there are {}", str(family),
                    absl::StrJoin(families, ", ")));
  auto names = isa::derivedNames(configuration);
  if (!names.ok())
    return names.status();
  Area area;
  area.set_family(str(family));
  if (absl::Status status = addParts(*names, area); !status.ok())
    return status;
  auto memories = blockMemories(family, *names);
  auto products = multipliers(family, *names);
  if (!memories.ok() || !products.ok())
    return memories.ok() ? products.status() : memories.status();
  for (AreaMemory &memory : *memories) {
    Resources &used = *partOf(area, memory.part()).mutable_used();
    used.set_lut(used.lut() + memory.lut());
    used.set_ff(used.ff() + memory.ff());
    used.set_ram(used.ram() + memory.blocks());
    *area.add_memories() = std::move(memory);
  }
  Resources &used = *area.mutable_used();
  for (const AreaPart &part : area.parts())
    used = sum(used, part.used());
  for (const AreaScale &scale : areaScales())
    if (scale.family == family) {
      used.set_lut(std::round(used.lut() * scale.lut));
      used.set_ff(std::round(used.ff() * scale.ff));
    }
  used.set_dsp(*products);
  auto warning = outside(family, *names);
  if (!warning.ok())
    return warning.status();
  area.set_warning(*warning);
  return area;
}

absl::StatusOr<AreaReport>
estimateAreas(const isa::Configuration &configuration,
              const std::vector<std::string> &families) {
  AreaReport report;
  auto rtl = rtlHash();
  if (!rtl.ok())
    return rtl.status();
  report.set_configuration(configuration.name());
  report.set_fitted_rtl(areaFittedRtl());
  report.set_rtl(*rtl);
  for (const std::string &family : families) {
    auto area = estimateArea(configuration, family);
    if (!area.ok())
      return area.status();
    *report.add_areas() = *std::move(area);
  }
  return report;
}

absl::StatusOr<BoardFit> fitBoard(const isa::Configuration &configuration,
                                  const Board &board) {
  auto family = areaFamily(board.family());
  if (!family.ok())
    return family.status();
  auto names = isa::derivedNames(configuration);
  auto machine = estimateArea(configuration, *family);
  if (!names.ok() || !machine.ok())
    return names.ok() ? machine.status() : names.status();
  auto bridge = bridgeArea(*names, *family, board);
  if (!bridge.ok())
    return bridge.status();
  BoardFit fit;
  fit.set_configuration(configuration.name());
  fit.set_board(board.name());
  fit.set_part(board.part());
  *fit.mutable_machine() = machine->used();
  *fit.mutable_bridge() = *bridge;
  *fit.mutable_used() = sum(machine->used(), *bridge);
  *fit.mutable_available() = board.available();
  for (Shortfall &entry : shortfallOf(fit.used(), fit.available()))
    *fit.add_shortfall() = std::move(entry);
  fit.set_fits(fit.shortfall_size() == 0);
  fit.set_warning(machine->warning());
  return fit;
}

absl::StatusOr<std::string> rtlHash() {
  auto files = hardwareFiles("rtl/*.sv");
  if (!files.ok())
    return files.status();
  isa::ContentHash hash;
  for (const SourceFile &file : *files) {
    hash.add(file.path);
    hash.add(file.text);
  }
  return hash.hex().substr(0, 16);
}

} // namespace tenon::fpga
