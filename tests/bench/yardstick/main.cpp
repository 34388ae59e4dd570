//===- tests/bench/yardstick/main.cpp - Cycles a second of it -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Prints how many cycles of yardstick.sv a second this machine simulates: the
// fastest of five spans of a tenth of a second. The first cycles are compared
// with the same in C++, so that what is timed does what its source says.
//
//===----------------------------------------------------------------------===//

#include "Vyardstick.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace {

constexpr int lanes = 32, rowCount = 256;
constexpr int comparedCycles = 20000;

struct Model {
  uint32_t random = 1;
  std::array<int8_t, lanes> factor{};
  std::array<uint32_t, lanes> acc{};
  std::array<std::array<uint32_t, lanes>, rowCount> rows{};

  void step() {
    const auto read = rows[random & 255];
    auto &written = rows[random >> 16 & 255];
    for (int i = 0; i < lanes; ++i) {
      written[i] = acc[i] ^ random;
      acc[i] += int32_t(factor[i]) * int8_t(read[i]);
    }
    std::copy_backward(factor.begin(), factor.end() - 1, factor.end());
    factor[0] = int8_t(random >> 8);
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
  }

  uint32_t sum() const {
    uint32_t sum = random;
    for (uint32_t value : acc)
      sum ^= value;
    return sum;
  }
};

void cycle(Vyardstick &design) {
  design.clk_i = !design.clk_i;
  design.eval();
}

/// Cycles a second.
double speed(Vyardstick &design) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  int64_t cycles = 0;
  std::chrono::duration<double> taken{};
  for (; taken.count() < 0.1; taken = Clock::now() - start, cycles += 1000)
    for (int i = 0; i < 1000; ++i)
      cycle(design);
  return double(cycles) / taken.count();
}

} // namespace

int main() {
  auto design = std::make_unique<Vyardstick>();
  design->clk_i = 0;
  design->rst_i = 1;
  design->eval();
  for (int i = 0; i < 2; ++i)
    cycle(*design);
  design->rst_i = 0;
  auto model = std::make_unique<Model>();
  for (int i = 0; i < comparedCycles; ++i) {
    if (design->sum_o != model->sum()) {
      std::fprintf(stderr, "yardstick: cycle %d: 0x%x, expected 0x%x\n", i,
                   design->sum_o, model->sum());
      return 1;
    }
    cycle(*design);
    model->step();
  }
  double best = 0;
  for (int i = 0; i < 5; ++i)
    best = std::max(best, speed(*design));
  std::printf("%.0f\n", best);
}
