//===- tools/fpga/reports.h - What the tools say ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Parsers of the reports and logs of Yosys 0.70 and nextpnr 0.11. Each takes
// text, so that excerpts of real runs can test it.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_REPORTS_H
#define TENON_TOOLS_FPGA_REPORTS_H

#include "hw/boards/proto/board.pb.h"
#include "tools/fpga/proto/report.pb.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon::fpga {

/// Number of cells by type of the whole design. Internal: it is no such JSON.
absl::StatusOr<std::map<std::string, double>>
parseStatistics(absl::string_view json);

/// What the cells occupy on a family, as its placer will count them, before
/// anything is packed: a lower bound for LUTs, exact for the rest.
Resources resourcesOf(Board::Family family,
                      const std::map<std::string, double> &cells);

/// Lines "MODULE/CELL TYPE", cells as synthesis names them, grouped by the
/// memory or module of the RTL they came from. Indices of generated instances
/// are one group ("[*]").
std::vector<Inferred> groupInferred(absl::string_view lines);

absl::StatusOr<NextpnrReport> parseNextpnrReport(absl::string_view json);

/// What was used of the device.
Resources usedResources(Board::Family family, const NextpnrReport &report);

/// Clocks with their critical paths; the one that `report.critical_path` is
/// about (least slack) first.
std::vector<Clock> clocksOf(const NextpnrReport &report);

/// Nanoseconds between target and fmax of a clock, negative where it is missed.
double slackOf(const Clock &clock);

/// Resources of nextpnr's log of which more are used than there are.
std::vector<Shortfall> overusedIn(absl::string_view log);

/// Sites of a Gowin device that a packed design takes, by nextpnr's log, and
/// what there is; none if the log does not say. A LUT, a carry and a flip-flop
/// that is not behind the only LUT that feeds it take one each, a 16x4 RAM a
/// whole block of eight. A few flip-flops may still share a carry's.
std::optional<Shortfall> gowinSitesIn(absl::string_view log);

/// The lines of a log that begin with "ERROR:", without that, one a line.
std::string errorsIn(absl::string_view log);

/// What `used` has more of than `available`; where `available` is 0 nothing is
/// known.
std::vector<Shortfall> shortfallOf(const Resources &used,
                                   const Resources &available);

/// "31,056 LUT of 24,288 (6,768 too many), ...".
std::string describe(const std::vector<Shortfall> &shortfall);

/// A cell or net of a netlist as a designer knows it: what synthesis and placer
/// appended to the register's or instance's name is cut off.
std::string designName(absl::string_view cell);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_REPORTS_H
