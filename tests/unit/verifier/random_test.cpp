// Part of Tenon, under the Apache License v2.0.
//
// Random programs are legal and race-free by construction, by rules written
// independently (tests/differential/stream_builder.h): all of them verify.
// What they touch is compared element by element with the model there.

#include "isa/accesses.h"
#include "isa/assembler.h"
#include "isa/configuration.h"
#include "isa/verifier/verifier.h"
#include "sim/functional/instructions.h"
#include "tests/differential/random_program.h"
#include "tests/differential/regions.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <set>

namespace tenon::isa {
namespace {

Configuration configurationOf(uint32_t index) {
  const char *shipped[] = {"pynq", "tiny", "batch4"};
  if (index < 3)
    return *loadConfiguration(shipped[index]);
  std::mt19937_64 random(index);
  return randomConfiguration(random);
}

class RandomPrograms : public testing::TestWithParam<uint32_t> {};

std::vector<Instruction> codeOf(const Layout &layout, const Program &program) {
  const std::string &code = program.segments(1).data();
  std::vector<Instruction> stream;
  for (size_t at = 0; at < code.size(); at += layout.instructionBytes)
    stream.push_back(
        *decode(layout, reinterpret_cast<const uint8_t *>(code.data()) + at));
  return stream;
}

/// A segment behind the data, which is grown for it.
void setCode(const Layout &layout, const std::vector<Instruction> &stream,
             Program &program) {
  std::string &code = *program.mutable_segments(1)->mutable_data();
  program.set_dram_bytes(program.dram_bytes() - code.size());
  code.resize(stream.size() * layout.instructionBytes);
  program.set_dram_bytes(program.dram_bytes() + code.size());
  program.mutable_steps(0)->mutable_launch()->set_instruction_count(
      stream.size());
  auto bytes = reinterpret_cast<uint8_t *>(code.data());
  for (size_t i = 0; i < stream.size(); ++i)
    ASSERT_TRUE(
        encode(layout, stream[i], bytes + i * layout.instructionBytes).ok());
}

uint32_t bitOf(Engine engine, Engine other) {
  auto others = neighbours(engine);
  return 1u << (std::find(others.begin(), others.end(), other) -
                others.begin());
}

// Tokens that only SETs give and take, in front of everything and behind.
TEST_P(RandomPrograms, NeedEveryTokenButThoseAddedForNothing) {
  Layout layout = *Layout::get(configurationOf(GetParam()));
  std::vector<Instruction> forNothing;
  for (Channel channel : channels) {
    Set giver, taker;
    giver.engine = channel.from, taker.engine = channel.to;
    giver.signal = bitOf(channel.from, channel.to);
    taker.wait = bitOf(channel.to, channel.from);
    forNothing.insert(forNothing.end(), {giver, taker});
  }
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    auto random = differential::randomProgram(layout, seed, 40);
    Program program = differential::assembleRandomProgram(layout, random);
    EXPECT_EQ(verify(program)->superfluous_tokens(), 0u);
    std::vector<Instruction> stream = codeOf(layout, program);
    stream.insert(stream.begin(), forNothing.begin(), forNothing.end());
    stream.insert(stream.end() - 1, forNothing.begin(), forNothing.end());
    setCode(layout, stream, program);
    Verification result = *verify(program, 1000);
    EXPECT_TRUE(result.verified()) << "seed " << seed << findingsText(result);
    EXPECT_EQ(result.superfluous_tokens(), 2 * channels.size());
    for (const Finding &token : result.superfluous())
      for (const isa::Place &place : token.instructions())
        EXPECT_TRUE(place.index() < forNothing.size() ||
                    place.index() + forNothing.size() + 1 >= stream.size())
            << token.message();
  }
}

// Whatever the bytes are, the verifier ends, and says something of most.
TEST_P(RandomPrograms, OfFlippedBitsAreVerifiedOrNot) {
  Layout layout = *Layout::get(configurationOf(GetParam()));
  std::mt19937_64 bits(GetParam());
  uint32_t refused = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    auto random = differential::randomProgram(layout, seed % 4, 20);
    Program program = differential::assembleRandomProgram(layout, random);
    for (uint64_t flips = 1 + bits() % 8; flips; --flips) {
      Segment &segment = *program.mutable_segments(int(bits() % 4 ? 1 : 0));
      size_t at = bits() % segment.data().size();
      (*segment.mutable_data())[at] ^= char(1 << bits() % 8);
    }
    auto result = verify(program, 3);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_LE(result->findings_size(), 3);
    refused += !result->verified();
  }
  EXPECT_GT(refused, 20u);
}

