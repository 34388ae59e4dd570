// Part of Tenon, under the Apache License v2.0.
//
// Walking a program in DRAM.

#include "sim/program_walk.h"

#include "isa/configuration.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::sim {
namespace {

using ::testing::HasSubstr;

class ProgramWalk : public ::testing::Test {
protected:
  ProgramWalk() : layout(*isa::Layout::get(*isa::loadConfiguration("pynq"))) {}

  Stream encode(const std::vector<isa::Instruction> &instructions) {
    dram.assign(64 + instructions.size() * layout.instructionBytes, 0xff);
    uint8_t *out = dram.data() + 64;
    for (const isa::Instruction &instruction : instructions) {
      absl::Status status = isa::encode(layout, instruction, out);
      EXPECT_TRUE(status.ok()) << status;
      out += layout.instructionBytes;
    }
    return {dram, 64, instructions.size()};
  }

  static isa::Load load(uint32_t rows) {
    isa::Load load;
    load.memory = isa::Memory::Inp;
    load.ySize = rows;
    load.xSize = 16;
    load.yStride = 32;
    load.xStride = 2;
    return load;
  }

  const isa::Layout layout;
  std::vector<uint8_t> dram;
};

TEST_F(ProgramWalk, CountsAndBounds) {
  Stream stream = encode({load(3), isa::Set{}, load(100), isa::Finish{}});
  auto facts = examineStream(layout, stream, {});
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->instructions[0], 3u);
  EXPECT_EQ(facts->instructions[3], 0u);
  // At the least the beats.
  EXPECT_GT(facts->cycleBound, 103u * 32);
}

// `pynq`: 100 MHz, beats of 8 bytes, bursts of 16 beats, instructions of two.
TEST_F(ProgramWalk, BoundsCountWithSlowMemories) {
  auto boundOf = [&](const std::vector<isa::Instruction> &instructions,
                     const MemoryTiming &timing) {
    auto facts = examineStream(layout, encode(instructions), timing);
    EXPECT_TRUE(facts.ok()) << facts.status();
    return facts.ok() ? facts->cycleBound : 0;
  };
  MemoryTiming one;
  one.latency = 1000;
  one.outstanding = 1;
  isa::Load apart = load(1);
  apart.xSize = 2000;
  apart.xStride = 3;
  apart.gather = true;
  EXPECT_GT(boundOf({apart, isa::Finish{}}, one), 2000u * 1000);
  isa::Store store;
  store.ySize = 2;
  store.xSize = 1000;
  store.xStride = 3;
  EXPECT_GT(boundOf({store, isa::Finish{}}, one), 2000u * 1000);
  // A row of 2000 beats.
  isa::Load row = load(1);
  row.xSize = 1000;
  EXPECT_GT(boundOf({row, isa::Finish{}}, one), 125u * 1000);
  // Eight beats of FETCH are four instructions.
  one.latency = 100000;
  std::vector<isa::Instruction> sets(400, isa::Set{});
  sets.push_back(isa::Finish{});
  EXPECT_GT(boundOf(sets, one), 100u * 100000);

  MemoryTiming slow;
  slow.dram.banks = 8;
  slow.dram.megabytes = 1; // 8 us a beat
  EXPECT_GT(boundOf({load(100), isa::Finish{}}, slow), 100u * 31 * 800);
  slow.dram.megabytes = 1000000;
  slow.dram.precharge = 1000000; // 1 us a burst
  EXPECT_GT(boundOf({apart, apart, apart, apart, isa::Finish{}}, slow),
            8000u * 100);
}

TEST_F(ProgramWalk, MemoriesKeepSilent) {
  MemoryTiming timing;
  timing.latency = 77;
  EXPECT_EQ(longestSilence(layout, timing), 77u);
  // Two bursts of 16 beats of 8 us, 800 cycles at 100 MHz.
  timing.outstanding = 2;
  timing.dram.banks = 1;
  timing.dram.megabytes = 1;
  EXPECT_EQ(longestSilence(layout, timing), 77u + 2 * 16 * 800);
  // 0.5 us to close a row, 0.3 to open one.
  timing.dram.precharge = 500000;
  timing.dram.activate = 300000;
  EXPECT_EQ(longestSilence(layout, timing), 77u + 2 * (16 * 800 + 80));
}

