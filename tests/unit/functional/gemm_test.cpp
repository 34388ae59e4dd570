// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/kernels.h"
#include "tests/unit/functional/support.h"

#include <map>
#include <random>

namespace tenon::sim::functional {
namespace {

class GemmTest : public TinyTest {
protected:
  void SetUp() override {
    // inp[i] = {10i + 1, -(10i + 2), 10i + 3, 10i + 4}
    for (int i = 0; i < 8; ++i)
      for (int c = 0; c < 4; ++c)
        state.inp[i * 4 + c] = int8_t((10 * i + c + 1) * (c == 1 ? -1 : 1));
    // wgt[0] picks: sum, first, 2*second, fourth - third
    state.weights.write(0, picks);
    state.weights.write(1, ones);
  }
  isa::Gemm gemm(std::vector<isa::MicroOp> uops, bool first) {
    std::copy(uops.begin(), uops.end(), state.uopGemm.begin());
    isa::Gemm in;
    in.first = first;
    in.uopCount = uops.size();
    in.outerCount = in.innerCount = 1;
    return in;
  }
  static constexpr int8_t picks[16] = {1, 1, 1, 1, 1, 0, 0,  0,
                                       0, 2, 0, 0, 0, 0, -1, 1};
  static constexpr int8_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1,
                                      1, 1, 1, 1, 1, 1, 1, 1};
};

TEST_F(GemmTest, MultipliesByTheTransposedWeights) {
  ASSERT_TRUE(execute(gemm({{3, 1, 0}}, true), state).ok());
  // inp[1] = 11, -12, 13, 14
  EXPECT_THAT(acc(3), ElementsAre(26, 11, -24, 1));
}

TEST_F(GemmTest, AccumulatesWithoutFirst) {
  setAcc(3, {1000, 2000, 3000, 4000});
  ASSERT_TRUE(execute(gemm({{3, 1, 0}, {3, 2, 0}}, false), state).ok());
  // inp[2] = 21, -22, 23, 24
  EXPECT_THAT(acc(3), ElementsAre(1072, 2032, 2932, 4002));
}

TEST_F(GemmTest, EachRunStartsAgain) {
  // 3 3 4 3: the second run of 3 with `first` forgets the first one.
  ASSERT_TRUE(
      execute(gemm({{3, 1, 0}, {3, 2, 0}, {4, 0, 0}, {3, 2, 0}}, true), state)
          .ok());
  EXPECT_THAT(acc(3), ElementsAre(46, 21, -44, 1));
  EXPECT_THAT(acc(4), ElementsAre(6, 1, -4, 1));
  // Without `first` it goes on, also across instructions.
  ASSERT_TRUE(
      execute(gemm({{3, 0, 0}, {4, 0, 0}, {3, 1, 0}}, false), state).ok());
  EXPECT_THAT(acc(3), ElementsAre(46 + 6 + 26, 21 + 1 + 11, -44 - 4 - 24, 3));
}

TEST_F(GemmTest, SubtractsTheWeightZeroPoint) {
  set(isa::GemmRegister::WeightZeroPoint, 3);
  ASSERT_TRUE(execute(gemm({{3, 1, 0}}, true), state).ok());
  EXPECT_THAT(acc(3), ElementsAre(26 - 78, 11 - 78, -24 - 78, 1 - 78));
}

TEST_F(GemmTest, AddsTheBaseAndTheSteps) {
  isa::MicroOp base{100, 1, 0};
  set(isa::GemmRegister::GemmBase,
      int32_t(isa::encodeGemmUop(state.layout, base)));
  isa::Gemm in = gemm({{0, 0, 0}, {7, 0, 1}}, true);
  in.outerCount = 2;
  in.innerCount = 2;
  in.dstOuter = 20;
  in.dstInner = 1;
  in.srcOuter = 2;
  in.srcInner = 1;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(acc(100), ElementsAre(26, 11, -24, 1));
  EXPECT_THAT(acc(101), ElementsAre(46, 21, -44, 1));
  EXPECT_THAT(acc(120), ElementsAre(66, 31, -64, 1));
  EXPECT_THAT(acc(128), ElementsAre(86, 86, 86, 86));
}

TEST_F(GemmTest, StepsThroughWeights) {
  isa::Gemm in = gemm({{3, 1, 0}}, true);
  in.outerCount = 2;
  in.thirdOuter = 1;
  in.dstOuter = 1;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(acc(3), ElementsAre(26, 11, -24, 1));
  EXPECT_THAT(acc(4), ElementsAre(26, 26, 26, 26));
}

TEST_F(GemmTest, WrapsAt32Bits) {
  setAcc(3, {INT32_MAX, INT32_MAX - 5, INT32_MIN, INT32_MIN + 3});
  ASSERT_TRUE(execute(gemm({{3, 1, 0}}, false), state).ok());
  EXPECT_THAT(acc(3), ElementsAre(INT32_MIN + 25, INT32_MIN + 5, INT32_MAX - 23,
                                  INT32_MIN + 4));
}

TEST_F(GemmTest, NamesTheMemoryOutOfBounds) {
  isa::Gemm in = gemm({{3, 1, 511}}, true);
  in.innerCount = 2;
  in.thirdInner = 1;
  EXPECT_EQ(execute(in, state).message(),
            "third is WGT[512] in iteration (outer 0, inner 1, micro-op 0), "
            "but WGT has 512 entries");
  in.thirdInner = 0;
  in.srcInner = 511;
  EXPECT_THAT(execute(in, state).message(), HasSubstr("src is INP[512]"));
  in.srcInner = 0;
  in.dstInner = 509;
  EXPECT_THAT(execute(in, state).message(), HasSubstr("dst is ACC[512]"));
}

// Every kernel the host can run, on shapes with and without a specialisation,
// against the definition in 64 bits with element (n, c) of INP looked up by
// its coordinates.
struct Shape {
  uint32_t batch, blockIn, blockOut;
};
class GemmKernels : public ::testing::TestWithParam<Shape> {};

int64_t expectedLane(const State &state, const std::vector<int8_t> &weights,
                     const isa::MicroOp &uop, uint32_t n, uint32_t o,
                     int32_t zeroPoint) {
  uint32_t piece = std::min(state.blockIn, state.blockOut);
  int64_t sum = 0;
  for (uint32_t c = 0; c < state.blockIn; ++c) {
    size_t element = size_t(uop.src) * state.batch * state.blockIn;
    int64_t x = state.inp[element + c / piece * piece * state.batch +
                          n * piece + c % piece];
    int64_t w =
        weights[(size_t(uop.third) * state.blockOut + o) * state.blockIn + c];
    sum += x * (w - zeroPoint);
  }
  return sum;
}

TEST_P(GemmKernels, EqualTheDefinition) {
  auto [batch, blockIn, blockOut] = GetParam();
  State state(layoutOf(shaped(batch, blockIn, blockOut)));
  std::mt19937_64 random(7);
  for (int8_t &x : state.inp)
    x = int8_t(random());
  std::vector<int8_t> weights(8 * blockIn * blockOut);
  for (int8_t &w : weights)
    w = int8_t(random());
  for (uint32_t t = 0; t < 8; ++t)
    state.weights.write(t, &weights[t * blockIn * blockOut]);
  // Runs of three equal destinations.
  for (uint32_t k = 0; k < 24; ++k)
    state.uopGemm[k] = {k / 3, uint32_t(random() % 100), k % 8};
  isa::Gemm in;
  in.uopCount = 24;
  in.outerCount = in.innerCount = 1;

  for (const GemmVariant &variant : gemmVariants(batch, blockIn, blockOut))
    for (int32_t zeroPoint : {0, -37, 255}) {
      state.gemmKernel = variant.kernel;
      state.registers[unsigned(isa::Engine::Gemm)]
                     [unsigned(isa::GemmRegister::WeightZeroPoint)] =
          uint32_t(zeroPoint);
      for (size_t i = 0; i < state.acc.size(); ++i)
        state.acc[i] = int32_t(i * 1000003);
      ASSERT_TRUE(execute(in, state).ok());
      for (uint32_t dst = 0; dst < 9; ++dst)
        for (uint32_t lane = 0; lane < state.lanes; ++lane) {
          size_t at = size_t(dst) * state.lanes + lane;
          int64_t sum = int64_t(at) * 1000003;
          for (uint32_t k = 0; k < 24; ++k)
            if (k / 3 == dst)
              sum += expectedLane(state, weights, state.uopGemm[k],
                                  lane / blockOut, lane % blockOut, zeroPoint);
          ASSERT_EQ(state.acc[at], int32_t(uint64_t(sum)))
              << variant.name << " dst " << dst << " lane " << lane
              << " zero point " << zeroPoint;
        }
    }
}

// The zero point's share is -2^31, which has no negative in 32 bits.
TEST_P(GemmKernels, SubtractTheLeastNumber) {
  auto [batch, blockIn, blockOut] = GetParam();
  State state(layoutOf(shaped(batch, blockIn, blockOut)));
  std::fill(state.inp.begin(), state.inp.end(), int8_t(-128));
  const std::vector<int8_t> weights(blockIn * blockOut, 1);
  state.weights.write(0, weights.data());
  state.uopGemm[0] = {0, 0, 0};
  state.registers[unsigned(isa::Engine::Gemm)]
                 [unsigned(isa::GemmRegister::WeightZeroPoint)] =
      uint32_t(-256);
  isa::Gemm in;
  in.first = true;
  in.uopCount = 1;
  in.outerCount = 64;
  in.innerCount = 1024 / blockIn;
  for (const GemmVariant &variant : gemmVariants(batch, blockIn, blockOut)) {
    state.gemmKernel = variant.kernel;
    ASSERT_TRUE(execute(in, state).ok());
    // 2^16 times -128 * (1 + 256), in 32 bits.
    for (uint32_t lane = 0; lane < state.lanes; ++lane)
      ASSERT_EQ(state.acc[lane], INT32_MAX - (1 << 23) + 1)
          << variant.name << " lane " << lane;
  }
}

std::string shapeName(const ::testing::TestParamInfo<Shape> &info) {
  return absl::StrCat(info.param.batch, "x", info.param.blockIn, "x",
                      info.param.blockOut);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GemmKernels,
                         ::testing::Values(Shape{1, 4, 4}, Shape{1, 8, 8},
                                           Shape{1, 16, 16}, Shape{1, 32, 32},
                                           Shape{4, 16, 16}, Shape{2, 2, 4},
                                           Shape{2, 8, 4}, Shape{4, 4, 8},
                                           Shape{1, 16, 4}, Shape{1, 4, 32}),
                         shapeName);

} // namespace
} // namespace tenon::sim::functional
