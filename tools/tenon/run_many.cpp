//===- tools/tenon/run_many.cpp - A program on many inputs ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/run_many.h"

#include "absl/strings/str_cat.h"

#include "fmt/format.h"

namespace tenon::tools {

using runtime::Array;

absl::StatusOr<std::unique_ptr<ManyRuns>>
ManyRuns::open(const RunOptions &options, const isa::Program &program,
               const std::vector<std::string> &names) {
  auto samples = Samples::open(options, program, names);
  if (!samples.ok())
    return samples.status();
  return std::unique_ptr<ManyRuns>(new ManyRuns(options, *std::move(samples)));
}

Samples::Run ManyRuns::nextRun(size_t &next, Tally &tally) {
  return samples->nextRun(next, [&](size_t item, const absl::Status &why) {
    tally.addFailure(samples->source().items[item], std::string(why.message()));
    anyUnreadable = true;
  });
}

static double cyclesOf(const runtime::Execution &execution) {
  double cycles = 0;
  for (const sim::LaunchResult &launch : execution.launches)
    cycles += launch.cycles;
  return cycles;
}

/// How this run differs; `before` are mismatches up to it. The place is known
/// of the first mismatch alone, which is the one that is shown.
static std::string differenceFrom(const char *with, const char *elements,
                                  const runtime::Check &check,
                                  uint64_t before) {
  if (check.mismatches == before)
    return "";
  std::string text = fmt::format("differs from {} in {} {}", with,
                                 check.mismatches - before, elements);
  if (before == 0)
    text += fmt::format(", first in {} at {}: got {}, want {}", check.layer,
                        check.index, check.got, check.want);
  return text;
}

void ManyRuns::describe(const std::vector<size_t> &run,
                        const runtime::Result &result,
                        const std::string &failure, Tally &tally) const {
  for (size_t k = 0; k < run.size(); ++k)
    tally.addAnswer(samples->source().items[run[k]],
                    result.outputs.empty()
                        ? Array{isa::INT8, {0}, {}}
                        : samples->batches().part(result.outputs[0], k),
                    failure);
}

absl::StatusOr<runtime::Result> ManyRuns::runOnce(const Samples::Run &run,
                                                  runtime::CheckedRun &checked,
                                                  report::Inputs &inputs,
                                                  Tally &tally) const {
  const uint64_t functional = checked.functionalCheck.mismatches;
  const uint64_t cpu = checked.cpuCheck.mismatches;
  const unsigned compared = checked.compared;
  auto result = checked.run(samples->batches().stack(run.arrays));
  if (!result.ok())
    return absl::Status(result.status().code(),
                        absl::StrCat("input ",
                                     samples->source().items[run.items[0]].name,
                                     ": ", result.status().message()));
  std::string failure = differenceFrom("functional", "bytes",
                                       checked.functionalCheck, functional);
  if (failure.empty())
    failure = differenceFrom("cpu", "values", checked.cpuCheck, cpu);
  tally.addRun(checked.targetMs, cyclesOf(result->execution));
  describe(run.items, *result, failure, tally);
  if (checked.compared > compared)
    inputs.set_compared(inputs.compared() + run.items.size());
  inputs.set_padding(inputs.padding() + samples->batches().size() -
                     run.items.size());
  return result;
}

absl::Status
ManyRuns::run(runtime::CheckedRun &checked, Progress &progress,
              const std::function<absl::Status(const runtime::Result &)> &first,
              report::RunReport &report) {
  report::Inputs &inputs = *report.mutable_inputs();
  inputs.set_source(options.many);
  inputs.set_count(samples->source().items.size());
  inputs.set_batch(samples->batches().size());
  for (const std::string &note : samples->source().notes)
    report.add_notes(note);
  Tally tally(inputs, options.top);
  bool begun = false;
  for (size_t next = 0; next < samples->source().items.size();) {
    Samples::Run run = nextRun(next, tally);
    if (run.items.empty())
      break;
    progress.show(absl::StrCat("running ", next, " of ",
                               samples->source().items.size(), ", ",
                               inputs.top1(), " right of ", inputs.labelled()));
    auto result = runOnce(run, checked, inputs, tally);
    if (!result.ok())
      return result.status();
    if (!begun)
      if (auto status = first(*result); !status.ok())
        return status;
    begun = true;
  }
  tally.conclude();
  return absl::OkStatus();
}

} // namespace tenon::tools
