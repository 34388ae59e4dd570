// Part of Tenon, under the Apache License v2.0.
//
// The same random program on the functional simulator and on the RTL.

#ifndef TESTS_DIFFERENTIAL_COMPARE_H
#define TESTS_DIFFERENTIAL_COMPARE_H

#include "sim/device.h"
#include "tests/differential/random_program.h"

#include <memory>
#include <string>

namespace tenon::differential {

class Comparison {
public:
  /// `other` is compared with a functional simulator of its configuration.
  static absl::StatusOr<std::unique_ptr<Comparison>>
  create(std::unique_ptr<sim::Device> other);

  /// OK if both execute the program, leave the same DRAM, have retired the same
  /// numbers of instructions, and the states of every engine of a device that
  /// counts cycles add up to them.  The message says what differs.
  absl::Status compare(const isa::Program &program);

  /// Drops instructions as long as the comparison fails; at most `attempts`
  /// comparisons.
  RandomProgram shrink(RandomProgram program, unsigned attempts);

  const isa::Layout &layout() const { return layoutOfBoth; }
  uint64_t cycles() const { return totalCycles; } // of all comparisons

private:
  Comparison(isa::Layout layout, std::unique_ptr<sim::Device> functional,
             std::unique_ptr<sim::Device> other)
      : layoutOfBoth(std::move(layout)), functional(std::move(functional)),
        other(std::move(other)) {}

  isa::Layout layoutOfBoth;
  std::unique_ptr<sim::Device> functional, other;
  uint64_t totalCycles = 0;
};

struct Options {
  std::string configuration; // a shipped one, a file, or "random:SEED"
  std::string executor = "rtl";
  uint64_t seed = 1; // of the first program
  uint32_t programs = 50;
  uint32_t size = 40; // instructions of a program, roughly
  bool shrink = true;
};

/// Compares `programs` random programs with consecutive seeds.  The error of
/// the first that fails has seed, configuration, the command that repeats it
/// and the shrunk program's text.  `cycles`, if given, is their sum.
absl::Status compareRandomPrograms(const Options &options,
                                   uint64_t *cycles = nullptr);

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_COMPARE_H
