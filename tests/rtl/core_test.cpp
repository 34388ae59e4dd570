// Part of Tenon, under the Apache License v2.0.
//
// core_test [--seed N] [--programs N] [--instructions N]: random programs on
// the Verilated core against the model, ordered by tokens and concurrent; each
// once with every clock edge and once without those that its sleeping parts do
// not need, which takes as many cycles.
// core_test --speed [NAME]: simulated kHz, rates and latencies instead.

#include "core_bench.h"

#include "verilated.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace core {
void speed(const std::string &only);
std::string checkRates();
} // namespace core

double sc_time_stamp() { return 0; }

int main(int argc, char **argv) {
  uint64_t seed = 1, programs = 20, instructions = 300;
  for (int k = 1; k < argc; ++k) {
    if (!std::strcmp(argv[k], "--speed")) {
      core::speed(k + 1 < argc ? argv[k + 1] : "");
      return 0;
    }
    if (k + 1 == argc) {
      std::fprintf(stderr, "%s: expected a value after %s\n", argv[0], argv[k]);
      return 2;
    }
    uint64_t value = std::strtoull(argv[k + 1], nullptr, 10);
    if (!std::strcmp(argv[k], "--seed"))
      seed = value;
    else if (!std::strcmp(argv[k], "--programs"))
      programs = value;
    else if (!std::strcmp(argv[k], "--instructions"))
      instructions = value;
    else {
      std::fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[k]);
      return 2;
    }
    ++k;
  }
  uint64_t cycles = 0;
  for (uint64_t s = seed; s < seed + programs; ++s) {
    // Registers and memories begin with random bits: what a reset leaves out
    // shows.
    Verilated::threadContextp()->randReset(2);
    Verilated::threadContextp()->randSeed(int(s % 0x7fffffff) + 1);
    bool ordered = s % 2 == 0;
    core::Weather weather;
    weather.idle = s % 3 == 0 ? 50 : s % 3 == 1 ? 0 : 10;
    weather.depth = 1 + s / 2 % 8;
    weather.anyToken = !ordered;
    core::Program program = core::makeProgram(s, ordered, instructions);
    std::string wrong;
    uint64_t taken[2];
    for (bool sleeps : {false, true}) {
      core::Bench bench(s, weather, sleeps);
      bench.reset();
      bench.writeMemories(program.initial);
      if (wrong.empty())
        wrong = bench.run(program);
      taken[sleeps] = bench.cycles;
    }
    if (wrong.empty() && taken[0] != taken[1])
      wrong = "takes " + std::to_string(taken[0]) + " cycles, and " +
              std::to_string(taken[1]) + " where parts sleep";
    cycles += taken[0];
    if (!wrong.empty()) {
      std::printf("seed %llu (%s): %s\nrepeat: %s --seed %llu --programs 1 "
                  "--instructions %llu\n",
                  (unsigned long long)s, ordered ? "ordered" : "concurrent",
                  wrong.c_str(), argv[0], (unsigned long long)s,
                  (unsigned long long)instructions);
      return 1;
    }
  }
  std::printf(
      "%llu programs of %llu instructions in %llu cycles: equal to the model\n",
      (unsigned long long)programs, (unsigned long long)instructions,
      (unsigned long long)cycles);
  if (std::string wrong = core::checkRates(); !wrong.empty()) {
    std::printf("%s\n", wrong.c_str());
    return 1;
  }
  return 0;
}
