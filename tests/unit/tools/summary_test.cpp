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

using testing::AllOf;
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

TEST(Summary, SaysWhatNobodyLookedAt) {
  isa::Program program;
  program.mutable_host_code()->add_executables()->mutable_image()->assign(1000,
                                                                          'x');
  program.mutable_host_code()->add_executables()->mutable_image()->assign(234,
                                                                          'x');
  report::RunReport report;
  describeHostCode(program, "own digest", report);
  describeSkippedVerification("--no-verify", report);
  EXPECT_THAT(summary(report),
              AllOf(HasSubstr("not looked at: host code, 2 executables of "
                              "1,234 bytes (own digest)\n"),
                    HasSubstr("not verified (--no-verify): races and deadlock "
                              "were not looked for\n")));
  report::RunReport without;
  describeHostCode(isa::Program(), "own digest", without);
  EXPECT_THAT(summary(without), Not(HasSubstr("not looked at")));
}

} // namespace
} // namespace tenon::tools
