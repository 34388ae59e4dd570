// Part of Tenon, under the Apache License v2.0.
//
// The same program on the functional simulator and on another executor.

#ifndef TESTS_DIFFERENTIAL_COMPARE_H
#define TESTS_DIFFERENTIAL_COMPARE_H

#include "sim/simulator.h"
#include "tests/differential/random_program.h"
#include "tests/differential/retire_checker.h"

#include <memory>
#include <string>

namespace tenon::differential {

class Comparison {
public:
  /// `other` is compared with a functional simulator of its configuration; what
  /// it does while it runs with `checker`, if given, which observes it.
  static absl::StatusOr<std::unique_ptr<Comparison>>
  create(std::unique_ptr<sim::Simulator> other,
         std::unique_ptr<RetireChecker> checker = nullptr);

  /// With the device of this name (executors.h); "rtl" with a checker and the
  /// RTL's assertions, "synthesis" with a checker and the bodies for synthesis.
  static absl::StatusOr<std::unique_ptr<Comparison>>
  createOn(const std::string &executor,
           const isa::Configuration &configuration);

  /// OK if both execute the program, leave the same DRAM, have retired the same
  /// numbers of instructions, the states of every engine of a device that
  /// counts cycles add up to them, and the checker agrees.  The message says
  /// what differs.
  absl::Status compare(const isa::Program &program,
                       const sim::MemoryTiming &memory = {});

  const isa::Layout &layout() const { return layoutOfBoth; }
  uint64_t cycles() const { return totalCycles; } // of all comparisons
  uint64_t lastCycles() const {
    return cyclesOfLast;
  } // of the last that agreed
  const RetireChecker *checker() const { return retireChecker.get(); }

private:
  Comparison(isa::Layout layout, std::unique_ptr<sim::Simulator> functional,
             std::unique_ptr<RetireChecker> checker,
             std::unique_ptr<sim::Simulator> other)
      : layoutOfBoth(std::move(layout)), functional(std::move(functional)),
        retireChecker(std::move(checker)), other(std::move(other)) {}

  absl::Status runOther(const isa::Program &program,
                        const sim::MemoryTiming &memory,
                        sim::LaunchResult &result);

  isa::Layout layoutOfBoth;
  std::unique_ptr<sim::Simulator> functional;
  std::unique_ptr<RetireChecker> retireChecker; // outlives what it observes
  std::unique_ptr<sim::Simulator> other;
  uint64_t totalCycles = 0, cyclesOfLast = 0;
};

/// A shipped configuration, a file, or "random:SEED".
absl::StatusOr<isa::Configuration> configurationOf(absl::string_view name);

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_COMPARE_H
