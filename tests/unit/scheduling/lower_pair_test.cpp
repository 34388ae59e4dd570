// Part of Tenon, under the Apache License v2.0.
//
// Two layers with interleaved tiles equal their definitions, on any legal
// interleaving of the engines, and do share their time.

#include "tests/unit/scheduling/layer_runner.h"

#include "isa/configuration.h"

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

int64_t draw(std::mt19937_64 &random, int64_t low, int64_t high) {
  return low + int64_t(random() % uint64_t(high - low + 1));
}

/// A window of any shape over `in`.
Layer window(TensorView in, Reduction kind, std::mt19937_64 &random) {
  Layer l;
  l.Kind = kind;
  l.In = in;
  l.KH = draw(random, 1, std::min<int64_t>(4, in.H));
  l.KW = draw(random, 1, std::min<int64_t>(4, in.W));
  l.SY = draw(random, 1, 3), l.SX = draw(random, 1, 3);
  l.Top = draw(random, 0, l.KH - 1), l.Bottom = draw(random, 0, l.KH - 1);
  l.Left = draw(random, 0, l.KW - 1), l.Right = draw(random, 0, l.KW - 1);
  return l;
}

struct Pair {
  Case first, second;
};

Pair randomPair(unsigned seed) {
  std::mt19937_64 random(seed);
  TensorView in;
  in.N = draw(random, 0, 3) ? 1 : draw(random, 2, 5);
  in.H = draw(random, 1, 20), in.W = draw(random, 1, 20);
  in.C = draw(random, 1, 40);
  Layer first = window(in, Reduction::Contract, random);
  first.Out.C = draw(random, 1, 70);
  first.HasResidual = seed % 3 == 0;
  Pair pair;
  pair.first = makeCase(first, random);
  const Reduction kinds[] = {Reduction::Mac, Reduction::Sum, Reduction::Average,
                             Reduction::Max};
  pair.second =
      makeCase(window(pair.first.layer.Out, kinds[seed % 4], random), random);
  pair.second.input = compute(pair.first);
  return pair;
}

void expectEqual(const Activation &got, const Activation &want,
                 const std::string &what) {
  ASSERT_EQ(got.data.size(), want.data.size()) << what;
  for (size_t i = 0; i < want.data.size(); ++i)
    ASSERT_EQ(int(got.data[i]), int(want.data[i])) << what << " at " << i;
}

class AnyPair : public testing::TestWithParam<std::string> {};

TEST_P(AnyPair, EqualsItsDefinition) {
  isa::Layout layout = layoutOf(GetParam());
  unsigned found = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    Pair pair = randomPair(seed);
    std::string what = "seed " + std::to_string(seed);
    PairResult result = runPair(layout, pair.first, pair.second);
    ASSERT_EQ(result.error, "") << what;
    found += result.found;
    if (!result.found)
      continue;
    expectEqual(result.first, pair.second.input, what + ", first");
    expectEqual(result.second, compute(pair.second), what + ", second");
  }
  EXPECT_GT(found, 18u);
}

INSTANTIATE_TEST_SUITE_P(Configurations, AnyPair,
                         testing::Values("pynq", "tiny", "wide", "batch4"),
                         [](const auto &info) { return info.param; });

TEST(LowerPair, AnyConfiguration) {
  unsigned found = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(2000 + seed);
    auto layout = isa::Layout::get(isa::randomConfiguration(random));
    ASSERT_TRUE(layout.ok()) << layout.status();
    Pair pair = randomPair(seed);
    std::string what = "seed " + std::to_string(seed) + "\n" +
                       layout->config.ShortDebugString();
    PairResult result = runPair(*layout, pair.first, pair.second);
    ASSERT_EQ(result.error, "") << what;
    found += result.found;
    if (result.found)
      expectEqual(result.second, compute(pair.second), what);
  }
  EXPECT_GT(found, 30u);
}

/// A convolution of 28x28x32 and a maximum over 3x3 behind it.
Pair poolBehindConvolution() {
  std::mt19937_64 random(5);
  Layer first;
  first.In.H = first.In.W = 28, first.In.C = first.Out.C = 32;
  first.KH = first.KW = 3;
  first.Top = first.Bottom = first.Left = first.Right = 1;
  Pair pair;
  pair.first = makeCase(first, random);
  Layer second = first;
  second.Kind = Reduction::Max;
  second.In = pair.first.layer.Out;
  second.SY = second.SX = 2;
  pair.second = makeCase(second, random);
  pair.second.input = compute(pair.first);
  return pair;
}

TEST(LowerPair, WorksOnBothAtOnce) {
  Pair pair = poolBehindConvolution();
  PairResult result = runPair(layoutOf("pynq"), pair.first, pair.second);
  ASSERT_EQ(result.error, "");
  ASSERT_TRUE(result.found);
  size_t lastGemm = 0, maxima = 0, before = 0;
  for (size_t i = 0; i < result.stream.size(); ++i)
    if (std::holds_alternative<isa::Gemm>(result.stream[i].Inst))
      lastGemm = i;
  for (size_t i = 0; i < result.stream.size(); ++i)
    if (auto *alu = std::get_if<isa::Alu>(&result.stream[i].Inst))
      if (alu->op == isa::AluOp::Max) {
        ++maxima;
        before += i < lastGemm;
      }
  EXPECT_GT(maxima, 1u);
  EXPECT_GE(2 * before, maxima);
}

TEST(LowerPair, GainsByTheModel) {
  Pair pair = poolBehindConvolution();
  isa::Layout pynq = layoutOf("pynq");
  pair.second.layer.In = pair.first.layer.Out;
  uint64_t apart = 0;
  for (const Layer *l : {&pair.first.layer, &pair.second.layer}) {
    auto schedule = searchSchedule(pynq, *l, 2);
    ASSERT_TRUE(bool(schedule));
    apart += llvm::cantFail(estimate(pynq, *l, *schedule)).Cycles;
  }
  auto found = searchPair(pynq, pair.first.layer, pair.second.layer, apart);
  ASSERT_TRUE(bool(found) && found->has_value());
  // GEMM's work, and hardly more.
  uint64_t together = llvm::cantFail(estimate(pynq, **found)).Cycles;
  EXPECT_GE(together, bounds(pynq, pair.first.layer).Compute);
  EXPECT_LT(together, apart);
  // What is fast enough apart stays apart.
  auto none = searchPair(pynq, pair.first.layer, pair.second.layer, together);
  ASSERT_TRUE(bool(none));
  EXPECT_FALSE(none->has_value());
}

} // namespace
} // namespace tenon::scheduling
