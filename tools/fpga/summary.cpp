//===- tools/fpga/summary.cpp - A build, for a person ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/flow.h"
#include "tools/fpga/reports.h"

#include "fmt/format.h"

#include <algorithm>

namespace tenon::fpga {
namespace {

// "61,204"; halves keep their digit.
std::string grouped(double number) {
  bool whole = number == static_cast<int64_t>(number);
  std::string digits = fmt::format("{:.{}f}", number, whole ? 0 : 1);
  size_t point = std::min(digits.find('.'), digits.size());
  for (int i = static_cast<int>(point) - 3; i > 0; i -= 3)
    digits.insert(i, ",");
  return digits;
}

void line(std::string &text, const char *label, const std::string &value) {
  text += fmt::format("  {:<13} {}\n", label, value);
}

std::string useOf(const char *unit, double used, double available) {
  if (available <= 0)
    return fmt::format("{} {}", grouped(used), unit);
  return fmt::format("{} of {} {} ({:.0f} %)", grouped(used),
                     grouped(available), unit, 100 * used / available);
}

std::string utilisation(const BuildReport &report) {
  const Resources &available = report.available();
  std::string text = useOf("LUT", report.lut(), available.lut());
  text += " · " + useOf("FF", report.ff(), available.ff());
  text += " · " + useOf("DSP", report.dsp(), available.dsp());
  text += " · " + useOf("RAM", report.ram(), available.ram());
  return text + (report.stage() == "synthesis" ? " · before placing" : "");
}

std::string clockLine(const BuildReport &report) {
  return fmt::format("{:.1f} MHz of {:g} MHz: {} by {:.2f} ns",
                     report.fmax_mhz(), report.target_mhz(),
                     report.timing_met() ? "met" : "MISSED",
                     std::abs(report.slack_ns()));
}

void criticalPath(std::string &text, const BuildReport &report) {
  const char *label = "critical path";
  for (const Hop &hop : report.critical_path()) {
    std::string kind =
        hop.kind() + (hop.cell().empty() ? "" : " ") + hop.cell();
    line(text, label,
         fmt::format("{:6.2f} +{:5.2f} ns  {:<28} {}", hop.at_ns(),
                     hop.delay_ns(), kind, hop.name()));
    label = "";
  }
}

// The largest first; the rest is in the JSON.
void inferredLines(std::string &text, const BuildReport &report) {
  constexpr size_t most = 12;
  std::vector<Inferred> all(report.inferred().begin(), report.inferred().end());
  std::sort(all.begin(), all.end(), [](const Inferred &a, const Inferred &b) {
    return std::make_pair(-a.count(), a.name()) <
           std::make_pair(-b.count(), b.name());
  });
  const char *label = "inferred";
  for (size_t i = 0; i < std::min(most, all.size()); ++i) {
    line(text, label,
         fmt::format("{:4} {:<12} {}", grouped(all[i].count()),
                     all[i].primitive(), all[i].name()));
    label = "";
  }
  if (all.size() > most)
    line(text, label, fmt::format("     and {} more", all.size() - most));
}

std::string checkLine(const NetlistCheck &check) {
  if (check.status() == "bit-exact")
    return fmt::format("bit-exact in {} bytes, {} cycles as the RTL ({}, "
                       "{:.1f} kHz, {:.0f} s)",
                       grouped(check.elements()), grouped(check.cycles()),
                       check.program(), check.sim_khz(), check.seconds());
  return fmt::format("{}: {}", check.status(), check.reason());
}

std::string stepLine(const BuildReport &report) {
  std::string text;
  for (const StepReport &step : report.steps())
    text +=
        fmt::format("{}{} {:.0f} s{}", text.empty() ? "" : " · ", step.name(),
                    step.seconds(), step.cached() ? " (cached)" : "");
  return text;
}

} // namespace

std::string describe(const std::vector<Shortfall> &shortfall) {
  std::string text;
  for (const Shortfall &entry : shortfall)
    text += fmt::format("{}{} {} of {} ({} too many)", text.empty() ? "" : ", ",
                        grouped(entry.used()), entry.resource(),
                        grouped(entry.available()),
                        grouped(entry.used() - entry.available()));
  return text;
}

std::string summary(const BuildReport &report) {
  std::string text = fmt::format("{} · {} · {}\n", report.board(),
                                 report.configuration(), report.part());
  line(text, "uses", utilisation(report));
  if (report.shortfall_size())
    line(text, "DOES NOT FIT",
         describe({report.shortfall().begin(), report.shortfall().end()}));
  if (report.fmax_mhz() > 0)
    line(text, "clock", clockLine(report));
  criticalPath(text, report);
  inferredLines(text, report);
  line(text, "netlist", checkLine(report.netlist_check()));
  line(text, "took", stepLine(report));
  if (!report.bitstream().empty())
    line(text, "bitstream",
         fmt::format("{} ({} bytes)", report.bitstream(),
                     grouped(report.bitstream_bytes())));
  return text;
}

} // namespace tenon::fpga
