// Part of Tenon, under the Apache License v2.0.
//
// What the Verilated models of a test counted of their lines and signals, where
// they were made with --coverage (./dev coverage --rtl); nothing otherwise.

#ifndef TENON_TESTS_COVERAGE_COUNT_H
#define TENON_TESTS_COVERAGE_COUNT_H

#include "verilated.h"

#if VM_COVERAGE
#include "verilated_cov.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#endif

namespace tenon::coverage {

#if VM_COVERAGE
/// The sum over all models of the process; one file in $TENON_RTL_COVERAGE when
/// it ends.
class Counts {
public:
  void add(VerilatedContext &context) {
    if (path.empty())
      return;
    context.coveragep()->write(path.c_str());
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (size_t end = line.rfind("' "); end != std::string::npos)
        sums[line.substr(0, end)] += std::stoull(line.substr(end + 2));
  }
  ~Counts() {
    std::ofstream file(path);
    for (const auto &[point, count] : sums)
      file << point << "' " << count << "\n";
  }

private:
  static std::string file() {
    const char *folder = std::getenv("TENON_RTL_COVERAGE");
    return folder
               ? std::string(folder) + "/" + std::to_string(getpid()) + ".dat"
               : "";
  }
  const std::string path = file();
  std::map<std::string, uint64_t> sums;
};
#endif

/// Adds the counts of `context`'s models, and forgets them. To be called before
/// a model is destroyed: the counts lie in it.
inline void write(VerilatedContext &context) {
#if VM_COVERAGE
  static Counts counts;
  counts.add(context);
  context.coveragep()->clear();
#else
  (void)context;
#endif
}

} // namespace tenon::coverage

#endif // TENON_TESTS_COVERAGE_COUNT_H
