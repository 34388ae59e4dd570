//===- tools/tenon/run_many.cpp - A program on many inputs ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/run_many.h"

#include "absl/strings/str_cat.h"

namespace tenon::tools {

using runtime::Array;

absl::StatusOr<std::unique_ptr<ManyRuns>>
ManyRuns::open(const RunOptions &options, const isa::Program &program,
               const std::vector<std::string> &names) {
  auto preprocess = Preprocess::parse(options.preprocess);
  if (!preprocess.ok())
    return preprocess.status();
  auto batches = std::make_unique<Batches>(program, *std::move(preprocess));
  auto source = openInputs(options, batches->itemInputs(), names);
  if (!source.ok())
    return source.status();
  std::unique_ptr<ManyRuns> many(
      new ManyRuns(options, std::move(batches), *std::move(source)));
  if (many->source->alike())
    if (auto item = many->readItem(0); !item.ok())
      return item.status();
  return many;
}

absl::StatusOr<std::vector<Array>> ManyRuns::readItem(size_t index) const {
  auto arrays = source->read(index);
  if (!arrays.ok())
    return arrays;
  const bool pixels = !options.preprocess.empty() && source->mayBePixels(index);
  if (auto status = batches->fit(*arrays, pixels); !status.ok())
    return absl::Status(status.code(),
                        absl::StrCat("input ", source->items[index].name, ": ",
                                     status.message()));
  return arrays;
}

/// Reads the items of the next run, from `next` on.
std::vector<size_t> ManyRuns::nextRun(size_t &next, Tally &tally,
                                      std::vector<std::vector<Array>> &arrays) {
  std::vector<size_t> run;
  arrays.clear();
  while (next < source->items.size() &&
         static_cast<int64_t>(run.size()) < batches->size()) {
    const size_t index = next++;
    auto item = readItem(index);
    if (!item.ok()) {
      tally.addFailure(source->items[index],
                       std::string(item.status().message()));
      anyUnreadable = true;
      continue;
    }
    run.push_back(index);
    arrays.push_back(*std::move(item));
  }
  return run;
}

static double cyclesOf(const runtime::Execution &execution) {
  double cycles = 0;
  for (const sim::LaunchResult &launch : execution.launches)
    cycles += launch.cycles;
  return cycles;
}

/// How this run differs; `before` are mismatches up to it. The place is known
/// of the first mismatch alone, which is the one that is shown.
static std::string differenceFrom(absl::string_view with,
                                  const runtime::Check &check,
                                  uint64_t before) {
  if (check.mismatches == before)
    return "";
  std::string text = absl::StrCat("differs from ", with, " in ",
                                  check.mismatches - before, " values");
  if (before == 0)
    absl::StrAppend(&text, ", first in ", check.layer, " at ", check.index,
                    ": got ", check.got, ", want ", check.want);
  return text;
}

void ManyRuns::describe(const std::vector<size_t> &run,
                        const runtime::Result &result,
                        const std::string &failure, Tally &tally) const {
  for (size_t k = 0; k < run.size(); ++k)
    tally.addAnswer(source->items[run[k]],
                    result.outputs.empty()
                        ? Array{isa::INT8, {0}, {}}
                        : batches->part(result.outputs[0], k),
                    failure);
}

absl::StatusOr<runtime::Result> ManyRuns::runOnce(
    const std::vector<size_t> &run, absl::Span<const std::vector<Array>> arrays,
    runtime::CheckedRun &checked, report::Inputs &inputs, Tally &tally) const {
  const uint64_t functional = checked.functionalCheck.mismatches;
  const uint64_t cpu = checked.cpuCheck.mismatches;
  const unsigned compared = checked.compared;
  auto result = checked.run(batches->stack(arrays));
  if (!result.ok())
    return absl::Status(result.status().code(),
                        absl::StrCat("input ", source->items[run[0]].name, ": ",
                                     result.status().message()));
  std::string failure =
      differenceFrom("functional", checked.functionalCheck, functional);
  if (failure.empty())
    failure = differenceFrom("cpu", checked.cpuCheck, cpu);
  tally.addRun(checked.targetMs, cyclesOf(result->execution));
  describe(run, *result, failure, tally);
  if (checked.compared > compared)
    inputs.set_compared(inputs.compared() + run.size());
  inputs.set_padding(inputs.padding() + batches->size() - run.size());
  return result;
}

absl::Status
ManyRuns::run(runtime::CheckedRun &checked, Progress &progress,
              const std::function<absl::Status(const runtime::Result &)> &first,
              report::RunReport &report) {
  report::Inputs &inputs = *report.mutable_inputs();
  inputs.set_source(options.many);
  inputs.set_count(source->items.size());
  inputs.set_batch(batches->size());
  for (const std::string &note : source->notes)
    report.add_notes(note);
  Tally tally(inputs, options.top);
  std::vector<std::vector<Array>> arrays;
  bool begun = false;
  for (size_t next = 0; next < source->items.size();) {
    std::vector<size_t> run = nextRun(next, tally, arrays);
    if (run.empty())
      break;
    progress.show(absl::StrCat("running ", next, " of ", source->items.size(),
                               ", ", inputs.top1(), " right of ",
                               inputs.labelled()));
    auto result = runOnce(run, arrays, checked, inputs, tally);
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
