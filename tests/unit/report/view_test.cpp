// Part of Tenon, under the Apache License v2.0.
//
// Tokens, layers, stretches and the Perfetto trace of a launch made by hand.

#include "hand_made.h"

#include "sim/report/comparison.h"
#include "sim/report/drawing.h"
#include "sim/report/html.h"
#include "sim/report/page.h"
#include "sim/report/perfetto.h"
#include "sim/report/perfetto.pb.h"

#include "gmock/gmock.h"

#include <map>
#include <random>
#include <set>

namespace tenon::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class View : public testing::Test {
protected:
  View() : trace(made.trace()) {
    auto viewed = viewLaunch(trace, 0);
    EXPECT_TRUE(viewed.ok()) << viewed.status();
    view = *std::move(viewed);
  }
  HandMade made;
  trace::Trace trace;
  LaunchView view;
};

TEST_F(View, TheKthWaitTakesTheKthToken) {
  ASSERT_EQ(view.tokens.size(), 2u);
  const Token &first = view.tokens[0], &second = view.tokens[1];
  EXPECT_THAT(
      (std::vector<size_t>{first.from, first.giver, first.to, first.taker}),
      ElementsAre(0, 2, 2, 1));
  EXPECT_THAT(
      (std::vector<size_t>{second.from, second.giver, second.to, second.taker}),
      ElementsAre(2, 1, 3, 0));
}

TEST_F(View, EachTokenIsTakenOnce) {
  // Three loads, of which the first and the last signal; two SETs that wait.
  auto layout = isa::Layout::get(trace.configuration());
  isa::Load load;
  load.memory = isa::Memory::Prm;
  load.ySize = load.xSize = 1;
  isa::Load signals = load;
  signals.signal = 1 << 1;
  isa::Set waits;
  waits.engine = isa::Engine::Alu;
  waits.wait = 1 << 0;
  std::string code;
  for (const isa::Instruction &instruction :
       {isa::Instruction(signals), isa::Instruction(load),
        isa::Instruction(signals), isa::Instruction(waits),
        isa::Instruction(waits)}) {
    std::string bytes(layout->instructionBytes, '\0');
    ASSERT_TRUE(isa::encode(*layout, instruction,
                            reinterpret_cast<uint8_t *>(&bytes[0]))
                    .ok());
    code += bytes;
  }
  trace.mutable_launches(0)->set_instructions(code);
  trace.mutable_launches(0)->mutable_engines(3)->Clear();
  auto viewed = viewLaunch(trace, 0);
  ASSERT_TRUE(viewed.ok());
  ASSERT_EQ(viewed->tokens.size(), 2u);
  EXPECT_EQ(viewed->tokens[0].giver, 0u);
  EXPECT_EQ(viewed->tokens[0].taker, 0u);
  EXPECT_EQ(viewed->tokens[1].giver, 2u);
  EXPECT_EQ(viewed->tokens[1].taker, 1u);
}

TEST_F(View, LayersFillTheLaunch) {
  ASSERT_EQ(view.layers.size(), 2u);
  EXPECT_EQ(view.layers[0].begin, 0u);
  EXPECT_EQ(view.layers[0].end, 10u);
  EXPECT_EQ(view.layers[1].begin, 10u);
  EXPECT_EQ(view.layers[1].end, 61u);
  EXPECT_EQ(view.layers[1].firstWork, 10u);
  EXPECT_EQ(view.engines[2][1].layer, 1u);
}

TEST_F(View, DetailsAddUpByLayer) {
  auto layout = isa::Layout::get(trace.configuration());
  auto details = layerDetails(*layout, {view, view}, 2);
  EXPECT_EQ(details[0].instructions, 4u);
  EXPECT_EQ(details[1].tokenWait[2][0], 58u);
  EXPECT_EQ(details[1].tokenWait[3][2], 76u);
  EXPECT_EQ(details[0].readBytes[size_t(isa::Memory::UopAlu)], 16u);
  EXPECT_EQ(details[1].readBytes[size_t(isa::Memory::Prm)], 288u);
  EXPECT_EQ(details[1].readBytes[size_t(isa::Memory::Acc8)], 128u);
}

