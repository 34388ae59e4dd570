//===- tools/tenon/config.cpp - tenon config ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/commands.h"
#include "tools/tenon/exit_code.h"
#include "tools/tenon/files.h"

#include "isa/configuration.h"
#include "isa/isa.h"

#include "fmt/format.h"
#include "google/protobuf/util/json_util.h"

namespace tenon::tools {

namespace {

struct Options {
  std::string name;
  std::string json;
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

int list() {
  std::string text =
      fmt::format("{:<10}{:>10}{:>8}{:>12}{:>10}{:>12}\n", "name", "shape",
                  "bus", "peak GOP/s", "clock", "SRAM KiB");
  for (const std::string &name : isa::shippedConfigurations()) {
    auto config = isa::loadConfiguration(name);
    if (!config.ok())
      return report(config.status());
    auto layout = isa::Layout::get(*config);
    if (!layout.ok())
      return report(layout.status());
    double bits = 0;
    for (const isa::MemoryInfo &memory : isa::memories(*layout))
      bits += static_cast<double>(memory.entries) * memory.elementBits;
    text += fmt::format("{:<10}{:>10}{:>8}{:>12.1f}{:>6} MHz{:>12.1f}\n", name,
                        shapeText(*config), config->bus_bits(),
                        peakGops(*config), config->clock_mhz(), bits / 8192);
  }
  return report(writeOutput("-", text));
}

int show(const Options &options) {
  auto config = isa::loadConfiguration(options.name);
  if (!config.ok())
    return report(config.status());
  auto layout = isa::Layout::get(*config);
  if (!layout.ok())
    return report(layout.status());
  if (!options.json.empty()) {
    google::protobuf::util::JsonPrintOptions print;
    print.add_whitespace = true;
    print.preserve_proto_field_names = true;
    print.always_print_primitive_fields = true;
    std::string text;
    (void)google::protobuf::util::MessageToJsonString(*config, &text, print);
    return report(writeOutput(options.json, text));
  }
  std::string text = fmt::format(
      "{} · {} · {}-bit port · {:.1f} GOP/s at {} MHz · hash {:016x}\n\n",
      config->name(), shapeText(*config), config->bus_bits(),
      peakGops(*config), config->clock_mhz(),
      isa::configurationHash(*config));
  text += fmt::format("  {:<10}{:>10}{:>16}{:>12}\n", "memory", "entries",
                      "bits an entry", "KiB");
  for (const isa::MemoryInfo &memory : isa::memories(*layout))
    text += fmt::format("  {:<10}{:>10}{:>16}{:>12.1f}\n", memory.name,
                        memory.entries, memory.elementBits,
                        static_cast<double>(memory.entries) *
                            memory.elementBits / 8192);
  text += fmt::format("\n  {:<10}{:>10} of {} bits\n", "format", "bits",
                      config->instruction_bits());
  for (const isa::FormatInfo &format : isa::formats(*layout))
    text += fmt::format("  {:<10}{:>10}\n", format.name, format.bits);
  text += fmt::format("\n{}", config->DebugString());
  return report(writeOutput("-", text));
}

int check(const Options &options) {
  auto config = isa::loadConfiguration(options.name);
  if (!config.ok())
    return report(config.status());
  return report(writeOutput(
      "-", fmt::format("{}: fits\n", config->name())));
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
  showVerb->callback([options, &exitCode] { exitCode = show(*options); });
  CLI::App *checkVerb = verb->add_subcommand(
      "check", "Whether it can be built; else what does not fit, by how many "
               "bits");
  checkVerb->add_option("NAME", options->name, "name or .textproto file")
      ->required();
  checkVerb->callback([options, &exitCode] { exitCode = check(*options); });
}

} // namespace tenon::tools
