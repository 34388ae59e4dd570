// Part of Tenon, under the Apache License v2.0.
//
// What is read out of the tools' reports. The fixtures are of a design with a
// register, a RAM, a multiplier and a sum; values were read off them by hand.

#include "tools/fpga/reports.h"

#include "isa/files.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::fpga {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string fixture(const std::string &name) {
  auto text = isa::readFile(FLOW_TESTS "/fixtures/" + name);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.ok() ? *text : "";
}

NextpnrReport placed(const std::string &name) {
  auto report = parseNextpnrReport(fixture(name));
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : NextpnrReport();
}

TEST(Reports, Ecp5UtilisationAndClock) {
  NextpnrReport report = placed("ecp5_report.json");
  Resources used = usedResources(Board::ECP5, report);
  EXPECT_EQ(used.lut(), 72);
  EXPECT_EQ(used.ff(), 65);
  EXPECT_EQ(used.dsp(), 1);
  EXPECT_EQ(used.ram(), 1);
  std::vector<Clock> clocks = clocksOf(report);
  ASSERT_EQ(clocks.size(), 1u);
  EXPECT_EQ(clocks[0].name(), "clk_i");
  EXPECT_NEAR(clocks[0].fmax_mhz(), 78.579, 0.001);
  EXPECT_EQ(clocks[0].target_mhz(), 80);
  EXPECT_NEAR(slackOf(clocks[0]), 12.5 - 12.726, 0.001);
}

TEST(Reports, CriticalPathInTheDesignersNames) {
  std::vector<Clock> clocks = clocksOf(placed("ecp5_report.json"));
  ASSERT_EQ(clocks.size(), 1u);
  std::vector<std::string> names, kinds, cells;
  for (const Hop &hop : clocks[0].critical_path()) {
    names.push_back(hop.name());
    kinds.push_back(hop.kind());
    cells.push_back(hop.cell());
  }
  EXPECT_THAT(names, ElementsAre("u_bridge_top.u_sub.memory_q",
                                 "u_bridge_top.u_sub.rd_q[10]",
                                 "u_bridge_top.u_sub.prod_q",
                                 "u_bridge_top.u_sub.prod_q",
                                 "u_bridge_top.u_sub.prod_q"));
  EXPECT_THAT(kinds,
              ElementsAre("clock to output", "wire", "logic", "wire", "setup"));
  EXPECT_THAT(cells, ElementsAre("RAM", "", "MULT18X18D", "", "TRELLIS_FF"));
  // Delays add up to the period of the highest frequency.
  EXPECT_NEAR(clocks[0].critical_path().rbegin()->at_ns(),
              1e3 / clocks[0].fmax_mhz(), 1e-3);
}

TEST(Reports, GowinsLutsIncludeItsCarries) {
  NextpnrReport report = placed("gowin_report.json");
  Resources used = usedResources(Board::GOWIN, report);
  EXPECT_EQ(used.lut(), 67); // 28 of them carries
  EXPECT_EQ(used.ff(), 65);
  EXPECT_EQ(used.dsp(), 1);
  EXPECT_EQ(used.ram(), 1);
  // 16 carries of one sum are one hop: 0.569 + 14 * 0.035 + 0.469 ns.
  std::vector<Clock> clocks = clocksOf(report);
  ASSERT_EQ(clocks.size(), 1u);
  ASSERT_EQ(clocks[0].critical_path_size(), 4);
  EXPECT_EQ(clocks[0].critical_path(2).cell(), "ALU");
  EXPECT_NEAR(clocks[0].critical_path(2).delay_ns(), 1.423, 1e-3);
  EXPECT_NEAR(clocks[0].critical_path(3).at_ns(), 2.093, 1e-3);
}

TEST(Reports, Ice40Cells) {
  NextpnrReport report = placed("ice40_report.json");
  Resources used = usedResources(Board::ICE40, report);
  EXPECT_EQ(used.lut(), 54);
  EXPECT_EQ(used.dsp(), 1);
  EXPECT_EQ(used.ram(), 2);
  EXPECT_NEAR(clocksOf(report)[0].fmax_mhz(), 100.543, 1e-3);
}

