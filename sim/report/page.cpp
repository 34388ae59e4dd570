//===- sim/report/page.cpp - A run as one HTML file -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/page.h"

#include "sim/report/assets.h"
#include "sim/report/launch_view.h"
#include "sim/report/page.pb.h"

#include "absl/strings/str_cat.h"

#include <unordered_map>

namespace tenon::sim {
namespace {

/// Strings by number, each once.
class Strings {
public:
  explicit Strings(google::protobuf::RepeatedPtrField<std::string> &table)
      : table(table) {}
  uint32_t number(std::string text) {
    auto [found, isNew] = numbers.emplace(std::move(text), table.size());
    if (isNew)
      *table.Add() = found->first;
    return found->second;
  }

private:
  google::protobuf::RepeatedPtrField<std::string> &table;
  std::unordered_map<std::string, uint32_t> numbers;
};

void addLaunch(const trace::Launch &launch, const LaunchView &view,
               const isa::Layout &layout, Strings &strings,
               report::PageLaunch &out) {
  out.set_cycles(launch.cycles());
  *out.mutable_engines() = launch.engines();
  *out.mutable_traffic() = launch.traffic();
  *out.mutable_occupancy() = launch.occupancy();
  out.set_occupancy_missing(launch.occupancy_missing());
  for (const std::vector<Step> &steps : view.engines) {
    report::Column &texts = *out.add_texts();
    for (const Step &step : steps)
      texts.add_values(
          strings.number(isa::disassemble(layout, step.instruction)));
  }
  for (const Token &token : view.tokens) {
    out.add_token_from(token.from);
    out.add_token_giver(token.giver);
    out.add_token_to(token.to);
    out.add_token_taker(token.taker);
  }
  for (const LayerSpan &span : view.layers) {
    out.add_span_layer(span.layer);
    out.add_span_begin(span.begin);
    out.add_span_end(span.end);
    out.add_span_first(span.firstWork);
  }
}

void addLayer(const LayerDetail &detail, report::PageLayer &out) {
  for (unsigned e = 0; e < numEngines; ++e)
    for (unsigned i = 0; i < numNeighbours; ++i) {
      out.add_token_wait(detail.tokenWait[e][i]);
      out.add_room_wait(detail.roomWait[e][i]);
    }
  for (uint64_t bytes : detail.readBytes)
    out.add_read_bytes(bytes);
  out.set_instructions(detail.instructions);
}

absl::Status addRun(const trace::Trace &trace, report::PageRun &out) {
  auto layout = isa::Layout::get(trace.configuration());
  if (!layout.ok())
    return layout.status();
  *out.mutable_report() = trace.report();
  Strings strings(*out.mutable_texts());
  std::vector<LaunchView> views;
  for (int i = 0; i < trace.launches_size(); ++i) {
    auto view = viewLaunch(trace, i);
    if (!view.ok())
      return view.status();
    addLaunch(trace.launches(i), *view, *layout, strings, *out.add_launches());
    views.push_back(*std::move(view));
  }
  for (const LayerDetail &detail :
       layerDetails(*layout, views, trace.report().layers_size()))
    addLayer(detail, *out.add_layers());
  return absl::OkStatus();
}

absl::StatusOr<report::Page>
makePage(absl::Span<const trace::Trace *const> traces) {
  report::Page page;
  for (uint32_t e = 0; e < isa::engineCount; ++e)
    page.add_engines(std::string(isa::toString(isa::Engine(e))));
  for (uint32_t s = 0; s < isa::stateCount; ++s)
    page.add_states(std::string(isa::toString(isa::State(s))));
  for (uint32_t m = 0; m < isa::memoryCount; ++m)
    page.add_memories(std::string(isa::toString(isa::Memory(m))));
  for (const trace::Trace *trace : traces)
    if (absl::Status status = addRun(*trace, *page.add_runs()); !status.ok())
      return status;
  return page;
}

std::string titleOf(absl::Span<const trace::Trace *const> traces) {
  std::string title;
  for (const trace::Trace *trace : traces)
    absl::StrAppend(&title, title.empty() ? "" : " and ",
                    trace->report().model(), " · ", trace->report().config(),
                    " · ", trace->report().target());
  return title;
}

} // namespace

absl::StatusOr<std::string>
reportPage(absl::Span<const trace::Trace *const> traces) {
  auto page = makePage(traces);
  if (!page.ok())
    return page.status();
  return fillPage(embeddedAssets(), titleOf(traces), *page);
}

} // namespace tenon::sim
