// Part of Tenon, under the Apache License v2.0.
//
// Layer accounting on sequences made by hand.

#include "sim/accounting.h"

#include "isa/isa.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::sim {
namespace {

using ::testing::ElementsAre;

constexpr uint32_t busy = 0, token = 1, memory = 2, empty = 5, done = 6;

uint32_t states(uint32_t load, uint32_t gemm, uint32_t alu, uint32_t store) {
  return load | gemm << 3 | alu << 6 | store << 9;
}

constexpr uint32_t loadRetires = 1, gemmRetires = 2, storeRetires = 8;

TEST(Accounting, ChannelTablesAreTheSpecifications) {
  for (unsigned e = 0; e < numEngines; ++e) {
    auto others = isa::neighbours(isa::Engine(e));
    for (unsigned i = 0; i < numNeighbours; ++i) {
      uint32_t from = noChannel, to = noChannel;
      for (uint32_t c = 0; c < isa::channels.size(); ++c) {
        if (isa::channels[c].from == others[i] &&
            isa::channels[c].to == isa::Engine(e))
          from = c;
        if (isa::channels[c].from == isa::Engine(e) &&
            isa::channels[c].to == others[i])
          to = c;
      }
      EXPECT_EQ(channelFrom[e][i], from) << e << " " << i;
      EXPECT_EQ(channelTo[e][i], to) << e << " " << i;
    }
  }
  EXPECT_EQ(isa::channels.size(), numChannels);
  EXPECT_EQ(uint32_t(isa::State::Done), stateDone);
  EXPECT_EQ(uint32_t(isa::State::Token), stateToken);
  EXPECT_EQ(uint32_t(isa::State::Busy), stateBusy);
}

// Two layers. LOAD has two instructions of layer 0 and one of layer 1, GEMM one
// of each, ALU none, STORE one of layer 1.
class TwoLayers : public ::testing::Test {
protected:
  TwoLayers() {
    LayerRuns runs;
    runs.layers = 2;
    runs.engines[0] = {{0, 0}, {2, 1}};
    runs.engines[1] = {{0, 0}, {1, 1}};
    runs.engines[3] = {{0, 1}};
    accounting = std::make_unique<Accounting>(runs, trace.sink());
    auto &a = *accounting;
    //                                              wait  room  retired
    a.step(states(empty, empty, empty, empty), 0, 0, 0); // cycle 1
    a.step(states(memory, token, empty, token), 1 << 3 | 4 << 9, 0, 0); // 2
    a.readBeat(8);
    a.step(states(busy, token, empty, token), 1 << 3 | 4 << 9, 0,
           loadRetires); // 3
    a.readBeat(8);
    a.step(states(busy, busy, done, token), 4 << 9, 0, loadRetires); // 4
    a.readBeat(8);
    a.step(states(memory, busy, done, token), 4 << 9, 0, gemmRetires); // 5
    a.step(states(busy, token, done, token), 4 << 9, 2 << 3,
           loadRetires);                                       // 6
    a.step(states(done, busy, done, busy), 0, 0, gemmRetires); // 7
    a.writeBeat(8);
    a.step(states(done, done, done, busy), 0, 0, storeRetires); // 8
    a.step(states(done, done, done, done), 0, 0, 0);            // 9
    a.finish();
  }
  LaunchTrace trace;
  std::unique_ptr<Accounting> accounting;
};

TEST_F(TwoLayers, StatesOfTheWhole) {
  auto totals = accounting->totals();
  //                                 busy token mem bank drain empty done
  EXPECT_THAT(totals[0].cycles, ElementsAre(3, 0, 2, 0, 0, 1, 3));
  EXPECT_THAT(totals[1].cycles, ElementsAre(3, 3, 0, 0, 0, 1, 2));
  EXPECT_THAT(totals[2].cycles, ElementsAre(0, 0, 0, 0, 0, 3, 6));
  EXPECT_THAT(totals[3].cycles, ElementsAre(2, 5, 0, 0, 0, 1, 1));
  for (const EngineStates &engine : totals)
    EXPECT_EQ(engine.total(), 9u);
  EXPECT_EQ(accounting->cycles(), 9u);
}

TEST_F(TwoLayers, WaitsByChannel) {
  // gemm for a token from load: 2 cycles; store for one from alu: 5; gemm for
  // room in its channel to alu: 1.
  std::array<uint64_t, numChannels> expected{};
  expected[0] = 2;
  expected[7] = 5;
  expected[4] = 1;
  EXPECT_EQ(accounting->tokenWaits(), expected);
}

TEST_F(TwoLayers, LayersAddUp) {
  const auto &layers = accounting->layerResults();
  ASSERT_EQ(layers.size(), 2u);
  // The last retirement of layer 0 is GEMM's in cycle 5.
  EXPECT_EQ(layers[0].lastRetirement, 5u);
  EXPECT_EQ(layers[1].lastRetirement, 8u);
  EXPECT_EQ(layers[0].cycles, 5u);
  EXPECT_EQ(layers[1].cycles, 4u);
  EXPECT_EQ(layers[0].readBytes, 16u);
  EXPECT_EQ(layers[1].readBytes, 8u);
  EXPECT_EQ(layers[1].writeBytes, 8u);
  // LOAD's cycles 1 to 4 are layer 0's, GEMM's 1 to 5.
  EXPECT_THAT(layers[0].states[0].cycles, ElementsAre(2, 0, 1, 0, 0, 1, 0));
  EXPECT_THAT(layers[1].states[0].cycles, ElementsAre(1, 0, 1, 0, 0, 0, 3));
  EXPECT_THAT(layers[0].states[1].cycles, ElementsAre(2, 2, 0, 0, 0, 1, 0));
  EXPECT_THAT(layers[1].states[1].cycles, ElementsAre(1, 1, 0, 0, 0, 0, 2));
  EXPECT_EQ(layers[0].states[2].total(), 9u);
  EXPECT_EQ(layers[0].states[3].total(), 0u);
  EXPECT_EQ(layers[1].states[3].total(), 9u);
}

TEST_F(TwoLayers, EventsOfEachInstruction) {
  const auto &load = trace.engines[0];
  ASSERT_EQ(load.size(), 3u);
  //                                     busy token mem bank drain empty done
  EXPECT_THAT(load[0].cycles, ElementsAre(1, 0, 1, 0, 0, 1, 0));
  EXPECT_THAT(load[1].cycles, ElementsAre(1, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(load[2].cycles, ElementsAre(1, 0, 1, 0, 0, 0, 0));
  EXPECT_EQ(load[0].begin, 1u); // the first cycle was empty
  EXPECT_EQ(load[0].retire, 3u);
  EXPECT_EQ(load[2].begin, 4u);
  EXPECT_EQ(load[2].retire, 6u);
  const auto &gemm = trace.engines[1];
  ASSERT_EQ(gemm.size(), 2u);
  EXPECT_THAT(gemm[0].cycles, ElementsAre(2, 2, 0, 0, 0, 1, 0));
  EXPECT_THAT(gemm[0].tokenWait, ElementsAre(2, 0, 0));
  EXPECT_THAT(gemm[1].roomWait, ElementsAre(0, 1, 0));
  EXPECT_EQ(gemm[0].begin, 3u);
  EXPECT_EQ(gemm[1].begin, 6u); // after the wait for room
  EXPECT_TRUE(trace.engines[2].empty());
  ASSERT_EQ(trace.engines[3].size(), 1u);
  EXPECT_THAT(trace.engines[3][0].tokenWait, ElementsAre(0, 0, 5));
}

// The two layers again, told in stretches, each engine for itself.
TEST_F(TwoLayers, StretchesGiveTheSame) {
  LayerRuns runs;
  runs.layers = 2;
  runs.engines[0] = {{0, 0}, {2, 1}};
  runs.engines[1] = {{0, 0}, {1, 1}};
  runs.engines[3] = {{0, 1}};
  LaunchTrace told;
  Accounting a(runs, told.sink());
  a.spend(3, empty, 1);
  a.spend(3, token, 5, 4);
  a.spend(3, busy, 2);
  a.retireAt(3);
  a.spend(3, done, 1);
  a.spend(2, empty, 3);
  a.spend(2, done, 6);
  a.spend(1, empty, 1);
  a.spend(1, token, 2, 1);
  a.spend(1, busy, 2);
  a.retireAt(1);
  a.spend(1, token, 1, 0, 2);
  a.spend(1, busy, 1);
  a.retireAt(1);
  a.spend(1, done, 2);
  a.spend(0, empty, 1);
  a.spend(0, memory, 1);
  a.spend(0, busy, 1);
  a.retireAt(0);
  a.spend(0, busy, 1);
  a.retireAt(0);
  a.spend(0, memory, 1);
  a.spend(0, busy, 1);
  a.retireAt(0);
  a.spend(0, done, 3);
  a.finish();
  EXPECT_EQ(a.cycles(), accounting->cycles());
  EXPECT_EQ(a.tokenWaits(), accounting->tokenWaits());
  for (unsigned l = 0; l < 2; ++l) {
    const LayerResult &got = a.layerResults()[l];
    const LayerResult &want = accounting->layerResults()[l];
    EXPECT_EQ(got.cycles, want.cycles) << l;
    EXPECT_EQ(got.lastRetirement, want.lastRetirement) << l;
    for (unsigned e = 0; e < numEngines; ++e)
      EXPECT_EQ(got.states[e].cycles, want.states[e].cycles) << l << " " << e;
  }
  for (unsigned e = 0; e < numEngines; ++e) {
    ASSERT_EQ(told.engines[e].size(), trace.engines[e].size()) << e;
    for (size_t i = 0; i < told.engines[e].size(); ++i) {
      EXPECT_EQ(told.engines[e][i].begin, trace.engines[e][i].begin);
      EXPECT_EQ(told.engines[e][i].retire, trace.engines[e][i].retire);
      EXPECT_THAT(told.engines[e][i].cycles,
                  testing::ElementsAreArray(trace.engines[e][i].cycles));
    }
  }
}

TEST(TrafficTrace, BucketsWidenAndKeepTheirSums) {
  TrafficTrace traffic;
  traffic.add(TrafficTrace::Load, 0, 3);
  traffic.add(TrafficTrace::Load, 64, 5);
  traffic.add(TrafficTrace::Store, 128, 7);
  EXPECT_EQ(traffic.beats[TrafficTrace::Load][1], 5u);
  // Four times what the buckets hold at first.
  traffic.add(TrafficTrace::Load, 4ull * 64 * TrafficTrace::maxBuckets - 1);
  EXPECT_EQ(traffic.bucketCycles, 256u);
  EXPECT_EQ(traffic.beats[TrafficTrace::Load][0], 8u);
  EXPECT_EQ(traffic.beats[TrafficTrace::Store][0], 7u);
  EXPECT_EQ(traffic.beats[TrafficTrace::Load][1], 0u);
  EXPECT_EQ(traffic.beats[TrafficTrace::Load][TrafficTrace::maxBuckets - 1],
            1u);
}

TEST(Accounting, LaterLayerThatEndsFirstTakesNoCycles) {
  LayerRuns runs;
  runs.layers = 3;
  runs.engines[0] = {{0, 0}, {1, 2}}; // layer 1 has no instructions
  runs.engines[1] = {{0, 2}};
  Accounting accounting(runs);
  accounting.step(0, 0, 0, gemmRetires);
  accounting.step(0, 0, 0, 0);
  accounting.step(0, 0, 0, loadRetires);
  accounting.finish();
  const auto &layers = accounting.layerResults();
  EXPECT_EQ(layers[0].cycles, 3u);
  EXPECT_EQ(layers[1].cycles, 0u);
  EXPECT_EQ(layers[2].cycles, 0u);
}

TEST(Accounting, WithoutRunsEverythingIsOneLayer) {
  Accounting accounting(LayerRuns{});
  accounting.step(states(done, done, done, done), 0, 0, 0);
  accounting.finish();
  ASSERT_EQ(accounting.layerResults().size(), 1u);
  EXPECT_EQ(accounting.layerResults()[0].cycles, 1u);
}

TEST(Accounting, LayerOutOfRangeIsClamped) {
  LayerRuns runs;
  runs.layers = 2;
  runs.engines[0] = {{0, 77}};
  Accounting accounting(runs);
  accounting.step(0, 0, 0, loadRetires);
  accounting.finish();
  EXPECT_EQ(accounting.layerResults()[1].lastRetirement, 1u);
}

} // namespace
} // namespace tenon::sim