TEST(Reports, StatisticsOfEveryFamily) {
  auto ecp5 = parseStatistics(fixture("ecp5_statistics.json"));
  ASSERT_TRUE(ecp5.ok()) << ecp5.status();
  Resources used = resourcesOf(Board::ECP5, *ecp5);
  EXPECT_EQ(used.ff(), 65);
  EXPECT_EQ(used.dsp(), 1);
  EXPECT_EQ(used.ram(), 1);
  EXPECT_EQ(used.lut(), ecp5->at("LUT4") + 2 * ecp5->at("CCU2C"));
  auto gowin = parseStatistics(fixture("gowin_statistics.json"));
  ASSERT_TRUE(gowin.ok()) << gowin.status();
  EXPECT_EQ(resourcesOf(Board::GOWIN, *gowin).ram(), 1);
  EXPECT_EQ(resourcesOf(Board::GOWIN, *gowin).dsp(), 1);
  EXPECT_EQ(resourcesOf(Board::GOWIN, *gowin).ff(), 65);
  auto ice40 = parseStatistics(fixture("ice40_statistics.json"));
  ASSERT_TRUE(ice40.ok()) << ice40.status();
  EXPECT_EQ(resourcesOf(Board::ICE40, *ice40).ram(), 2);
  EXPECT_EQ(resourcesOf(Board::ICE40, *ice40).dsp(), 1);
}

TEST(Reports, GowinSitesCountWhatSharesNone) {
  const char *log = "Info: Constrained 3011 LUTFF pairs.\n"
                    "Info: Device utilisation:\n"
                    "Info: \t                LUT4:   17297/  20736    83%\n"
                    "Info: \t                 DFF:    9634/  15552    61%\n"
                    "Info: \t           RAM16SDP4:     206/    648    31%\n";
  auto sites = gowinSitesIn(log);
  ASSERT_TRUE(sites.has_value());
  EXPECT_EQ(sites->available(), 20736);
  // 11,721 LUTs and 3,928 carries, 206 RAMs of eight sites, 8,398 flip-flops of
  // which 3,011 share: the netlist's own count of cells.
  EXPECT_EQ(sites->used(), 11721 + 3928 + 206 * 8 + 8398 - 3011);
  EXPECT_FALSE(gowinSitesIn("ERROR: no such device").has_value());
}

// What tiny's synthesis gave: a 36x36 multiplier takes eight of 9x9.
TEST(Reports, GowinMultipliersInUnitsOfTheSmallest) {
  Resources used = resourcesOf(Board::GOWIN, {{"MULT9X9", 9},
                                              {"MULT18X18", 11},
                                              {"MULT36X36", 4},
                                              {"SDPX9B", 35},
                                              {"RAM16SDP4", 481},
                                              {"LUT4", 100},
                                              {"ALU", 10}});
  EXPECT_EQ(used.dsp(), 63);
  EXPECT_EQ(used.ram(), 35);
  EXPECT_EQ(used.lut(), 100 + 10 + 4 * 481);
}

TEST(Reports, GarbageIsAnError) {
  for (const char *text : {"{", "[]", "not JSON", "{\"design\": 3}"})
    EXPECT_THAT(
        std::string(parseStatistics(text).status().message()),
        HasSubstr("Yosys' statistics is not the JSON that was expected: "))
        << text;
  for (const char *text : {"{}", "{\"modules\": {}}"})
    EXPECT_EQ(std::string(parseStatistics(text).status().message()),
              "Yosys' statistics have no entry 'design'")
        << text;
  EXPECT_FALSE(parseStatistics("").ok());
  EXPECT_THAT(std::string(parseNextpnrReport("<html>").status().message()),
              HasSubstr("is not the JSON that was expected: "));
}

