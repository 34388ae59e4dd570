// Part of Tenon, under the Apache License v2.0.
//
// tenon-differential: random programs on the functional simulator and another
// executor.

#include "CLI/CLI.hpp"
#include "tests/differential/compare.h"

#include <iostream>

int main(int argc, char **argv) {
  tenon::differential::Options options;
  CLI::App app("Compares random programs on the functional simulator with "
               "another executor.");
  app.add_option("--config", options.configuration,
                 "a shipped configuration, a file, or random:SEED")
      ->required();
  app.add_option("--executor", options.executor, "rtl, tlm or functional:SEED")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the first program")
      ->capture_default_str();
  app.add_option("--programs", options.programs, "number of programs")
      ->capture_default_str();
  app.add_option("--size", options.size, "instructions of a program, roughly")
      ->capture_default_str();
  app.add_flag("!--no-shrink", options.shrink, "report programs as drawn");
  CLI11_PARSE(app, argc, argv);

  uint64_t cycles = 0;
  absl::Status status =
      tenon::differential::compareRandomPrograms(options, &cycles);
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return absl::IsInternal(status) ? 3 : 1;
  }
  std::cout << options.programs << " programs agree on "
            << options.configuration << ", " << cycles << " cycles\n";
  return 0;
}