TEST_F(View, StretchesFillAnInstruction) {
  auto stretches = stretchesOf(view.engines[3][0]);
  std::vector<std::tuple<isa::State, uint64_t, uint64_t>> found;
  for (const Stretch &s : stretches)
    found.emplace_back(s.state, s.begin, s.end);
  using isa::State;
  EXPECT_THAT(found, ElementsAre(std::make_tuple(State::Empty, 0, 2),
                                 std::make_tuple(State::Token, 2, 40),
                                 std::make_tuple(State::Memory, 40, 55),
                                 std::make_tuple(State::Busy, 55, 60)));
  EXPECT_EQ(stretchName(3, view.engines[3][0], stretches[1]), "token from alu");
  EXPECT_EQ(largestState(view.engines[3][0]), State::Memory);
}

TEST(Stretches, RoomIsWaitedForAfterTheWork) {
  Step step;
  step.previous = 100;
  step.event = event(110, 150, {20, 30}); // busy 20, token 30
  step.event.tokenWait[0] = 10;
  step.event.roomWait[1] = 20;
  auto stretches = stretchesOf(step);
  ASSERT_EQ(stretches.size(), 3u);
  EXPECT_EQ(stretches[0].end, 110u);
  EXPECT_EQ(stretchName(2, step, stretches[0]), "token from load");
  EXPECT_EQ(stretches[2].begin, 130u);
  EXPECT_EQ(stretchName(2, step, stretches[2]), "room to gemm");
}

/// Packets as Perfetto takes them: by time, of one time as they are written.
std::multimap<uint64_t, perfetto::TracePacket>
inTime(const std::string &bytes) {
  perfetto::Trace read;
  EXPECT_TRUE(read.ParseFromString(bytes));
  std::multimap<uint64_t, perfetto::TracePacket> packets;
  for (const perfetto::TracePacket &packet : read.packet())
    packets.emplace(packet.timestamp(), packet);
  return packets;
}

TEST_F(View, PerfettoHasSlicesCountersAndFlows) {
  auto bytes = perfettoTrace({&trace});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  std::map<uint64_t, std::string> tracks;
  std::map<std::string, std::vector<std::string>> slices;
  std::map<std::string, std::vector<std::pair<uint64_t, double>>> counters;
  std::map<uint64_t, std::string> begun, ended; // flows
  std::map<uint64_t, std::vector<size_t>> open; // slices, the inner ones last
  for (const auto &[time, packet] : inTime(*bytes)) {
    if (packet.has_track_descriptor()) {
      tracks[packet.track_descriptor().uuid()] =
          packet.track_descriptor().name();
      continue;
    }
    const perfetto::TrackEvent &event = packet.track_event();
    const std::string &track = tracks[event.track_uuid()];
    if (event.type() == perfetto::TrackEvent::TYPE_SLICE_BEGIN) {
      open[event.track_uuid()].push_back(slices[track].size());
      slices[track].push_back(
          absl::StrCat(time, " ", event.name(), " ", event.categories(0)));
      for (uint64_t flow : event.flow_ids())
        begun[flow] = event.name();
      for (uint64_t flow : event.terminating_flow_ids())
        ended[flow] = event.name();
    } else if (event.type() == perfetto::TrackEvent::TYPE_SLICE_END) {
      std::vector<size_t> &inside = open[event.track_uuid()];
      ASSERT_FALSE(inside.empty()) << track;
      absl::StrAppend(&slices[track][inside.back()], " to ", time);
      inside.pop_back();
    } else {
      counters[track].emplace_back(time, event.double_counter_value());
    }
  }
  for (const auto &[track, left] : open)
    EXPECT_TRUE(left.empty()) << tracks[track];
  // A cycle is 10 ns.
  EXPECT_THAT(slices["STORE"],
              ElementsAre("0 empty empty to 20",
                          "20 token from alu token to 400",
                          "400 store memory to 600", "400 memory memory to 550",
                          "550 busy busy to 600"));
  EXPECT_THAT(slices["GEMM"], ElementsAre("0 empty empty to 200"));
  EXPECT_THAT(slices["ALU"],
              ElementsAre("0 set busy to 10", "0 busy busy to 10",
                          "10 token from load token to 300",
                          "300 alu quant busy to 400", "300 busy busy to 380",
                          "380 drain drain to 400", "400 empty empty to 430"));
  EXPECT_THAT(slices["layers"],
              ElementsAre("0 first quant to 100",
                          "100 second & <b>last</b> quant to 610"));
  EXPECT_EQ(begun, (std::map<uint64_t, std::string>{{1, "load acc8"},
                                                    {2, "alu quant"}}));
  EXPECT_EQ(ended,
            (std::map<uint64_t, std::string>{{1, "alu quant"}, {2, "store"}}));
  EXPECT_THAT(counters["port: load"], ElementsAre(std::make_pair(0, 1.0)));
  EXPECT_THAT(counters["occupied: acc"], ElementsAre(std::make_pair(0, 4.0)));
}

