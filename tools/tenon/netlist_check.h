//===- tools/tenon/netlist_check.h - A netlist runs a program ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_NETLIST_CHECK_H
#define TENON_TOOLS_TENON_NETLIST_CHECK_H

#include "tools/fpga/flow.h"
#include "tools/tenon/progress.h"

#include "sim/board/board_model.h"

#include "runtime/loaded_program.h"

#include "absl/status/statusor.h"

#include <string>

namespace tenon::tools {

/// The board's logic as RTL: bridge, memory and machine.
absl::StatusOr<sim::BoardModel> rtlBoard(const fpga::Design &design);

/// The same as the netlist that a build left in `netlist`.
absl::StatusOr<sim::BoardModel> netlistBoard(const fpga::Design &design,
                                             const std::string &netlist);

/// Runs a program, or a network that is compiled for the design's machine, with
/// random inputs on the simulated netlist and on the simulated RTL, each behind
/// a pseudo-terminal and through the serial driver, and on the functional
/// simulator. `trust` is of a program's host code. All of DRAM must agree, and
/// the cycles of netlist and RTL. "differs" says in `reason` what does; errors
/// as of the simulators, the driver and the compiler.
absl::StatusOr<fpga::NetlistCheck> checkNetlist(const fpga::Design &design,
                                                const std::string &netlist,
                                                const std::string &program,
                                                runtime::HostCodeTrust trust,
                                                Progress &progress);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_NETLIST_CHECK_H
