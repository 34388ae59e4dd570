// Part of Tenon, under the Apache License v2.0.
//
// The memory port of the SystemC model, burst by burst: the cycles that the
// registers of axi_read.sv and axi_write.sv and the memory's latency add up to.

#include "sim/tlm/memory.h"

#include "gtest/gtest.h"

namespace tenon::sim::tlm {
namespace {

Transfer read(Memory &memory, Cycle issue, uint32_t beats, Cycle from = 0) {
  Transfer burst;
  burst.issue = issue;
  burst.beats = beats;
  burst.from = from;
  memory.transfer(burst);
  return burst;
}

Transfer requestWrite(Memory &memory, Cycle issue, uint32_t beats) {
  Transfer burst;
  burst.step = Transfer::WriteRequest;
  burst.issue = issue;
  burst.beats = beats;
  memory.transfer(burst);
  return burst;
}

Cycle responseTo(Memory &memory, Transfer burst) {
  burst.step = Transfer::WriteComplete;
  memory.transfer(burst);
  return burst.response;
}

MemoryTiming timing(uint32_t latency, uint32_t rate = 0,
                    uint32_t outstanding = 64) {
  MemoryTiming timing;
  timing.latency = latency;
  timing.bytesPerCycle = rate;
  timing.outstanding = outstanding;
  return timing;
}

TEST(TlmMemory, ReadsFollowWithoutGap) {
  Memory memory(timing(10), 8);
  Transfer first = read(memory, 0, 4), second = read(memory, 1, 2);
  EXPECT_EQ(first.accepted, 1u);
  EXPECT_EQ(first.first, 12u); // 1 + 10, and the port's register
  EXPECT_EQ(first.last, 15u);
  EXPECT_EQ(second.first, 16u);
  EXPECT_EQ(second.last, 17u);
}

TEST(TlmMemory, MasterThatIsNotReadyHoldsUpTheRest) {
  Memory memory(timing(10), 8);
  EXPECT_EQ(read(memory, 0, 4, 50).first, 50u);
  // The second's beats are due long before; two of the first wait in the
  // register until 50 and 51.
  Transfer second = read(memory, 1, 1);
  EXPECT_EQ(second.first, 54u);
  Transfer third = read(memory, 60, 1);
  EXPECT_EQ(third.first, 72u);
}

TEST(TlmMemory, OutstandingReadsAreLimited) {
  Memory memory(timing(10, 0, 1), 8);
  EXPECT_EQ(read(memory, 0, 2).last, 13u);
  // The last beat left the memory in 12.
  Transfer second = read(memory, 1, 1);
  EXPECT_EQ(second.accepted, 13u);
  EXPECT_EQ(second.first, 24u);
}

TEST(TlmMemory, SlowPort) {
  Memory memory(timing(4, 4), 8); // a beat in two cycles
  Transfer burst = read(memory, 0, 3);
  EXPECT_EQ(burst.first, 6u);
  EXPECT_EQ(burst.last, 10u);
}

TEST(TlmMemory, WriteDataFollowTheAddress) {
  Memory memory(timing(6), 8);
  Transfer burst = requestWrite(memory, 0, 4);
  EXPECT_EQ(burst.accepted, 1u);
  EXPECT_EQ(burst.first, 2u);
  EXPECT_EQ(burst.last, 5u);
  EXPECT_EQ(responseTo(memory, burst), 12u); // 5 + 6, and the register
}

// As STORE does it with banked DRAM: a write is completed when others have been
// asked for.
TEST(TlmMemory, OutstandingWritesAreLimited) {
  Memory memory(timing(10, 0, 2), 8);
  Transfer first = requestWrite(memory, 0, 1);
  Transfer second = requestWrite(memory, 1, 1);
  EXPECT_EQ(second.accepted, 2u);
  EXPECT_EQ(second.last, 3u);
  EXPECT_EQ(responseTo(memory, first), 13u); // taken from the memory in 12
  Transfer third = requestWrite(memory, 4, 1);
  EXPECT_EQ(third.accepted, 13u);
  EXPECT_EQ(responseTo(memory, second), 14u);
  EXPECT_EQ(requestWrite(memory, 5, 1).accepted, 14u);
}

// The memory's clock has counted one cycle when the launch begins.
TEST(TlmMemory, RefreshComesByTheClockOfTheMemory) {
  MemoryTiming banked = timing(10);
  banked.dram.banks = 1;
  banked.dram.refreshInterval = 100 * banked.clockPicoseconds;
  banked.dram.refreshDuration = 20 * banked.clockPicoseconds;
  Memory memory(banked, 8);
  EXPECT_EQ(read(memory, 97, 1).first, 109u);      // accepted in 98
  EXPECT_EQ(read(memory, 98, 1).first, 110u + 20); // in 99
}

} // namespace
} // namespace tenon::sim::tlm
