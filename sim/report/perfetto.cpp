//===- sim/report/perfetto.cpp - A run for the Perfetto UI ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/perfetto.h"

#include "sim/report/drawing.h"
#include "sim/report/launch_view.h"
#include "sim/report/perfetto.pb.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "fmt/format.h"

#include <cmath>
#include <map>

namespace tenon::sim {
namespace {

using perfetto::TrackEvent;

// Tracks: any numbers that differ. Those of run i begin at i * tracksOfRun.
constexpr uint64_t tracksOfRun = 1000;
constexpr uint64_t processTrack = 1;
constexpr uint64_t layerTrack = 2;
constexpr uint64_t hostTrack = 3;
constexpr uint64_t firstEngineTrack = 10;
constexpr uint64_t firstCounterTrack = 100;
constexpr uint64_t flowsOfRun = uint64_t{1} << 32;
constexpr uint32_t sequenceStarts = 1; // SEQ_INCREMENTAL_STATE_CLEARED

class Writer {
public:
  Writer(const trace::Trace &in, isa::Layout layout, uint32_t run,
         perfetto::Trace &out)
      : in(in), layout(std::move(layout)),
        clockMhz(std::max(in.configuration().clock_mhz(), 1u)), run(run),
        out(out), lastFlow(run * flowsOfRun) {}

  absl::Status write() {
    describeTracks();
    int step = 0;
    for (int i = 0; i < in.launches_size(); ++i) {
      writeHostSteps(step, i);
      auto view = viewLaunch(in, i);
      if (!view.ok())
        return view.status();
      writeLayers(*view);
      writeEngines(*view);
      writeTraffic(in.launches(i).traffic());
      for (const trace::Occupancy &curve : in.launches(i).occupancy())
        writeOccupancy(curve);
      start += nanoseconds(view->cycles);
    }
    writeHostSteps(step, in.launches_size());
    return absl::OkStatus();
  }

private:
  uint64_t nanoseconds(uint64_t cycles) const {
    return uint64_t(std::llround(cycles * 1e3 / clockMhz));
  }

  perfetto::TracePacket &packet(uint64_t time) {
    perfetto::TracePacket &packet = *out.add_packet();
    packet.set_timestamp(time);
    packet.set_trusted_packet_sequence_id(run + 1);
    return packet;
  }

  TrackEvent &eventAt(uint64_t time, TrackEvent::Type type, uint64_t track) {
    TrackEvent &event = *packet(time).mutable_track_event();
    event.set_type(type);
    event.set_track_uuid(run * tracksOfRun + track);
    return event;
  }
  TrackEvent &event(uint64_t cycle, TrackEvent::Type type, uint64_t track) {
    return eventAt(start + nanoseconds(cycle), type, track);
  }

  TrackEvent &begin(uint64_t cycle, uint64_t track, std::string name,
                    absl::string_view category) {
    TrackEvent &slice = event(cycle, TrackEvent::TYPE_SLICE_BEGIN, track);
    slice.set_name(std::move(name));
    slice.add_categories(std::string(category));
    return slice;
  }
  void end(uint64_t cycle, uint64_t track) {
    event(cycle, TrackEvent::TYPE_SLICE_END, track);
  }

  perfetto::TrackDescriptor &describe(uint64_t uuid, std::string name) {
    perfetto::TrackDescriptor &track = *packet(0).mutable_track_descriptor();
    track.set_uuid(run * tracksOfRun + uuid);
    track.set_name(std::move(name));
    if (uuid != processTrack)
      track.set_parent_uuid(run * tracksOfRun + processTrack);
    track.set_sibling_order_rank(int32_t(uuid));
    return track;
  }

  void describeTracks() {
    int first = out.packet_size();
    std::string name =
        absl::StrCat(in.report().model(), " · ", in.report().config(), " · ",
                     in.report().target());
    perfetto::TrackDescriptor &process = describe(processTrack, name);
    process.mutable_process()->set_pid(int32_t(run + 1));
    process.mutable_process()->set_process_name(name);
    process.set_child_ordering(perfetto::TrackDescriptor::EXPLICIT);
    out.mutable_packet(first)->set_sequence_flags(sequenceStarts);
    if (in.launches_size())
      describe(layerTrack, "layers");
    if (in.report().host_steps_size())
      describe(hostTrack, "host");
    if (!in.launches_size())
      return;
    for (unsigned e = 0; e < numEngines; ++e)
      describe(firstEngineTrack + e,
               absl::AsciiStrToUpper(isa::toString(isa::Engine(e))));
  }

