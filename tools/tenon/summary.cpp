//===- tools/tenon/summary.cpp - What a person sees -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/nest_profile.h"
#include "tools/tenon/result.h"
#include "tools/tenon/table.h"

#include "sim/report/comparison.h"

#include "fmt/format.h"

#include <algorithm>
#include <string>
#include <vector>

namespace tenon::tools {

using report::RunReport;

static void line(std::string &text, const char *label, std::string value) {
  text += fmt::format("  {:<13} {}\n", label, value);
}

static std::string answerLine(const RunReport &report) {
  std::string text;
  for (const report::Answer &answer : report.answer())
    text += fmt::format("{}{}{}{} {:.4g}", text.empty() ? "" : " · ",
                        answer.index(), answer.label().empty() ? "" : " ",
                        answer.label(), answer.score());
  return text;
}

static std::string checkText(const char *with, const char *elements,
                             const report::CheckResult &check) {
  if (check.status() == "bit-exact")
    return fmt::format("bit-exact with {} ({} tensors)", with, check.tensors());
  if (check.status() == "skipped")
    return fmt::format("not compared with {} ({})", with, check.reason());
  return fmt::format(
      "DIFFERS from {} in {} of {} {}, first in {} at {}: got {}, want {}",
      with, grouped(check.mismatches()), grouped(check.elements()), elements,
      check.first().layer(), grouped(check.first().index()),
      check.first().got(), check.first().want());
}

static std::string toleranceText(const report::ExpectedOutput &output) {
  const double relative = output.relative_tolerance();
  const double absolute = output.absolute_tolerance();
  if (relative == 0 && absolute == 0)
    return "as expected";
  std::string text = fmt::format("within {:g}", absolute);
  if (relative > 0)
    text += fmt::format(" + {:g} of the value", relative);
  return text + (output.integer() ? " LSB of expected" : " of expected");
}

/// "9 of 10 values within 1 LSB of expected, differs by up to 3 LSB (...)".
static std::string expectedText(const std::string &set,
                                const report::ExpectedOutput &output) {
  if (!output.reason().empty())
    return fmt::format("DIFFERS from expected ({}, {}): {}", set, output.name(),
                       output.reason());
  const std::string difference =
      output.max_lsb() > 0
          ? fmt::format(", differs by up to {:.3g}{}", output.max_lsb(),
                        output.integer() ? " LSB" : "")
          : "";
  return fmt::format("{} of {} values {}{} ({}, {}, top-1 {})",
                     grouped(output.elements() - output.mismatches()),
                     grouped(output.elements()), toleranceText(output),
                     difference, set, output.name(),
                     output.top1_same() ? "same" : "DIFFERS");
}

static std::string hostCodeText(const report::HostCodeTrust &code) {
  return fmt::format("not looked at: host code, {} executable{} of {} bytes "
                     "({})",
                     grouped(code.executables()),
                     code.executables() == 1 ? "" : "s", grouped(code.bytes()),
                     code.why());
}

static void checkLines(std::string &text, const RunReport &report) {
  const char *label = "checked";
  auto add = [&](std::string value) {
    line(text, label, std::move(value));
    label = "";
  };
  const report::Proof &proof = report.checks().verifier();
  if (proof.status() == "verified")
    add(fmt::format("verified: no race, no deadlock in {} instructions "
                    "({:.2f} s)",
                    grouped(proof.instructions()),
                    report.host().verify_ms() / 1e3));
  else if (proof.reason() == "--no-verify")
    add("not verified (--no-verify): races and deadlock were not looked for");
  if (report.checks().has_functional())
    add(checkText("functional", "bytes", report.checks().functional()));
  if (report.checks().has_cpu())
    add(checkText("cpu", "values", report.checks().cpu()));
  for (const report::ExpectedSet &set : report.checks().expected())
    for (const report::ExpectedOutput &output : set.outputs())
      add(expectedText(set.set(), output));
  if (report.checks().has_host_code())
    add(hostCodeText(report.checks().host_code()));
}

static std::string share(const char *what, double part, double whole) {
  return fmt::format(" · {} {} of {} ({:.1f} %)", what, grouped(part),
                     grouped(whole), whole > 0 ? 100 * part / whole : 0);
}

static std::string spreadText(const report::Spread &spread, int digits,
                              const char *unit) {
  return fmt::format("min {1:.{0}f} · median {2:.{0}f} · p99 {3:.{0}f} · max "
                     "{4:.{0}f} {5}",
                     digits, spread.min(), spread.median(), spread.p99(),
                     spread.max(), unit);
}

/// What --inputs gave.
static void inputLines(std::string &text, const report::Inputs &inputs) {
  std::string counts =
      fmt::format("{} from {} · {} compared", grouped(inputs.count()),
                  inputs.source(), grouped(inputs.compared()));
  if (inputs.labelled() > 0) {
    counts += share("top-1", inputs.top1(), inputs.labelled());
    if (inputs.k() > 1)
      counts += share(fmt::format("top-{}", inputs.k()).c_str(), inputs.topk(),
                      inputs.labelled());
  }
  line(text, "inputs", counts);
  if (inputs.failed() > 0)
    line(text, "FAILED",
         fmt::format("{} of {}, first {}: {}", grouped(inputs.failed()),
                     grouped(inputs.count()), inputs.first_failure().name(),
                     inputs.first_failure().failure()));
  if (inputs.batch() > 1) {
    std::string runs = fmt::format("{} runs of {} inputs",
                                   grouped(inputs.runs()), inputs.batch());
    if (inputs.padding() > 0)
      runs += fmt::format(" · the last input is repeated {} times to fill a "
                          "run; those answers are not counted",
                          grouped(inputs.padding()));
    line(text, "batches", runs);
  }
  if (inputs.has_latency_ms())
    line(text, "latency",
         spreadText(inputs.latency_ms(), 3, "ms of host time a run"));
  if (inputs.has_cycles())
    line(text, "cycles", spreadText(inputs.cycles(), 0, "a run"));
  if (inputs.runs() > 0)
    line(text, "first run", "what follows by cycle, layer and host step");
}

static std::string stepText(const report::HostStep &step) {
  return fmt::format("{} ({:.3f} ms)", step.name(), step.ms());
}

/// Every step in order; of more than fit into a line or two, their time and
/// those that took longest.
static std::string hostLine(const RunReport &report) {
  constexpr int most = 6, longest = 3;
  std::vector<const report::HostStep *> steps;
  for (const report::HostStep &step : report.host_steps())
    steps.push_back(&step);
  std::string text;
  if (steps.size() > most) {
    std::partial_sort(
        steps.begin(), steps.begin() + longest, steps.end(),
        [](const auto *a, const auto *b) { return a->ms() > b->ms(); });
    text =
        fmt::format("{:.3f} ms in {} steps, the longest: ", sim::hostMs(report),
                    steps.size());
    steps.resize(longest);
  }
  for (const report::HostStep *step : steps)
    text += (step == steps.front() ? "" : " · ") + stepText(*step);
  return text;
}

/// One row an engine; a row's entries add up to the total.
static void stateTable(std::string &text, const RunReport &report) {
  text +=
      fmt::format("\n  {:<8}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}"
                  "\n",
                  "cycles", "busy", "token", "memory", "bank", "drain", "empty",
                  "done", "total");
  for (const char *engine : {"load", "gemm", "alu", "store"}) {
    auto found = report.states().find(engine);
    if (found == report.states().end())
      continue;
    const report::States &s = found->second;
    double total = s.busy() + s.token() + s.memory() + s.bank() + s.drain() +
                   s.empty() + s.done();
    text +=
        fmt::format("  {:<8}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n",
                    engine, grouped(s.busy()), grouped(s.token()),
                    grouped(s.memory()), grouped(s.bank()), grouped(s.drain()),
                    grouped(s.empty()), grouped(s.done()), grouped(total));
  }
}

/// GEMM's states in percent of the cycles.
static std::string whereItWent(const report::States &s, double cycles) {
  const std::pair<const char *, double> parts[] = {
      {"busy", s.busy()}, {"token", s.token()}, {"memory", s.memory()},
      {"bank", s.bank()}, {"drain", s.drain()}, {"empty", s.empty()},
      {"done", s.done()},
  };
  std::string text = "GEMM";
  for (auto [name, count] : parts)
    if (count > 0)
      text += fmt::format("{} {} {:.1f}", text == "GEMM" ? "" : " ·", name,
                          100 * count / cycles);
  return text + " %";
}

/// The layer with the most cycles above its bound.
static std::string mostLost(const RunReport &report) {
  const report::Layer *worst = nullptr;
  auto lost = [](const report::Layer &layer) {
    return layer.cycles() - layer.bound_cycles();
  };
  for (const report::Layer &layer : report.layers())
    if (layer.bound_cycles() > 0 && lost(layer) > 0 &&
        (!worst || lost(layer) > lost(*worst)))
      worst = &layer;
  if (!worst)
    return "";
  return fmt::format("{}: {} cycles over its bound{}{}", worst->name(),
                     grouped(lost(*worst)), worst->limit().empty() ? "" : "; ",
                     worst->limit());
}

static void layerTable(std::string &text, const RunReport &report) {
  size_t width = 5, op = 12;
  bool counted = false; // cycles of layers; hardware has them of launches alone
  bool beside = false;  // one takes fewer cycles than its bound
  for (const report::Layer &layer : report.layers()) {
    counted |= layer.cycles() > 0;
    width = std::max(width, layer.name().size());
    op = std::max(op, layer.op().size());
  }
  text += fmt::format(
      "\n  {:<{}}  {:<{}}{:>12}{:>12}{:>9}{:>12}{:>8}{:>12}{:>12}\n", "layer",
      width, "op", op, "cycles", "bound", "of bound", "macs", "peak", "read B",
      "written B");
  for (const report::Layer &layer : report.layers()) {
    if (layer.placed_on() != "accelerator") {
      text += fmt::format(
          "  {:<{}}  {:<{}}  on the CPU, {:.3f} ms ({:.3f} predicted): {}\n",
          layer.name(), width, layer.op(), op, layer.ms(), layer.predicted_ms(),
          layer.reason());
      continue;
    }
    if (!counted) {
      text +=
          fmt::format("  {:<{}}  {:<{}}{:>12}{:>12}{:>9}{:>12}\n", layer.name(),
                      width, layer.op(), op, "-", grouped(layer.bound_cycles()),
                      "-", grouped(layer.macs()));
      continue;
    }
    double ofBound =
        layer.cycles() > 0 ? 100 * layer.bound_cycles() / layer.cycles() : 0;
    text += fmt::format(
        "  {:<{}}  {:<{}}{:>12}{:>12}{:>8.1f}%{:>12}{:>7.1f}%{:>12}{:>12}\n",
        layer.name(), width, layer.op(), op, grouped(layer.cycles()),
        grouped(layer.bound_cycles()), ofBound, grouped(layer.macs()),
        100 * layer.utilization(), grouped(layer.read_bytes()),
        grouped(layer.write_bytes()));
    beside |= ofBound > 100;
  }
  if (beside)
    text += "  over 100 % of bound: a layer's cycles are those after the last "
            "instruction of the layer in front; work done beside that layer is "
            "not among them\n";
}

std::string summary(const RunReport &report) {
  std::string text = fmt::format("{} · {} · {}\n", report.model(),
                                 report.config(), report.target());
  if (!report.board().empty())
    line(text, "board",
         report.board_memory().empty()
             ? report.board()
             : fmt::format("{} · {}", report.board(), report.board_memory()));
  if (!report.board().empty() && !report.memory().empty())
    line(text, "memory", report.memory());
  if (report.answer_size())
    line(text, "answer", answerLine(report));
  if (report.has_inputs())
    inputLines(text, report.inputs());
  checkLines(text, report);
  if (report.cycles() > 0) {
    line(text, "accelerator",
         fmt::format("{} cycles · {:.3g} ms at {:.0f} MHz · {:.1f} M MAC · "
                     "{:.1f} % of peak · {} launch{}",
                     grouped(report.cycles()), report.time_ms(),
                     report.clock_mhz(), report.macs() / 1e6,
                     100 * report.utilization(), report.launches(),
                     report.launches() == 1 ? "" : "es"));
    line(
        text, "bound",
        fmt::format("{} cycles, the sum over the layers of max(compute, reads, "
                    "writes) · {:.1f} % of it reached",
                    grouped(report.bound_cycles()),
                    100 * report.bound_cycles() / report.cycles()));
    if (auto gemm = report.states().find("gemm"); gemm != report.states().end())
      line(text, "where it went", whereItWent(gemm->second, report.cycles()));
    if (std::string lost = mostLost(report); !lost.empty())
      line(text, "loses most", lost);
  }
  if (report.host_steps_size())
    line(text, "on the host", hostLine(report));
  if (report.host().sim_khz() > 0)
    line(text, "simulated",
         fmt::format("{:.3f} s · {} kHz", report.host().simulate_ms() / 1e3,
                     grouped(report.host().sim_khz())));
  for (const std::string &note : report.notes())
    line(text, "note", note);
  if (!report.report().empty())
    line(text, "report", report.report());
  // Of a run without the accelerator they are all that there is.
  if (report.launches() == 0 && report.has_host_peaks())
    text += "\n" + profileText(nestsOf(report), report.host_peaks(),
                               sim::hostMs(report));
  if (report.layers_size() && report.cycles() > 0)
    layerTable(text, report);
  if (report.cycles() > 0)
    stateTable(text, report);
  return text;
}

} // namespace tenon::tools
