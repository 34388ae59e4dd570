// Part of Tenon, under the Apache License v2.0.
//
// Layers of every kind and shape, lowered and executed on the functional
// simulator, equal their definition.

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

} // namespace
} // namespace tenon::scheduling
