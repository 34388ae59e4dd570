//===- tools/fpga/flow.h - From a configuration to a bitstream --*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The open flow: Yosys, nextpnr, the family's packer. Each step is kept by
// content (step.h), so that another seed does not synthesise again.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_FLOW_H
#define TENON_TOOLS_FPGA_FLOW_H

#include "hw/boards/proto/board.pb.h"
#include "isa/isa.h"
#include "tools/fpga/proto/report.pb.h"
#include "tools/fpga/step.h"
#include "tools/fpga/tools.h"

#include "absl/status/statusor.h"

#include <chrono>
#include <map>
#include <string>

namespace tenon::fpga {

enum class Stage { Synthesis, Place, Bitstream };

struct FlowOptions {
  double clockMegahertz = 0; // 0: the board's
  unsigned seed = 1;         // of placement
  Stage last = Stage::Bitstream;
  std::string output; // directory for results and logs; is made
  std::chrono::seconds toolLimit{7200}; // of each tool
};

/// A board with a machine on it, and the numbers its parameters are made of.
struct Design {
  Board board;
  isa::Layout layout;
  std::string configuration; // name or file that the layout was loaded from
  double clockMegahertz = 0; // that the PLL makes
  std::map<std::string, std::string> parameters; // of the top, as numbers
};

/// The machine `configuration` (name or file; "": the board's) at a clock (MHz;
/// 0: the board's). Errors as of isa::loadConfiguration; InvalidArgument: the
/// clock cannot be made, the board's memory is no multiple of two beats, or a
/// parameter's {name} is none.
absl::StatusOr<Design> makeDesign(const Board &board,
                                  const std::string &configuration,
                                  double clockMegahertz);

/// Takes a design through the flow and leaves in the output directory
/// BOARD.bit (.fs, .bin), netlist.v (the checked module after synthesis: the
/// very cells that are placed), the tools' logs and report.json. A design that
/// misses its timing or does not fit the device gives a report that says so,
/// not an error. Errors: FailedPrecondition, a tool is missing (with the
/// command that installs it); NotFound, a file of the board; Internal, a tool
/// failed (with its log); DeadlineExceeded, a tool took longer than the limit.
absl::StatusOr<BuildReport> runFlow(const Design &design,
                                    const FlowOptions &options,
                                    const BuildProgress &progress);

/// The steps of the flow; each writes its part into `report`.
absl::StatusOr<StepResult> synthesise(const Design &design,
                                      const FlowOptions &options,
                                      const BuildProgress &progress,
                                      BuildReport &report);
/// NotFound-free: a design that does not fit fills `report.shortfall` and
/// gives ResourceExhausted.
absl::StatusOr<StepResult> place(const Design &design,
                                 const StepResult &synthesis,
                                 const FlowOptions &options,
                                 const BuildProgress &progress,
                                 BuildReport &report);
absl::StatusOr<StepResult> pack(const Design &design, const StepResult &placed,
                                const FlowOptions &options,
                                const BuildProgress &progress,
                                BuildReport &report);

/// The report for a person: use of the device, clock, critical path, where
/// RAMs and multipliers went, seconds.
std::string summary(const BuildReport &report);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_FLOW_H
