// Part of Tenon, under the Apache License v2.0.
//
// Properties of the linear stream over layer boundaries.

#include "tests/unit/scheduling/layer_runner.h"

#include "isa/configuration.h"
#include "tenon/Scheduling/Tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::scheduling {
namespace {

/// Three convolutions, each reading what the one before stored.
struct Chain {
  isa::Layout layout;
  ConstantPool pool;
  std::vector<StreamInstruction> stream;
};

Chain chainOf(uint32_t threads) {
  auto configuration = isa::loadConfiguration("pynq");
  EXPECT_TRUE(configuration.ok()) << configuration.status();
  auto layout = isa::Layout::get(*configuration);
  EXPECT_TRUE(layout.ok()) << layout.status();
  Chain chain{*layout, ConstantPool(1 << 20, 64), {}};
  StreamBuilder builder(chain.layout, chain.pool);
  ViewLayout dram(chain.layout);
  std::mt19937_64 random(3);
  for (uint32_t i = 0; i < 3; ++i) {
    Layer l;
    l.In.H = l.In.W = 12, l.In.C = l.Out.C = 48;
    l.KH = l.KW = 3;
    l.Top = l.Bottom = l.Left = l.Right = 1;
    l = makeCase(l, random).layer;
    uint64_t bytes = dram.tensorBytes(l.In);
    l.In.GroupBytes = l.Out.GroupBytes = bytes;
    l.In.Offset = i * bytes, l.Out.Offset = (i + 1) * bytes;
    auto schedule = searchSchedule(chain.layout, l, threads);
    EXPECT_TRUE(bool(schedule));
    EXPECT_FALSE(bool(lowerLayer(builder, l, *schedule, i)));
  }
  chain.stream = builder.finish();
  TokenProblem tokens(chain.layout, chain.stream, chain.pool.segments());
  EXPECT_FALSE(bool(tokens.solve()));
  EXPECT_FALSE(bool(tokens.verify()));
  return chain;
}

bool isConstant(isa::Memory m) {
  return m == isa::Memory::UopGemm || m == isa::Memory::UopAlu ||
         m == isa::Memory::Wgt || m == isa::Memory::Prm ||
         m == isa::Memory::Dwt;
}

TEST(Stream, ConstantsStandBeforeTheWaitForTheLayerBefore) {
  Chain chain = chainOf(2);
  constexpr uint32_t fromStore = 4; // bit of STORE in a LOAD's wait mask
  // What the first GEMM of a layer multiplies by is there before.
  std::vector<std::vector<isa::Memory>> before(3);
  std::vector<bool> waited(3, false);
  for (const StreamInstruction &i : chain.stream) {
    auto *load = std::get_if<isa::Load>(&i.Inst);
    if (!load)
      continue;
    if (isConstant(load->memory)) {
      EXPECT_FALSE(load->wait & fromStore);
    }
    if (load->wait & fromStore)
      waited[i.Layer] = true;
    if (isConstant(load->memory) && !waited[i.Layer])
      before[i.Layer].push_back(load->memory);
  }
  for (uint32_t layer = 1; layer < 3; ++layer) {
    EXPECT_TRUE(waited[layer]);
    EXPECT_THAT(before[layer], testing::Contains(isa::Memory::Wgt));
  }
}

TEST(Stream, LoadsRunAheadOfTheGemmBefore) {
  // With two contexts a tile's first load stands before the GEMM of the tile
  // before it; with one it cannot.
  for (uint32_t threads : {1, 2}) {
    Chain chain = chainOf(threads);
    std::map<uint32_t, size_t> firstLoad, lastGemm;
    for (size_t i = 0; i < chain.stream.size(); ++i) {
      const StreamInstruction &s = chain.stream[i];
      if (s.Layer != 0)
        break;
      if (auto *load = std::get_if<isa::Load>(&s.Inst))
        if (load->memory == isa::Memory::Inp)
          firstLoad.insert({s.Tile, i});
      if (std::holds_alternative<isa::Gemm>(s.Inst))
        lastGemm[s.Tile] = i;
    }
    unsigned ahead = 0;
    for (auto [tile, at] : firstLoad)
      ahead += tile > 0 && at < lastGemm[tile - 1];
    if (threads == 1) {
      EXPECT_EQ(ahead, 0u);
    } else {
      EXPECT_GT(ahead, 0u);
    }
  }
}

TEST(Stream, RegistersAreSetOnlyWhenTheyChange) {
  Chain chain = chainOf(2);
  std::map<std::pair<isa::Engine, uint32_t>, uint32_t> held;
  for (const StreamInstruction &i : chain.stream)
    if (auto *set = std::get_if<isa::Set>(&i.Inst)) {
      auto [at, isNew] = held.insert({{set->engine, set->index}, 0});
      if (!isNew) {
        EXPECT_NE(at->second, set->value);
      }
      at->second = set->value;
    }
}

TEST(Stream, EqualMicroOpsAreStoredOnce) {
  Chain chain = chainOf(2);
  const auto &segments = chain.pool.segments();
  for (size_t i = 0; i < segments.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(segments[i].Data, segments[j].Data);
}

} // namespace
} // namespace tenon::scheduling
