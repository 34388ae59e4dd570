// Part of Tenon, under the Apache License v2.0.
//
// Bits per format of every shipped configuration, added up by hand from the
// field list and the depths.

#include "support.h"

namespace tenon::isa {
namespace {

struct Expected {
  const char *name;
  // log2 of the depths of uop (micro-ops), inp, wgt, dwt, acc, prm, out, and of
  // the deepest memory (uop in lines).
  uint32_t uop, inp, wgt, dwt, acc, prm, out, deepest;
};

constexpr Expected expected[] = {
    {"pynq", 11, 11, 10, 10, 11, 9, 11, 11},
    {"tiny", 9, 9, 9, 8, 9, 7, 9, 9},
    {"small", 9, 9, 9, 8, 9, 7, 9, 9},
    {"wide", 10, 10, 8, 9, 10, 8, 10, 10},
    {"batch4", 11, 10, 10, 9, 10, 8, 10, 10},
    {"huge", 10, 9, 7, 8, 10, 7, 10, 10},
};

TEST(Bits, OfEveryFormatAndShippedConfiguration) {
  ASSERT_EQ(shippedConfigurations().size(), std::size(expected));
  for (const Expected &e : expected) {
    Layout layout = shipped(e.name);
    uint32_t dst = std::max({e.acc, e.inp, e.out});
    uint32_t third = std::max(e.prm, e.dwt);
    uint32_t transfer = 28 + 11 + 11 + 20 + 14;
    uint32_t bits[] = {3 + 3 + 3 + 3 + 2 + 1 + e.deepest + transfer + 4 * 4,
                       3 + 3 + 3 + e.deepest + transfer,
                       3 + 3 + 3 + 1 + 2 * (e.uop + 12 + e.acc + e.inp + e.wgt),
                       3 + 3 + 3 + 4 + 1 + 2 + 1 +
                           2 * (e.uop + 12 + dst + e.acc + third),
                       3 + 3 + 3 + 2 + 4 + 32,
                       3};
    for (size_t i = 0; i < std::size(bits); ++i) {
      EXPECT_EQ(layout.formats[i].bits, bits[i]) << e.name << " " << i;
      EXPECT_LE(layout.formats[i].bits, layout.config.instruction_bits());
    }
    EXPECT_EQ(layout.microOps[0].bits, e.acc + e.inp + e.wgt) << e.name;
    EXPECT_EQ(layout.microOps[1].bits, dst + e.acc + third) << e.name;
  }
}

TEST(Bits, FieldsFollowEachOther) {
  for (const std::string &name : shippedConfigurations()) {
    Layout layout = shipped(name);
    for (const FormatLayout &format : layout.formats) {
      uint32_t offset = 0;
      for (const FieldPosition &field : format.fields) {
        EXPECT_EQ(field.offset, offset);
        EXPECT_GT(field.width, 0u);
        offset += field.width;
      }
      EXPECT_EQ(offset, format.bits);
    }
  }
}

TEST(Bits, SizesOfPynq) {
  Layout layout = shipped("pynq");
  EXPECT_EQ(layout.beatBytes, 8u);
  EXPECT_EQ(layout.prmBytes, 16u * (4 + 4 + 1));
  EXPECT_EQ(layout.wgtBytes, 256u);
  EXPECT_EQ(layout.instructionBytes, 16u);
  EXPECT_EQ(layout.entries(Memory::UopGemm), 1024u);
  EXPECT_EQ(layout.entries(Memory::Acc8), 2048u);
  EXPECT_EQ(layout.transferBytes(Memory::UopAlu), 8u);
  EXPECT_EQ(layout.transferBytes(Memory::Acc), 64u);
  EXPECT_EQ(layout.transferBytes(Memory::Acc8), 16u);
  EXPECT_EQ(layout.transferBytes(Memory::Dwt), 16u);
  EXPECT_EQ(layout.elementBits(Memory::Prm), 16u * 72);
  EXPECT_EQ(layout.registerBits(Engine::Alu, 7), 11u);
  EXPECT_EQ(layout.registerBits(Engine::Store, 1), 0u);
  EXPECT_EQ(layout.registerBits(Engine::Alu, 99), 0u);
}

TEST(Bits, ChannelsAndNeighbours) {
  EXPECT_TRUE(hasChannel(Engine::Store, Engine::Load));
  EXPECT_FALSE(hasChannel(Engine::Gemm, Engine::Store));
  EXPECT_FALSE(hasChannel(Engine::Load, Engine::Load));
  std::array<Engine, 3> alu = {Engine::Load, Engine::Gemm, Engine::Store};
  EXPECT_EQ(neighbours(Engine::Alu), alu);
}

TEST(Bits, ResetValues) {
  EXPECT_EQ(resetValue(Engine::Alu, uint32_t(AluRegister::ClampMin)), -128);
  EXPECT_EQ(resetValue(Engine::Alu, uint32_t(AluRegister::ClampMax)), 127);
  EXPECT_EQ(resetValue(Engine::Alu, uint32_t(AluRegister::AddShift)), 2);
  EXPECT_EQ(resetValue(Engine::Load, 1), 0);
  EXPECT_EQ(resetValue(Engine::Store, 9), 0);
}

} // namespace
} // namespace tenon::isa