/// Elements that an instruction writes, or reads before it writes them; of DRAM
/// beats.
using Touched = std::array<std::set<uint64_t>, spaceCount>;

TEST_P(RandomPrograms, Verify) {
  Layout layout = *Layout::get(configurationOf(GetParam()));
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    auto random = differential::randomProgram(layout, seed, 40);
    Program program = differential::assembleRandomProgram(layout, random);
    auto result = verify(program);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->verified())
        << "seed " << seed << "\n"
        << findingsText(*result) << disassembleProgram(program, false);
  }
}

void expectSame(const std::array<Units, spaceCount> &found, const Touched &want,
                uint64_t beatBytes, const std::string &text) {
  for (uint32_t i = 0; i < spaceCount; ++i) {
    uint64_t unit = Space(i) == Space::Dram ? beatBytes : 1;
    std::set<uint64_t> units;
    for (Interval interval : found[i])
      for (uint64_t at = interval.begin; at < interval.end; at += unit)
        units.insert(at / unit);
    EXPECT_EQ(units, want[i]) << toString(Space(i)) << " of " << text;
  }
}

/// Drops what is written from both sets of units read in ACC.
void keepOthers(Touched &reads, Accesses &found) {
  std::set<uint64_t> &want = reads[size_t(Space::Acc)];
  Units kept;
  for (Interval units : found.readsOf(Space::Acc))
    for (uint64_t at = units.begin; at < units.end; ++at) {
      bool isWritten = false;
      for (Interval written : found.writesOf(Space::Acc))
        isWritten |= at >= written.begin && at < written.end;
      if (isWritten)
        want.erase(at);
      else
        kept.push_back({at, at + 1});
    }
  found.reads[size_t(Space::Acc)] = kept;
}

TEST_P(RandomPrograms, TouchWhatTheElementwiseModelSays) {
  Layout layout = *Layout::get(configurationOf(GetParam()));
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    auto random = differential::randomProgram(layout, seed, 40);
    Program program = differential::assembleRandomProgram(layout, random);
    AccessWalker walker(layout, program);
    sim::functional::State state(layout);
    std::vector<uint8_t> dram = random.dram;
    state.dram = absl::MakeSpan(dram);
    for (const Instruction &in : random.instructions) {
      Touched reads, writes;
      for (const auto &access : differential::accessesOf(in, state)) {
        size_t space = size_t(access.space);
        if (access.isWrite)
          writes[space].insert(access.index);
        else if (!writes[space].count(access.index))
          reads[space].insert(access.index);
      }
      std::string text = disassemble(layout, in);
      auto found = walker.next(in);
      ASSERT_TRUE(found.ok()) << found.status() << ": " << text;
      // The model writes where a run begins. Sources within the run have the
      // value from before it, so the walker counts more of them as read.
      if (const auto *alu = std::get_if<Alu>(&in); alu && isReducing(*alu))
        keepOthers(reads, *found);
      expectSame(found->writes, writes, layout.beatBytes, text);
      expectSame(found->reads, reads, layout.beatBytes, text);
      std::visit(
          [&](const auto &i) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(i)>, Finish>)
              ASSERT_TRUE(sim::functional::execute(i, state).ok());
          },
          in);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configurations, RandomPrograms,
                         testing::Range(0u, 8u));

} // namespace
} // namespace tenon::isa
