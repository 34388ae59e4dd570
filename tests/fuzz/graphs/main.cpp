// Part of Tenon, under the Apache License v2.0.
//
// tenon-graphs: random networks through the whole compiler, accelerator against
// CPU.

#include "CLI/CLI.hpp"
#include "isa/files.h"
#include "tests/fuzz/graphs/apart.h"
#include "tests/fuzz/graphs/campaign.h"

#include <iostream>

static int judgeFiles(const std::vector<std::string> &files,
                      const tenon::graphs::Options &options) {
  using namespace tenon::graphs;
  int code = 0;
  for (const std::string &file : files) {
    Outcome outcome = apart(
        [&](const Phase &phase) {
          return judgeFile(file, options.folder, phase);
        },
        options.seconds);
    if (outcome.verdict() == Outcome::AGREES)
      continue;
    std::cerr << file << ": " << outcome.message() << "\n";
    code = 3;
  }
  std::cout << files.size() << " files judged\n";
  return code;
}

int main(int argc, char **argv) {
  tenon::graphs::Options options;
  CLI::App app("Compiles random networks for random machines and compares the "
               "accelerator's functional simulator with the CPU.\nExit codes: "
               "0 all agree, 1 bad "
               "input, 3 a defect.");
  app.add_option("--folder", options.folder,
                 "where the files of each graph are written")
      ->required();
  app.add_option("--seed", options.seed, "seed of the first graph")
      ->capture_default_str();
  app.add_option("--graphs", options.graphs, "number of graphs")
      ->capture_default_str();
  app.add_option("--minutes", options.minutes,
                 "no graph is begun after these; 0: no limit")
      ->capture_default_str();
  app.add_option("--seconds", options.seconds,
                 "of processor time for each graph")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--attempts", options.attempts,
                 "to make a defect small; 0 leaves it as drawn")
      ->capture_default_str();
  app.add_option("--onnx-every", options.onnxEvery,
                 "graphs of which one has an ONNX form as well; 0: none")
      ->capture_default_str();
  app.add_option("--oversized-every", options.oversizedEvery,
                 "graphs of which one has a layer that fits no machine and "
                 "must be on the CPU, with the reason; 0: none")
      ->capture_default_str();
  app.add_option("--config", options.configuration,
                 "of every graph: a shipped name, a file or random:SEED; drawn "
                 "if not given");
  app.add_flag("--keep", options.keepAll, "keep the files of every graph");
  std::vector<std::string> files;
  app.add_option("FILES", files,
                 "judge these .mlir files instead, each with its machine in a "
                 "comment (kept/README.md)");
  std::string json;
  app.add_option("--json", json, "file for the figures as JSON");
  CLI11_PARSE(app, argc, argv);

  if (!files.empty())
    return judgeFiles(files, options);
  if (!options.configuration.empty())
    if (auto c = tenon::graphs::configurationOf(options.configuration);
        !c.ok()) {
      std::cerr << c.status().message() << "\n";
      return 1;
    }
  tenon::graphs::Figures figures = tenon::graphs::Campaign(options).run(
      [](const std::string &text) { std::cerr << text << "\n"; });
  std::cout << tenon::graphs::figuresText(figures);
  if (!json.empty())
    if (absl::Status s =
            tenon::isa::writeFile(json, tenon::isa::toJson(figures));
        !s.ok()) {
      std::cerr << s.message() << "\n";
      return 1;
    }
  return figures.defects().empty() ? 0 : 3;
}
