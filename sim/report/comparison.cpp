//===- sim/report/comparison.cpp - What differs between two runs ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/comparison.h"

#include "sim/report/text.h"

#include "fmt/format.h"

#include <algorithm>
#include <map>

namespace tenon::sim {
namespace {

double ratioOf(double a, double b) { return a > 0 && b > 0 ? b / a : 0; }

std::string heading(const char *letter, const report::RunReport &report) {
  return fmt::format("{}  {} · {} · {} · {} cycles · {:.1f} % of peak\n",
                     letter, report.model(), report.config(), report.target(),
                     grouped(report.cycles()), 100 * report.utilization());
}

std::string cell(double cycles) { return cycles > 0 ? grouped(cycles) : "-"; }

} // namespace

report::Comparison compareReports(const report::RunReport &a,
                                  const report::RunReport &b) {
  report::Comparison out;
  *out.mutable_a() = a;
  *out.mutable_b() = b;
  out.set_ratio(ratioOf(a.cycles(), b.cycles()));
  std::map<std::string, report::LayerDifference *> rows;
  auto row = [&](const report::Layer &layer) {
    report::LayerDifference *&found = rows[layer.name()];
    if (!found) {
      found = out.add_layers();
      found->set_name(layer.name());
    }
    return found;
  };
  for (const report::Layer &layer : a.layers())
    if (layer.placed_on() == "accelerator")
      row(layer)->set_cycles_a(layer.cycles());
  for (const report::Layer &layer : b.layers())
    if (layer.placed_on() == "accelerator")
      row(layer)->set_cycles_b(layer.cycles());
  for (report::LayerDifference &layer : *out.mutable_layers())
    layer.set_ratio(ratioOf(layer.cycles_a(), layer.cycles_b()));
  return out;
}

std::string comparisonText(const report::Comparison &comparison) {
  std::string text =
      heading("A", comparison.a()) + heading("B", comparison.b());
  size_t width = 5;
  for (const report::LayerDifference &layer : comparison.layers())
    width = std::max(width, layer.name().size());
  text += fmt::format("\n  {:<{}}{:>14}{:>14}{:>10}\n", "layer", width,
                      "cycles A", "cycles B", "B / A");
  auto add = [&](const std::string &name, double a, double b, double ratio) {
    text += fmt::format("  {:<{}}{:>14}{:>14}{:>10}\n", name, width, cell(a),
                        cell(b), ratio > 0 ? fmt::format("{:.3f}", ratio) : "");
  };
  for (const report::LayerDifference &layer : comparison.layers())
    add(layer.name(), layer.cycles_a(), layer.cycles_b(), layer.ratio());
  add("total", comparison.a().cycles(), comparison.b().cycles(),
      comparison.ratio());
  return text;
}

} // namespace tenon::sim