  uint64_t counterTrack(const std::string &name, const std::string &unit) {
    auto [found, isNew] =
        counters.emplace(name, firstCounterTrack + counters.size());
    if (isNew)
      describe(found->second, name).mutable_counter()->set_unit_name(unit);
    return found->second;
  }

  void count(uint64_t cycle, uint64_t track, double value) {
    event(cycle, TrackEvent::TYPE_COUNTER, track)
        .set_double_counter_value(value);
  }

  void annotate(TrackEvent &slice, const std::string &name, std::string value) {
    perfetto::DebugAnnotation &annotation = *slice.add_debug_annotations();
    annotation.set_name(name);
    annotation.set_string_value(std::move(value));
  }
  void annotate(TrackEvent &slice, const std::string &name, uint64_t value) {
    perfetto::DebugAnnotation &annotation = *slice.add_debug_annotations();
    annotation.set_name(name);
    annotation.set_uint_value(value);
  }

  /// Those between launch `launch` and the one before, from `step` on.
  void writeHostSteps(int &step, int launch) {
    for (; step < in.report().host_steps_size() &&
           in.report().host_steps(step).launches_before() <= uint32_t(launch);
         ++step)
      start = writeHostStep(in.report().host_steps(step));
  }

  /// With its loop nests inside; its end.
  uint64_t writeHostStep(const report::HostStep &step) {
    auto after = [&](double ms) {
      return start + uint64_t(std::llround(std::min(ms, step.ms()) * 1e6));
    };
    TrackEvent &slice = eventAt(start, TrackEvent::TYPE_SLICE_BEGIN, hostTrack);
    slice.set_name(step.name());
    slice.add_categories("host");
    for (const report::LoopNest &nest : step.nests()) {
      writeNest(nest, after(nest.begin_ms()));
      eventAt(after(nest.begin_ms() + nest.ms()), TrackEvent::TYPE_SLICE_END,
              hostTrack);
    }
    eventAt(after(step.ms()), TrackEvent::TYPE_SLICE_END, hostTrack);
    return after(step.ms());
  }

  void writeNest(const report::LoopNest &nest, uint64_t begin) {
    TrackEvent &slice = eventAt(begin, TrackEvent::TYPE_SLICE_BEGIN, hostTrack);
    slice.set_name(nest.nodes_size() ? absl::StrJoin(nest.nodes(), " ")
                                     : nest.function());
    slice.add_categories(nest.limit().empty() ? "loop nest" : nest.limit());
    annotate(slice, "function", nest.function());
    if (nest.operations() > 0)
      annotate(slice, "operations", uint64_t(nest.operations()));
    if (nest.bytes() > 0)
      annotate(slice, "bytes", uint64_t(nest.bytes()));
    if (nest.bound_ms() > 0 && nest.ms() > 0)
      annotate(slice, "of bound",
               fmt::format("{:.0f} %", 100 * nest.bound_ms() / nest.ms()));
  }

  void writeLayers(const LaunchView &view) {
    for (const LayerSpan &span : view.layers) {
      if (span.begin == span.end)
        continue;
      const report::Layer &layer = in.report().layers(span.layer);
      TrackEvent &slice =
          begin(span.begin, layerTrack, layer.name(), layer.op());
      annotate(slice, "cycles", span.end - span.begin);
      annotate(slice, "limit", layer.limit());
      end(span.end, layerTrack);
    }
  }

