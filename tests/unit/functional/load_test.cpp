// Part of Tenon, under the Apache License v2.0.

#include "tests/unit/functional/support.h"

#include <numeric>

namespace tenon::sim::functional {
namespace {

constexpr int8_t untouched = 99;

class LoadTest : public TinyTest {
protected:
  void SetUp() override {
    // Byte i of DRAM is 3i + 1: all different within 256.
    for (size_t i = 0; i < dram.size(); ++i)
      dram[i] = uint8_t(3 * i + 1);
    state.dram = absl::MakeSpan(dram);
    std::fill(state.inp.begin(), state.inp.end(), untouched);
    std::fill(state.acc.begin(), state.acc.end(), untouched);
  }
  isa::Load load(isa::Memory memory, uint32_t ySize, uint32_t xSize) {
    isa::Load in;
    in.memory = memory;
    in.ySize = ySize;
    in.xSize = xSize;
    in.xStride = state.layout.transferBytes(memory) / state.layout.beatBytes;
    in.yStride = in.xStride * xSize;
    return in;
  }
  // First byte of INP elements [0, count).
  Lanes inpElements(uint32_t count) {
    Lanes result;
    for (uint32_t i = 0; i < count; ++i)
      result.push_back(uint8_t(state.inp[i * 4]));
    return result;
  }
  Lanes accLane0(uint32_t count) {
    Lanes result;
    for (uint32_t i = 0; i < count; ++i)
      result.push_back(state.acc[i * 4]);
    return result;
  }

