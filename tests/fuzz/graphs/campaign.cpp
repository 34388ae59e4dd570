// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/graphs/campaign.h"

#include "tests/fuzz/graphs/apart.h"
#include "tests/fuzz/graphs/reduce.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "fmt/format.h"

#include <chrono>
#include <filesystem>

namespace tenon::graphs {

using Clock = std::chrono::steady_clock;

Case caseOf(uint64_t seed, const Options &options) {
  bool onnxForm = options.onnxEvery && seed % options.onnxEvery == 0;
  bool oversized =
      options.oversizedEvery && seed % options.oversizedEvery == 0 && !onnxForm;
  Case test{drawGraph(seed, onnxForm, oversized), drawMachine(seed), seed};
  if (!options.configuration.empty())
    test.machine.configuration = options.configuration;
  return test;
}

/// A message without numbers and quoted names, to count like ones together.
static std::string kindOf(absl::string_view message) {
  std::string kind;
  bool quoted = false;
  for (char c : message.substr(0, message.find('\n'))) {
    if (c == '\'')
      quoted = !quoted;
    if (quoted && c != '\'')
      continue;
    if (!absl::ascii_isdigit(c))
      kind += c;
    else if (kind.empty() || kind.back() != '#')
      kind += '#';
  }
  return kind;
}

Outcome Campaign::judged(const Case &test, const std::string &folder) const {
  return apart([&](const Phase &phase) { return judge(test, folder, phase); },
               options.seconds);
}

void Campaign::count(const Case &test, const Outcome &outcome) {
  figures.set_compiler_graphs(figures.compiler_graphs() + 1);
  configurations.insert(test.machine.configuration);
  figures.set_configurations(configurations.size());
  for (const Node &node : test.graph.nodes)
    ++(*figures.mutable_operators())[absl::StrCat(
        opName(node.op), node.groups > 1 ? " in groups" : "",
        node.op == Op::Depthwise && node.channels > 1 ? " with a multiplier"
                                                      : "",
        test.graph.isFlat ? " (one-dimensional graph)" : "")];
  for (const std::string &op : outcome.accelerator())
    ++(*figures.mutable_accelerator())[op];
  for (const std::string &reason : outcome.cpu())
    ++(*figures.mutable_cpu())[kindOf(reason)];
  figures.set_elements(figures.elements() + outcome.elements());
  figures.set_instructions(figures.instructions() + outcome.instructions());
  figures.set_onnx_graphs(figures.onnx_graphs() + outcome.on_onnx());
  if (outcome.verdict() == Outcome::AGREES)
    figures.set_agree(figures.agree() + 1);
  if (outcome.verdict() == Outcome::AGREES && test.graph.oversized)
    figures.set_oversized(figures.oversized() + 1);
}

std::string Campaign::defect(const Case &test, const Outcome &outcome) {
  std::string folder = absl::StrCat(options.folder, "/defect_", test.seed);
  std::string text =
      absl::StrCat(outcome.message(), "\n  repeat: tenon-graphs --graphs 1 ",
                   "--seed ", test.seed, " (", test.machine.configuration, ")");
  std::string kind = kindOf(outcome.message());
  // An attempt at what hangs takes all of a graph's time: as much as of twenty.
  auto end = Clock::now() + std::chrono::duration<double>(20 * options.seconds);
  auto fails = [&](const Case &smaller) {
    if (Clock::now() > end)
      return false;
    Outcome again = judged(smaller, folder + "/attempt");
    return again.verdict() == Outcome::DEFECT &&
           kindOf(again.message()) == kind;
  };
  Case smallest = reduce(test, fails, options.attempts);
  Outcome again = judged(smallest, folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder + "/attempt", ignored);
  bool onnx = smallest.graph.onnxForm;
  return absl::StrCat(
      text, "\n  smallest: ", again.message(), "\n    tenon run ", folder,
      onnx ? "/model.onnx" : "/graph.mlir", " --config ", folder,
      "/machine.textproto --target=functional --check cpu "
      "--virtual-threads ",
      smallest.machine.virtualThreads, " (", smallest.machine.configuration,
      ")");
}

Figures Campaign::run(const std::function<void(const std::string &)> &tell) {
  auto begin = Clock::now();
  for (uint32_t i = 0; i < options.graphs; ++i) {
    std::chrono::duration<double> spent = Clock::now() - begin;
    if (options.minutes > 0 && spent.count() > 60 * options.minutes)
      break;
    Case test = caseOf(options.seed + i, options);
    std::string folder = absl::StrCat(options.folder, "/graph_", test.seed);
    Outcome outcome = judged(test, folder);
    count(test, outcome);
    if (outcome.verdict() == Outcome::DEFECT) {
      figures.add_defects(defect(test, outcome));
      tell(figures.defects(figures.defects_size() - 1));
    }
    std::error_code ignored;
    if (!options.keepAll && !outcome.on_onnx())
      std::filesystem::remove_all(folder, ignored);
    if ((i + 1) % 100 == 0)
      tell(
          absl::StrCat(i + 1, " graphs, ", figures.defects_size(), " defects"));
  }
  return figures;
}

template <typename Map>
static void table(std::string &text, const char *title, const Map &counts) {
  if (counts.empty())
    return;
  absl::StrAppend(&text, "\n", title, "\n");
  std::map<std::string, uint32_t> sorted(counts.begin(), counts.end());
  for (const auto &[name, number] : sorted)
    absl::StrAppend(&text, fmt::format("  {:>7}  {}\n", number, name));
}

std::string figuresText(const Figures &f) {
  std::string text = fmt::format(
      "graphs          {:>10}\nagree           {:>10}\n  oversized     "
      "{:>10}\ndefects         {:>10}\nas ONNX, too    "
      "{:>10}\nconfigurations  {:>10}\nelements        {:>10}\ninstructions    "
      "{:>10}\n",
      f.compiler_graphs(), f.agree(), f.oversized(), f.defects_size(),
      f.onnx_graphs(), f.configurations(), f.elements(), f.instructions());
  table(text, "operators drawn", f.operators());
  table(text, "layers on the accelerator", f.accelerator());
  table(text, "kernels on the CPU", f.cpu());
  for (const std::string &defect : f.defects())
    absl::StrAppend(&text, "\ndefect: ", defect, "\n");
  return text;
}

} // namespace tenon::graphs