  void writeEngines(const LaunchView &view) {
    struct Flows {
      std::vector<uint64_t> given, taken;
    };
    std::map<std::pair<unsigned, size_t>, Flows> flows;
    for (const Token &token : view.tokens) {
      uint64_t id = ++lastFlow;
      flows[{token.from, token.giver}].given.push_back(id);
      flows[{token.to, token.taker}].taken.push_back(id);
    }
    for (unsigned e = 0; e < numEngines; ++e) {
      for (size_t i = 0; i < view.engines[e].size(); ++i) {
        TrackEvent &slice = writeStep(e, view.engines[e][i]);
        auto found = flows.find({e, i});
        if (found == flows.end())
          continue;
        for (uint64_t id : found->second.given)
          slice.add_flow_ids(id);
        for (uint64_t id : found->second.taken)
          slice.add_terminating_flow_ids(id);
      }
      writeTrailing(e, view);
    }
  }

  void writeTrailing(unsigned engine, const LaunchView &view) {
    const std::vector<Step> &steps = view.engines[engine];
    uint64_t from = steps.empty() ? 0 : steps.back().event.retire;
    if (!view.trailingEmpty[engine])
      return;
    begin(from, firstEngineTrack + engine, "empty", "empty");
    end(from + view.trailingEmpty[engine], firstEngineTrack + engine);
  }

  // The slice of the instruction, with those of its states inside.
  TrackEvent &writeStep(unsigned engine, const Step &step) {
    uint64_t track = firstEngineTrack + engine;
    std::vector<Stretch> stretches = stretchesOf(step);
    size_t next = 0;
    // One that only waited is the last of its waits.
    while (next + 1 < stretches.size() &&
           stretches[next].end <= workBegin(step))
      writeStretch(track, engine, step, stretches[next++]);
    int packetIndex = out.packet_size();
    TrackEvent &slice = begin(
        stretches.empty() ? step.event.retire : stretches[next].begin, track,
        mnemonic(step.instruction), isa::toString(largestState(step)));
    annotate(slice, "instruction", isa::disassemble(layout, step.instruction));
    annotate(slice, "layer", layerName(in, step));
    annotate(slice, "cycles", step.event.retire - step.previous);
    for (; next < stretches.size(); ++next)
      writeStretch(track, engine, step, stretches[next]);
    end(step.event.retire, track);
    return *out.mutable_packet(packetIndex)->mutable_track_event();
  }

  void writeStretch(uint64_t track, unsigned engine, const Step &step,
                    const Stretch &stretch) {
    begin(stretch.begin, track, stretchName(engine, step, stretch),
          isa::toString(stretch.state));
    end(stretch.end, track);
  }

  void writeTraffic(const trace::Traffic &traffic) {
    auto write = [&](const char *name, const auto &beats) {
      uint64_t track = counterTrack(name, "B/cycle");
      for (int i = 0; i < beats.size(); ++i)
        count(i * traffic.bucket_cycles(), track,
              double(beats[i]) * traffic.beat_bytes() /
                  traffic.bucket_cycles());
    };
    write("port: load", traffic.load());
    write("port: fetch", traffic.fetch());
    write("port: store", traffic.store());
  }

  void writeOccupancy(const trace::Occupancy &curve) {
    uint64_t track = counterTrack("occupied: " + curve.memory(), "entries");
    for (int i = 0; i < curve.peak_size(); ++i)
      if (i == 0 || curve.peak(i) != curve.peak(i - 1))
        count(i * curve.bucket_cycles(), track, curve.peak(i));
  }

  const trace::Trace &in;
  const isa::Layout layout;
  const double clockMhz;
  const uint64_t run;
  perfetto::Trace &out;
  uint64_t start = 0; // of the launch or host step, in nanoseconds
  uint64_t lastFlow;
  std::map<std::string, uint64_t> counters;
};

} // namespace

absl::StatusOr<std::string>
perfettoTrace(absl::Span<const trace::Trace *const> traces) {
  perfetto::Trace out;
  for (size_t i = 0; i < traces.size(); ++i) {
    auto layout = isa::Layout::get(traces[i]->configuration());
    if (!layout.ok())
      return layout.status();
    Writer writer(*traces[i], *std::move(layout), uint32_t(i), out);
    if (absl::Status status = writer.write(); !status.ok())
      return status;
  }
  return out.SerializeAsString();
}

} // namespace tenon::sim
