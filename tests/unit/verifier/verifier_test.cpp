// Part of Tenon, under the Apache License v2.0.
//
// Programs written by hand, each with the findings written by hand as well:
// comments `; finding: KIND: MESSAGE` are all findings, in their order; without
// one the program verifies, and `; tokens: N, superfluous: M` counts its
// tokens.

#include "isa/assembler.h"
#include "isa/files.h"
#include "isa/verifier/verifier.h"

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>

namespace tenon::isa {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> programsIn(const std::string &folder) {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::string(TENON_SOURCE_DIR) + "/" + folder))
    if (entry.path().extension() == ".tasm")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  return std::filesystem::path(info.param).stem().string();
}

Program assembled(const std::string &path) {
  auto text = readFile(path);
  EXPECT_TRUE(text.ok()) << text.status();
  auto program = assembleProgram(text.value_or(""), path);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.value_or(Program());
}

Verification verified(const Program &program, uint32_t most = 20) {
  auto result = verify(program, most);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(Verification());
}

/// The comments of a program that begin with `; KEY: `.
std::vector<std::string> comments(const std::string &path,
                                  const std::string &key) {
  auto text = readFile(path);
  std::vector<std::string> found;
  for (absl::string_view line : absl::StrSplit(*text, '\n'))
    if (absl::ConsumePrefix(&line, "; " + key + ": "))
      found.emplace_back(line);
  return found;
}

class ByHand : public testing::TestWithParam<std::string> {};

TEST_P(ByHand, HasTheFindingsItNames) {
  Verification result = verified(assembled(GetParam()));
  std::vector<std::string> found;
  for (const Finding &finding : result.findings())
    found.push_back(finding.kind() + ": " + finding.message());
  std::vector<std::string> expected = comments(GetParam(), "finding");
  EXPECT_EQ(found, expected);
  EXPECT_EQ(result.verified(), expected.empty());
  std::vector<std::string> superfluous =
      absl::StrSplit(superfluousText(result), '\n', absl::SkipEmpty());
  if (expected.empty() && !result.superfluous().empty())
    EXPECT_EQ(superfluous, comments(GetParam(), "superfluous"));
  for (const std::string &tokens : comments(GetParam(), "tokens"))
    EXPECT_EQ(fmt::format("{}, superfluous: {}", result.tokens(),
                          result.superfluous_tokens()),
              tokens);
}

INSTANTIATE_TEST_SUITE_P(Programs, ByHand,
                         testing::ValuesIn(programsIn("tests/unit/verifier/"
                                                      "programs")),
                         nameOf);

// The programs that run on every executor.
class Executed : public testing::TestWithParam<std::string> {};

TEST_P(Executed, VerifiesUnlessItMustFail) {
  bool mustFail = !comments(GetParam(), "expect-error").empty();
  Verification result = verified(assembled(GetParam()));
  EXPECT_EQ(result.verified(), !mustFail) << findingsText(result);
}

INSTANTIATE_TEST_SUITE_P(Programs, Executed,
                         testing::ValuesIn(programsIn("tests/programs")),
                         nameOf);

std::string fileOf(const std::string &name) {
  return std::string(TENON_SOURCE_DIR) + "/tests/unit/verifier/programs/" +
         name + ".tasm";
}

TEST(Verification, NamesInstructionsRegionAndChannelForPrograms) {
  Verification result = verified(assembled(fileOf("race_read")));
  ASSERT_EQ(result.findings_size(), 1);
  const Finding &race = result.findings(0);
  EXPECT_EQ(race.space(), "inp");
  EXPECT_EQ(race.begin(), 1);
  EXPECT_EQ(race.end(), 2);
  EXPECT_EQ(race.from(), "load");
  EXPECT_EQ(race.to(), "gemm");
  ASSERT_EQ(race.instructions_size(), 2);
  EXPECT_EQ(race.instructions(0).engine(), "load");
  EXPECT_EQ(race.instructions(0).number(), 2u);
  EXPECT_EQ(race.instructions(0).index(), 2u);
  EXPECT_EQ(race.instructions(0).access(), "writes");
  EXPECT_EQ(race.instructions(1).engine(), "gemm");
  EXPECT_EQ(race.instructions(1).index(), 3u);
  EXPECT_EQ(race.instructions(1).access(), "reads");
  EXPECT_EQ(result.instructions(), 4u);
  EXPECT_EQ(result.launches(), 1u);
}

TEST(Verification, ListsNoMoreFindingsThanAskedForAndCountsTheOthers) {
  Program program = assembled(fileOf("operands"));
  Verification result = verified(program, 1);
  EXPECT_EQ(result.findings_size(), 1);
  EXPECT_EQ(result.more(), 2u);
  EXPECT_THAT(findingsText(result), testing::EndsWith("\nand 2 more\n"));
  result = verified(program, 0);
  EXPECT_FALSE(result.verified());
  EXPECT_EQ(findingsText(result), "and 3 more\n");
}

TEST(Verification, NamesTheLayer) {
  Program program = assembled(fileOf("starved"));
  program.mutable_debug()->add_layers()->set_name("conv2d_7");
  for (uint32_t e = 0; e < engineCount; ++e)
    program.mutable_debug()->add_engines()->add_runs();
  Verification result = verified(program);
  ASSERT_EQ(result.findings_size(), 1);
  EXPECT_EQ(result.findings(0).instructions(0).layer(), "conv2d_7");
  EXPECT_THAT(result.findings(0).message(),
              testing::HasSubstr("GEMM #1 (instruction 2 of conv2d_7) `"));
}

TEST(Verification, RefusesWhatIsNoProgram) {
  Program program;
  EXPECT_FALSE(verify(program).ok());
}

} // namespace
} // namespace tenon::isa
