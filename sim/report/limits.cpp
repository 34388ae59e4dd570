//===- sim/report/limits.cpp - What limits a layer, in a sentence ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/limits.h"

#include "sim/report/text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"

#include <algorithm>

namespace tenon::sim {
namespace {

constexpr double atBound = 0.97;      // from here on nothing is worth naming
constexpr double besideOthers = 1.03; // that much is no measure of the layer
constexpr double leastLoss = 0.02;    // of the engine's cycles
constexpr double leastCause = 0.10;   // of the awaited engine's cycles
constexpr double fullBlocks = 0.90;   // of the multipliers, at the bound
constexpr double mostlyOne = 0.75;    // of the bytes read
constexpr double moreWork = 1.02;     // busy cycles against the bound

/// The resource that sets a layer's bound, and the engine that spends it.
struct Bound {
  enum Kind { Compute, Read, Write } kind;
  std::string engine; // "gemm", "alu", "load", "store"
};

Bound boundOf(const report::Layer &layer) {
  double compute = layer.compute_cycles();
  if (compute >= layer.read_cycles() && compute >= layer.write_cycles())
    return {Bound::Compute, layer.compute_engine()};
  if (layer.read_cycles() >= layer.write_cycles())
    return {Bound::Read, "load"};
  return {Bound::Write, "store"};
}

std::string upper(absl::string_view name) {
  return absl::AsciiStrToUpper(name);
}

/// Cycles of an engine in the layer, without those after its last instruction.
double activeCycles(const report::States &s) {
  return s.busy() + s.token() + s.memory() + s.bank() + s.drain() + s.empty();
}

report::States statesOf(const report::Layer &layer, const std::string &engine) {
  auto found = layer.states().find(engine);
  return found == layer.states().end() ? report::States() : found->second;
}

/// What an engine loses cycles to.
struct Loss {
  double cycles;
  std::string text;    // "for DRAM"
  std::string awaited; // the engine whose token it is, or empty
};

std::vector<Loss> tokenLosses(const std::string &engine, double total,
                              const LayerDetail *detail) {
  if (!detail)
    return {{total, "for tokens", ""}};
  std::vector<Loss> losses;
  for (unsigned e = 0; e < numEngines; ++e) {
    if (engine != isa::toString(isa::Engine(e)))
      continue;
    auto neighbours = isa::neighbours(isa::Engine(e));
    for (unsigned i = 0; i < numNeighbours; ++i) {
      std::string other(isa::toString(neighbours[i]));
      losses.push_back({double(detail->tokenWait[e][i]),
                        "for tokens from " + upper(other), other});
      losses.push_back({double(detail->roomWait[e][i]),
                        "for room in the channel to " + upper(other), other});
    }
  }
  return losses;
}

/// The largest first.
std::vector<Loss> lossesOf(const report::Layer &layer,
                           const std::string &engine,
                           const LayerDetail *detail) {
  report::States s = statesOf(layer, engine);
  std::vector<Loss> losses = tokenLosses(engine, s.token(), detail);
  losses.push_back({s.memory(), "for DRAM", ""});
  losses.push_back({s.bank(), "for a scratchpad port", ""});
  losses.push_back({s.drain(), "for its own pipeline", ""});
  losses.push_back({s.empty(), "for instructions", ""});
  std::sort(losses.begin(), losses.end(), [](const Loss &a, const Loss &b) {
    return a.cycles != b.cycles ? a.cycles > b.cycles : a.text < b.text;
  });
  return losses;
}

/// " (LOAD: 62 % busy, 30 % DRAM)": what keeps an awaited engine.
std::string causeText(const report::Layer &layer, const std::string &engine) {
  report::States s = statesOf(layer, engine);
  std::vector<std::pair<double, std::string>> shares = {
      {s.busy(), "busy"},
      {s.memory(), "waiting for DRAM"},
      {s.token(), "waiting for tokens"},
      {s.bank(), "waiting for a port"},
      {s.drain(), "draining"},
      {s.empty(), "without instructions"}};
  std::sort(shares.begin(), shares.end(), [](auto &a, auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  double total = activeCycles(s);
  std::vector<std::string> parts;
  for (size_t i = 0; i < 2; ++i)
    if (total > 0 && shares[i].first >= leastCause * total)
      parts.push_back(absl::StrCat(percent(shares[i].first / total, true), " ",
                                   shares[i].second));
  if (parts.empty())
    return "";
  return absl::StrCat(" (", upper(engine), ": ", absl::StrJoin(parts, ", "),
                      ")");
}

/// "GEMM waits 31 % for tokens from LOAD (LOAD: ...) and 4 % for ...".
std::string lossText(const report::Layer &layer, const Bound &bound,
                     const LayerDetail *detail) {
  double total = activeCycles(statesOf(layer, bound.engine));
  std::vector<std::string> parts;
  for (const Loss &loss : lossesOf(layer, bound.engine, detail)) {
    if (parts.size() == 2 || total <= 0 || loss.cycles < leastLoss * total)
      break;
    std::string part =
        absl::StrCat(percent(loss.cycles / total, true), " ", loss.text);
    if (parts.empty() && !loss.awaited.empty())
      part += causeText(layer, loss.awaited);
    parts.push_back(std::move(part));
  }
  if (!parts.empty())
    return absl::StrCat(upper(bound.engine), " waits ",
                        absl::StrJoin(parts, " and "));
  double busy = statesOf(layer, bound.engine).busy();
  if (busy > moreWork * layer.bound_cycles())
    return fmt::format("{} is busy {} cycles, more than the bound counts",
                       upper(bound.engine), grouped(busy));
  return fmt::format("{} spends {} cycles on it, the rest passes before its "
                     "first and after its last instruction",
                     upper(bound.engine), grouped(total));
}

/// "525,696 B, 94 % of them weights, in 65,712 cycles".
std::string readText(const report::Layer &layer, const LayerDetail *detail) {
  static constexpr const char *kinds[isa::memoryCount] = {
      "micro-ops",         "micro-ops",    "activations", "weights",
      "depthwise weights", "accumulators", "operands",    "parameters"};
  std::string text = grouped(layer.read_bytes()) + " B";
  if (detail) {
    auto most =
        std::max_element(detail->readBytes.begin(), detail->readBytes.end());
    double sum = 0;
    for (uint64_t bytes : detail->readBytes)
      sum += bytes;
    if (sum > 0 && *most >= mostlyOne * sum)
      text += fmt::format(" ({} {})", percent(*most / sum, true),
                          kinds[most - detail->readBytes.begin()]);
  }
  return text;
}

std::string headText(const report::Layer &layer, const Bound &bound,
                     const LayerDetail *detail) {
  std::string share = percent(layer.bound_cycles() / layer.cycles());
  switch (bound.kind) {
  case Bound::Compute:
    return fmt::format("at {} of the {} bound", share, upper(bound.engine));
  case Bound::Read:
    return fmt::format("memory-bound: reads {}; at {} of the {} read cycles",
                       readText(layer, detail), share,
                       grouped(layer.read_cycles()));
  case Bound::Write:
    break;
  }
  return fmt::format("memory-bound: writes {} B; at {} of the {} write cycles",
                     grouped(layer.write_bytes()), share,
                     grouped(layer.write_cycles()));
}

} // namespace

std::string limitOf(const report::Layer &layer, double peakMacs,
                    const LayerDetail *detail) {
  double active = 0;
  for (const auto &[engine, states] : layer.states())
    active += activeCycles(states);
  if (layer.placed_on() != "accelerator" || active == 0)
    return "";
  if (layer.cycles() == 0)
    return "adds no cycles: it runs beside the layers around it";
  if (layer.bound_cycles() > besideOthers * layer.cycles())
    return fmt::format(
        "runs beside the layers around it: adds {} cycles, fewer than its "
        "bound of {}",
        grouped(layer.cycles()), grouped(layer.bound_cycles()));
  Bound bound = boundOf(layer);
  std::string text = headText(layer, bound, detail);
  if (layer.bound_cycles() < atBound * layer.cycles())
    absl::StrAppend(&text, "; ", lossText(layer, bound, detail));
  double atPeak = layer.compute_cycles() * peakMacs;
  if (bound.engine == "gemm" && layer.macs() > 0 &&
      layer.macs() < fullBlocks * atPeak)
    absl::StrAppend(&text, "; its blocks fill ", percent(layer.macs() / atPeak),
                    " of the multipliers");
  return text;
}

void describeLimits(report::RunReport &report,
                    const std::vector<LayerDetail> &details) {
  for (int i = 0; i < report.layers_size(); ++i)
    report.mutable_layers(i)->set_limit(
        limitOf(report.layers(i), report.peak_macs(),
                size_t(i) < details.size() ? &details[i] : nullptr));
}

} // namespace tenon::sim
