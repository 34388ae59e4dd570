//===- tools/fpga/area_coefficients.cpp - The fit of the area model -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Written by hw/flows/area_fit.py out of hw/flows/area_data.json; not edited.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/area_coefficients.h"

namespace tenon::fpga {

const std::vector<AreaTerm> &areaTerms() {
  static const std::vector<AreaTerm> terms{
      {"ecp5", "acc", "1", 233.31, 50.9464},
      {"ecp5", "acc", "batch*block_out", 0, 127.025},
      {"ecp5", "acc", "batch*block_out*acc_banks", 160.405, 0.424107},
      {"ecp5", "alu", "1", 2425.56, 1220.31},
      {"ecp5", "alu", "alu_lanes", 1151.09, 429.312},
      {"ecp5", "alu",
       "alu_lanes*(min(alu_multiply_cycles-1,1)-alu_multiply_cycles/32)",
       200.266, 24.8594},
      {"ecp5", "alu", "batch*block_out-alu_lanes", 204.156, 0},
      {"ecp5", "gemm", "1", 547.315, 511.458},
      {"ecp5", "gemm",
       "batch*block_out*block_in*(1-min(batch*block_in*block_out/65,1))",
       17.3549, 8.95312},
      {"ecp5", "gemm", "batch*block_out", 285.234, 113.198},
      {"ecp5", "load", "1", 900, 676},
      {"ecp5", "load", "bus_bits", 0.390625, 0.859375},
      {"ecp5", "load", "(queue_depth+15)/16", 244, 11.5},
      {"ecp5", "load", "sram_index_bits", 37.5, 3.5},
      {"ecp5", "store", "1", 716.833, 401.267},
      {"ecp5", "store", "batch*block_out", 41.4583, 0.383333},
      {"ecp5", "store", "(outstanding_bursts+15)/16", 0, 2.9},
      {"ecp5", "fetch", "1", 234, 201},
      {"ecp5", "fetch", "bus_bits", 0.875, 0.9375},
      {"ecp5", "control", "1", 374, 144},
      {"ecp5", "counters", "1", 0, 1},
      {"ecp5", "counters", "min(counters,1)", 731, 296},
      {"ecp5", "axi_read", "1", 176, 93},
      {"ecp5", "axi_read", "bus_bits", 0.90625, 1.9375},
      {"ecp5", "axi_write", "1", 122.214, 114.524},
      {"ecp5", "axi_write", "bus_bits", 1.69196, 2.03869},
      {"ecp5", "axi_write", "(outstanding_bursts+15)/16", 19.6429, 2.57143},
      {"ecp5", "token_channels", "1", 0, 20},
      {"ecp5", "token_channels", "clog2(channel_depth+1)", 23.9024, 10},
      {"ecp5", "tenon_top", "1", 481.026, 461.119},
      {"ecp5", "tenon_top", "bus_bits", 0, 3.46981},
      {"ecp5", "tenon_top", "(queue_depth+15)/16*instruction_bits", 8.10424,
       0.281581},
      {"ecp5", "tenon_top", "batch*block_out", 0, 28.4089},
      {"ecp5", "tenon_top", "wgt_bytes", 3.12171, 13.5699},
      {"ecp5-bridge", "bridge", "1", 1204, 498},
      {"ecp5-bridge", "bridge", "bus_bits", 1.46875, 2.0625},
      {"gowin", "acc", "1", 39.6316, 51.6091},
      {"gowin", "acc", "batch*block_out", 0, 127.03},
      {"gowin", "acc", "batch*block_out*acc_banks", 172.757, 0.411364},
      {"gowin", "alu", "1", 2988.1, 1251.5},
      {"gowin", "alu", "alu_lanes", 1129.25, 419.5},
      {"gowin", "alu",
       "alu_lanes*(min(alu_multiply_cycles-1,1)-alu_multiply_cycles/32)", 0,
       26.875},
      {"gowin", "alu", "batch*block_out-alu_lanes", 91.4771, 0},
      {"gowin", "gemm", "1", 539.097, 510.339},
      {"gowin", "gemm",
       "batch*block_out*block_in*(1-min(batch*block_in*block_out/65,1))",
       38.3165, 9.07661},
      {"gowin", "gemm", "batch*block_out", 143.153, 112.786},
      {"gowin", "load", "1", 1242.5, 641},
      {"gowin", "load", "bus_bits", 0, 0.375},
      {"gowin", "load", "(queue_depth+15)/16", 150, 29},
      {"gowin", "load", "sram_index_bits", 12.5, 7},
      {"gowin", "store", "1", 1069.67, 401},
      {"gowin", "store", "batch*block_out", 0.166667, 0.375},
      {"gowin", "store", "(outstanding_bursts+15)/16", 0, 3},
      {"gowin", "fetch", "1", 276, 201},
      {"gowin", "fetch", "bus_bits", 0.3125, 0.9375},
      {"gowin", "control", "1", 691, 144},
      {"gowin", "counters", "1", 854, 297},
      {"gowin", "axi_read", "1", 175, 93},
      {"gowin", "axi_read", "bus_bits", 0.9375, 1.9375},
      {"gowin", "axi_write", "1", 154, 115},
      {"gowin", "axi_write", "bus_bits", 1.48438, 2.0625},
      {"gowin", "axi_write", "(outstanding_bursts+15)/16", 15, 2},
      {"gowin", "token_channels", "1", 0, 20},
      {"gowin", "token_channels", "clog2(channel_depth+1)", 42.1053, 10},
      {"gowin", "tenon_top", "1", 0, 322},
      {"gowin", "tenon_top", "bus_bits", 0, 15},
      {"gowin", "tenon_top", "(queue_depth+15)/16*instruction_bits", 8.81771,
       0},
      {"gowin", "tenon_top", "inp_bytes", 0, 10.375},
      {"gowin", "tenon_top", "wgt_bytes", 2.52083, 7.46875},
      {"gowin-bridge", "bridge", "1", 1012, 498},
      {"gowin-bridge", "bridge", "bus_bits", 7.1875, 2.0625},
      {"xc7", "acc", "1", 392, 46.3333},
      {"xc7", "acc", "batch*block_out", 12, 126.667},
      {"xc7", "acc", "batch*block_out*acc_banks", 85.875, 1.125},
      {"xc7", "alu", "1", 1897.89, 1343},
      {"xc7", "alu", "alu_lanes", 790.028, 293},
      {"xc7", "alu",
       "alu_lanes*(min(alu_multiply_cycles-1,1)-alu_multiply_cycles/32)", 0,
       65.5},
      {"xc7", "alu", "batch*block_out-alu_lanes", 41.3611, 0},
      {"xc7", "gemm", "1", 260.333, 493.667},
      {"xc7", "gemm",
       "batch*block_out*block_in*(1-min(batch*block_in*block_out/65,1))",
       22.6875, 9.125},
      {"xc7", "gemm",
       "batch*block_out*block_in*min(batch*block_in*block_out/65,1)", 8.85937,
       0.984375},
      {"xc7", "gemm", "batch*block_out", 119.667, 111.833},
      {"xc7", "load", "1", 996, 683},
      {"xc7", "load", "bus_bits", 0, 0.75},
      {"xc7", "load", "sram_index_bits", 10, 5},
      {"xc7", "store", "1", 547, 416.333},
      {"xc7", "store", "batch*block_out", 11.75, 0.541667},
      {"xc7", "fetch", "1", 160, 156.5},
      {"xc7", "fetch", "bus_bits", 0.125, 0},
      {"xc7", "control", "1", 115, 144},
      {"xc7", "counters", "1", 427, 297},
      {"xc7", "axi_read", "1", 107, 93},
      {"xc7", "axi_read", "bus_bits", 0.9375, 1.9375},
      {"xc7", "axi_write", "1", 110.667, 113.667},
      {"xc7", "axi_write", "bus_bits", 1.17708, 2.14583},
      {"xc7", "token_channels", "1", 40, 20},
      {"xc7", "token_channels", "clog2(channel_depth+1)", 10, 10},
      {"xc7", "tenon_top", "1", 765, 643},
      {"xc7", "tenon_top", "inp_bytes", 0, 40.25},
      {"xc7", "tenon_top", "batch*block_out", 0, 40},
  };
  return terms;
}

const std::vector<AreaScale> &areaScales() {
  static const std::vector<AreaScale> scales{
      {"ecp5", 0.901474, 0.992817},
      {"gowin", 0.897592, 0.992273},
      {"xc7", 1, 1},
  };
  return scales;
}

const std::vector<AreaRange> &areaRanges() {
  static const std::vector<AreaRange> ranges{
      {"batch", 1, 2},        {"block_in", 4, 8},  {"block_out", 4, 16},
      {"bus_bits", 32, 64},   {"alu_lanes", 1, 8}, {"acc_banks", 1, 4},
      {"queue_depth", 4, 32},
  };
  return ranges;
}

std::string areaFittedRtl() { return "c0d1acfe8e3cf5e2"; }

} // namespace tenon::fpga
