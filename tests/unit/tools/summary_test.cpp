//===- tests/unit/tools/summary_test.cpp ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/result.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Steps a, b, c and so on of 1, 2, 3 and so on milliseconds.
report::RunReport withSteps(int count) {
  report::RunReport report;
  for (int i = 0; i < count; ++i) {
    report::HostStep &step = *report.add_host_steps();
    step.set_name(std::string(1, char('a' + i)));
    step.set_ms(i + 1);
  }
  return report;
}

TEST(Summary, NamesFewHostStepsInOrder) {
  EXPECT_THAT(summary(withSteps(2)),
              HasSubstr("on the host   a (1.000 ms) · b (2.000 ms)\n"));
}

TEST(Summary, NamesTheLongestOfManyHostSteps) {
  EXPECT_THAT(summary(withSteps(20)),
              HasSubstr("on the host   210.000 ms in 20 steps, the longest: "
                        "t (20.000 ms) · s (19.000 ms) · r (18.000 ms)\n"));
}

TEST(Summary, SaysNothingOfAHostWithoutSteps) {
  EXPECT_THAT(summary(withSteps(0)), Not(HasSubstr("on the host")));
}

} // namespace
} // namespace tenon::tools
