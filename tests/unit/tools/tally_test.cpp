//===- tests/unit/tools/tally_test.cpp ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/tally.h"

#include "gtest/gtest.h"

namespace tenon::tools {
namespace {

TEST(SpreadOf, NearestRanks) {
  std::vector<double> values;
  for (int i = 200; i > 0; --i)
    values.push_back(i);
  report::Spread spread = spreadOf(values);
  EXPECT_EQ(spread.min(), 1);
  EXPECT_EQ(spread.median(), 100.5);
  EXPECT_EQ(spread.p99(), 198);
  EXPECT_EQ(spread.max(), 200);
  EXPECT_EQ(spreadOf({7}).p99(), 7);
  EXPECT_EQ(spreadOf({7}).median(), 7);
}

TEST(Tally, CountsAnswersAndKeepsTheFirstFailure) {
  report::Inputs inputs;
  Tally tally(inputs, 2);
  const runtime::Array scores{isa::INT8, {1, 3}, {5, 9, 7}};
  tally.addRun(1, 10);
  tally.addAnswer({"right", 1}, scores, "");
  tally.addAnswer({"second", 2}, scores, "");
  tally.addAnswer({"wrong", 0}, scores, "differs");
  tally.addFailure({"unread", 1}, "is no picture");
  tally.addAnswer({"unlabelled", std::nullopt}, scores, "");
  tally.conclude();
  EXPECT_EQ(inputs.labelled(), 3);
  EXPECT_EQ(inputs.top1(), 1);
  EXPECT_EQ(inputs.topk(), 2);
  EXPECT_EQ(inputs.failed(), 2);
  EXPECT_EQ(inputs.first_failure().name(), "wrong");
  EXPECT_EQ(inputs.first_failure().failure(), "differs");
  EXPECT_EQ(inputs.results_size(), 5);
  EXPECT_EQ(inputs.results(0).answer(), 1u);
  EXPECT_FALSE(inputs.results(3).has_answer());
  EXPECT_EQ(inputs.cycles().median(), 10);
}

} // namespace
} // namespace tenon::tools
