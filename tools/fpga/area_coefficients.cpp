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
      {"ecp5", "acc", "1", 217, 55},
      {"ecp5", "acc", "batch*block_out", 650.25, 128},
      {"ecp5", "alu", "1", 2183, 1093},
      {"ecp5", "alu", "alu_lanes", 1170.25, 380.5},
      {"ecp5", "gemm", "1", 994, 806},
      {"ecp5", "gemm", "batch*block_out*block_in", 61.25, 18.8125},
      {"ecp5", "load", "1", 2125.5, 688},
      {"ecp5", "load", "bus_bits", 0, 1.03125},
      {"ecp5", "store", "1", 1187, 410},
      {"ecp5", "store", "bus_bits", 0.6875, 4.71956e-15},
      {"ecp5", "fetch", "1", 192, 196},
      {"ecp5", "fetch", "bus_bits", 0.96875, 0.96875},
      {"ecp5", "control", "1", 374, 144},
      {"ecp5", "counters", "1", 731, 297},
      {"ecp5", "axi_read", "1", 175, 85},
      {"ecp5", "axi_read", "bus_bits", 1, 2},
      {"ecp5", "axi_write", "1", 301, 114},
      {"ecp5", "axi_write", "bus_bits", 0.96875, 2},
      {"ecp5", "token_channels", "1", 100, 60},
      {"ecp5", "tenon_top", "1", 2426, 431},
      {"ecp5", "tenon_top", "wgt_bytes", 2.25, 18},
  };
  return terms;
}

const std::vector<AreaScale> &areaScales() {
  static const std::vector<AreaScale> scales{
      {"ecp5", 0.9577, 0.993754},
  };
  return scales;
}

const std::vector<AreaRange> &areaRanges() {
  static const std::vector<AreaRange> ranges{
      {"batch", 1, 1},         {"block_in", 4, 8},  {"block_out", 4, 8},
      {"bus_bits", 32, 64},    {"alu_lanes", 4, 8}, {"acc_banks", 4, 4},
      {"queue_depth", 32, 32},
  };
  return ranges;
}

std::string areaFittedRtl() { return "0"; }

} // namespace tenon::fpga