  std::vector<uint8_t> dram = std::vector<uint8_t>(80 * 4);
};

TEST_F(LoadTest, ReadsRowsWithBothStrides) {
  isa::Load in = load(isa::Memory::Inp, 2, 3);
  in.dram = 1;
  in.xStride = 2;
  in.yStride = 7;
  in.sram = 1;
  ASSERT_TRUE(execute(in, state).ok());
  // Elements at beats 1 3 5 and 8 10 12: byte 4b is 12b + 1.
  EXPECT_THAT(inpElements(8),
              ElementsAre(untouched, 13, 37, 61, 97, 121, 145, untouched));
  EXPECT_THAT(bytes(state.inp, 1), ElementsAre(13, 16, 19, 22));
}

TEST_F(LoadTest, GatherChangesNothing) {
  isa::Load in = load(isa::Memory::Inp, 1, 2);
  in.gather = 1;
  in.xStride = 3;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(inpElements(3), ElementsAre(1, 37, untouched));
}

TEST_F(LoadTest, PadsOnFourSidesDifferently) {
  isa::Load in = load(isa::Memory::Inp, 2, 2);
  in.padTop = 1;
  in.padBottom = 2;
  in.padLeft = 2;
  in.padRight = 1;
  in.padKind = isa::Pad::Value;
  set(isa::LoadRegister::PadValue, 0x1234567a);
  ASSERT_TRUE(execute(in, state).ok());
  const int p = 0x7a;
  EXPECT_THAT(inpElements(26), ElementsAre(p, p, p, p, p,   //
                                           p, p, 1, 13, p,  //
                                           p, p, 25, 37, p, //
                                           p, p, p, p, p,   //
                                           p, p, p, p, p, untouched));
}

TEST_F(LoadTest, HasFourKindsOfPadding) {
  set(isa::LoadRegister::PadValue, -1000000);
  const struct {
    isa::Pad kind;
    int32_t inp, acc;
  } cases[] = {{isa::Pad::Zero, 0, 0},
               {isa::Pad::Min, -128, INT32_MIN},
               {isa::Pad::Max, 127, INT32_MAX},
               {isa::Pad::Value, -64, -1000000}}; // low byte 0xc0
  for (const auto &each : cases) {
    isa::Load in = load(isa::Memory::Inp, 1, 1);
    in.padLeft = 1;
    in.padKind = each.kind;
    ASSERT_TRUE(execute(in, state).ok());
    EXPECT_THAT(bytes(state.inp, 0),
                ElementsAre(each.inp, each.inp, each.inp, each.inp));
    for (isa::Memory memory : {isa::Memory::Acc, isa::Memory::Acc8}) {
      in = load(memory, 1, 1);
      in.padLeft = 1;
      in.padKind = each.kind;
      ASSERT_TRUE(execute(in, state).ok());
      EXPECT_THAT(acc(0), ElementsAre(each.acc, each.acc, each.acc, each.acc));
    }
  }
}

TEST_F(LoadTest, ReadsLittleEndianWordsIntoAcc) {
  isa::Load in = load(isa::Memory::Acc, 1, 2);
  in.sram = 1;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(acc(1),
              ElementsAre(0x0a070401, 0x1613100d, 0x221f1c19, 0x2e2b2825));
  EXPECT_EQ(accLane0(4)[3], untouched);
}

TEST_F(LoadTest, WidensBytesAndSubtractsTheZeroPoint) {
  dram[0] = 0x80;
  dram[3] = 0x7f;
  set(isa::LoadRegister::ZeroPoint, -5);
  isa::Load in = load(isa::Memory::Acc8, 1, 2);
  in.padRight = 1;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(acc(0), ElementsAre(-123, 9, 12, 132));
  EXPECT_THAT(acc(1), ElementsAre(18, 21, 24, 27));
  EXPECT_THAT(acc(2), ElementsAre(0, 0, 0, 0));
}

TEST_F(LoadTest, DecodesMicroOps) {
  isa::MicroOp uops[] = {{5, 6, 7}, {8, 9, 10}};
  for (int i = 0; i < 2; ++i) {
    uint32_t word = isa::encodeGemmUop(state.layout, uops[i]);
    for (int b = 0; b < 4; ++b)
      dram[i * 4 + b] = uint8_t(word >> 8 * b);
  }
  isa::Load in = load(isa::Memory::UopGemm, 1, 2);
  in.sram = 3;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_TRUE(state.uopGemm[3] == uops[0]);
  EXPECT_TRUE(state.uopGemm[4] == uops[1]);
  EXPECT_EQ(state.uopGemm[2].dst, UINT32_MAX);
}

TEST_F(LoadTest, ReadsThreePlanesOfParameters) {
  isa::Load in = load(isa::Memory::Prm, 1, 1);
  in.sram = 2;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_EQ(state.prm.bias[8], 0x0a070401);
  EXPECT_EQ(state.prm.bias[11], 0x2e2b2825);
  EXPECT_EQ(state.prm.multiplier[8], 0x3a373431);
  EXPECT_EQ(state.prm.shift[8], 97);
  EXPECT_EQ(state.prm.shift[11], 106);
}

TEST_F(LoadTest, ReadsTaps) {
  ASSERT_TRUE(execute(load(isa::Memory::Dwt, 2, 1), state).ok());
  EXPECT_THAT(Lanes(state.dwt.begin(), state.dwt.begin() + 8),
              ElementsAre(1, 4, 7, 10, 13, 16, 19, 22));
}

TEST_F(LoadTest, NamesTheElementOutsideTheScratchpad) {
  isa::Load in = load(isa::Memory::Inp, 2, 3);
  in.padLeft = 1;
  in.sram = 506;
  EXPECT_EQ(execute(in, state).message(),
            "row 1, column 2 (padding counted) goes to element 512 of the "
            "scratchpad, which has 512 entries");
}

TEST_F(LoadTest, NamesTheElementOutsideDram) {
  isa::Load in = load(isa::Memory::Inp, 3, 2);
  in.dram = 70;
  in.yStride = 5;
  EXPECT_EQ(execute(in, state).message(),
            "element (y 2, x 0) is at DRAM offset 0x140, outside of the 320 "
            "bytes of DRAM");
}

// Activations of a 2x4x8 machine are laid out in pieces of four channels.
TEST(LoadShape, WidensPieces) {
  State state(layoutOf(shaped(2, 4, 8)));
  std::vector<uint8_t> dram(16);
  std::iota(dram.begin(), dram.end(), 1);
  state.dram = absl::MakeSpan(dram);
  isa::Load in;
  in.memory = isa::Memory::Acc8;
  in.ySize = in.xSize = 1;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(Lanes(state.acc.begin(), state.acc.begin() + 16),
              ElementsAre(1, 2, 3, 4, 9, 10, 11, 12, //
                          5, 6, 7, 8, 13, 14, 15, 16));
}

} // namespace
} // namespace tenon::sim::functional
