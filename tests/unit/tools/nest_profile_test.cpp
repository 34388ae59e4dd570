//===- tests/unit/tools/nest_profile_test.cpp -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/nest_profile.h"

#include "tools/tenon/host_peaks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// 1000 operations of floats a second, 4000 of bytes; 100 bytes a second where
/// 10 are enough, else 20.
report::HostPeaks peaks() {
  report::HostPeaks peaks;
  peaks.set_float_operations_per_s(1000);
  peaks.set_byte_operations_per_s(4000);
  for (auto [bytes, rate] : {std::pair(10, 100), std::pair(1000, 20)}) {
    report::HostPeaks::Memory &memory = *peaks.add_memory();
    memory.set_bytes(bytes);
    memory.set_bytes_per_s(rate);
  }
  return peaks;
}

TEST(HostPeaks, BoundWhatTakesLongest) {
  EXPECT_DOUBLE_EQ(hostBound(peaks(), 500, 10, false).ms(), 500);
  EXPECT_DOUBLE_EQ(hostBound(peaks(), 500, 10, false).memoryMs, 100);
  EXPECT_DOUBLE_EQ(hostBound(peaks(), 500, 10, true).ms(), 125);
  EXPECT_DOUBLE_EQ(hostBound(peaks(), 0, 10, false).ms(), 100);
  EXPECT_DOUBLE_EQ(hostBound(peaks(), 0, 20, false).ms(), 1000);
  EXPECT_DOUBLE_EQ(hostBound(peaks(), 0, 4000, false).ms(), 200000);
}

isa::HostCode code() {
  isa::HostCode code;
  code.add_kernels()->set_symbol("other");
  isa::KernelLoops &kernel = *code.add_kernels();
  kernel.set_symbol("kernel");
  isa::LoopNest &first = *kernel.add_nests();
  first.set_function("loops_0");
  first.add_nodes("conv");
  first.add_nodes("relu");
  first.set_operations(100);
  first.set_bytes(5);
  first.set_multiplies_bytes(true);
  kernel.add_nests()->set_function("loops_1");
  return code;
}

TEST(NestProfile, HasTheMedianOfEachRunsSum) {
  const isa::HostCode host = code();
  isa::HostKernel kernel;
  kernel.set_symbol("kernel");
  kernel.set_name("main");
  NestProfile profile(host);
  // The second nest is in a loop of the network.
  for (double ms : {3.0, 1.0, 2.0}) {
    runtime::Execution execution;
    execution.hostSteps.push_back({"pack", nullptr, 1, {}});
    execution.hostSteps.push_back(
        {"main", &kernel, 10, {{1, ms}, {0, 3 * ms}, {1, ms}, {7, ms}}});
    profile.add(execution);
  }
  std::vector<report::LoopNest> nests = profile.nests(peaks());
  ASSERT_EQ(nests.size(), 3u);
  EXPECT_DOUBLE_EQ(nests[0].ms(), 4);
  EXPECT_EQ(nests[0].function(), "loops_1");
  EXPECT_EQ(nests[0].bound_ms(), 0);
  EXPECT_DOUBLE_EQ(nests[1].ms(), 6);
  EXPECT_DOUBLE_EQ(nests[1].share(), 0.5);
  EXPECT_EQ(nests[1].kernel(), "main");
  EXPECT_THAT(nests[1].nodes(), ElementsAre("conv", "relu"));
  EXPECT_DOUBLE_EQ(nests[1].bound_ms(), 50);
  EXPECT_EQ(nests[1].limit(), "memory");
  EXPECT_EQ(nests[2].function(), ""); // a number that the code does not have
}

// What one run of a loop does not reach took no time in that run.
TEST(NestProfile, CountsRunsWithoutANest) {
  const isa::HostCode host = code();
  isa::HostKernel kernel;
  kernel.set_symbol("kernel");
  NestProfile profile(host);
  for (int run = 0; run < 5; ++run) {
    runtime::Execution execution;
    execution.hostSteps.push_back({"main", &kernel, 1, {{0, 1.0}}});
    if (run == 2)
      execution.hostSteps.back().nests.push_back({1, 1.0});
    profile.add(execution);
  }
  std::vector<report::LoopNest> nests = profile.nests(peaks());
  ASSERT_EQ(nests.size(), 2u);
  EXPECT_EQ(nests[0].ms(), 1);
  EXPECT_EQ(nests[1].ms(), 0);
}

TEST(NestProfile, TakesTheMiddleOfTwo) {
  const isa::HostCode host = code();
  isa::HostKernel kernel;
  kernel.set_symbol("kernel");
  NestProfile profile(host);
  for (double ms : {5.0, 1.0}) {
    runtime::Execution execution;
    execution.hostSteps.push_back({"main", &kernel, 1, {{0, ms}}});
    profile.add(execution);
  }
  EXPECT_EQ(profile.nests(peaks())[0].ms(), 3);
}

TEST(NestProfile, IsATableOfTheLongest) {
  std::vector<report::LoopNest> nests(5);
  for (int i = 0; i < 5; ++i) {
    nests[i].add_nodes("node" + std::to_string(i));
    nests[i].set_ms(i == 3 ? 10 : i + 1);
    nests[i].set_share(0.25);
    nests[i].set_bound_ms(i == 3 ? 2.5 : 0);
    nests[i].set_limit("arithmetic");
  }
  const std::string text = profileText(nests, peaks(), 40, /*most=*/3);
  EXPECT_THAT(text, HasSubstr("profile: 40.000 ms, 5 loop nests"));
  EXPECT_LT(text.find("node3"), text.find("node4"));
  EXPECT_LT(text.find("node4"), text.find("node2"));
  EXPECT_THAT(text, HasSubstr("10.000  25.0 %"));
  EXPECT_THAT(text, HasSubstr("25 %  arithmetic  node3"));
  EXPECT_THAT(text, Not(HasSubstr("node1")));
  EXPECT_THAT(text, HasSubstr("2 others"));
}

} // namespace
} // namespace tenon::tools
