//===- tools/tenon/nest_profile.cpp - Where a run's time goes -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/nest_profile.h"

#include "tools/tenon/host_peaks.h"
#include "tools/tenon/table.h"
#include "tools/tenon/tally.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"

#include "fmt/format.h"

#include <utility>

namespace tenon::tools {

static const isa::LoopNest *find(const isa::HostCode &code,
                                 const std::string &symbol, uint32_t number) {
  for (const isa::KernelLoops &kernel : code.kernels())
    if (kernel.symbol() == symbol && number < uint32_t(kernel.nests_size()))
      return &kernel.nests(int(number));
  return nullptr;
}

report::LoopNest describeNest(const isa::HostCode &code,
                              const isa::HostKernel &kernel, uint32_t number,
                              const report::HostPeaks &peaks) {
  report::LoopNest nest;
  nest.set_kernel(kernel.name());
  const isa::LoopNest *described = find(code, kernel.symbol(), number);
  if (!described)
    return nest;
  *nest.mutable_nodes() = described->nodes();
  nest.set_function(described->function());
  nest.set_operations(described->operations());
  nest.set_bytes(described->bytes());
  nest.set_multiplies_bytes(described->multiplies_bytes());
  const HostBound bound = hostBound(peaks, nest.operations(), nest.bytes(),
                                    nest.multiplies_bytes());
  nest.set_bound_ms(bound.ms());
  if (bound.ms() > 0)
    nest.set_limit(bound.arithmeticMs >= bound.memoryMs ? "arithmetic"
                                                        : "memory");
  return nest;
}

void NestProfile::add(const runtime::Execution &execution) {
  for (const runtime::HostStep &step : execution.hostSteps)
    for (const runtime::NestRun &run : step.nests) {
      auto [place, isNew] =
          places.try_emplace({step.kernel, run.number}, times.size());
      if (isNew)
        times.push_back({step.kernel, run.number, {}});
      std::vector<double> &of = times[place->second].milliseconds;
      of.resize(runs + 1);
      of.back() += run.milliseconds;
    }
  ++runs;
}

std::vector<report::LoopNest>
NestProfile::nests(const report::HostPeaks &peaks) const {
  std::vector<report::LoopNest> nests;
  double total = 0;
  for (const Times &of : times) {
    report::LoopNest &nest =
        nests.emplace_back(describeNest(code, *of.kernel, of.number, peaks));
    std::vector<double> all = of.milliseconds;
    all.resize(runs); // it may not have run in the last ones
    nest.set_ms(spreadOf(std::move(all)).median());
    total += nest.ms();
  }
  for (report::LoopNest &nest : nests)
    nest.set_share(total > 0 ? nest.ms() / total : 0);
  return nests;
}

std::vector<report::LoopNest> nestsOf(const report::RunReport &report) {
  std::vector<report::LoopNest> nests;
  for (const report::HostStep &step : report.host_steps())
    nests.insert(nests.end(), step.nests().begin(), step.nests().end());
  return nests;
}

static std::string rate(double amount, double milliseconds) {
  return amount && milliseconds > 0
             ? fmt::format("{:.1f}", amount / milliseconds * 1e-6)
             : "";
}

static std::string peaksText(const report::HostPeaks &peaks) {
  auto memory = [](std::string *out, const report::HostPeaks::Memory &of) {
    out->append(fmt::format("{:.0f} GB/s of {} B", of.bytes_per_s() * 1e-9,
                            scaled(of.bytes())));
  };
  return fmt::format(
      "this machine, measured: {:.0f} Gop/s of floats, {:.0f} of bytes, {}\n",
      peaks.float_operations_per_s() * 1e-9,
      peaks.byte_operations_per_s() * 1e-9,
      absl::StrJoin(peaks.memory(), ", ", memory));
}

std::string profileText(const std::vector<report::LoopNest> &nests,
                        const report::HostPeaks &peaks, double ms,
                        size_t most) {
  // The order of the run decides between equals.
  std::vector<size_t> order(nests.size());
  absl::c_iota(order, size_t{0});
  absl::c_sort(order, [&](size_t a, size_t b) {
    return std::pair(-nests[a].ms(), a) < std::pair(-nests[b].ms(), b);
  });
  Table table("rrrrrll");
  table.add({"ms", "share", "Gop/s", "GB/s", "of bound", "bound by", "loop nest"});
  double others = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const report::LoopNest &nest = nests[order[i]];
    if (i >= most) {
      others += nest.ms();
      continue;
    }
    const bool bounded = nest.bound_ms() > 0 && nest.ms() > 0;
    table.add(
        {fmt::format("{:.3f}", nest.ms()),
         fmt::format("{:.1f} %", 100 * nest.share()),
         rate(nest.operations(), nest.ms()), rate(nest.bytes(), nest.ms()),
         bounded ? fmt::format("{:.0f} %", 100 * nest.bound_ms() / nest.ms())
                 : "",
         bounded ? nest.limit() : "",
         absl::StrJoin(nest.nodes(), " ") +
             (nest.function().empty() ? "" : " · " + nest.function())});
  }
  if (order.size() > most)
    table.add({fmt::format("{:.3f}", others), "", "", "", "", "",
               fmt::format("{} others", order.size() - most)});
  return fmt::format("profile: {:.3f} ms, {} loop nests\n", ms, order.size()) +
         table.text() + peaksText(peaks);
}

} // namespace tenon::tools
