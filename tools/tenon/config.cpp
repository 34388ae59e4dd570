//===- tools/tenon/config.cpp - tenon config ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"
#include "tools/tenon/result.h"
#include "tools/tenon/suites.h"

#include "isa/configuration.h"
#include "isa/expression.h"
#include "isa/isa.h"
#include "isa/specification.h"
#include "tools/fpga/area_model.h"
#include "tools/fpga/board.h"
#include "tools/fpga/reports.h"

#include "CLI/CLI.hpp"
#include "fmt/format.h"

namespace tenon::tools {

namespace {

struct Options {
  std::string name;
  std::string json;
  std::string board;
  std::string family;
  bool area = false;
};

std::string shapeText(const isa::Configuration &config) {
  return fmt::format("{}x{}x{}", config.batch(), config.block_in(),
                     config.block_out());
}

/// Operations a second at the configuration's clock: a MAC is two.
double peakGops(const isa::Configuration &config) {
  return 2.0 * config.batch() * config.block_in() * config.block_out() *
         config.clock_mhz() / 1e3;
}

/// Width of an entry of `memory` times its entries, in bits.
struct MemorySize {
  std::string name;
  int64_t entries = 0, entryBits = 0;
  double kibibytes() const { return entries * entryBits / 8192.0; }
};

/// The scratchpads; acc8 is acc under another name and left out.
absl::StatusOr<std::vector<MemorySize>>
memorySizes(const isa::Configuration &config) {
  auto names = isa::derivedNames(config);
  if (!names.ok())
    return names.status();
  std::vector<MemorySize> sizes;
  for (const auto &memory : isa::specification().memories()) {
    if (memory.name() == "acc8")
      continue;
    auto entries = isa::evaluate(memory.entries(), *names);
    auto bits = isa::evaluate(memory.element_bits(), *names);
    if (!entries.ok() || !bits.ok())
      return entries.ok() ? bits.status() : entries.status();
    sizes.push_back({memory.name(), *entries, *bits});
  }
  // The specification lists what LOAD writes; OUT is ALU's and STORE's.
  sizes.push_back(
      {"out", names->at("out_entries"), names->at("out_bytes") * 8});
  return sizes;
}

/// "load 126, store 104, ..." of instruction_bits.
absl::StatusOr<std::string> formatBits(const isa::Configuration &config) {
  auto names = isa::derivedNames(config);
  if (!names.ok())
    return names.status();
  std::string text;
  for (const auto &format : isa::specification().formats()) {
    int64_t total = 0;
    for (const auto &field : format.fields()) {
      auto width = isa::evaluate(field.width(), *names);
      if (!width.ok())
        return width.status();
      total += *width;
    }
    text += fmt::format("  {:<10}{:>10}\n", format.name(), total);
  }
  return text;
}

int list() {
  std::string text =
      fmt::format("{:<10}{:>10}{:>8}{:>12}{:>10}{:>12}  {}\n", "name", "shape",
                  "bus", "peak GOP/s", "clock", "SRAM KiB", "suites passed");
  for (const std::string &name : isa::shippedConfigurations()) {
    auto config = isa::loadConfiguration(name);
    if (!config.ok())
      return report(config.status());
    auto sizes = memorySizes(*config);
    if (!sizes.ok())
      return report(sizes.status());
    double kibibytes = 0;
    for (const MemorySize &memory : *sizes)
      kibibytes += memory.kibibytes();
    text +=
        fmt::format("{:<10}{:>10}{:>8}{:>12.1f}{:>6} MHz{:>12.1f}  {}\n", name,
                    shapeText(*config), config->bus_bits(), peakGops(*config),
                    config->clock_mhz(), kibibytes, suitesOf(name));
  }
  return report(writeOutput("-", text));
}

std::string resourcesText(const fpga::Resources &used) {
  return fmt::format("{:>10.0f}{:>10.0f}{:>8g}{:>8g}", used.lut(), used.ff(),
                     used.dsp(), used.ram());
}

int showArea(const isa::Configuration &config, const Options &options) {
  auto result = fpga::estimateAreas(config, options.family.empty()
                                                ? fpga::areaFamilies()
                                                : std::vector{options.family});
  if (!result.ok())
    return report(result.status());
  if (!options.json.empty())
    return report(writeOutput(options.json, isa::toJson(*result)));
  std::string text = fmt::format(
      "{} · {} · area, estimated\n\n  {:<16}{:>10}{:>10}{:>8}{:>8}\n",
      config.name(), shapeText(config), "family", "LUT", "FF", "DSP", "RAM");
  for (const fpga::Area &area : result->areas())
    text +=
        fmt::format("  {:<16}{}\n", area.family(), resourcesText(area.used()));
  if (!options.family.empty() && result->areas_size()) {
    text += "\n";
    for (const fpga::AreaPart &part : result->areas(0).parts())
      text += fmt::format("  {:<16}{:>10.0f}{:>10.0f}\n", part.name(),
                          part.used().lut(), part.used().ff());
    text += fmt::format("\n  {:<8}{:>10}{:>8}{:>8}{:>14}{:>8}\n", "memory",
                        "entries", "bits", "copies", "kind", "RAM");
    for (const fpga::AreaMemory &memory : result->areas(0).memories())
      text += fmt::format("  {:<8}{:>10}{:>8}{:>8}{:>14}{:>8g}\n",
                          memory.name(), memory.entries(), memory.bits(),
                          memory.copies(), memory.kind(), memory.blocks());
  }
  if (result->areas_size() && !result->areas(0).warning().empty())
    fmt::print(stderr, "tenon: {}\n", result->areas(0).warning());
  if (result->rtl() != result->fitted_rtl())
    fmt::print(stderr, "tenon: hw/rtl has changed since the model was fitted: "
                       "hw/flows/README.md says how to fit it again\n");
  return report(writeOutput("-", text));
}

int show(const Options &options) {
  auto config = isa::loadConfiguration(options.name);
  if (!config.ok())
    return report(config.status());
  if (options.area)
    return showArea(*config, options);
  if (!options.family.empty())
    return reportUsage("--family says of which family --area is");
  auto sizes = memorySizes(*config);
  auto formats = formatBits(*config);
  if (!sizes.ok() || !formats.ok())
    return report(sizes.ok() ? formats.status() : sizes.status());
  if (!options.json.empty()) {
    return report(writeOutput(options.json, isa::toJson(*config)));
  }
  std::string text = fmt::format(
      "{} · {} · {}-bit port · {:.1f} GOP/s at {} MHz · hash {:016x}\n\n",
      config->name(), shapeText(*config), config->bus_bits(), peakGops(*config),
      config->clock_mhz(), isa::configurationHash(*config));
  text += fmt::format("  {:<10}{:>10}{:>16}{:>12}\n", "memory", "entries",
                      "bits an entry", "KiB");
  for (const MemorySize &memory : *sizes)
    text += fmt::format("  {:<10}{:>10}{:>16}{:>12.1f}\n", memory.name,
                        memory.entries, memory.entryBits, memory.kibibytes());
  text += fmt::format("\n  {:<10}{:>10} of {} bits\n{}", "format", "bits",
                      config->instruction_bits(), *formats);
  text += fmt::format("\n{}", config->DebugString());
  return report(writeOutput("-", text));
}

int checkBoard(const isa::Configuration &config, const Options &options) {
  auto board = fpga::loadBoard(options.board);
  if (!board.ok())
    return report(board.status());
  auto fit = fpga::fitBoard(config, *board);
  if (!fit.ok())
    return report(fit.status());
  const int code = fit->fits() ? ExitDone : ExitCheckFailed;
  if (!options.json.empty()) {
    int written = report(writeOutput(options.json, isa::toJson(*fit)));
    return written ? written : code;
  }
  std::string text = fmt::format(
      "{} on {} ({}) · estimated\n\n  {:<22}{:>10}{:>10}{:>8}{:>8}\n",
      config.name(), board->name(), board->part(), "", "LUT", "FF", "DSP",
      "RAM");
  text += fmt::format("  {:<22}{}\n", "machine", resourcesText(fit->machine()));
  if (board->memory_bytes())
    text += fmt::format(
        "  {:<22}{}\n",
        fmt::format("bridge, {} KiB DRAM", board->memory_bytes() / 1024),
        resourcesText(fit->bridge()));
  text +=
      fmt::format("  {:<22}{}\n", "available", resourcesText(fit->available()));
  text += fit->fits() ? "\nfits\n"
                      : fmt::format("\ndoes not fit: {}\n",
                                    fpga::describe({fit->shortfall().begin(),
                                                    fit->shortfall().end()}));
  if (!fit->warning().empty())
    fmt::print(stderr, "tenon: {}\n", fit->warning());
  int written = report(writeOutput("-", text));
  return written ? written : code;
}

int check(const Options &options) {
  auto config = isa::loadConfiguration(options.name);
  if (!config.ok())
    return report(config.status());
  if (!options.board.empty())
    return checkBoard(*config, options);
  if (!options.json.empty())
    return reportUsage("--json needs --board");
  return report(writeOutput("-", fmt::format("{}: fits\n", config->name())));
}

} // namespace

void addConfig(CLI::App &program, int &exitCode) {
  auto options = std::make_shared<Options>();
  CLI::App *verb = program.add_subcommand(
      "config", "List, show or check machine configurations");
  verb->require_subcommand(1);
  verb->add_subcommand("list", "The configurations that come with the tool")
      ->callback([&exitCode] { exitCode = list(); });
  CLI::App *showVerb =
      verb->add_subcommand("show", "Sizes, encoding, peak of a configuration");
  showVerb->add_option("NAME", options->name, "name or .textproto file")
      ->required();
  showVerb->add_option("--json", options->json,
                       "file for the fields as JSON; '-' is stdout");
  showVerb->add_flag("--area", options->area,
                     "what it takes of FPGA families, estimated");
  showVerb->add_option("--family", options->family,
                       "with --area: ecp5, gowin, ice40 or xc7 alone, by part "
                       "and memory");
  showVerb->callback([options, &exitCode] { exitCode = show(*options); });
  CLI::App *checkVerb = verb->add_subcommand(
      "check", "Whether it can be built; else what does not fit, by how many "
               "bits");
  checkVerb->add_option("NAME", options->name, "name or .textproto file")
      ->required();
  checkVerb->add_option("--board", options->board,
                        "also whether it fits this board (tenon fpga list), "
                        "estimated: exit code 3 where it does not");
  checkVerb->add_option("--json", options->json,
                        "with --board: file for the figures; '-' is stdout");
  checkVerb->callback([options, &exitCode] { exitCode = check(*options); });
}

} // namespace tenon::tools
