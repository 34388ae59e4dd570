// Part of Tenon, under the Apache License v2.0.
//
// Layers of every kind and shape, lowered and executed on the functional
// simulator, equal their definition.

#include "tests/unit/scheduling/layer_runner.h"

#include "isa/configuration.h"
#include "tenon/Scheduling/FieldLimits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::scheduling {
namespace {

isa::Layout layoutOf(const std::string &name) {
  auto configuration = isa::loadConfiguration(name);
  EXPECT_TRUE(configuration.ok()) << configuration.status();
  auto layout = isa::Layout::get(*configuration);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return *layout;
}

void expectEqual(const isa::Layout &layout, const Case &of, uint32_t threads,
                 const std::string &what) {
  RunResult result = runCase(layout, of, threads);
  ASSERT_EQ(result.error, "") << what;
  Activation expected = compute(of);
  ASSERT_EQ(result.output.data.size(), expected.data.size()) << what;
  for (size_t i = 0; i < expected.data.size(); ++i)
    ASSERT_EQ(int(result.output.data[i]), int(expected.data[i]))
        << what << ", element " << i;
}

Layer convolution(int64_t h, int64_t w, int64_t c, int64_t o, int64_t k,
                  int64_t pad, int64_t stride) {
  Layer l;
  l.In.H = h, l.In.W = w, l.In.C = c, l.Out.C = o;
  l.KH = l.KW = k;
  l.SY = l.SX = stride;
  l.Top = l.Bottom = l.Left = l.Right = pad;
  return l;
}

TEST(LowerLayer, Convolution) {
  std::mt19937_64 random(1);
  isa::Layout pynq = layoutOf("pynq");
  for (uint32_t threads : {1, 2})
    expectEqual(pynq, makeCase(convolution(14, 14, 32, 48, 3, 1, 1), random),
                threads, "3x3");
}

/// Any small layer of the given kind.
Layer randomLayer(Reduction kind, std::mt19937_64 &random) {
  auto range = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  Layer l;
  l.Kind = kind;
  l.In.N = range(0, 3) ? 1 : range(2, 5);
  l.In.H = range(1, 20), l.In.W = range(1, 20);
  l.In.C = range(1, 70), l.Out.C = range(1, 70);
  l.KH = range(1, 5), l.KW = range(1, 5);
  if (range(0, 3) == 0)
    l.KH = l.KW = 1;
  l.SY = range(1, 3), l.SX = range(1, 3);
  l.DY = range(0, 2) ? 1 : 2, l.DX = range(0, 2) ? 1 : 2;
  l.Top = range(0, l.KH - 1), l.Bottom = range(0, l.KH - 1);
  l.Left = range(0, l.KW - 1), l.Right = range(0, l.KW - 1);
  l.In.H = std::max(l.In.H, (l.KH - 1) * l.DY + 1);
  l.In.W = std::max(l.In.W, (l.KW - 1) * l.DX + 1);
  l.HasResidual = range(0, 2) == 0;
  return l;
}

class AnyLayer : public testing::TestWithParam<std::string> {};

TEST_P(AnyLayer, EqualsItsDefinition) {
  isa::Layout layout = layoutOf(GetParam());
  const Reduction kinds[] = {Reduction::Contract, Reduction::Mac,
                             Reduction::Sum, Reduction::Average,
                             Reduction::Max};
  for (unsigned i = 0; i < 40; ++i) {
    std::mt19937_64 random(i);
    Case of = makeCase(randomLayer(kinds[i % 5], random), random);
    expectEqual(layout, of, 1 + i % 2, "seed " + std::to_string(i));
  }
}

INSTANTIATE_TEST_SUITE_P(Configurations, AnyLayer,
                         testing::Values("pynq", "tiny", "small", "wide",
                                         "batch4", "huge"),
                         [](const auto &info) { return info.param; });

/// Products of elements, and additions, with all pixels or with one for all.
TEST_P(AnyLayer, WithTwoActivationsEqualsItsDefinition) {
  isa::Layout layout = layoutOf(GetParam());
  const Reduction kinds[] = {Reduction::Multiply, Reduction::Sum,
                             Reduction::Contract, Reduction::Mac};
  for (unsigned i = 0; i < 48; ++i) {
    std::mt19937_64 random(900 + i);
    Layer l = randomLayer(kinds[i % 4], random);
    l.HasResidual = true;
    if (i % 4 < 2) {
      l.KH = l.KW = l.SY = l.SX = l.DY = l.DX = 1;
      l.Top = l.Bottom = l.Left = l.Right = 0;
    }
    if (i / 4 % 3)
      l.Residual = onePixel();
    expectEqual(layout, makeCase(l, random), 1 + i / 8 % 2,
                "seed " + std::to_string(i));
  }
}

/// Around the input stand its own rows and columns, the nearest ones.
TEST_P(AnyLayer, ThatRepeatsTheEdgeEqualsItsDefinition) {
  isa::Layout layout = layoutOf(GetParam());
  for (unsigned i = 0; i < 24; ++i) {
    std::mt19937_64 random(1700 + i);
    Layer l = randomLayer(Reduction::Mac, random);
    l.RepeatsEdge = true;
    expectEqual(layout, makeCase(l, random), 1 + i % 2,
                "seed " + std::to_string(i));
  }
}

TEST_P(AnyLayer, TimesANumberEqualsItsDefinition) {
  isa::Layout layout = layoutOf(GetParam());
  for (unsigned i = 0; i < 16; ++i) {
    std::mt19937_64 random(1300 + i);
    Layer l;
    l.Kind = Reduction::Multiply;
    l.Factor = int32_t(random() % 513) - 256;
    l.Factor += l.Factor == 0;
    l.In.H = 1 + random() % 20, l.In.W = 1 + random() % 20;
    l.In.C = 1 + random() % 70;
    expectEqual(layout, makeCase(l, random), 1 + i % 2,
                "seed " + std::to_string(i));
  }
}

/// Groups of any width, within blocks, across their borders and over several.
TEST_P(AnyLayer, WithGroupsEqualsItsDefinition) {
  isa::Layout layout = layoutOf(GetParam());
  for (unsigned i = 0; i < 40; ++i) {
    std::mt19937_64 random(500 + i);
    Layer l = randomLayer(Reduction::Contract, random);
    l.Groups = 1 + random() % 9;
    bool isDepthwise = random() % 3 == 0;
    l.In.C = l.Groups * (isDepthwise ? 1 : 1 + random() % 40);
    l.Out.C = l.Groups * (1 + random() % 40);
    expectEqual(layout, makeCase(l, random), 1 + i % 2,
                "seed " + std::to_string(i));
  }
}

/// What the search does not choose computes the same.
TEST(LowerLayer, GroupsWithAnySchedule) {
  unsigned fitting = 0;
  for (unsigned i = 0; i < 200; ++i) {
    std::mt19937_64 random(i);
    isa::Layout layout = layoutOf(i % 2 ? "tiny" : "pynq");
    Layer l = randomLayer(Reduction::Contract, random);
    l.Groups = 2 + random() % 12;
    l.In.C = l.Groups * (1 + random() % 20);
    l.Out.C = l.Groups * (1 + random() % 20);
    Case of = makeCase(l, random);
    Schedule s;
    s.Rows = 1 + random() % 8, s.Cols = 1 + random() % 8;
    s.Blocks = 1 + random() % 4, s.Reduction = 1 + random() % 3;
    s.KernelRows = 1 + random() % of.layer.KH;
    s.ChannelsOuter = random() % 2;
    s.Axis = s.innerAxis();
    s.Threads = 1 + random() % 2;
    if (Tiling(layout, of.layer, s).check())
      continue;
    ++fitting;
    RunResult result = runCase(layout, of, 0, &s);
    ASSERT_EQ(result.error, "") << i;
    ASSERT_EQ(result.output.data, compute(of).data) << i;
  }
  EXPECT_GT(fitting, 80u);
}

/// What is multiplied are the blocks in which an output block's groups lie,
/// nothing else: by hand for blocks of 16.
TEST(LowerLayer, GroupsMultiplyTheirBlocksAlone) {
  isa::Layout pynq = layoutOf("pynq");
  struct {
    int64_t groups, in, out, blocks;
  } cases[] = {{1, 64, 64, 4},   {4, 64, 64, 1},  {2, 64, 64, 2},
               {64, 64, 128, 1}, {32, 64, 64, 1}, {2, 64, 16, 4},
               {3, 72, 72, 3},   {64, 64, 64, 1}};
  for (auto [groups, in, out, blocks] : cases) {
    Layer l = convolution(10, 10, in, out, 3, 1, 1);
    l.Groups = groups;
    finishShapes(l);
    Bounds least = bounds(pynq, l);
    EXPECT_EQ(least.Macs, uint64_t(100 * out * in / groups * 9)) << groups;
    uint64_t outBlocks = (out + 15) / 16;
    EXPECT_EQ(least.Compute, 100 * outBlocks * blocks * 9) << groups;
    // Beats of 8 bytes: input, weights, parameters.
    uint64_t inBlocks = (in + 15) / 16;
    EXPECT_EQ(least.Read, (100 * inBlocks * 16 + outBlocks * blocks * 9 * 256 +
                           outBlocks * 144) /
                              8)
        << groups;
  }
}

/// Products of `sets` pairs of matrices, m x k by k x n.
Layer product(int64_t sets, int64_t m, int64_t k, int64_t n) {
  Layer l;
  l.Kind = Reduction::Product;
  l.In.H = sets, l.In.W = m, l.In.C = k, l.Out.C = n;
  return l;
}

/// Sizes around and between blocks, zero points on both sides or none.
Case randomProduct(std::mt19937_64 &random) {
  auto size = [&](int64_t most) { return 1 + int64_t(random() % most); };
  Layer l = product(size(5), size(70), size(90), size(90));
  for (int64_t *extent : {&l.In.W, &l.In.C, &l.Out.C})
    if (random() % 2)
      *extent = (*extent + 15) / 16 * 16;
  Case of = makeCase(l, random);
  if (random() % 3 == 0)
    of.layer.InputZp = 0;
  return of;
}

TEST(LowerLayer, ProductOfActivationsEqualsItsDefinition) {
  for (const char *name : {"pynq", "tiny", "small", "wide", "huge"}) {
    isa::Layout layout = layoutOf(name);
    for (unsigned i = 0; i < 40; ++i) {
      std::mt19937_64 random(i);
      Case of = randomProduct(random);
      expectEqual(layout, of, 1 + i % 2,
                  std::string(name) + ", seed " + std::to_string(i));
    }
  }
}

TEST(LowerLayer, ProductOfActivationsWithAnySchedule) {
  unsigned fitting = 0;
  for (unsigned i = 0; i < 200; ++i) {
    std::mt19937_64 random(i);
    isa::Layout layout = layoutOf(i % 2 ? "tiny" : "pynq");
    Case of = randomProduct(random);
    Schedule s;
    s.Cols = 1 + random() % 40, s.Blocks = 1 + random() % 6;
    s.Reduction = 1 + random() % 6;
    s.ChannelsOuter = random() % 2;
    s.Axis = s.innerAxis();
    s.Threads = 1 + random() % 2;
    if (Tiling(layout, of.layer, s).check())
      continue;
    ++fitting;
    RunResult result = runCase(layout, of, 0, &s);
    ASSERT_EQ(result.error, "") << i;
    ASSERT_EQ(result.output.data, compute(of).data) << i;
  }
  EXPECT_GT(fitting, 120u);
}

TEST(LowerLayer, ProductOfActivationsOnAnyConfiguration) {
  unsigned fitting = 0;
  for (unsigned i = 0; i < 150; ++i) {
    std::mt19937_64 random(3000 + i);
    auto layout = isa::Layout::get(isa::randomConfiguration(random));
    ASSERT_TRUE(layout.ok()) << layout.status();
    Case of = randomProduct(random);
    auto schedule = searchSchedule(*layout, of.layer, 2);
    if (!schedule) {
      EXPECT_THAT(llvm::toString(schedule.takeError()),
                  testing::HasSubstr("does not fit configuration"));
      continue;
    }
    ++fitting;
    expectEqual(*layout, of, 2,
                "seed " + std::to_string(i) + "\n" +
                    layout->config.ShortDebugString());
  }
  EXPECT_GT(fitting, 20u);
}

TEST(LowerLayer, ProductOfActivationsNeedsTheLayoutOfWeights) {
  std::mt19937_64 random(1);
  Layer l = makeCase(product(2, 8, 16, 16), random).layer;
  auto batch4 = searchSchedule(layoutOf("batch4"), l, 2);
  ASSERT_FALSE(batch4);
  EXPECT_THAT(llvm::toString(batch4.takeError()),
              testing::HasSubstr("it multiplies two activations"));
  Schedule tall;
  tall.Rows = 2;
  EXPECT_THAT(*Tiling(layoutOf("pynq"), l, tall).check(),
              testing::HasSubstr("weights of its own"));
}

/// Operands that fill blocks: by hand for blocks of 16 and beats of 8 bytes.
TEST(LowerLayer, BoundsOfProducts) {
  isa::Layout pynq = layoutOf("pynq");
  Layer l = product(8, 64, 32, 48);
  finishShapes(l);
  Bounds least = bounds(pynq, l);
  EXPECT_EQ(least.Macs, 8u * 64 * 32 * 48);
  EXPECT_EQ(least.Compute, 8u * 64 * 2 * 3);
  EXPECT_EQ(least.Read, (8u * 64 * 32 + 8 * 48 * 32 + 3 * 144) / 8);
  EXPECT_EQ(least.Write, 8u * 64 * 48 / 8);
  l.InputZp = 3; // 3 blocks of sums for each, 2 products each
  EXPECT_EQ(bounds(pynq, l).Compute, 8u * (64 * 2 * 3 + 3 * 2));
}

/// A layer that fits no tile is said to, everything else is computed.
TEST(LowerLayer, AnyConfiguration) {
  unsigned fitting = 0;
  for (unsigned i = 0; i < 150; ++i) {
    std::mt19937_64 random(1000 + i);
    auto layout = isa::Layout::get(isa::randomConfiguration(random));
    ASSERT_TRUE(layout.ok()) << layout.status();
    const Reduction kinds[] = {Reduction::Contract, Reduction::Mac,
                               Reduction::Sum, Reduction::Average,
                               Reduction::Max};
    Case of = makeCase(randomLayer(kinds[i % 5], random), random);
    auto schedule = searchSchedule(*layout, of.layer, 2);
    if (!schedule) {
      EXPECT_THAT(llvm::toString(schedule.takeError()),
                  testing::HasSubstr("does not fit configuration"));
      continue;
    }
    ++fitting;
    expectEqual(*layout, of, 2,
                "seed " + std::to_string(i) + "\n" +
                    layout->config.ShortDebugString());
  }
  EXPECT_GT(fitting, 120u);
}

TEST(LowerLayer, PaddingBeyondTheFields) {
  isa::Layout pynq = layoutOf("pynq");
  for (Reduction kind : {Reduction::Contract, Reduction::Max, Reduction::Mac}) {
    std::mt19937_64 random(5);
    Layer l = convolution(6, 7, 20, 20, 3, 0, 1);
    l.Kind = kind;
    l.KH = 23, l.KW = 21;
    l.Top = 22, l.Bottom = 20, l.Left = 18, l.Right = 17;
    expectEqual(pynq, makeCase(l, random), 2, "23x21");
  }
}

TEST(LowerLayer, RowsBeyondTheFields) {
  // Each is loaded by itself; one between others has no padding.
  isa::Layout tiny = layoutOf("tiny");
  const int64_t columns = FieldLimits(tiny).RowStride + 1;
  for (Reduction kind : {Reduction::Contract, Reduction::Max}) {
    std::mt19937_64 random(8);
    Layer l = convolution(3, columns, 4, 4, 1, 0, 4096);
    l.Kind = kind;
    l.KH = 3, l.SY = 1;
    l.Top = l.Bottom = 1;
    expectEqual(tiny, makeCase(l, random), 2, "3x1");
  }
}

TEST(LowerLayer, TilesWithoutRealInput) {
  // With dilation 9 whole steps of the reduction read padding only.
  std::mt19937_64 random(6);
  Layer l = convolution(4, 4, 5, 9, 3, 9, 1);
  l.DY = l.DX = 9;
  expectEqual(layoutOf("tiny"), makeCase(l, random), 2, "dilated");
}

TEST(LowerLayer, LargeWindowsAreSplit) {
  std::mt19937_64 random(7);
  Layer pool = convolution(40, 40, 7, 0, 40, 0, 1);
  pool.Kind = Reduction::Average;
  expectEqual(layoutOf("tiny"), makeCase(pool, random), 2, "global average");
  expectEqual(layoutOf("tiny"),
              makeCase(convolution(33, 31, 6, 5, 30, 0, 1), random), 1,
              "30x30");
  // 600 vectors of input and of weights, where there is room for 512.
  Layer wide = convolution(3, 302, 4, 5, 2, 0, 1);
  wide.KW = 300;
  expectEqual(layoutOf("tiny"), makeCase(wide, random), 1, "2x300");
}

TEST(LowerLayer, MatrixProduct) {
  std::mt19937_64 random(8);
  expectEqual(layoutOf("pynq"),
              makeCase(convolution(1, 256, 256, 256, 1, 0, 1), random), 2,
              "256");
}

/// Schedules as a person would write them, not only those the search likes.
TEST(LowerLayer, AnySchedule) {
  isa::Layout small = layoutOf("small");
  unsigned legal = 0;
  for (unsigned i = 0; i < 200; ++i) {
    std::mt19937_64 random(3000 + i);
    Case of = makeCase(
        randomLayer(i % 2 ? Reduction::Contract : Reduction::Mac, random),
        random);
    Schedule s;
    s.Rows = 1 + random() % 8, s.Cols = 1 + random() % 8;
    s.Blocks = 1 + random() % 3, s.Reduction = 1 + random() % 3;
    if (!of.layer.isContract())
      s.Reduction = 1;
    s.KernelRows = s.Reduction == 1 ? 1 + random() % of.layer.KH : of.layer.KH;
    s.ChannelsOuter = random() % 2, s.Threads = 1 + random() % 2;
    if (Tiling(small, of.layer, s).check())
      continue;
    ++legal;
    RunResult result = runCase(small, of, 2, &s);
    ASSERT_EQ(result.error, "") << "seed " << i;
    ASSERT_EQ(result.output.data, compute(of).data) << "seed " << i;
  }
  EXPECT_GT(legal, 50u);
}

TEST(LowerLayer, SaysWhatDoesNotFit) {
  Layer large = convolution(700, 700, 4, 4, 600, 0, 1);
  finishShapes(large);
  auto found = searchSchedule(layoutOf("tiny"), large, 2);
  ASSERT_FALSE(bool(found));
  EXPECT_THAT(llvm::toString(found.takeError()),
              testing::AllOf(testing::HasSubstr("tiny"),
                             testing::HasSubstr("there are")));
}

/// The message of a layer that has no schedule.
std::string whyNone(const std::string &configuration, Layer layer) {
  finishShapes(layer);
  auto found = searchSchedule(layoutOf(configuration), layer, 2);
  return found ? "found" : llvm::toString(found.takeError());
}

TEST(LowerLayer, SaysWhichFieldIsTooNarrow) {
  // 5000 pixels of 8 beats: 14 bits.
  Layer strided = convolution(1, 10001, 4, 4, 1, 0, 5000);
  EXPECT_THAT(whyNone("batch4", strided),
              testing::HasSubstr("distance of elements of a transfer: a tile "
                                 "of 1x1 pixels and 1 blocks needs 40000, an "
                                 "instruction's field holds 16383"));
}

TEST(LowerLayer, LongSchedulesAreTheLastResort) {
  // A window of 511 elements leaves INP room for two pixels; tried is one.
  Layer wide = convolution(170, 630, 1, 4, 1, 0, 1);
  wide.KW = 511;
  std::mt19937_64 random(9);
  expectEqual(layoutOf("tiny"), makeCase(wide, random), 2, "20,400 pixels");
  wide.In.H = 550;
  EXPECT_THAT(whyNone("tiny", wide),
              testing::HasSubstr("its coarsest schedule has 66000 steps, the "
                                 "stream of a layer holds 65536"));
}

} // namespace
} // namespace tenon::scheduling
