// Part of Tenon, under the Apache License v2.0.
//
// The verifier and the race detector on programs written by hand, and on
// mutants of them. Compiled networks: mutants.py.

#include "isa/assembler.h"
#include "isa/files.h"
#include "isa/verifier/verifier.h"
#include "sim/functional/functional_device.h"
#include "tests/trust/judge.h"
#include "tests/trust/mutants.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <filesystem>

namespace tenon::trust {
namespace {

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

/// What `; detector: TEXT` says; empty if nothing.
std::string detectorComment(const std::string &text) {
  for (absl::string_view line : absl::StrSplit(text, '\n'))
    if (absl::ConsumePrefix(&line, "; detector: "))
      return std::string(line);
  return "";
}

absl::Status detect(const isa::Program &program, std::optional<uint64_t> seed) {
  auto device =
      sim::FunctionalDevice::create(program.configuration(), seed, true);
  if (!device.ok())
    return device.status();
  if (auto s = (*device)->allocate(program.dram_bytes()); !s.ok())
    return s;
  for (const isa::Segment &segment : program.segments())
    if (auto s = (*device)->write(
            segment.offset(),
            absl::MakeConstSpan(
                reinterpret_cast<const uint8_t *>(segment.data().data()),
                segment.data().size()));
        !s.ok())
      return s;
  for (const isa::Step &step : program.steps())
    if (step.has_launch()) {
      sim::LaunchOptions options;
      options.programOffset = step.launch().program_offset();
      options.instructionCount = step.launch().instruction_count();
      if (auto result = (*device)->launch(options); !result.ok())
        return result.status();
    }
  return absl::OkStatus();
}

// What the detector says is written by hand into the programs.
class ByHand : public testing::TestWithParam<std::string> {};

TEST_P(ByHand, TheDetectorSaysWhatTheProgramNames) {
  auto text = isa::readFile(GetParam());
  ASSERT_TRUE(text.ok());
  auto program = isa::assembleProgram(*text, GetParam());
  ASSERT_TRUE(program.ok()) << program.status();
  std::string expected = detectorComment(*text);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    absl::Status status =
        detect(*program, seed ? std::optional<uint64_t>(seed) : std::nullopt);
    EXPECT_EQ(status.ok(), expected.empty()) << "seed " << seed << status;
    // Which of the two instructions comes second is the interleaving's choice.
    if (seed == 0)
      EXPECT_THAT(std::string(status.message()), testing::HasSubstr(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, ByHand,
                         testing::ValuesIn(programsIn("tests/unit/verifier/"
                                                      "programs")),
                         nameOf);

isa::Verification
findings(std::initializer_list<std::pair<const char *, const char *>> kinds) {
  isa::Verification result;
  for (const auto &[kind, message] : kinds) {
    isa::Finding &finding = *result.add_findings();
    finding.set_kind(kind);
    finding.set_message(message);
    isa::Place &place = *finding.add_instructions();
    place.set_index(62);
    place.set_engine("store");
    place.set_number(2);
  }
  return result;
}

// Several kinds of findings promise the errors of these kinds, not any.
TEST(Judge, AnErrorMustBeOfAKindThatWasFound) {
  const char *store = "STORE #2 (instruction 62 of the stream) `store`";
  const auto mixed =
      findings({{"race", store}, {"leftover", "LOAD gives a token"}});
  EXPECT_TRUE(isPromised("race: STORE #2 writes OUT[0]", mixed));
  EXPECT_TRUE(isPromised("1 tokens from load to gemm are left over", mixed));
  EXPECT_FALSE(isPromised("deadlock: gemm waits", mixed));
  EXPECT_FALSE(isPromised("undefined encoding: instruction 3", mixed));
  EXPECT_FALSE(
      isPromised("element (y 0, x 9), outside of the 64 bytes", mixed));
  const std::string reads = " reads OUT[0], which nothing has written";
  EXPECT_TRUE(isPromised(store + reads, mixed));
  EXPECT_TRUE(
      isPromised("STORE #3 (instruction 70 of the stream)" + reads, mixed));
  EXPECT_FALSE(
      isPromised("ALU #3 (instruction 70 of the stream)" + reads, mixed));
  EXPECT_TRUE(isPromised("ALU #3 (instruction 70 of the stream)" + reads,
                         findings({{"race", store}, {"undefined", ""}})));
  // What a LOAD of micro-ops behind the other one of the race may do.
  const std::string reaches =
      ": dst is OUT[57] in iteration (outer 0, inner 0, micro-op 23), but OUT "
      "has 32 entries";
  for (const char *alu : {"ALU #1 (instruction 62 of the stream)",
                          "ALU #0 (instruction 7 of the stream)"})
    EXPECT_TRUE(isPromised(alu + reaches, mixed));
  EXPECT_FALSE(
      isPromised("ALU #2 (instruction 63 of the stream)" + reaches, mixed));
  EXPECT_FALSE(isPromised("ALU" + reaches, mixed));
  EXPECT_TRUE(isPromised("ALU #1: micro-ops 15 to 17 of 16",
                         findings({{"bounds", ""}})));
  for (const char *kind : {"deadlock", "starved"}) {
    EXPECT_TRUE(isPromised("deadlock: gemm waits", findings({{kind, ""}})));
    EXPECT_FALSE(isPromised("race: x", findings({{kind, ""}})));
  }
  // Another program than the one that was verified may end in any way.
  auto fetched = findings({{"race", "FETCH reads instruction 3"}});
  EXPECT_FALSE(isPromised("undefined encoding: instruction 3", fetched));
  fetched.mutable_findings(0)->add_instructions()->set_engine("fetch");
  EXPECT_TRUE(isPromised("undefined encoding: instruction 3", fetched));
  EXPECT_FALSE(isPromised("race: x", findings({{"a new kind", ""}})));
  EXPECT_FALSE(isPromised("race: x", findings({})));
}

TEST(Mutants, OfProgramsByHandAreJudgedAlike) {
  Options options;
  options.mutants = 150;
  options.interleavings = 10;
  for (const std::string &path : programsIn("tests/programs"))
    if (path.find("deadlock") == std::string::npos)
      options.programs.push_back(path);
  auto figures = judgeMutants(options);
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_TRUE(figures->disagreements().empty()) << figuresText(*figures);
  EXPECT_GE(figures->programs(), 15u);
  // Mutants of every kind are found, and some are as good as the original.
  EXPECT_EQ(figures->kinds().size(), 14u) << figuresText(*figures);
  EXPECT_GT(figures->found(), figures->mutants() / 2);
  EXPECT_GT(figures->verified(), 50u);
  std::cout << figuresText(*figures);
}

// Windows are small there and hazards dense, in every combination of engines.
TEST(Mutants, OfRandomProgramsAreJudgedAlike) {
  Options options;
  options.mutants = 30;
  options.interleavings = 6;
  for (const char *configuration : {"pynq", "tiny", "batch4", "wide", "1", "2"})
    for (int seed = 1; seed <= 8; ++seed)
      options.programs.push_back(
          absl::StrCat("random:", configuration, ":", seed));
  auto figures = judgeMutants(options);
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_TRUE(figures->disagreements().empty()) << figuresText(*figures);
  EXPECT_EQ(figures->programs(), 48u);
  EXPECT_GT(figures->found(), figures->mutants() / 2);
  std::cout << figuresText(*figures);
}

} // namespace
} // namespace tenon::trust
