//===- sim/rtl/coverage_counts.h - What a model counted ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Which lines of the RTL ran and which signals toggled, where Verilator made
// the model with --coverage and VM_COVERAGE is 1 (./dev coverage); nothing
// otherwise. One file in $TENON_RTL_COVERAGE for each kind of model, to which
// every process adds what its models counted.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_COVERAGE_COUNTS_H
#define TENON_SIM_RTL_COVERAGE_COUNTS_H

#include "verilated.h"

#if VM_COVERAGE
#include "verilated_cov.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#endif

namespace tenon::sim {

#if VM_COVERAGE
/// {point: count} of all models of the process; written when it ends.
class CoverageCounts {
public:
  void add(VerilatedContext &context) {
    if (folder.empty())
      return;
    const std::string part = folder + "/part." + std::to_string(getpid());
    context.coveragep()->write(part.c_str());
    addFile(part);
    std::remove(part.c_str());
  }

  ~CoverageCounts() {
    if (sums.empty())
      return;
    std::string points;
    for (const auto &[point, count] : sums)
      points += point;
    const std::string path = folder + "/" +
                             std::to_string(std::hash<std::string>()(points)) +
                             ".dat";
    std::FILE *lock = std::fopen((path + ".lock").c_str(), "w");
    if (!lock || flock(fileno(lock), LOCK_EX) != 0)
      return;
    addFile(path);
    std::ofstream file(path);
    for (const auto &[point, count] : sums)
      file << point << "' " << count << "\n";
    file.close();
    std::fclose(lock);
  }

private:
  static std::string chosenFolder() {
    const char *folder = std::getenv("TENON_RTL_COVERAGE");
    return folder ? folder : "";
  }

  // Lines are C 'POINT' COUNT.
  void addFile(const std::string &path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (size_t end = line.rfind("' "); end != std::string::npos)
        sums[line.substr(0, end)] += std::stoull(line.substr(end + 2));
  }

  const std::string folder = chosenFolder();
  std::map<std::string, uint64_t> sums;
};
#endif

/// Adds the counts of `context`'s models, and forgets them. To be called before
/// a model is destroyed: the counts lie in it.
inline void writeCoverage(VerilatedContext &context) {
#if VM_COVERAGE
  static CoverageCounts counts;
  counts.add(context);
  context.coveragep()->clear();
#else
  (void)context;
#endif
}

} // namespace tenon::sim

#endif // TENON_SIM_RTL_COVERAGE_COUNTS_H
