// Part of Tenon, under the Apache License v2.0.
//
// What the tests of the instruction set share: layouts by name and random
// legal instructions, drawn from the rules in the specification's prose.

#ifndef TENON_TESTS_UNIT_ISA_SUPPORT_H
#define TENON_TESTS_UNIT_ISA_SUPPORT_H

#include "isa/configuration.h"
#include "isa/isa.h"

#include "gtest/gtest.h"

#include <random>

namespace tenon::isa {

inline Layout shipped(const std::string &name) {
  auto config = loadConfiguration(name);
  EXPECT_TRUE(config.ok()) << config.status();
  auto layout = Layout::get(*config);
  EXPECT_TRUE(layout.ok()) << layout.status();
  return *std::move(layout);
}

class InstructionSource {
public:
  InstructionSource(const Layout &layout, uint64_t seed)
      : layout(layout), random(seed) {}

  uint32_t below(uint64_t count) { return uint32_t(random() % count); }
  /// Any value of `width` bits; the extremes are frequent.
  uint32_t bits(uint32_t width) {
    uint64_t mask = (uint64_t{1} << width) - 1;
    uint32_t kind = below(8);
    return uint32_t(kind == 0 ? mask : kind == 1 ? 0 : random() & mask);
  }
  uint32_t positive(uint32_t width) { return std::max(1u, bits(width)); }

  Instruction draw() {
    switch (below(6)) {
    case 0:
      return load();
    case 1:
      return store();
    case 2:
      return gemm();
    case 3:
      return alu();
    case 4:
      return set();
    }
    return Finish{};
  }

  Load load() {
    Load i;
    i.wait = bits(3), i.signal = bits(3);
    i.memory = Memory(below(8));
    i.gather = bits(1);
    transfer(i);
    bool pads = i.memory == Memory::Inp || i.memory == Memory::Acc ||
                i.memory == Memory::Acc8;
    if (pads && bits(1)) {
      i.padTop = bits(4), i.padBottom = bits(4);
      i.padLeft = bits(4), i.padRight = positive(4);
      i.padKind = Pad(below(4));
    }
    return i;
  }

  Store store() {
    Store i;
    // Bit 1 is GEMM, with which there is no channel.
    i.wait = bits(3) & 5, i.signal = bits(3) & 5;
    transfer(i);
    return i;
  }

  Gemm gemm() {
    Gemm i;
    i.wait = bits(2), i.signal = bits(2);
    i.first = bits(1);
    loop(i, layout.accIndexBits, layout.inpIndexBits, layout.wgtIndexBits);
    return i;
  }

  Alu alu() {
    Alu i;
    i.wait = bits(3), i.signal = bits(3);
    i.op = AluOp(below(13));
    static const std::vector<AluOp> tensor = {
        AluOp::Mov, AluOp::Add, AluOp::Sub, AluOp::Min, AluOp::Max, AluOp::Mul};
    static const std::vector<AluOp> folding = {AluOp::Add, AluOp::Min,
                                               AluOp::Max};
    auto in = [&](const std::vector<AluOp> &ops) {
      return std::find(ops.begin(), ops.end(), i.op) != ops.end();
    };
    if (in(tensor))
      i.operand = Operand(bits(1));
    if (i.op == AluOp::Mac || (in(folding) && i.operand == Operand::Acc))
      i.first = bits(1);
    if (i.op == AluOp::Quant || i.op == AluOp::QuantAdd) {
      i.target = Target(below(3));
      bool square = layout.config.block_in() == layout.config.block_out();
      if (i.target == Target::Inp && !square)
        i.target = Target::Out;
    }
    loop(i, layout.aluDstBits, layout.accIndexBits, layout.aluThirdBits);
    return i;
  }

  Set set() {
    Set i;
    i.engine = Engine(below(4));
    uint32_t mask = i.engine == Engine::Gemm    ? 3
                    : i.engine == Engine::Store ? 5
                                                : 7;
    i.wait = bits(3) & mask, i.signal = bits(3) & mask;
    static const uint32_t registers[] = {2, 2, 12, 0};
    i.index = below(registers[uint32_t(i.engine)] + 1);
    if (i.index == 0)
      return i;
    uint32_t width = layout.registerBits(i.engine, i.index);
    bool isUnsigned = (i.engine == Engine::Gemm && i.index == 1) ||
                      (i.engine == Engine::Alu &&
                       (i.index == 1 || i.index == 7 || i.index == 12));
    i.value = bits(width);
    if (!isUnsigned && width < 32 && i.value >> (width - 1))
      i.value |= ~uint32_t{0} << width;
    return i;
  }

private:
  template <typename T> void transfer(T &i) {
    i.sram = bits(layout.sramIndexBits), i.dram = bits(28);
    i.ySize = positive(11), i.xSize = positive(11);
    i.yStride = bits(20), i.xStride = bits(14);
  }

  template <typename T>
  void loop(T &i, uint32_t dst, uint32_t src, uint32_t third) {
    i.uopBegin = bits(layout.uopIndexBits);
    i.uopCount = positive(layout.uopIndexBits);
    i.outerCount = positive(12), i.innerCount = positive(12);
    i.dstOuter = bits(dst), i.dstInner = bits(dst);
    i.srcOuter = bits(src), i.srcInner = bits(src);
    i.thirdOuter = bits(third), i.thirdInner = bits(third);
  }

  const Layout &layout;
  std::mt19937_64 random;
};

} // namespace tenon::isa

#endif // TENON_TESTS_UNIT_ISA_SUPPORT_H
