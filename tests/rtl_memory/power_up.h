// Part of Tenon, under the Apache License v2.0.
//
// Verilated models (--x-initial unique) whose registers and memories start with
// random bits, as a chip's may: what a reset leaves out shows.

#ifndef TENON_TESTS_RTL_MEMORY_POWER_UP_H
#define TENON_TESTS_RTL_MEMORY_POWER_UP_H

#include "verilated.h"

namespace tenon::test {

/// Of the models that this thread makes from here on.
inline void powerUp(uint64_t seed) {
  Verilated::threadContextp()->randReset(2);
  Verilated::threadContextp()->randSeed(int(seed % 0x7fffffff) + 1);
}

} // namespace tenon::test

#endif // TENON_TESTS_RTL_MEMORY_POWER_UP_H
