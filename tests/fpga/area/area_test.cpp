//===- tests/fpga/area/area_test.cpp - Area without synthesis -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The formulas against cases counted by hand from the families' data sheets,
// the model against configurations that were synthesised and not fitted
// (hw/flows/area_data.json).
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/area_blocks.h"
#include "tools/fpga/area_model.h"
#include "tools/fpga/board.h"

#include "isa/configuration.h"
#include "isa/files.h"
#include "isa/specification.h"

#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tenon;
using testing::HasSubstr;

namespace {

// A block is 512x36, 1024x18, 2048x9, 4096x4, 8192x2 or 16384x1.
TEST(BlockRams, AreTheFewestOfAnArrangement) {
  EXPECT_EQ(fpga::blockRams("ecp5", {512, 1, 36}), 1);
  EXPECT_EQ(fpga::blockRams("ecp5", {512, 1, 37}), 2);
  EXPECT_EQ(fpga::blockRams("ecp5", {513, 1, 36}), 2);
  EXPECT_EQ(fpga::blockRams("ecp5", {1024, 1, 54}), 3);
  EXPECT_EQ(fpga::blockRams("ecp5", {16384, 1, 8}), 8);
  EXPECT_EQ(fpga::blockRams("gowin", {2048, 1, 8}), 1);
  // 128 rows of 128 bits: only the width counts.
  EXPECT_EQ(fpga::blockRams("ecp5", {128, 1, 128}), 4);
}

// A lane of 32 bits takes the write enables of 36, one of 64 those of 72.
TEST(BlockRams, RoundLanesToWhatAWriteEnableCovers) {
  EXPECT_EQ(fpga::blockRams("ecp5", {512, 9, 32}), 9);
  EXPECT_EQ(fpga::blockRams("ecp5", {512, 1, 288}), 8);
  EXPECT_EQ(fpga::blockRams("gowin", {512, 8, 64}), 16);
}

// RAMB36 in halves: 512x72 as one, 512x36 or 2048x9 as a half.
TEST(BlockRams, CountRamb18AsHalf) {
  EXPECT_EQ(fpga::blockRams("xc7", {512, 1, 36}), 0.5);
  EXPECT_EQ(fpga::blockRams("xc7", {2048, 1, 72}), 4);
  EXPECT_EQ(fpga::blockRams("xc7", {1024, 1, 2048}), 57);
}

// 256x16 and narrower; a bit can be written on its own.
TEST(BlockRams, OfIce40AreSmall) {
  EXPECT_EQ(fpga::blockRams("ice40", {256, 1, 32}), 2);
  EXPECT_EQ(fpga::blockRams("ice40", {256, 4, 36}), 9);
  EXPECT_EQ(fpga::blockRams("ice40", {2048, 1, 8}), 4);
}

TEST(BlockRams, LeaveSmallMemoriesToLuts) {
  EXPECT_EQ(fpga::blockRams("ecp5", {16, 1, 32}), 0);
  EXPECT_EQ(fpga::blockRams("ecp5", {16, 1, 32}, /*forced=*/true), 1);
  EXPECT_EQ(fpga::blockRams("ice40", {2, 1, 16}), 0);
}

isa::Names namesOf(absl::string_view name) {
  return *isa::derivedNames(*isa::loadConfiguration(name));
}

// small: 64 products of 8x8, a row's sum, eight of 32x32 (four 18x18 or 25x18
// each, one 36x36 of eight 9x9 on Gowin), one of LOAD. pynq: 128 products of
// 25x8, which is one 25x18, and a row's sum twice.
TEST(Multipliers, AreCountedByTheirFactors) {
  EXPECT_EQ(*fpga::multipliers("ecp5", namesOf("small")), 64 + 1 + 8 * 4 + 1);
  EXPECT_EQ(*fpga::multipliers("gowin", namesOf("small")), 64 + 2 + 8 * 8 + 2);
  EXPECT_EQ(*fpga::multipliers("xc7", namesOf("small")), 64 + 1 + 8 * 4 + 1);
  EXPECT_EQ(*fpga::multipliers("xc7", namesOf("pynq")), 128 + 2 + 16 * 4 + 1);
  EXPECT_EQ(*fpga::multipliers("ice40", namesOf("small")), 0);
}

using Json = google::protobuf::Struct;

const Json &member(const Json &object, const std::string &key) {
  return object.fields().at(key).struct_value();
}

/// hw/flows/area_data.json.
Json synthesisRuns() {
  Json data;
  auto text =
      isa::readFile(std::string(TENON_SOURCE_DIR) + "/hw/flows/area_data.json");
  EXPECT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(*text, &data).ok());
  return data;
}

