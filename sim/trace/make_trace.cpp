//===- sim/trace/make_trace.cpp - Recorded events as columns --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/trace/occupancy.h"
#include "sim/trace/trace_file.h"

#include "isa/isa.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace tenon::sim {
namespace {

constexpr uint64_t mostBuckets = 2048; // of an occupancy curve

/// The decoded instructions of a launch by engine.
using Streams = std::array<std::vector<isa::Instruction>, numEngines>;

absl::StatusOr<std::string> instructionBytes(const isa::Program &program,
                                             const isa::Layout &layout,
                                             const isa::Launch &launch) {
  uint64_t bytes = launch.instruction_count() * layout.instructionBytes;
  for (const isa::Segment &segment : program.segments())
    if (launch.program_offset() >= segment.offset() &&
        bytes <= segment.data().size() &&
        launch.program_offset() - segment.offset() <=
            segment.data().size() - bytes)
      return segment.data().substr(launch.program_offset() - segment.offset(),
                                   bytes);
  return absl::InvalidArgumentError(
      "a launch's instructions are in no segment of the program");
}

void addEngine(const std::vector<InstructionTrace> &events,
               const std::vector<LayerRun> &runs, trace::EngineTrace &out) {
  uint64_t previous = 0;
  for (const InstructionTrace &event : events) {
    uint64_t begin = std::clamp(event.begin, previous, event.retire);
    out.add_before(begin - previous);
    previous = event.retire;
    out.add_busy(event.cycles[0]);
    out.add_token(event.cycles[1]);
    out.add_memory(event.cycles[2]);
    out.add_bank(event.cycles[3]);
    out.add_drain(event.cycles[4]);
    out.add_empty(event.cycles[5]);
    out.add_token_wait_0(event.tokenWait[0]);
    out.add_token_wait_1(event.tokenWait[1]);
    out.add_token_wait_2(event.tokenWait[2]);
    out.add_room_wait_0(event.roomWait[0]);
    out.add_room_wait_1(event.roomWait[1]);
    out.add_room_wait_2(event.roomWait[2]);
  }
  for (const LayerRun &run : runs) {
    out.add_run_first(run.firstInstruction);
    out.add_run_layer(run.layer);
  }
}

void addTraffic(const TrafficTrace &traffic, uint64_t cycles,
                uint32_t beatBytes, trace::Traffic &out) {
  out.set_beat_bytes(beatBytes);
  out.set_bucket_cycles(traffic.bucketCycles);
  uint64_t buckets = std::min<uint64_t>(cycles / traffic.bucketCycles + 1,
                                        TrafficTrace::maxBuckets);
  for (uint64_t i = 0; i < buckets; ++i) {
    out.add_load(traffic.beats[TrafficTrace::Load][i]);
    out.add_fetch(traffic.beats[TrafficTrace::Fetch][i]);
    out.add_store(traffic.beats[TrafficTrace::Store][i]);
  }
}

/// Instructions in the order of their retirement.
std::vector<std::pair<unsigned, size_t>>
retirementOrder(const LaunchTrace &events) {
  std::vector<std::pair<unsigned, size_t>> order;
  std::array<size_t, numEngines> next{};
  auto left = [&](unsigned e) { return next[e] < events.engines[e].size(); };
  while (true) {
    unsigned earliest = numEngines;
    for (unsigned e = 0; e < numEngines; ++e)
      if (left(e) && (earliest == numEngines ||
                      events.engines[e][next[e]].retire <
                          events.engines[earliest][next[earliest]].retire))
        earliest = e;
    if (earliest == numEngines)
      return order;
    order.emplace_back(earliest, next[earliest]++);
  }
}

absl::Status addOccupancy(const LaunchTrace &events, const Streams &streams,
                          const isa::Layout &layout, isa::AccessWalker &walker,
                          trace::Launch &out) {
  constexpr unsigned scratchpads = isa::spaceCount - 1; // all but DRAM
  std::vector<Occupancy> curves;
  for (unsigned i = 0; i < scratchpads; ++i)
    curves.emplace_back(isa::spaceEntries(layout, isa::Space(i)));
  walker.startLaunch();
  for (auto [engine, index] : retirementOrder(events)) {
    auto accesses = walker.next(streams[engine][index]);
    if (!accesses.ok())
      return absl::Status(
          accesses.status().code(),
          absl::StrCat("instruction ", index, " of ",
                       std::string(isa::toString(isa::Engine(engine))), ", `",
                       isa::disassemble(layout, streams[engine][index]), "`, ",
                       accesses.status().message()));
    for (unsigned i = 0; i < scratchpads; ++i)
      curves[i].retire(events.engines[engine][index].retire, accesses->reads[i],
                       accesses->writes[i]);
  }
  uint64_t bucket = 64;
  while (out.cycles() / bucket >= mostBuckets)
    bucket *= 2;
  for (unsigned i = 0; i < scratchpads; ++i) {
    trace::Occupancy &curve = *out.add_occupancy();
    curve.set_memory(std::string(isa::toString(isa::Space(i))));
    curve.set_entries(isa::spaceEntries(layout, isa::Space(i)));
    curve.set_bucket_cycles(bucket);
    std::vector<uint32_t> peaks = curves[i].peaks(out.cycles(), bucket);
    curve.mutable_peak()->Assign(peaks.begin(), peaks.end());
  }
  return absl::OkStatus();
}

absl::StatusOr<Streams> decodeStreams(const isa::Layout &layout,
                                      const std::string &bytes) {
  Streams streams;
  for (size_t at = 0; at + layout.instructionBytes <= bytes.size();
       at += layout.instructionBytes) {
    auto decoded = isa::decode(
        layout, reinterpret_cast<const uint8_t *>(bytes.data() + at));
    if (!decoded.ok())
      return decoded.status();
    if (std::holds_alternative<isa::Finish>(*decoded))
      break;
    streams[size_t(isa::engineOf(*decoded))].push_back(*std::move(decoded));
  }
  return streams;
}

absl::Status addLaunch(const isa::Program &program, const isa::Layout &layout,
                       const isa::Launch &plan, const TracedLaunch &launch,
                       isa::AccessWalker &walker, trace::Launch &out) {
  auto bytes = instructionBytes(program, layout, plan);
  if (!bytes.ok())
    return bytes.status();
  auto streams = decodeStreams(layout, *bytes);
  if (!streams.ok())
    return streams.status();
  out.set_cycles(launch.cycles);
  out.set_instructions(*std::move(bytes));
  for (unsigned e = 0; e < numEngines; ++e) {
    const auto &events = launch.events->engines[e];
    if (events.size() != (*streams)[e].size())
      return absl::InvalidArgumentError(absl::StrCat(
          "the trace has ", events.size(), " instructions of engine ",
          std::string(isa::toString(isa::Engine(e))), ", the program ",
          (*streams)[e].size()));
    trace::EngineTrace &engine = *out.add_engines();
    addEngine(events, launch.runs.engines[e], engine);
    uint64_t empty = launch.states[e].cycles[stateEmpty];
    for (uint32_t cycles : engine.empty())
      empty -= std::min<uint64_t>(empty, cycles);
    engine.set_trailing_empty(empty);
  }
  addTraffic(launch.events->traffic, launch.cycles, layout.beatBytes,
             *out.mutable_traffic());
  // A program with an access that cannot be told still has its other pictures.
  if (absl::Status status =
          addOccupancy(*launch.events, *streams, layout, walker, out);
      !status.ok())
    out.set_occupancy_missing(std::string(status.message()));
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<trace::Trace>
makeTrace(const isa::Program &program, const report::RunReport &report,
          absl::Span<const TracedLaunch> launches) {
  auto layout = isa::Layout::get(program.configuration());
  if (!layout.ok())
    return layout.status();
  trace::Trace trace;
  trace.set_version(traceVersion);
  *trace.mutable_configuration() = program.configuration();
  *trace.mutable_report() = report;
  isa::AccessWalker walker(*layout, program);
  size_t next = 0;
  for (const isa::Step &step : program.steps()) {
    if (!step.has_launch() || next == launches.size())
      continue;
    const TracedLaunch &launch = launches[next++];
    if (launch.cycles == 0)
      return absl::InvalidArgumentError(
          "the target has no time: there is nothing to trace");
    if (absl::Status status = addLaunch(program, *layout, step.launch(), launch,
                                        walker, *trace.add_launches());
        !status.ok())
      return status;
  }
  return trace;
}

LaunchTrace eventsOf(const trace::Launch &launch) {
  LaunchTrace out;
  for (int e = 0; e < launch.engines_size(); ++e) {
    const trace::EngineTrace &in = launch.engines(e);
    uint64_t previous = 0;
    for (int i = 0; i < in.before_size(); ++i) {
      InstructionTrace event;
      event.begin = previous + in.before(i);
      const uint32_t cycles[] = {in.busy(i), in.token(i), in.memory(i),
                                 in.bank(i), in.drain(i), in.empty(i)};
      std::copy(std::begin(cycles), std::end(cycles), event.cycles);
      event.retire = previous;
      for (uint32_t count : cycles)
        event.retire += count;
      const uint32_t tokens[] = {in.token_wait_0(i), in.token_wait_1(i),
                                 in.token_wait_2(i)};
      const uint32_t rooms[] = {in.room_wait_0(i), in.room_wait_1(i),
                                in.room_wait_2(i)};
      std::copy(std::begin(tokens), std::end(tokens), event.tokenWait);
      std::copy(std::begin(rooms), std::end(rooms), event.roomWait);
      previous = event.retire;
      out.engines[e].push_back(event);
    }
  }
  const trace::Traffic &traffic = launch.traffic();
  out.traffic.bucketCycles = traffic.bucket_cycles();
  for (int i = 0; i < traffic.load_size(); ++i) {
    out.traffic.beats[TrafficTrace::Load][i] = traffic.load(i);
    out.traffic.beats[TrafficTrace::Fetch][i] = traffic.fetch(i);
    out.traffic.beats[TrafficTrace::Store][i] = traffic.store(i);
  }
  return out;
}

} // namespace tenon::sim
