// Part of Tenon, under the Apache License v2.0.
//
// What the module tests of the memory half share: the configuration they were
// built for, encoding, chance, and expectations that stop with the seed.

#ifndef TENON_TESTS_RTL_MEMORY_COMMON_H
#define TENON_TESTS_RTL_MEMORY_COMMON_H

#include "isa/configuration.h"
#include "isa/isa.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace tenon::test {

/// Seeded chance; every test prints its seed when it fails.
class Chance {
public:
  explicit Chance(uint64_t seed) : seed(seed), engine(seed) {}
  /// A number in [least, most].
  uint32_t in(uint32_t least, uint32_t most) {
    return std::uniform_int_distribution<uint32_t>(least, most)(engine);
  }
  bool percent(uint32_t probability) { return in(0, 99) < probability; }
  const uint64_t seed;

private:
  std::mt19937_64 engine;
};

[[noreturn]] inline void fail(const Chance &chance, const std::string &what) {
  std::fprintf(stderr, "seed %llu: %s\n", (unsigned long long)chance.seed,
               what.c_str());
  std::exit(1);
}

inline void expect(bool condition, const Chance &chance,
                   const std::string &what) {
  if (!condition)
    fail(chance, what);
}

inline isa::Layout layoutOf(const char *configuration) {
  auto config = isa::loadConfiguration(configuration);
  if (config.ok())
    if (auto layout = isa::Layout::get(*config); layout.ok())
      return *layout;
  std::fprintf(stderr, "no configuration '%s'\n", configuration);
  std::exit(1);
}

inline std::vector<uint8_t> encoded(const isa::Layout &layout,
                                    const isa::Instruction &instruction) {
  std::vector<uint8_t> bytes(layout.instructionBytes);
  absl::Status status = isa::encode(layout, instruction, bytes.data());
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(1);
  }
  return bytes;
}

/// A port of any width is its bytes, little endian.
template <typename Port> uint8_t *bytesOf(Port &port) {
  return reinterpret_cast<uint8_t *>(&port);
}

/// Byte `b` of beat `beat` of a DRAM in which all bytes near each other differ.
inline uint8_t dramByte(uint32_t beat, uint32_t b) {
  uint64_t x = (uint64_t(beat) << 8 | b) * 0x9E3779B97F4A7C15ull;
  return uint8_t(x >> 56);
}

} // namespace tenon::test

#endif // TENON_TESTS_RTL_MEMORY_COMMON_H
