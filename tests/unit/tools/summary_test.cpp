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
using testing::ElementsAre;
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

TEST(Summary, SaysInWhatUnitsExecutionsDiffer) {
  runtime::Check check;
  check.compare("y", std::vector<uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x3f},
                std::vector<uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f},
                isa::FLOAT32);
  check.conclude();
  report::RunReport report;
  describeCheck(check, *report.mutable_checks()->mutable_cpu());
  describeCheck(check, *report.mutable_checks()->mutable_functional());
  EXPECT_THAT(summary(report),
              AllOf(HasSubstr("DIFFERS from cpu in 1 of 2 values, first in y "
                              "at 1: got 1.5, want 1\n"),
                    HasSubstr("DIFFERS from functional in 1 of 2 bytes, ")));
}

TEST(Summary, SaysThatAnotherShapeWasExpected) {
  report::RunReport report;
  report::ExpectedSet &set = *report.mutable_checks()->add_expected();
  set.set_set("test_data_set_0");
  report::ExpectedOutput &output = *set.add_outputs();
  output.set_name("y");
  output.set_reason("is uint8 3x2, expected uint8 2x3");
  EXPECT_THAT(summary(report),
              HasSubstr("DIFFERS from expected (test_data_set_0, y): is uint8 "
                        "3x2, expected uint8 2x3\n"));
}

TEST(LargestElements, IsExactAndTotal) {
  // 2^53 and its neighbours above it.
  const runtime::Array wide{isa::INT64, {3}, {0, 0, 0, 0, 0, 0, 0x20, 0, //
                                              2, 0, 0, 0, 0, 0, 0x20, 0, //
                                              1, 0, 0, 0, 0, 0, 0x20, 0}};
  EXPECT_THAT(largestElements(wide, 3), ElementsAre(1, 2, 0));
  // NaN, 1, infinity, 1 and NaN in binary16.
  const runtime::Array half{
      isa::FLOAT16,
      {5},
      {0x01, 0x7e, 0x00, 0x3c, 0x00, 0x7c, 0x00, 0x3c, 0x00, 0x7e}};
  EXPECT_THAT(largestElements(half, 5), ElementsAre(2, 1, 3, 0, 4));
}

} // namespace
} // namespace tenon::tools