TEST_F(ProgramWalk, DescribesTheInstructionOfAnEngine) {
  isa::Set set;
  set.engine = isa::Engine::Alu;
  Stream stream = encode({load(3), set, load(100), isa::Finish{}});
  EXPECT_THAT(describeInstruction(layout, stream, isa::Engine::Load, 1),
              HasSubstr("instruction 2: "));
  EXPECT_THAT(describeInstruction(layout, stream, isa::Engine::Alu, 0),
              HasSubstr("instruction 1: "));
  EXPECT_EQ(describeInstruction(layout, stream, isa::Engine::Load, 2),
            "no further instruction");
}

// `pynq`: beats of 8 bytes, elements of INP and OUT of 16.
TEST_F(ProgramWalk, TransfersStayWithinDram) {
  auto said = [&](const std::vector<isa::Instruction> &instructions,
                  size_t dramBytes) {
    Stream stream = encode(instructions);
    dram.resize(dramBytes);
    stream.dram = dram;
    return std::string(checkTransfers(layout, stream).message());
  };
  ASSERT_EQ(layout.beatBytes, 8u);
  ASSERT_EQ(layout.outBytes, 16u);
  // Rows of 16 elements, 32 beats apart: 3 of them are 3 * 256 bytes.
  isa::Load source = load(3);
  source.dram = 100;
  EXPECT_EQ(said({source, isa::Finish{}}, 800 + 768), "");
  EXPECT_THAT(
      said({source, isa::Finish{}}, 800 + 767),
      testing::AllOf(HasSubstr("instruction 0 of the stream `load inp "),
                     HasSubstr("` accesses DRAM up to offset 0x620, outside of "
                               "the program's 1567 bytes")));
  isa::Store target;
  target.dram = 100;
  target.ySize = 2;
  target.xSize = 2;
  target.yStride = 10; // 80 bytes
  target.xStride = 3;  // 24 bytes: a row ends 40 bytes behind its begin
  EXPECT_EQ(said({isa::Set{}, target, isa::Finish{}}, 800 + 120), "");
  EXPECT_THAT(said({isa::Set{}, target, isa::Finish{}}, 800 + 119),
              HasSubstr("instruction 1 of the stream `store "));
  // As far as the fields reach.
  target.dram = source.dram = (1u << 20) - 1;
  EXPECT_THAT(said({source, isa::Finish{}}, 1 << 20), HasSubstr("outside of"));
  EXPECT_THAT(said({target, isa::Finish{}}, 1 << 20), HasSubstr("outside of"));
}

TEST_F(ProgramWalk, NothingIsExecutedThatWasNotDecoded) {
  isa::Store target;
  target.ySize = target.xSize = 1;
  auto said = [&](uint64_t offset) {
    target.dram = uint32_t(offset / layout.beatBytes);
    Stream stream = encode({load(1), target, isa::Set{}, isa::Finish{}});
    dram.resize(4096);
    stream.dram = dram;
    return std::string(checkTransfers(layout, stream).message());
  };
  const uint64_t bytes = layout.instructionBytes, begin = 64;
  EXPECT_EQ(said(0), "");
  EXPECT_EQ(said(begin), ""); // what has been fetched
  EXPECT_EQ(said(begin + 4 * bytes), "");
  for (uint64_t at : {begin + 2 * bytes, begin + 3 * bytes})
    EXPECT_THAT(said(at), HasSubstr("writes instructions behind itself"));
}

TEST_F(ProgramWalk, ErrorsNameTheInstruction) {
  Stream stream = encode({load(3), isa::Finish{}, load(1)});
  EXPECT_THAT(std::string(examineStream(layout, stream, {}).status().message()),
              HasSubstr("instruction 1 of 3 is"));
  stream.count = 1;
  EXPECT_THAT(std::string(examineStream(layout, stream, {}).status().message()),
              HasSubstr("instruction 0 of 1 is"));
  stream.count = 0;
  EXPECT_EQ(std::string(examineStream(layout, stream, {}).status().message()),
            "a program has at least FINISH");

  stream = encode({load(3), isa::Finish{}});
  stream.count = 5;
  EXPECT_FALSE(examineStream(layout, stream, {}).ok());
  stream.count = 2;
  stream.offset = 1u << 30;
  EXPECT_THAT(std::string(examineStream(layout, stream, {}).status().message()),
              HasSubstr("lies outside"));

  stream = encode({load(3), isa::Finish{}});
  dram[64] |= 7; // opcode 7
  EXPECT_THAT(std::string(examineStream(layout, stream, {}).status().message()),
              HasSubstr("instruction 0 at DRAM offset 0x40: "));
}

} // namespace
} // namespace tenon::sim
