// Part of Tenon, under the Apache License v2.0.
//
// A fixed sample of random programs on the observed RTL and on the SystemC
// model; more with tenon-differential.

#include "tests/differential/campaign.h"
#include "gtest/gtest.h"

namespace tenon::differential {
namespace {

// Chosen for their variety: see random_program_test.cpp for what programs
// contain.
TEST(Differential, AllExecutorsAgree) {
  CampaignOptions options;
  options.configurations = {"pynq", "random:1", "random:2", "random:3"};
  options.programs = 50;
  auto figures = runCampaign(options);
  ASSERT_TRUE(figures.ok()) << figures.status();
  for (const std::string &failure : figures->failures())
    ADD_FAILURE() << failure;
  EXPECT_EQ(figures->differential_programs(), 200);
  EXPECT_GT(figures->writes_checked(), 100000);
  EXPECT_EQ(figures->synthesis_programs(), 12); // of the 50 for pynq
}

} // namespace
} // namespace tenon::differential
