// Part of Tenon, under the Apache License v2.0.
//
// Board descriptions, and the dividers that make their clocks.

#include "tools/fpga/board.h"
#include "tools/fpga/flow.h"
#include "tools/fpga/pll.h"
#include "tools/fpga/sources.h"

#include "isa/files.h"
#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>

namespace tenon::fpga {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(Boards, EveryOneThatShipsLoadsWithItsFiles) {
  auto names = boardNames();
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_GE(names->size(), 7u);
  for (const std::string &name : *names) {
    auto board = loadBoard(name);
    ASSERT_TRUE(board.ok()) << board.status();
    EXPECT_EQ(board->name(), name);
    for (const std::string &glob : board->sources())
      EXPECT_TRUE(hardwareFiles(glob).ok()) << name << ": " << glob;
    if (!board->constraints().empty()) {
      EXPECT_TRUE(hardwareFile(board->constraints()).ok()) << name;
    }
    if (board->flow() == Board::YOSYS_NEXTPNR) {
      auto design = makeDesign(*board, "", 0);
      ASSERT_TRUE(design.ok()) << design.status();
      EXPECT_LE(design->clockMegahertz, board->clock_mhz() * 1.000001) << name;
    }
  }
}

TEST(Boards, UnknownNameListsThoseThereAre) {
  auto board = loadBoard("ulx3s");
  EXPECT_EQ(board.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(board.status().message()), HasSubstr("ulx3s-85f"));
}

class BoardFile : public ::testing::Test {
protected:
  absl::StatusOr<Board> load(const std::string &text) {
    EXPECT_TRUE(isa::writeFile(path.string(), text).ok());
    return loadBoard(path.string());
  }
  std::string message(const std::string &text) {
    return std::string(load(text).status().message());
  }
  const ScratchFolder folder;
  const fs::path path = folder / "board.textproto";
};

constexpr char complete[] = R"(name: "b" flow: YOSYS_NEXTPNR family: ECP5
    device: "25k" package: "CABGA381" configuration: "tiny" clock_mhz: 50
    top: "t" sources: "./a/*.sv" available { lut: 24288 }
)";

TEST_F(BoardFile, PathsAreRelativeToTheFile) {
  auto board = load(std::string(complete) + "constraints: \"./x.lpf\"");
  ASSERT_TRUE(board.ok()) << board.status();
  EXPECT_EQ(board->sources(0), (path.parent_path() / "a/*.sv").string());
  EXPECT_EQ(board->constraints(), (path.parent_path() / "x.lpf").string());
}

TEST_F(BoardFile, ErrorsNameLineAndField) {
  EXPECT_THAT(message("name: \"b\"\nclock: 3\n"), HasSubstr(":2:"));
  EXPECT_THAT(message("name: \"b\" configuration: \"tiny\""),
              HasSubstr("clock_mhz"));
  EXPECT_THAT(message("name: \"b\" configuration: \"tiny\" clock_mhz: 50"),
              HasSubstr("flow"));
  EXPECT_THAT(message("name: \"b\" configuration: \"tiny\" clock_mhz: 50 "
                      "flow: YOSYS_NEXTPNR family: ECP5"),
              HasSubstr("device, package, top, sources, available"));
  EXPECT_THAT(message("name: \"b\" configuration: \"tiny\" clock_mhz: -1 "
                      "flow: VIVADO"),
              HasSubstr("clock_mhz"));
}

TEST_F(BoardFile, ParametersThatAreNoNumbers) {
  auto board = load(std::string(complete) +
                    "parameters { name: \"P\" value: \"{clock}\" }");
  ASSERT_TRUE(board.ok()) << board.status();
  auto design = makeDesign(*board, "", 0);
  EXPECT_EQ(design.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(design.status().message()), HasSubstr("{clock_hz}"));
}

TEST_F(BoardFile, MemoryIsAnEvenNumberOfBeats) {
  auto board = load(std::string(complete) + "memory_bytes: 40968");
  ASSERT_TRUE(board.ok()) << board.status();
  EXPECT_TRUE(makeDesign(*board, "tiny", 0).ok()); // 10,242 beats of 4 bytes
  auto design = makeDesign(*board, "small", 0);    // 5,121 of 8
  EXPECT_EQ(design.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(design.status().message()),
              HasSubstr("board b: memory_bytes is 40968, expected a multiple "
                        "of 16, two beats of configuration small"));
}

TEST_F(BoardFile, ParametersFromTheClock) {
  auto board = load(std::string(complete) +
                    "oscillator_mhz: 25 memory_bytes: 4096 "
                    "parameters { name: \"Hz\" value: \"{clock_hz}\" } "
                    "parameters { name: \"Bytes\" value: \"{memory_bytes}\" } "
                    "parameters { name: \"F\" value: \"{pll_feedback}\" } "
                    "parameters { name: \"R\" value: \"{pll_reference}\" }");
  ASSERT_TRUE(board.ok()) << board.status();
  auto design = makeDesign(*board, "small", 80);
  ASSERT_TRUE(design.ok()) << design.status();
  EXPECT_EQ(design->layout.config.name(), "small");
  EXPECT_EQ(design->parameters["Hz"], "80000000");
  EXPECT_EQ(design->parameters["Bytes"], "4096");
  // 80 = 25 * 16 / 5
  EXPECT_EQ(design->parameters["F"], "16");
  EXPECT_EQ(design->parameters["R"], "5");
}

// The formulas and ranges of the data sheets; these clocks can be made exactly.
TEST(Pll, DividersKeepToTheDataSheets) {
  for (double clock = 25; clock <= 150; clock += 5) {
    auto ecp5 = pllDividers(Board::ECP5, 25, clock);
    ASSERT_TRUE(ecp5.ok()) << ecp5.status();
    double made = 25.0 * ecp5->feedback / ecp5->reference;
    EXPECT_NEAR(made, ecp5->clockMegahertz, 1e-9);
    EXPECT_NEAR(made, clock, 1e-9);
    EXPECT_GE(made * ecp5->output, 400);
    EXPECT_LE(made * ecp5->output, 800);
    EXPECT_GE(25.0 / ecp5->reference, 3.125);
  }
  for (double clock = 27; clock <= 150; clock += 3) {
    auto gowin = pllDividers(Board::GOWIN, 27, clock);
    ASSERT_TRUE(gowin.ok()) << gowin.status();
    double made = 27.0 * (gowin->feedback + 1) / (gowin->reference + 1);
    EXPECT_NEAR(made, gowin->clockMegahertz, 1e-9);
    EXPECT_NEAR(made, clock, 1e-9);
    EXPECT_GE(made * gowin->output, 500);
    EXPECT_LE(made * gowin->output, 1250);
  }
  // icepll -i 12 -o 24: DIVR 0, DIVF 63, DIVQ 5.
  auto ice40 = pllDividers(Board::ICE40, 12, 24);
  ASSERT_TRUE(ice40.ok()) << ice40.status();
  EXPECT_EQ(ice40->reference, 0);
  EXPECT_EQ(ice40->feedback, 63);
  EXPECT_EQ(ice40->output, 5);
}

TEST(Pll, ClocksOutOfReachSayTheNearest) {
  auto low = pllDividers(Board::ECP5, 25, 1);
  EXPECT_EQ(low.status().code(), absl::StatusCode::kInvalidArgument);
  auto high = pllDividers(Board::ECP5, 25, 1900);
  EXPECT_EQ(high.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(high.status().message()), HasSubstr("800"));
}

} // namespace
} // namespace tenon::fpga
