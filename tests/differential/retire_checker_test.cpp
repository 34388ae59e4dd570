// Part of Tenon, under the Apache License v2.0.
//
// What a machine does wrong is found and named: a machine played by hand, and
// programs that once failed on the RTL.

#include "isa/assembler.h"
#include "isa/files.h"
#include "tests/differential/campaign.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>

namespace tenon::differential {
namespace {

using ::testing::HasSubstr;

const std::string path =
    std::string(TENON_SOURCE_DIR) + "/tests/programs/gemm_zero_point.tasm";

// Plays what a program must do into a checker, with what a test changes.
class Player {
public:
  Player() {
    isa::Program program =
        *isa::assembleProgram(*isa::readFile(path), "program");
    layout = std::make_unique<isa::Layout>(
        *isa::Layout::get(program.configuration()));
    checker = std::make_unique<RetireChecker>(*layout);
    calls = checker->observer();
    run = *expectedRun(*layout, program);
    checker->begin(run);
  }

  // The engines' instructions in the order of the stream.
  absl::Status play() {
    for (uint64_t number = 0, found = 1; found; ++number) {
      found = 0;
      for (uint32_t e = 0; e < isa::engineCount; ++e)
        for (const ExpectedInstruction &each : run.engines[e])
          if (each.number == number) {
            ++found;
            for (const ExpectedWrite &write : each.writes)
              playWrite(e, write);
            calls.retired(calls.context, ++cycle, e);
          }
    }
    return checker->end();
  }

  ExpectedInstruction &gemm() {
    for (ExpectedInstruction &each : run.engines[1])
      if (!each.writes.empty())
        return each;
    return run.engines[1][0];
  }

  ExpectedRun run;
  uint64_t cycle = 0;
  std::unique_ptr<isa::Layout> layout;
  std::unique_ptr<RetireChecker> checker;
  sim::ModelObserver calls;

private:
  void playWrite(uint32_t engine, const ExpectedWrite &write) {
    if (write.space == Space::Dram) {
      calls.stored(calls.context, cycle, write.data.data());
      calls.addressed(calls.context, cycle, write.index * layout->beatBytes, 1);
      return;
    }
    // The numbers of WrittenMemory have a gap where LOAD has acc8.
    uint32_t memory = uint32_t(write.space);
    if (write.space == Space::Prm || write.space == Space::Out)
      ++memory;
    calls.written(calls.context, cycle, engine, sim::WrittenMemory(memory),
                  uint32_t(write.index), -1, write.data.data());
  }
};

TEST(RetireChecker, AcceptsWhatIsRight) {
  Player player;
  absl::Status status = player.play();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(player.checker->activity().instructions, 9);
}

TEST(RetireChecker, NamesAWrongValue) {
  Player player;
  player.gemm().writes[0].data[4] ^= 1;
  EXPECT_THAT(std::string(player.play().message()),
              HasSubstr("GEMM #1 (instruction 6) `gemm first uop=0+1 "
                        "signal(alu)`: wrote acc[0] lane 1 = 0, expected 1"));
}

TEST(RetireChecker, NamesAWrongPlace) {
  Player player;
  player.gemm().writes[0].index = 5;
  EXPECT_THAT(std::string(player.play().message()),
              HasSubstr("wrote acc[5], expected acc[0]"));
}

TEST(RetireChecker, NamesAWriteTooMany) {
  Player player;
  player.gemm().writes.push_back(player.gemm().writes[0]);
  EXPECT_THAT(std::string(player.play().message()),
              HasSubstr("GEMM: wrote acc[0], expected nothing"));
}

TEST(RetireChecker, NamesARetirementTooEarly) {
  for (size_t engine : {0, 1, 2, 3}) {
    Player player;
    for (ExpectedInstruction &each : player.run.engines[engine])
      if (!each.writes.empty()) {
        each.writes.pop_back();
        break;
      }
    EXPECT_THAT(std::string(player.play().message()),
                HasSubstr(engine == 0 ? "retired with 1 beats still to come"
                                      : "retired with 1 writes still to come"));
  }
}

TEST(RetireChecker, NamesAnInstructionThatNeverRetires) {
  Player player;
  player.run.engines[3].clear();
  EXPECT_EQ(player.play().message(),
            "STORE retired 0 instructions, expected 1");
}

// Each failed with a fault, of the RTL or of the SystemC model's cycles, that
// its comment names.
TEST(Kept, AllAgree) {
  size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::string(TENON_SOURCE_DIR) + "/tests/differential/kept")) {
    if (entry.path().extension() != ".tasm")
      continue;
    ++files;
    absl::Status status = compareFile(entry.path().string());
    EXPECT_TRUE(status.ok()) << entry.path() << ": " << status;
  }
  EXPECT_GT(files, 0);
}

} // namespace
} // namespace tenon::differential