/// A step of 2000 ns in front of the launch, one of 500 ns behind it.
TEST_F(View, PerfettoHasTheHostsStepsBesideTheLaunches) {
  report::HostStep &before = *trace.mutable_report()->add_host_steps();
  before.set_name("pack x");
  before.set_ms(2e-3);
  report::HostStep &behind = *trace.mutable_report()->add_host_steps();
  behind.set_name("main");
  behind.set_ms(5e-4);
  behind.set_launches_before(1);
  report::LoopNest &nest = *behind.add_nests();
  nest.add_nodes("conv");
  nest.add_nodes("relu");
  nest.set_begin_ms(1e-4);
  nest.set_ms(3e-4);
  nest.set_bound_ms(1.5e-4);
  nest.set_limit("arithmetic");
  auto bytes = perfettoTrace({&trace});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  perfetto::Trace read;
  ASSERT_TRUE(read.ParseFromString(*bytes));
  std::map<uint64_t, std::string> tracks;
  std::vector<std::string> host;
  uint64_t firstOfLayers = 0, lastOfLayers = 0;
  for (const perfetto::TracePacket &packet : read.packet()) {
    if (packet.has_track_descriptor()) {
      tracks[packet.track_descriptor().uuid()] =
          packet.track_descriptor().name();
      continue;
    }
    const perfetto::TrackEvent &event = packet.track_event();
    const std::string &track = tracks[event.track_uuid()];
    if (track == "layers") {
      if (!firstOfLayers)
        firstOfLayers = packet.timestamp();
      lastOfLayers = packet.timestamp();
    }
    if (track != "host")
      continue;
    std::string text = absl::StrCat(packet.timestamp(), " ", event.name());
    for (const perfetto::DebugAnnotation &annotation :
         event.debug_annotations())
      if (annotation.name() == "of bound")
        absl::StrAppend(&text, " ", annotation.string_value());
    host.push_back(text);
  }
  EXPECT_EQ(firstOfLayers, 2000u);
  EXPECT_EQ(lastOfLayers, 2610u); // 61 cycles of 10 ns
  EXPECT_THAT(host, ElementsAre("0 pack x", "2000 ", "2610 main",
                                "2710 conv relu 50 %", "3010 ", "3110 "));
}

TEST(ViewWithoutLayers, AProgramNeedNotSayItsLayers) {
  HandMade made;
  made.report.clear_layers();
  made.runs = {};
  trace::Trace trace = made.trace();
  EXPECT_TRUE(validateTrace(trace).ok()) << validateTrace(trace);
  auto view = viewLaunch(trace, 0);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_TRUE(view->layers.empty());
  EXPECT_EQ(layerName(trace, view->engines[0][0]), "");
  auto layout = isa::Layout::get(trace.configuration());
  EXPECT_TRUE(layerDetails(*layout, {*view}, 0).empty());
  EXPECT_TRUE(perfettoTrace({&trace}).ok());
  EXPECT_TRUE(reportPage({&trace}).ok());
}

TEST_F(View, PerfettoShowsEachRunAsAProcess) {
  auto bytes = perfettoTrace({&trace, &trace});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  perfetto::Trace read;
  ASSERT_TRUE(read.ParseFromString(*bytes));
  std::map<uint64_t, uint32_t> sequenceOf; // of a track
  std::set<int32_t> processes;
  std::multiset<uint64_t> flows;
  for (const perfetto::TracePacket &packet : read.packet()) {
    uint32_t sequence = packet.trusted_packet_sequence_id();
    if (packet.has_track_descriptor()) {
      const perfetto::TrackDescriptor &track = packet.track_descriptor();
      EXPECT_TRUE(sequenceOf.emplace(track.uuid(), sequence).second);
      if (track.has_process())
        processes.insert(track.process().pid());
      else
        EXPECT_EQ(sequenceOf[track.parent_uuid()], sequence);
      continue;
    }
    EXPECT_EQ(sequenceOf[packet.track_event().track_uuid()], sequence);
    for (uint64_t flow : packet.track_event().flow_ids())
      flows.insert(flow);
  }
  EXPECT_THAT(processes, ElementsAre(1, 2));
  EXPECT_EQ(flows.size(), 4u);
  EXPECT_EQ(std::set<uint64_t>(flows.begin(), flows.end()).size(), 4u);
}

