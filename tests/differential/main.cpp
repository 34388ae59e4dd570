// Part of Tenon, under the Apache License v2.0.
//
// tenon-differential: random programs, or programs of assembler text, on the
// functional simulator, the SystemC model and the observed RTL.

#include "CLI/CLI.hpp"
#include "isa/files.h"
#include "tests/differential/campaign.h"

#include <iostream>

using tenon::differential::CampaignOptions;

namespace {

int compareFiles(const std::vector<std::string> &files) {
  int worst = 0;
  for (const std::string &file : files) {
    absl::Status status = tenon::differential::compareFile(file);
    std::cout << file << ": "
              << (status.ok() ? "agrees" : std::string(status.message()))
              << "\n";
    if (!status.ok())
      worst = std::max(worst, absl::IsInternal(status) ? 3 : 1);
  }
  return worst;
}

int runCampaign(const CampaignOptions &options, const std::string &json) {
  auto figures = tenon::differential::runCampaign(options);
  absl::Status status = figures.status();
  if (status.ok() && !json.empty())
    status = tenon::isa::writeFile(json, tenon::isa::toJson(*figures));
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return 1;
  }
  std::cout << tenon::differential::figuresText(*figures);
  return figures->failures().empty() ? 0 : 3;
}

} // namespace

int main(int argc, char **argv) {
  CampaignOptions options;
  CLI::App app("Compares programs on the functional simulator, the SystemC "
               "model and the RTL, whose writes are checked instruction by "
               "instruction. Exit codes: 0 all agree, 1 bad input, 3 one "
               "does not.");
  std::vector<std::string> files;
  app.add_option("FILES", files,
                 ".tasm programs with one launch; none: random "
                 "ones");
  app.add_option("--config", options.configurations,
                 "shipped configurations, files, or random:SEED");
  uint32_t configurations = 4, programs = 200;
  app.add_option("--configs", configurations,
                 "so many configurations where --config gives none")
      ->capture_default_str();
  app.add_option("--programs", programs,
                 "at least so many, the same number on each configuration")
      ->capture_default_str();
  app.add_option("--seed", options.seed,
                 "of the first program and of the first random configuration")
      ->capture_default_str();
  app.add_option("--size", options.size, "instructions of a program, roughly")
      ->capture_default_str();
  app.add_option("--memory", options.memory,
                 "random, or one for all as `tenon run --memory` has it")
      ->capture_default_str();
  app.add_option("--minutes", options.minutes,
                 "after which no configuration begins; 0: no limit")
      ->capture_default_str();
  app.add_flag("!--no-rtl", options.onRtl, "functional and SystemC only");
  app.add_flag("!--no-tlm", options.onTlm, "functional and RTL only");
  app.add_flag("!--no-shrink", options.shrink, "report failures as drawn");
  app.add_option("--keep", options.keep, "folder for shrunk failures");
  std::string json;
  app.add_option("--json", json, "file for the figures as JSON");
  CLI11_PARSE(app, argc, argv);

  if (!files.empty())
    return compareFiles(files);
  if (options.configurations.empty())
    options.configurations = tenon::differential::campaignConfigurations(
        configurations, options.seed);
  if (options.configurations.empty() || (!options.onRtl && !options.onTlm)) {
    std::cerr << "expected a configuration, and the RTL or the SystemC model\n";
    return 1;
  }
  options.programs = (programs + options.configurations.size() - 1) /
                     options.configurations.size();
  options.progress = [](const std::string &line) { std::cerr << line << "\n"; };
  return runCampaign(options, json);
}