TEST(Reports, ClocksWithTheLeastSlackFirst) {
  auto report = parseNextpnrReport(R"({"fmax": {
      "slow": {"achieved": 40, "constraint": 25},
      "fast": {"achieved": 79, "constraint": 80},
      "unused": {"achieved": 500, "constraint": 12}}})");
  ASSERT_TRUE(report.ok()) << report.status();
  std::vector<Clock> clocks = clocksOf(*report);
  ASSERT_EQ(clocks.size(), 3u);
  EXPECT_EQ(clocks[0].name(), "fast");
  EXPECT_LT(slackOf(clocks[0]), 0);
  EXPECT_EQ(clocks[1].name(), "slow");
}

TEST(Reports, LogOfADeviceThatIsTooSmall) {
  std::string log = fixture("overfull.log");
  std::vector<Shortfall> over = overusedIn(log);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].resource(), "MULT18X18D");
  EXPECT_EQ(over[0].used(), 35);
  EXPECT_EQ(over[0].available(), 28);
  EXPECT_EQ(describe(over), "35 MULT18X18D of 28 (7 too many)");
  EXPECT_THAT(errorsIn(log), HasSubstr("Unable to place cell"));
  EXPECT_THAT(errorsIn("Info: fine\n"), IsEmpty());
}

TEST(Reports, ShortfallNamesEveryResource) {
  Resources used, available;
  used.set_lut(6100);
  used.set_dsp(8);
  used.set_ram(30.5);
  available.set_lut(5280);
  available.set_dsp(8);
  available.set_ram(30);
  EXPECT_EQ(describe(shortfallOf(used, available)),
            "6,100 LUT of 5,280 (820 too many), 30.5 RAM of 30 (0.5 too many)");
  available.set_lut(0); // not known
  available.set_ram(31);
  EXPECT_THAT(shortfallOf(used, available), IsEmpty());
}

TEST(Reports, InferredByMemoryAndModule) {
  auto groups = groupInferred(
      "top/u_top.u_inp.memory_q.0.0 DP16KD\n"
      "top/u_top.u_inp.memory_q.0.1 DP16KD\n"
      "top/u_top.acc.gen_bank[0].memory_q.0.0 DP16KD\n"
      "top/u_top.acc.gen_bank[3].memory_q.0.0 DP16KD\n"
      "top/u_top.u_load.rows_q_TRELLIS_FF_Q_DI_MULT18X18D_P24 MULT18X18D\n"
      "top/u_top.u_dot.gen_row[1].left_MULT18X18D_P MULT18X18D\n"
      "top/u_top.u_dot.gen_row[2].left_MULT18X18D_P MULT18X18D\n");
  std::vector<std::string> lines;
  for (const Inferred &entry : groups)
    lines.push_back(entry.name() + " " + entry.primitive() + " " +
                    std::to_string(static_cast<int>(entry.count())));
  EXPECT_THAT(lines, ElementsAre("u_top.acc.gen_bank[*].memory_q DP16KD 2",
                                 "u_top.u_dot.gen_row[*] MULT18X18D 2",
                                 "u_top.u_inp.memory_q DP16KD 2",
                                 "u_top.u_load MULT18X18D 1"));
}

TEST(Reports, NamesWithoutWhatToolsAppend) {
  EXPECT_EQ(designName("u_a.sum_q_TRELLIS_FF_Q_12_DI_LUT4_Z_1"), "u_a.sum_q");
  EXPECT_EQ(designName("$glbnet$clk_i$TRELLIS_IO_IN"), "clk_i");
  EXPECT_EQ(designName("u_a.valid_SB_DFFE_Q_D_SB_LUT4_O_LC"), "u_a.valid");
  EXPECT_EQ(designName("rx_i$tr_io"), "rx_i");
  EXPECT_EQ(designName("u_a.gen_row[3].left[7]"), "u_a.gen_row[3].left[7]");
  // A register whose own name holds a primitive's word stays.
  EXPECT_EQ(designName("u_a.LUT4x"), "u_a.LUT4x");
}

} // namespace
} // namespace tenon::fpga