// LUTs, DSPs and RAMs of no held-out configuration are off by more than 10 %,
// or by more than two where there are so few.
TEST(AreaModel, IsWithinATenthOfWhatWasNotFitted) {
  const Json data = synthesisRuns();
  int checked = 0;
  for (const auto &[family, runs] : member(data, "synthesised").fields()) {
    for (const auto &[name, run] : runs.struct_value().fields()) {
      const Json &entry = member(member(data, "configurations"), name);
      if (!entry.fields().at("held_out").bool_value())
        continue;
      auto configuration = isa::parseConfiguration(
          entry.fields().at("text").string_value(), name);
      ASSERT_TRUE(configuration.ok()) << configuration.status();
      auto area = fpga::estimateArea(*configuration, family);
      ASSERT_TRUE(area.ok()) << area.status();
      const std::pair<const char *, double> estimates[] = {
          {"lut", area->used().lut()},
          {"dsp", area->used().dsp()},
          {"ram", area->used().ram()}};
      for (const auto &[key, estimate] : estimates) {
        double real = run.struct_value().fields().at(key).number_value();
        EXPECT_LE(std::abs(estimate - real), std::max(2.0, 0.1 * real))
            << family << " " << name << " " << key << ": " << real
            << " synthesised, " << estimate << " estimated";
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, 3 * 5);
}

// A larger machine takes more of everything, as far as the runs go.
TEST(AreaModel, GrowsWithTheMachine) {
  auto tiny = isa::loadConfiguration("tiny");
  auto small = isa::loadConfiguration("small");
  for (const std::string &family : fpga::areaFamilies()) {
    auto less = fpga::estimateArea(*tiny, family);
    auto more = fpga::estimateArea(*small, family);
    ASSERT_TRUE(less.ok() && more.ok());
    if (!more->warning().empty())
      continue;
    EXPECT_LT(less->used().lut(), more->used().lut()) << family;
    EXPECT_LT(less->used().ff(), more->used().ff()) << family;
    EXPECT_LT(less->used().ram(), more->used().ram()) << family;
  }
}

TEST(AreaModel, NamesTheFamiliesThereAre) {
  auto area = fpga::estimateArea(*isa::loadConfiguration("tiny"), "xc2v");
  ASSERT_EQ(area.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(area.status().message()),
              HasSubstr("no model of family 'xc2v'; there are ecp5, gowin"));
}

TEST(AreaModel, SaysWhatItHasNotSeen) {
  auto area = fpga::estimateArea(*isa::loadConfiguration("huge"), "ecp5");
  ASSERT_TRUE(area.ok());
  EXPECT_THAT(area->warning(), HasSubstr("block_in 64 (fitted 4 to"));
  auto tiny = fpga::estimateArea(*isa::loadConfiguration("tiny"), "ecp5");
  EXPECT_EQ(tiny->warning(), "");
}

// 40,960 bytes behind a 32-bit bus: 10,240 words are banks of 8192 and 2048
// words, four bytes each of four and of one DP16KD.
TEST(BoardFit, CountsTheMemoryOnTheChip) {
  auto board = fpga::loadBoard("ulx3s-25f");
  ASSERT_TRUE(board.ok()) << board.status();
  board->set_memory_bytes(40960);
  auto fit = fpga::fitBoard(*isa::loadConfiguration("tiny"), *board);
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_EQ(fit->bridge().ram(), 4 * 4 + 4 * 1);
  EXPECT_GT(fit->bridge().lut(), 0);
  EXPECT_EQ(fit->used().ram(), fit->machine().ram() + fit->bridge().ram());
  EXPECT_EQ(fit->used().lut(), fit->machine().lut() + fit->bridge().lut());
}

TEST(BoardFit, SaysWhatIsMissing) {
  auto board = fpga::loadBoard("ulx3s-25f");
  ASSERT_TRUE(board.ok());
  auto fit = fpga::fitBoard(*isa::loadConfiguration("small"), *board);
  ASSERT_TRUE(fit.ok());
  EXPECT_FALSE(fit->fits());
  bool found = false;
  for (const fpga::Shortfall &entry : fit->shortfall())
    if (entry.resource() == "DSP") {
      found = true;
      EXPECT_EQ(entry.used(), 64 + 1 + 32 + 1);
      EXPECT_EQ(entry.available(), 28);
    }
  EXPECT_TRUE(found);
}

} // namespace
