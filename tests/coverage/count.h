// Part of Tenon, under the Apache License v2.0.
//
// What a Verilated model of a test counted of its lines and signals, where it
// was made with --coverage (./dev coverage --rtl); nothing otherwise.

#ifndef TENON_TESTS_COVERAGE_COUNT_H
#define TENON_TESTS_COVERAGE_COUNT_H

#include "verilated.h"

#if VM_COVERAGE
#include "verilated_cov.h"

#include <cstdlib>
#include <string>
#include <unistd.h>
#endif

namespace tenon::coverage {

/// Writes the counts of `context`'s models to a file of its own in
/// $TENON_RTL_COVERAGE and forgets them. To be called before a model is
/// destroyed: the counts lie in it.
inline void write(VerilatedContext &context) {
#if VM_COVERAGE
  static unsigned files = 0;
  if (const char *folder = std::getenv("TENON_RTL_COVERAGE")) {
    const std::string name =
        std::to_string(getpid()) + "-" + std::to_string(files++) + ".dat";
    context.coveragep()->write((std::string(folder) + "/" + name).c_str());
  }
  context.coveragep()->clear();
#else
  (void)context;
#endif
}

} // namespace tenon::coverage

#endif // TENON_TESTS_COVERAGE_COUNT_H
