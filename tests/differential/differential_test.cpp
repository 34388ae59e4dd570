// Part of Tenon, under the Apache License v2.0.
//
// A fixed sample of random programs on the RTL and on the SystemC model; more
// with tenon-differential.

#include "tests/differential/compare.h"
#include "gtest/gtest.h"

namespace tenon::differential {
namespace {

// Chosen for their variety: see random_program_test.cpp for what programs
// contain.
constexpr const char *sample[] = {"pynq", "random:1", "random:2", "random:3"};

class Differential : public ::testing::TestWithParam<const char *> {};

TEST_P(Differential, FunctionalAndRtlAgree) {
  Options options;
  options.configuration = GetParam();
  options.programs = 50;
  absl::Status status = compareRandomPrograms(options);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_P(Differential, FunctionalAndTlmAgree) {
  Options options;
  options.configuration = GetParam();
  options.executor = "tlm";
  options.programs = 200;
  absl::Status status = compareRandomPrograms(options);
  EXPECT_TRUE(status.ok()) << status.message();
}

std::string sampleName(const ::testing::TestParamInfo<const char *> &info) {
  std::string name = info.param;
  for (char &c : name)
    if (c == ':')
      c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Configurations, Differential,
                         ::testing::ValuesIn(sample), sampleName);

} // namespace
} // namespace tenon::differential
