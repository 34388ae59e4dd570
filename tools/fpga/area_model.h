//===- tools/fpga/area_model.h - Area without synthesis ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What a configuration takes of a device family. Block RAMs and multipliers are
// counted (area_blocks.h); LUTs and flip-flops are sums of features of the
// configuration with coefficients that hw/flows/area_fit.py fits to synthesis
// runs (area_coefficients.h). The unit of each resource is hw/boards'.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_AREA_MODEL_H
#define TENON_TOOLS_FPGA_AREA_MODEL_H

#include "isa/proto/configuration.pb.h"
#include "tools/fpga/proto/area.pb.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <string>
#include <vector>

namespace tenon::fpga {

/// The families of the model: "ecp5", "gowin", "ice40", "xc7".
std::vector<std::string> areaFamilies();

/// The name of a board's family; UltraScale+ counts as "xc7", whose block RAMs
/// are the same and whose DSPs and LUTs are no larger. InvalidArgument: the
/// board says none.
absl::StatusOr<std::string> areaFamily(Board::Family family);

/// Estimate of tenon_top. `warning` names what the fit has not seen: a size
/// far outside of the runs. NotFound lists the families there are.
absl::StatusOr<Area> estimateArea(const isa::Configuration &configuration,
                                  absl::string_view family);

/// The estimates for `families`, beside the hash of the RTL that was fitted and
/// of the one embedded in this library.
absl::StatusOr<AreaReport>
estimateAreas(const isa::Configuration &configuration,
              const std::vector<std::string> &families);

/// Estimate of what a build for `board` uses: the machine and, on boards whose
/// DRAM is on the chip, bridge and memory. A processor's interconnect is not
/// in it.
absl::StatusOr<BoardFit> fitBoard(const isa::Configuration &configuration,
                                  const Board &board);

/// 16 hexadecimal digits over the names and texts of hw/rtl/*.sv.
absl::StatusOr<std::string> rtlHash();

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_AREA_MODEL_H
