// Part of Tenon, under the Apache License v2.0.
//
// Encoding and decoding of legal instructions and of arbitrary bytes.

#include "support.h"

namespace tenon::isa {
namespace {

void roundTrip(const Layout &layout, uint64_t seed, int count) {
  InstructionSource source(layout, seed);
  // Poisoned, with a guard behind: encode writes every byte and no more.
  std::vector<uint8_t> bytes(layout.instructionBytes + 8, 0xa5);
  for (int n = 0; n < count; ++n) {
    Instruction instruction = source.draw();
    std::fill(bytes.begin(), bytes.end(), 0xa5);
    absl::Status status = encode(layout, instruction, bytes.data());
    ASSERT_TRUE(status.ok()) << status << " seed " << seed << " " << n << "\n"
                             << disassemble(layout, instruction);
    for (size_t i = layout.instructionBytes; i < bytes.size(); ++i)
      ASSERT_EQ(bytes[i], 0xa5);
    auto decoded = decode(layout, bytes.data());
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    ASSERT_TRUE(*decoded == instruction)
        << disassemble(layout, instruction) << "\n"
        << disassemble(layout, *decoded) << "\n"
        << layout.config.DebugString();
  }
}

TEST(Codec, RoundTripOfShippedConfigurations) {
  for (const std::string &name : shippedConfigurations())
    roundTrip(shipped(name), 11, 5000);
}

TEST(Codec, RoundTripOfRandomConfigurations) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i)
    roundTrip(*Layout::get(randomConfiguration(random)), i, 300);
}

TEST(Codec, RoundTripOfOddInstructionWidths) {
  std::pair<uint32_t, uint32_t> widths[] = {
      {160, 32}, {192, 64}, {256, 64}, {1024, 64}};
  for (auto [bits, bus] : widths) {
    Configuration config = *loadConfiguration("pynq");
    config.set_bus_bits(bus);
    config.set_instruction_bits(bits);
    auto layout = Layout::get(config);
    ASSERT_TRUE(layout.ok()) << layout.status();
    EXPECT_EQ(layout->instructionBytes, bits / 8);
    roundTrip(*layout, bits, 1000);
  }
}

/// The bits of `bytes` [offset, offset + width), independently of the codec.
uint64_t slice(const std::vector<uint8_t> &bytes, uint32_t offset,
               uint32_t width) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < width; ++i)
    value |= uint64_t(bytes[(offset + i) / 8] >> (offset + i) % 8 & 1) << i;
  return value;
}

TEST(Codec, FieldsLieWhereTheSpecificationSays) {
  Layout layout = shipped("pynq");
  Load load;
  load.wait = 5, load.signal = 3, load.memory = Memory::Acc8;
  load.padKind = Pad::Max, load.gather = 1, load.sram = 1234;
  load.dram = 0xabcdef1, load.ySize = 1029, load.xSize = 77;
  load.yStride = 0x9abcd, load.xStride = 0x2345;
  load.padTop = 1, load.padBottom = 2, load.padLeft = 3, load.padRight = 4;
  std::vector<uint8_t> bytes(layout.instructionBytes);
  ASSERT_TRUE(encode(layout, load, bytes.data()).ok());
  std::pair<uint32_t, uint64_t> fields[] = {
      {3, 0},        {3, 5},       {3, 3},          {3, 6},     {2, 2},
      {1, 1},        {11, 1234},   {28, 0xabcdef1}, {11, 1029}, {11, 77},
      {20, 0x9abcd}, {14, 0x2345}, {4, 1},          {4, 2},     {4, 3},
      {4, 4},        {2, 0}};
  uint32_t offset = 0;
  for (auto [width, value] : fields) {
    EXPECT_EQ(slice(bytes, offset, width), value) << "at bit " << offset;
    offset += width;
  }
  EXPECT_EQ(offset, 128u);
}

TEST(Codec, MicroOps) {
  Layout layout = shipped("pynq");
  EXPECT_EQ(encodeGemmUop(layout, {0x7ff, 0, 0}), 0x7ffu);
  EXPECT_EQ(encodeGemmUop(layout, {0, 3, 0}), 3u << 11);
  EXPECT_EQ(encodeAluUop(layout, {0, 0, 0x3ff}), 0x3ffu << 22);
  std::mt19937_64 random(1);
  for (const std::string &name : shippedConfigurations()) {
    Layout l = shipped(name);
    for (int i = 0; i < 100; ++i) {
      auto draw = [&](uint32_t bits) {
        return uint32_t(random()) & ((1u << bits) - 1);
      };
      MicroOp gemm{draw(l.accIndexBits), draw(l.inpIndexBits),
                   draw(l.wgtIndexBits)};
      MicroOp alu{draw(l.aluDstBits), draw(l.accIndexBits),
                  draw(l.aluThirdBits)};
      EXPECT_TRUE(decodeGemmUop(l, encodeGemmUop(l, gemm)) == gemm);
      EXPECT_TRUE(decodeAluUop(l, encodeAluUop(l, alu)) == alu);
    }
  }
}

TEST(Codec, DecodesOrRefusesAnyBytes) {
  std::mt19937_64 random(9);
  Layout layout = shipped("tiny");
  std::vector<uint8_t> bytes(layout.instructionBytes), again(bytes);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    InstructionSource source(layout, i);
    if (i % 2) {
      ASSERT_TRUE(encode(layout, source.draw(), bytes.data()).ok());
      uint32_t bit = source.below(layout.instructionBytes * 8);
      bytes[bit / 8] ^= uint8_t(1 << bit % 8);
    } else {
      for (uint8_t &byte : bytes)
        byte = uint8_t(random());
    }
    auto instruction = decode(layout, bytes.data());
    if (!instruction.ok())
      continue;
    ++accepted;
    ASSERT_TRUE(encode(layout, *instruction, again.data()).ok());
    ASSERT_EQ(bytes, again);
  }
  EXPECT_GT(accepted, 1000);
}

TEST(Codec, WritesNothingWhereTheInstructionIsUndefined) {
  Layout layout = shipped("pynq");
  std::vector<uint8_t> bytes(layout.instructionBytes, 0xa5), before = bytes;
  EXPECT_FALSE(encode(layout, Store{}, bytes.data()).ok());
  EXPECT_EQ(bytes, before);
}

} // namespace
} // namespace tenon::isa
