//===- tools/tenon/result.cpp - A run as a report -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/result.h"

#include "tools/tenon/host_peaks.h"
#include "tools/tenon/nest_profile.h"

#include "sim/report/limits.h"

#include <algorithm>
#include <numeric>

namespace tenon::tools {

using report::RunReport;

static const char *const engineNames[sim::numEngines] = {"load", "gemm", "alu",
                                                         "store"};

static void addStates(const sim::EngineStates &from, report::States &to) {
  to.set_busy(to.busy() + from.cycles[0]);
  to.set_token(to.token() + from.cycles[1]);
  to.set_memory(to.memory() + from.cycles[2]);
  to.set_bank(to.bank() + from.cycles[3]);
  to.set_drain(to.drain() + from.cycles[4]);
  to.set_empty(to.empty() + from.cycles[5]);
  to.set_done(to.done() + from.cycles[6]);
}

static double peakMacs(const isa::Program &program) {
  const isa::Configuration &config = program.configuration();
  return static_cast<double>(config.batch()) * config.block_in() *
         config.block_out();
}

static void describeLayers(const isa::Program &program,
                           const runtime::Execution &execution,
                           RunReport &report) {
  for (int i = 0; i < program.debug().layers_size(); ++i) {
    const isa::Layer &layer = program.debug().layers(i);
    report::Layer &out = *report.add_layers();
    out.set_name(layer.name());
    out.set_op(layer.op());
    *out.mutable_nodes() = layer.nodes();
    out.set_placed_on("accelerator");
    out.set_macs(layer.macs());
    out.set_bound_cycles(std::max(
        {layer.compute_cycles(), layer.read_cycles(), layer.write_cycles()}));
    out.set_compute_cycles(layer.compute_cycles());
    out.set_read_cycles(layer.read_cycles());
    out.set_write_cycles(layer.write_cycles());
    out.set_compute_engine(layer.compute_engine());
    out.set_schedule(layer.schedule());
    for (const sim::LaunchResult &launch : execution.launches) {
      if (i >= static_cast<int>(launch.layers.size()))
        continue;
      const sim::LayerResult &result = launch.layers[i];
      out.set_cycles(out.cycles() + result.cycles);
      out.set_read_bytes(out.read_bytes() + result.readBytes);
      out.set_write_bytes(out.write_bytes() + result.writeBytes);
      for (unsigned e = 0; e < sim::numEngines; ++e)
        addStates(result.states[e], (*out.mutable_states())[engineNames[e]]);
    }
    if (out.cycles() > 0)
      out.set_utilization(out.macs() / (out.cycles() * peakMacs(program)));
    report.set_macs(report.macs() + out.macs());
    report.set_bound_cycles(report.bound_cycles() + out.bound_cycles());
  }
}

static void describeNests(const isa::HostCode &code,
                          const runtime::HostStep &step,
                          const report::HostPeaks &peaks, double allMs,
                          report::HostStep &out) {
  for (const runtime::NestRun &run : step.nests) {
    report::LoopNest &nest = *out.add_nests();
    nest = describeNest(code, *step.kernel, run.number, peaks);
    nest.set_ms(run.milliseconds);
    nest.set_begin_ms(run.begin);
    nest.set_share(allMs > 0 ? run.milliseconds / allMs : 0);
  }
}

void describeHostSteps(const isa::HostCode &code,
                       const runtime::Execution &execution, RunReport &report) {
  double nestsMs = 0;
  size_t nests = 0;
  for (const runtime::HostStep &step : execution.hostSteps)
    for (const runtime::NestRun &run : step.nests) {
      nestsMs += run.milliseconds;
      ++nests;
    }
  if (nests && !report.has_host_peaks())
    *report.mutable_host_peaks() = measureHostPeaks();
  for (const runtime::HostStep &step : execution.hostSteps) {
    report::HostStep &out = *report.add_host_steps();
    out.set_name(step.name);
    out.set_ms(step.milliseconds);
    out.set_launches_before(step.launchesBefore);
    describeNests(code, step, report.host_peaks(), nestsMs, out);
    if (!step.kernel)
      continue;
    report::Layer &layer = *report.add_layers();
    layer.set_name(step.name);
    layer.set_op(step.kernel->name());
    *layer.mutable_nodes() = step.kernel->nodes();
    layer.set_placed_on("cpu");
    layer.set_reason(step.kernel->remedy().empty()
                         ? step.kernel->reason()
                         : step.kernel->reason() + "; " +
                               step.kernel->remedy());
    layer.set_ms(step.milliseconds);
    layer.set_predicted_ms(step.kernel->estimated_ms());
  }
}

void describeExecution(const isa::Program &program,
                       const runtime::Execution &execution, double clockMhz,
                       RunReport &report) {
  report.set_model(program.model());
  report.set_config(program.configuration().name());
  report.set_clock_mhz(clockMhz);
  report.set_launches(execution.launches.size());
  report.set_peak_macs(peakMacs(program));
  report.set_beat_bytes(program.configuration().bus_bits() / 8);
  for (const sim::LaunchResult &launch : execution.launches) {
    report.set_cycles(report.cycles() + launch.cycles);
    for (unsigned e = 0; e < sim::numEngines; ++e)
      addStates(launch.states[e], (*report.mutable_states())[engineNames[e]]);
    report.mutable_host()->set_simulate_ms(report.host().simulate_ms() +
                                           launch.seconds * 1e3);
  }
  describeLayers(program, execution, report);
  describeHostSteps(program.host_code(), execution, report);
  if (report.cycles() == 0)
    return;
  report.set_time_ms(report.cycles() / (report.clock_mhz() * 1e3));
  report.set_utilization(report.macs() / (report.cycles() * peakMacs(program)));
  sim::describeLimits(report);
  if (report.host().simulate_ms() > 0)
    report.mutable_host()->set_sim_khz(report.cycles() /
                                       report.host().simulate_ms());
}

void describeHardware(const isa::Program &program, RunReport &report) {
  report.mutable_host()->set_sim_khz(0); // nothing was simulated
  report.add_notes("cpu was compared with the outputs alone: hardware keeps no "
                   "copies of what it overwrites");
  if (report.cycles() == 0)
    report.add_notes("no cycles: this configuration has no counters");
  else if (program.debug().layers_size() > 1)
    report.add_notes("no cycles by layer: hardware counts a launch as a whole");
}

std::vector<uint32_t> largestElements(const runtime::Array &array,
                                      unsigned count) {
  std::vector<uint32_t> order(runtime::elementCount(array.shape));
  std::iota(order.begin(), order.end(), 0);
  count = std::min<size_t>(count, order.size());
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](uint32_t a, uint32_t b) {
                      if (runtime::isGreater(array, a, b))
                        return true;
                      return a < b && !runtime::isGreater(array, b, a);
                    });
  order.resize(count);
  return order;
}

