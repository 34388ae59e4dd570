//===- tools/tenon/nest_profile.cpp - Where a run's time goes -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/nest_profile.h"

#include "tools/tenon/host_peaks.h"
#include "tools/tenon/table.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"

#include "fmt/format.h"

#include <utility>

namespace tenon::tools {

NestProfile::NestProfile(const isa::HostCode &code) : code(code) {}

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

const isa::LoopNest *NestProfile::find(const Times &of) const {
  for (const isa::KernelLoops &kernel : code.kernels())
    if (kernel.symbol() == of.kernel->symbol() &&
        of.number < uint32_t(kernel.nests_size()))
      return &kernel.nests(int(of.number));
  return nullptr;
}

std::vector<Nest> NestProfile::nests(const HostPeaks &peaks) const {
  std::vector<Nest> nests;
  double total = 0;
  for (const Times &of : times) {
    Nest &nest = nests.emplace_back();
    nest.set_kernel(of.kernel->name());
    std::vector<double> sorted = of.milliseconds;
    sorted.resize(runs); // it may not have run in the last ones
    absl::c_sort(sorted);
    nest.set_median_ms(sorted[sorted.size() / 2]);
    total += nest.median_ms();
    const isa::LoopNest *described = find(of);
    if (!described)
      continue;
    *nest.mutable_nodes() = described->nodes();
    nest.set_function(described->function());
    nest.set_operations(described->operations());
    nest.set_bytes(described->bytes());
    nest.set_bound_ms(boundMs(peaks, nest.operations(), nest.bytes(),
                              described->multiplies_bytes()));
  }
  for (Nest &nest : nests)
    nest.set_share(total > 0 ? nest.median_ms() / total : 0);
  return nests;
}

static std::string rate(double amount, double milliseconds) {
  return amount && milliseconds > 0
             ? fmt::format("{:.1f}", amount / milliseconds * 1e-6)
             : "";
}

static std::string peaksText(const HostPeaks &peaks) {
  auto memory = [](std::string *out, const HostPeaks::Memory &of) {
    out->append(fmt::format("{:.0f} GB/s of {} B", of.bytes_per_s() * 1e-9,
                            scaled(of.bytes())));
  };
  return fmt::format(
      "this machine, measured: {:.0f} Gop/s of floats, {:.0f} of bytes, {}\n",
      peaks.float_operations_per_s() * 1e-9,
      peaks.byte_operations_per_s() * 1e-9,
      absl::StrJoin(peaks.memory(), ", ", memory));
}

std::string profileText(const Bench &bench, size_t most) {
  std::vector<int> order(bench.nests_size());
  absl::c_iota(order, 0);
  absl::c_sort(order, [&](int a, int b) {
    return std::pair(-bench.nests(a).median_ms(), a) <
           std::pair(-bench.nests(b).median_ms(), b);
  });
  Table table("rrrrrl");
  table.add({"ms", "share", "Gop/s", "GB/s", "of bound", "loop nest"});
  double others = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const Nest &nest = bench.nests(order[i]);
    if (i >= most) {
      others += nest.median_ms();
      continue;
    }
    table.add(
        {fmt::format("{:.3f}", nest.median_ms()),
         fmt::format("{:.1f} %", 100 * nest.share()),
         rate(nest.operations(), nest.median_ms()),
         rate(nest.bytes(), nest.median_ms()),
         nest.bound_ms() > 0 && nest.median_ms() > 0
             ? fmt::format("{:.0f} %", 100 * nest.bound_ms() / nest.median_ms())
             : "",
         absl::StrJoin(nest.nodes(), " ") +
             (nest.function().empty() ? "" : " · " + nest.function())});
  }
  if (order.size() > most)
    table.add({fmt::format("{:.3f}", others), "", "", "", "",
               fmt::format("{} others", order.size() - most)});
  return fmt::format("profile: {:.3f} ms, {} loop nests\n", bench.profiled_ms(),
                     order.size()) +
         table.text() + peaksText(bench.peaks());
}

} // namespace tenon::tools
