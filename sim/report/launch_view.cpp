//===- sim/report/launch_view.cpp - A launch, instruction by instruction --===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/launch_view.h"

#include "sim/trace/trace_file.h"

#include <algorithm>

namespace tenon::sim {
namespace {

absl::Status decodeInstructions(const isa::Layout &layout,
                                const trace::Launch &launch, LaunchView &view) {
  const std::string &bytes = launch.instructions();
  for (size_t at = 0; at + layout.instructionBytes <= bytes.size();
       at += layout.instructionBytes) {
    auto decoded = isa::decode(
        layout, reinterpret_cast<const uint8_t *>(bytes.data() + at));
    if (!decoded.ok())
      return decoded.status();
    if (std::holds_alternative<isa::Finish>(*decoded))
      return absl::OkStatus();
    Step step;
    step.instruction = *std::move(decoded);
    view.engines[size_t(isa::engineOf(step.instruction))].push_back(step);
  }
  return absl::OkStatus();
}

void placeInTime(const trace::Launch &launch, LaunchView &view) {
  LaunchTrace events = eventsOf(launch);
  for (unsigned e = 0; e < numEngines; ++e) {
    const trace::EngineTrace &engine = launch.engines(e);
    view.trailingEmpty[e] = engine.trailing_empty();
    uint64_t previous = 0;
    int run = -1;
    for (size_t i = 0; i < view.engines[e].size(); ++i) {
      while (run + 1 < engine.run_first_size() &&
             (run < 0 || engine.run_first(run + 1) <= i))
        ++run;
      Step &step = view.engines[e][i];
      step.event = events.engines[e][i];
      step.previous = previous;
      step.layer = run < 0 ? 0 : engine.run_layer(run);
      previous = step.event.retire;
    }
  }
}

// One channel: the k-th signal meets the k-th wait.
void matchTokens(unsigned from, unsigned to, LaunchView &view) {
  auto bitOf = [](unsigned engine, unsigned other) {
    auto neighbours = isa::neighbours(isa::Engine(engine));
    return std::find(neighbours.begin(), neighbours.end(), isa::Engine(other)) -
           neighbours.begin();
  };
  auto signalBit = bitOf(from, to), waitBit = bitOf(to, from);
  size_t giver = 0;
  const std::vector<Step> &givers = view.engines[from];
  for (size_t taker = 0; taker < view.engines[to].size(); ++taker) {
    if (!(isa::waitOf(view.engines[to][taker].instruction) >> waitBit & 1))
      continue;
    while (giver < givers.size() &&
           !(isa::signalOf(givers[giver].instruction) >> signalBit & 1))
      ++giver;
    if (giver == givers.size())
      return;
    view.tokens.push_back({from, to, giver++, taker});
  }
}

void findLayers(LaunchView &view, int layers) {
  if (layers == 0) // a program without debug section
    return;
  std::vector<uint64_t> last(layers), first(layers, ~uint64_t{0});
  for (const std::vector<Step> &steps : view.engines)
    for (const Step &step : steps) {
      last[step.layer] = std::max(last[step.layer], step.event.retire);
      first[step.layer] = std::min(first[step.layer],
                                   std::max(step.event.begin, step.previous));
    }
  uint64_t end = 0;
  for (int i = 0; i < layers; ++i) {
    if (first[i] == ~uint64_t{0})
      continue;
    uint64_t begin = end;
    end = std::max(end, last[i]);
    view.layers.push_back({uint32_t(i), begin, end, first[i]});
  }
  if (!view.layers.empty()) // the last one ends with the launch
    view.layers.back().end = view.cycles;
}

} // namespace

absl::StatusOr<LaunchView> viewLaunch(const trace::Trace &trace, int index) {
  auto layout = isa::Layout::get(trace.configuration());
  if (!layout.ok())
    return layout.status();
  const trace::Launch &launch = trace.launches(index);
  LaunchView view;
  view.cycles = launch.cycles();
  if (absl::Status status = decodeInstructions(*layout, launch, view);
      !status.ok())
    return status;
  placeInTime(launch, view);
  for (const isa::Channel &channel : isa::channels)
    matchTokens(unsigned(channel.from), unsigned(channel.to), view);
  findLayers(view, trace.report().layers_size());
  return view;
}

const std::string &layerName(const trace::Trace &trace, const Step &step) {
  static const std::string none;
  return int(step.layer) < trace.report().layers_size()
             ? trace.report().layers(step.layer).name()
             : none;
}

std::vector<LayerDetail> layerDetails(const isa::Layout &layout,
                                      const std::vector<LaunchView> &views,
                                      size_t layers) {
  std::vector<LayerDetail> details(layers);
  for (const LaunchView &view : views)
    for (unsigned e = 0; e < numEngines; ++e)
      for (const Step &step : view.engines[e]) {
        if (step.layer >= layers)
          continue;
        LayerDetail &detail = details[step.layer];
        ++detail.instructions;
        for (unsigned i = 0; i < numNeighbours; ++i) {
          detail.tokenWait[e][i] += step.event.tokenWait[i];
          detail.roomWait[e][i] += step.event.roomWait[i];
        }
        if (const auto *load = std::get_if<isa::Load>(&step.instruction))
          detail.readBytes[size_t(load->memory)] +=
              uint64_t(load->ySize) * load->xSize *
              layout.transferBytes(load->memory);
      }
  return details;
}

} // namespace tenon::sim
