// Part of Tenon, under the Apache License v2.0.
//
// Each rule of docs/report.md, section "What limits a layer".

#include "sim/report/limits.h"

#include "gmock/gmock.h"

namespace tenon::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

class Limits : public testing::Test {
protected:
  Limits() {
    layer.set_placed_on("accelerator");
    layer.set_compute_engine("gemm");
    layer.set_compute_cycles(9000);
    layer.set_read_cycles(700);
    layer.set_write_cycles(600);
    layer.set_macs(9000.0 * 256);
    states("gemm").set_busy(9000);
    cycles(9000);
  }
  report::States &states(const char *engine) {
    return (*layer.mutable_states())[engine];
  }
  void cycles(double cycles) {
    layer.set_cycles(cycles);
    layer.set_bound_cycles(std::max(
        {layer.compute_cycles(), layer.read_cycles(), layer.write_cycles()}));
  }
  std::string limit(const LayerDetail *detail = nullptr) const {
    return limitOf(layer, 256, detail);
  }
  report::Layer layer;
};

TEST_F(Limits, NothingIsSaidWhereTheAcceleratorHasNoTime) {
  layer.set_placed_on("cpu");
  EXPECT_EQ(limit(), "");
  layer.set_placed_on("accelerator");
  layer.clear_states();
  EXPECT_EQ(limit(), "");
}

TEST_F(Limits, AtTheBoundNothingElseIsNamed) {
  cycles(9027);
  states("gemm").set_token(27);
  EXPECT_EQ(limit(), "at 99.7 % of the GEMM bound");
  cycles(8950); // a little beside its neighbours
  EXPECT_EQ(limit(), "at 100.6 % of the GEMM bound");
}

TEST_F(Limits, LayersInsideOthers) {
  cycles(0);
  EXPECT_THAT(limit(), HasSubstr("adds no cycles"));
  cycles(1234);
  EXPECT_EQ(limit(), "runs beside the layers around it: adds 1,234 cycles, "
                     "fewer than its bound of 9,000");
}

TEST_F(Limits, LossesOfTheEngineThatSetsTheBound) {
  cycles(14000);
  states("gemm").set_token(4340);
  states("gemm").set_bank(560);
  states("gemm").set_drain(100);
  EXPECT_EQ(limit(), "at 64.3 % of the GEMM bound; GEMM waits 31 % for tokens "
                     "and 4.0 % for a scratchpad port");
  LayerDetail detail;
  detail.tokenWait[1] = {4000, 40, 0}; // load, alu, store
  detail.roomWait[1] = {0, 300, 0};
  states("load").set_busy(800);
  states("load").set_memory(9000);
  states("load").set_token(200);
  EXPECT_EQ(limit(&detail),
            "at 64.3 % of the GEMM bound; GEMM waits 29 % for tokens from LOAD "
            "(LOAD: 90 % waiting for DRAM) and 4.0 % for a scratchpad port");
  detail.tokenWait[1] = {};
  detail.roomWait[1] = {0, 4340, 0};
  EXPECT_THAT(limit(&detail), HasSubstr("for room in the channel to ALU"));
}

TEST_F(Limits, WorkBeyondTheBoundAndTimeBesideIt) {
  cycles(10000);
  states("gemm").set_busy(9990);
  EXPECT_THAT(limit(), HasSubstr("GEMM is busy 9,990 cycles, more than"));
  states("gemm").set_busy(9010);
  EXPECT_THAT(limit(), HasSubstr("GEMM spends 9,010 cycles on it, the rest"));
}

TEST_F(Limits, MemoryBoundLayersSayWhatTheyMove) {
  layer.set_read_cycles(65710);
  layer.set_read_bytes(525696);
  cycles(66000);
  states("load").set_busy(65712);
  LayerDetail detail;
  detail.readBytes[size_t(isa::Memory::Wgt)] = 512000;
  detail.readBytes[size_t(isa::Memory::Prm)] = 13696;
  EXPECT_EQ(limit(&detail), "memory-bound: reads 525,696 B (97 % weights); at "
                            "99.6 % of the 65,710 read cycles");
  EXPECT_EQ(limit(), "memory-bound: reads 525,696 B; at 99.6 % of the 65,710 "
                     "read cycles");
  cycles(80000);
  states("load").set_token(14000);
  EXPECT_THAT(limit(), HasSubstr("; LOAD waits 18 % for tokens"));
  layer.set_write_cycles(70000);
  layer.set_write_bytes(560000);
  cycles(70100);
  EXPECT_EQ(limit(), "memory-bound: writes 560,000 B; at 99.9 % of the 70,000 "
                     "write cycles");
}

TEST_F(Limits, BlocksThatAreNotFullAreNamed) {
  layer.set_macs(9000.0 * 256 * 0.562);
  EXPECT_EQ(limit(), "at 100.0 % of the GEMM bound; its blocks fill 56.2 % of "
                     "the multipliers");
  layer.set_compute_engine("alu"); // which has no multipliers to fill
  EXPECT_EQ(limit(), "at 100.0 % of the ALU bound");
}

TEST_F(Limits, EveryLayerOfAReportGetsItsSentence) {
  report::RunReport report;
  report.set_peak_macs(256);
  *report.add_layers() = layer;
  *report.add_layers() = layer;
  report.mutable_layers(1)->set_cycles(0);
  describeLimits(report);
  EXPECT_EQ(report.layers(0).limit(), "at 100.0 % of the GEMM bound");
  EXPECT_THAT(report.layers(1).limit(), HasSubstr("adds no cycles"));
}

} // namespace
} // namespace tenon::sim
