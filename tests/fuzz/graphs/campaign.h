// Part of Tenon, under the Apache License v2.0.
//
// Many graphs, one after the other, and what they add up to.

#ifndef TESTS_FUZZ_GRAPHS_CAMPAIGN_H
#define TESTS_FUZZ_GRAPHS_CAMPAIGN_H

#include "tests/fuzz/graphs/judge.h"

#include <set>

namespace tenon::graphs {

struct Options {
  uint64_t seed = 1; // of the first graph
  uint32_t graphs = 200;
  double minutes = 0;           // no graph is begun after these; 0: no limit
  double seconds = 30;          // of processor time for each graph
  uint32_t attempts = 400;      // to make a defect small; 0 leaves it as drawn
  uint32_t onnxEvery = 5;       // of so many graphs one has an ONNX form
  uint32_t oversizedEvery = 13; // of so many graphs one fits no machine whole
  std::string folder;           // for the files of each graph
  bool keepAll = false;         // not only those of defects, and ONNX forms
  std::string configuration;    // of every graph; empty: drawn
};

/// The case of one seed.
Case caseOf(uint64_t seed, const Options &options);

class Campaign {
public:
  explicit Campaign(Options options) : options(std::move(options)) {}

  /// Judges all; calls `tell` with each defect and at times with how far it is.
  Figures run(const std::function<void(const std::string &)> &tell);

private:
  void count(const Case &test, const Outcome &outcome);
  std::string defect(const Case &test, const Outcome &outcome);
  Outcome judged(const Case &test, const std::string &folder) const;

  Options options;
  Figures figures;
  std::set<std::string> configurations;
};

/// The figures as aligned tables.
std::string figuresText(const Figures &figures);

} // namespace tenon::graphs

#endif // TESTS_FUZZ_GRAPHS_CAMPAIGN_H
