// Part of Tenon, under the Apache License v2.0.
//
// tenon-mutants: mutants of compiled programs, judged by the static verifier
// and by executing them.

#include "CLI/CLI.hpp"
#include "isa/files.h"
#include "tests/trust/mutants.h"

#include <iostream>

int main(int argc, char **argv) {
  tenon::trust::Options options;
  CLI::App app("Compares the static verifier with execution on mutants of "
               "programs that verify.");
  app.add_option("PROGRAMS", options.programs,
                 "compiled programs, .tasm, or random:CONFIGURATION:SEED")
      ->required();
  app.add_option("--seed", options.seed, "of the first mutant")
      ->capture_default_str();
  app.add_option("--mutants", options.mutants, "of each program")
      ->capture_default_str();
  app.add_option("--interleavings", options.interleavings,
                 "of each mutant that verifies")
      ->capture_default_str();
  app.add_option("--rtl", options.onRtl,
                 "of each program, mutants that verify and run on the RTL")
      ->capture_default_str();
  std::string json;
  app.add_option("--json", json, "file for the figures as JSON");
  CLI11_PARSE(app, argc, argv);

  options.progress = [](const std::string &program) {
    std::cerr << program << ": judged\n";
  };
  auto figures = tenon::trust::judgeMutants(options);
  if (!figures.ok()) {
    std::cerr << figures.status().message() << "\n";
    return 1;
  }
  std::cout << tenon::trust::figuresText(*figures);
  if (!json.empty())
    if (absl::Status s =
            tenon::isa::writeFile(json, tenon::isa::toJson(*figures));
        !s.ok()) {
      std::cerr << s.message() << "\n";
      return 1;
    }
  return figures->disagreements().empty() ? 0 : 3;
}
