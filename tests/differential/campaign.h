// Part of Tenon, under the Apache License v2.0.
//
// Random programs x random configurations x random memories, each on the
// functional simulator, the SystemC model and the observed RTL.

#ifndef TESTS_DIFFERENTIAL_CAMPAIGN_H
#define TESTS_DIFFERENTIAL_CAMPAIGN_H

#include "tests/differential/compare.h"
#include "tests/differential/figures.pb.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon::differential {

struct CampaignOptions {
  std::vector<std::string> configurations; // shipped, files, "random:SEED"
  uint32_t programs = 50;                  // of each configuration
  uint64_t seed = 1;                       // of the first program
  uint32_t size = 40;                      // instructions of a program, roughly
  std::string memory = "random"; // or one for all, as `tenon run --memory`
  bool onRtl = true, onTlm = true;
  bool shrink = true;
  std::string keep;   // folder for failing programs; empty: none are kept
  double minutes = 0; // after which no configuration begins; 0: no limit
  std::function<void(const std::string &line)> progress; // may be empty
};

/// Configurations for `count`: the shipped ones, the largest last, then random
/// ones from `seed` on.
std::vector<std::string> campaignConfigurations(uint32_t count, uint64_t seed);

/// The memory behind program `seed` where it is random.
sim::MemoryTiming randomMemory(uint64_t seed);

/// A failure is shrunk, kept, and listed with the command that repeats it; a
/// configuration's first one ends it.  An error if the campaign cannot run.
absl::StatusOr<Figures> runCampaign(const CampaignOptions &options);

/// The figures as an aligned table.
std::string figuresText(const Figures &figures);

/// A program of assembler text on the functional simulator, the SystemC model
/// and the observed RTL of its configuration, and the model's cycles beside the
/// RTL's.
absl::Status compareFile(const std::string &path);

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_CAMPAIGN_H
