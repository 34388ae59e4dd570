//===- sim/report/comparison.cpp - What differs between two runs ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/comparison.h"

#include "sim/report/text.h"

#include "absl/strings/str_join.h"

#include "fmt/format.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace tenon::sim {
namespace {

double ratioOf(double a, double b) { return a > 0 && b > 0 ? b / a : 0; }

std::string heading(const char *letter, const report::RunReport &report) {
  std::string text = fmt::format("{}  {} · {} · {}", letter, report.model(),
                                 report.config(), report.target());
  if (report.cycles() > 0)
    text += fmt::format(" · {} cycles · {:.1f} % of peak",
                        grouped(report.cycles()), 100 * report.utilization());
  if (report.has_host_peaks())
    text += fmt::format(" · {:.3f} ms on the host", hostMs(report));
  return text + "\n";
}

/// What stands for a nest in both runs.
std::string nameOf(const report::LoopNest &nest) {
  return nest.nodes().empty() ? nest.function()
                              : absl::StrJoin(nest.nodes(), " ");
}

void compareNests(report::Comparison &out) {
  std::map<std::string, report::NestDifference *> rows;
  auto row = [&](const report::LoopNest &nest) {
    report::NestDifference *&found = rows[nameOf(nest)];
    if (!found) {
      found = out.add_nests();
      found->set_name(nameOf(nest));
    }
    return found;
  };
  for (const report::HostStep &step : out.a().host_steps())
    for (const report::LoopNest &nest : step.nests())
      row(nest)->set_ms_a(row(nest)->ms_a() + nest.ms());
  for (const report::HostStep &step : out.b().host_steps())
    for (const report::LoopNest &nest : step.nests())
      row(nest)->set_ms_b(row(nest)->ms_b() + nest.ms());
  for (report::NestDifference &nest : *out.mutable_nests())
    nest.set_ratio(ratioOf(nest.ms_a(), nest.ms_b()));
  if (out.nests_size())
    out.set_host_ratio(ratioOf(hostMs(out.a()), hostMs(out.b())));
}

/// Rows of name, A, B and B / A, the names aligned.
class Rows {
public:
  Rows(std::string head, std::string unit) {
    add(std::move(head), unit + " A", unit + " B", "B / A");
  }
  void add(std::string name, std::string a, std::string b, std::string ratio) {
    width = std::max(width, name.size());
    rows.push_back(
        {std::move(name), std::move(a), std::move(b), std::move(ratio)});
  }
  std::string text() const {
    std::string text = "\n";
    for (const auto &[name, a, b, ratio] : rows)
      text +=
          fmt::format("  {:<{}}{:>14}{:>14}{:>10}\n", name, width, a, b, ratio);
    return text;
  }

private:
  std::vector<std::array<std::string, 4>> rows;
  size_t width = 0;
};

std::string ratioText(double ratio) {
  return ratio > 0 ? fmt::format("{:.3f}", ratio) : "";
}

std::string msText(double ms) {
  return ms > 0 ? fmt::format("{:.3f}", ms) : "-";
}

std::string cell(double cycles) { return cycles > 0 ? grouped(cycles) : "-"; }

} // namespace

double hostMs(const report::RunReport &report) {
  double ms = 0;
  for (const report::HostStep &step : report.host_steps())
    ms += step.ms();
  return ms;
}

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
  compareNests(out);
  return out;
}

std::string comparisonText(const report::Comparison &comparison) {
  const report::RunReport &a = comparison.a(), &b = comparison.b();
  std::string text = heading("A", a) + heading("B", b);
  if (a.cycles() > 0 || b.cycles() > 0) {
    Rows rows("layer", "cycles");
    for (const report::LayerDifference &layer : comparison.layers())
      rows.add(layer.name(), cell(layer.cycles_a()), cell(layer.cycles_b()),
               ratioText(layer.ratio()));
    rows.add("total", cell(a.cycles()), cell(b.cycles()),
             ratioText(comparison.ratio()));
    text += rows.text();
  }
  if (comparison.nests_size()) {
    Rows rows("loop nest", "ms");
    for (const report::NestDifference &nest : comparison.nests())
      rows.add(nest.name(), msText(nest.ms_a()), msText(nest.ms_b()),
               ratioText(nest.ratio()));
    rows.add("host steps", msText(hostMs(a)), msText(hostMs(b)),
             ratioText(comparison.host_ratio()));
    text += rows.text();
  }
  return text;
}

} // namespace tenon::sim
