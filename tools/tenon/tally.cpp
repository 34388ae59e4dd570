//===- tools/tenon/tally.cpp - What many inputs gave ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/tally.h"

#include "tools/tenon/result.h"

#include "absl/algorithm/container.h"

#include <algorithm>
#include <cmath>

namespace tenon::tools {

report::Spread spreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t count = values.size();
  report::Spread spread;
  spread.set_min(values.front());
  spread.set_median((values[(count - 1) / 2] + values[count / 2]) / 2);
  spread.set_p99(values[(count * 99 + 99) / 100 - 1]);
  spread.set_max(values.back());
  return spread;
}

report::InputResult &Tally::add(const Item &item, const std::string &failure) {
  report::InputResult &result = *inputs.add_results();
  result.set_name(item.name);
  if (item.label)
    result.set_label(*item.label);
  result.set_failure(failure);
  return result;
}

void Tally::keepFirst(const report::InputResult &result) {
  if (result.failure().empty())
    return;
  inputs.set_failed(inputs.failed() + 1);
  if (!inputs.has_first_failure())
    *inputs.mutable_first_failure() = result;
}

void Tally::addRun(double runMs, double runCycles) {
  ms.push_back(runMs);
  cycles.push_back(runCycles);
}

void Tally::addFailure(const Item &item, const std::string &failure) {
  keepFirst(add(item, failure));
}

void Tally::addAnswer(const Item &item, const runtime::Array &output,
                      const std::string &failure) {
  report::InputResult &result = add(item, failure);
  result.set_ms(ms.back());
  result.set_cycles(cycles.back());
  std::vector<uint32_t> largest = largestElements(output, inputs.k());
  if (!largest.empty())
    result.set_answer(largest[0]);
  if (item.label) {
    inputs.set_labelled(inputs.labelled() + 1);
    inputs.set_top1(inputs.top1() +
                    (!largest.empty() && largest[0] == *item.label));
    inputs.set_topk(inputs.topk() +
                    absl::c_linear_search(largest, *item.label));
  }
  keepFirst(result);
}

void Tally::conclude() {
  inputs.set_runs(ms.size());
  if (ms.empty())
    return;
  *inputs.mutable_latency_ms() = spreadOf(ms);
  if (absl::c_any_of(cycles, [](double count) { return count > 0; }))
    *inputs.mutable_cycles() = spreadOf(cycles);
}

} // namespace tenon::tools
