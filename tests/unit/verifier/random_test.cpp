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

/// Elements that an instruction writes, or reads before it writes them; of DRAM
/// beats.
using Touched = std::array<std::set<uint64_t>, spaceCount>;

class RandomPrograms : public testing::TestWithParam<uint32_t> {};

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