TEST_F(View, WhatValidatesCanBeDrawn) {
  std::mt19937_64 random(5);
  const std::string good = trace.SerializeAsString();
  unsigned drawn = 0;
  for (unsigned i = 0; i < 400; ++i) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 3; flips; --flips)
      bytes[random() % bytes.size()] = char(random());
    trace::Trace damaged;
    if (!damaged.ParseFromString(bytes) || !validateTrace(damaged).ok())
      continue;
    ++drawn;
    (void)perfettoTrace({&damaged});
    (void)reportPage({&damaged});
  }
  EXPECT_GT(drawn, 50u);
}

TEST_F(View, EqualTracesAreEqualPages) {
  std::set<std::string> pages;
  for (int i = 0; i < 20; ++i) {
    trace::Trace again = made.trace();
    auto page = reportPage({&again});
    ASSERT_TRUE(page.ok()) << page.status();
    pages.insert(*page);
  }
  EXPECT_EQ(pages.size(), 1u);
}

TEST_F(View, NamesAreEscapedInThePage) {
  auto page = reportPage({&trace});
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr("<title>hand&lt;made&gt;.onnx · pynq · rtl"));
  EXPECT_THAT(*page, Not(HasSubstr("hand<made>")));
  EXPECT_THAT(*page, Not(HasSubstr("{{")));
  EXPECT_EQ(escapeHtml("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(Comparison, LayersAreMatchedByName) {
  report::RunReport a, b;
  auto add = [](report::RunReport &report, const char *name, double cycles) {
    report::Layer &layer = *report.add_layers();
    layer.set_name(name);
    layer.set_placed_on("accelerator");
    layer.set_cycles(cycles);
    report.set_cycles(report.cycles() + cycles);
  };
  add(a, "x", 100);
  add(a, "y", 300);
  add(b, "y", 450);
  add(b, "z", 50);
  b.add_layers()->set_name("softmax"); // on the CPU
  report::Comparison c = compareReports(a, b);
  ASSERT_EQ(c.layers_size(), 3);
  EXPECT_EQ(c.layers(0).ratio(), 0);
  EXPECT_EQ(c.layers(1).ratio(), 1.5);
  EXPECT_EQ(c.layers(2).cycles_b(), 50);
  EXPECT_EQ(c.ratio(), 1.25);
  EXPECT_THAT(comparisonText(c), HasSubstr("y"));
  EXPECT_THAT(comparisonText(c), HasSubstr("1.500"));
  EXPECT_THAT(comparisonText(c), Not(HasSubstr("loop nest")));
}

TEST(Comparison, LoopNestsAreMatchedByNodes) {
  report::RunReport a, b;
  auto add = [](report::RunReport &report, const char *node, double ms) {
    if (!report.host_steps_size())
      report.add_host_steps()->set_name("main");
    report::HostStep &step = *report.mutable_host_steps(0);
    report::LoopNest &nest = *step.add_nests();
    nest.add_nodes(node);
    nest.set_ms(ms);
    step.set_ms(step.ms() + ms + 1);
    report.mutable_host_peaks();
  };
  add(a, "conv", 2);
  add(a, "gelu", 3);
  add(a, "conv", 2);
  add(b, "conv", 1);
  report::Comparison c = compareReports(a, b);
  ASSERT_EQ(c.nests_size(), 2);
  EXPECT_EQ(c.nests(0).ms_a(), 4);
  EXPECT_EQ(c.nests(0).ratio(), 0.25);
  EXPECT_EQ(c.nests(1).ratio(), 0);
  EXPECT_EQ(c.host_ratio(), 0.2);
  const std::string text = comparisonText(c);
  EXPECT_THAT(text, HasSubstr("10.000 ms on the host"));
  EXPECT_THAT(text, HasSubstr("0.250"));
  EXPECT_THAT(text, Not(HasSubstr("layer")));
}

} // namespace
} // namespace tenon::sim
