//===- tools/fpga/floorplan.h - Cells with a site of their own --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_FLOORPLAN_H
#define TENON_TOOLS_FPGA_FLOORPLAN_H

#include "hw/boards/proto/board.pb.h"

#include "google/protobuf/repeated_field.h"

#include <string>

namespace tenon::fpga {

/// A netlist as Yosys' write_json gives it, in which the cells that a floorplan
/// names have their site as attribute BEL, which nextpnr keeps to. The cells of
/// an entry are taken in the order of their names (numbers by value) and get
/// its sites one after the other; those beyond the last site are left to the
/// placer.
std::string
withFloorplan(const std::string &design,
              const google::protobuf::RepeatedPtrField<Floorplan> &floorplan);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_FLOORPLAN_H
