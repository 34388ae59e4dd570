//===- tools/tenon/sensitivity.cpp - What each layer loses ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/sensitivity.h"

#include "absl/strings/str_cat.h"

namespace tenon::tools {

absl::Status sensitivity(const Switchboard &board, const Samples &samples,
                         size_t most, Progress &progress, Quantized &report) {
  SwitchedNetwork network(board, samples, most);
  if (auto status = network.start(); !status.ok())
    return status;
  report.clear_sensitivity();
  report.set_sensitivity_samples(network.count());
  auto all = network.measureUnits([](const std::string &) { return true; });
  if (!all.ok())
    return all.status();
  *report.mutable_sensitivity_all() = *all;
  size_t number = 0;
  for (const std::string &unit : board.units) {
    progress.show(
        absl::StrCat("measuring layer ", ++number, " of ", board.units.size()));
    auto with = network.measureUnits(
             [&](const std::string &other) { return other == unit; }),
         without = network.measureUnits(
             [&](const std::string &other) { return other != unit; });
    for (const auto *accuracy : {&with, &without})
      if (!accuracy->ok())
        return accuracy->status();
    Sensitivity &layer = *report.add_sensitivity();
    layer.set_layer(unit);
    layer.set_alone_db(with->sqnr_db());
    layer.set_alone_same(with->same_top1());
    layer.set_without_db(without->sqnr_db());
    layer.set_without_same(without->same_top1());
  }
  return absl::OkStatus();
}

} // namespace tenon::tools
