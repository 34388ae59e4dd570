// Part of Tenon, under the Apache License v2.0.
//
// Drives the Verilated `core`: instruction queues, token channels, LOAD's beats
// and STORE's reads as the rest of the machine would, one call a cycle, and
// checks the protocol on the way.

#ifndef TENON_TESTS_RTL_CORE_BENCH_H
#define TENON_TESTS_RTL_CORE_BENCH_H

#include "Vcore.h"
#include "core_program.h"

#include <memory>
#include <random>
#include <string>

namespace core {

/// How unevenly the surroundings behave, in percent.
struct Weather {
  uint32_t idle = 0;     // no instruction, beat or read offered in a cycle
  uint32_t depth = 8;    // of the token channels
  bool anyToken = false; // channels are fed and drained at random
};

class Bench {
public:
  /// `sleeps`: parts of the core that have nothing to do get no clock edge.
  Bench(uint64_t seed, Weather weather, bool sleeps);
  ~Bench();

  void reset();
  void writeMemories(const Model &model);
  /// Empty if ACC, INP and OUT are the model's, otherwise the first difference.
  std::string compare(const Model &model);
  /// Runs to the end; empty if all went well.
  std::string run(const Program &program);

  uint64_t cycles = 0;
  uint64_t states[2][8] = {};

private:
  struct Engine;
  struct Channel {
    uint32_t count = 0;
  };
  /// load, gemm, alu, store: tokens from one to the other.
  Channel channels[4][4];

  void clock();
  std::string cycle(const Program &program);
  std::string checkEngine(int engine, uint32_t state, uint32_t tokenWait,
                          uint32_t roomWait);
  bool chance(uint32_t percent) { return random() % 100 < percent; }
  uint32_t tokens(int engine) const, rooms(int engine) const;
  void stirTokens();
  /// Whether all of `wait` is there; takes them.
  bool takeAll(int engine, uint32_t wait);
  bool giveAll(int engine, uint32_t signal);

  std::unique_ptr<Vcore> top;
  const bool sleeps;
  std::mt19937 random;
  Weather weather;
  size_t next[4] = {}, retired[2] = {}, beat = 0, read = 0;
  bool offered[2] = {}, started[4] = {}, owesSignal[4] = {};
  const StoreStep *readStep[2] = {};
  size_t readAt[2] = {};
};

} // namespace core

#endif
