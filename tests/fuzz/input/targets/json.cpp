// Part of Tenon, under the Apache License v2.0.
//
// The JSON and the logs of synthesis and of place and route, which name their
// cells as a design does.

#include "tests/fuzz/input/target.h"
#include "tools/fpga/reports.h"

namespace tenon::fuzz {
namespace {

/// What tools print is not the user's input: elsewhere the error is a defect.
absl::Status asInput(const absl::Status &status) {
  return status.ok() ? status : absl::InvalidArgumentError(status.message());
}

} // namespace

absl::Status json(absl::string_view input) {
  fpga::groupInferred(input);
  fpga::overusedIn(input);
  fpga::gowinSitesIn(input);
  fpga::errorsIn(input);
  fpga::designName(input);
  auto statistics = fpga::parseStatistics(input);
  auto report = fpga::parseNextpnrReport(input);
  for (auto family :
       {fpga::Board::ECP5, fpga::Board::GOWIN, fpga::Board::ICE40}) {
    if (statistics.ok())
      fpga::resourcesOf(family, *statistics);
    if (report.ok())
      fpga::usedResources(family, *report);
  }
  if (report.ok())
    for (const fpga::Clock &clock : fpga::clocksOf(*report))
      fpga::slackOf(clock);
  return asInput(report.status());
}

} // namespace tenon::fuzz