void describeAnswer(const isa::Program &program,
                    absl::Span<const runtime::Array> outputs,
                    const std::vector<std::string> &labels, unsigned count,
                    RunReport &report) {
  if (outputs.empty())
    return;
  const runtime::Array &output = outputs[0];
  const isa::Buffer &buffer = program.buffers(program.outputs(0));
  for (uint32_t index : largestElements(output, count)) {
    report::Answer &answer = *report.add_answer();
    answer.set_index(index);
    if (index < labels.size())
      answer.set_label(labels[index]);
    double value = runtime::valueAt(output, index);
    answer.set_score(buffer.scale() > 0
                         ? (value - buffer.zero_point()) * buffer.scale()
                         : value);
  }
}

void describeVerification(const isa::Verification &verification,
                          RunReport &report) {
  report.mutable_host()->set_verify_ms(verification.seconds() * 1e3);
  report::Proof &proof = *report.mutable_checks()->mutable_verifier();
  proof.set_status("verified");
  proof.set_instructions(verification.instructions());
  proof.set_tokens(verification.tokens());
  proof.set_superfluous_tokens(verification.superfluous_tokens());
}

void describeSkippedVerification(const char *reason, RunReport &report) {
  report::Proof &proof = *report.mutable_checks()->mutable_verifier();
  proof.set_status("skipped");
  proof.set_reason(reason);
}

void describeHostCode(const isa::Program &program, const char *why,
                      RunReport &report) {
  if (program.host_code().executables().empty())
    return;
  report::HostCodeTrust &code = *report.mutable_checks()->mutable_host_code();
  code.set_executables(program.host_code().executables_size());
  for (const isa::Executable &executable : program.host_code().executables())
    code.set_bytes(code.bytes() + double(executable.image().size()));
  code.set_why(why);
}

void describeCheck(const runtime::Check &check, report::CheckResult &result) {
  static const char *const names[] = {"skipped", "bit-exact", "differs"};
  result.set_status(names[check.status]);
  if (check.status == runtime::Check::Skipped)
    result.set_reason(check.reason);
  result.set_tensors(check.tensors);
  result.set_elements(check.elements);
  result.set_mismatches(check.mismatches);
  if (check.status != runtime::Check::Differs)
    return;
  result.mutable_first()->set_layer(check.layer);
  result.mutable_first()->set_index(check.index);
  result.mutable_first()->set_got(check.got);
  result.mutable_first()->set_want(check.want);
}

} // namespace tenon::tools
