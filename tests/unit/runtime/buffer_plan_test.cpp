//===- buffer_plan_test.cpp - Buffers that live together lie apart --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/aligned_memory.h"
#include "runtime/buffer_plan.h"

#include "gtest/gtest.h"

#include <random>

using namespace tenon;
using namespace tenon::runtime;

namespace {

TEST(Lifetimes, LastFromTheFirstStepToTheLast) {
  isa::Program program;
  for (int i = 0; i < 4; ++i)
    program.add_buffers();
  program.add_steps()->mutable_pack()->set_buffer(0);
  program.add_steps()->mutable_unpack()->set_buffer(1);
  isa::HostKernel &kernel = *program.add_steps()->mutable_host_kernel();
  kernel.add_inputs(0);
  kernel.add_outputs(2);
  std::vector<Lifetime> lives = bufferLifetimes(program);
  EXPECT_EQ(lives[0].first, 0);
  EXPECT_EQ(lives[0].last, 2);
  EXPECT_TRUE(lives[0].meets(lives[1]));
  EXPECT_FALSE(lives[1].meets(lives[2]));
  EXPECT_GT(lives[3].first, lives[3].last);
}

TEST(BufferPlan, SharesMemoryAlongAChain) {
  // Each feeds the next: two places are enough.
  std::vector<Lifetime> chain{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  BufferPlan plan = planBuffers(chain, {64, 64, 64, 64});
  EXPECT_EQ(plan.bytes, 128u);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  EXPECT_EQ(plan.offsets[1], plan.offsets[3]);
}

TEST(BufferPlan, KeepsWhatLivesTogetherApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lives;
    std::vector<uint64_t> bytes;
    for (int i = 0; i < 12; ++i) {
      int first = random() % 8;
      lives.push_back({first, first + int(random() % 4)});
      bytes.push_back(random() % 5 ? random() % 1000 : 0);
    }
    BufferPlan plan = planBuffers(lives, bytes);
    for (size_t a = 0; a < lives.size(); ++a) {
      EXPECT_EQ(plan.offsets[a] % AlignedMemory::alignment, 0u);
      EXPECT_LE(plan.offsets[a] + bytes[a], plan.bytes);
      for (size_t b = 0; b < a; ++b)
        if (bytes[a] && bytes[b] && lives[a].meets(lives[b]))
          EXPECT_TRUE(plan.offsets[a] + bytes[a] <= plan.offsets[b] ||
                      plan.offsets[b] + bytes[b] <= plan.offsets[a]);
    }
  }
}

} // namespace
