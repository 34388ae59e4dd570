// Part of Tenon, under the Apache License v2.0.
//
// Random numbers that are the same on every host.

#ifndef TESTS_DIFFERENTIAL_RANDOM_H
#define TESTS_DIFFERENTIAL_RANDOM_H

#include <cstdint>
#include <initializer_list>
#include <random>

namespace tenon::differential {

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  uint64_t bits() { return engine(); }
  /// 0 to count-1; 0 for count 0.
  uint32_t below(uint64_t count) {
    return count ? uint32_t(engine() % count) : 0;
  }
  uint32_t range(uint32_t least, uint32_t most) {
    return least + below(uint64_t(most) - least + 1);
  }
  bool oneIn(uint32_t count) { return below(count) == 0; }
  template <typename Value> Value pick(std::initializer_list<Value> values) {
    return values.begin()[below(values.size())];
  }
  /// Any magnitude up to `width` bits, both signs.
  int32_t number(uint32_t width = 32) {
    return int32_t(uint32_t(engine())) >> (32 - range(1, width));
  }

private:
  std::mt19937_64 engine;
};

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_RANDOM_H
