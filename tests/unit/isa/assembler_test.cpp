// Part of Tenon, under the Apache License v2.0.
//
// Instructions as text, both ways, and the errors of the assembler.

#include "isa/assembler.h"
#include "support.h"

#include "gmock/gmock.h"

namespace tenon::isa {
namespace {

using ::testing::HasSubstr;

TEST(Assembler, ReadsEveryItem) {
  Layout layout = shipped("pynq");
  auto read = assemble(layout, R"(
    ; a comment, then a line of each format
    load inp sram=3 dram=0x120 y=4 x=16 ystride=32 xstride=2 pad=1,2,0,3:value gather wait(gemm) signal(gemm, store) ; end
    store sram=5 dram=9 wait(alu) signal(load)
    gemm first uop=7+9 outer=4 inner=14 dst=14,1 src=16,2 third=0,3 wait(load)
    alu quant_add target=out uop=1+2 dst=0,1
    alu add operand=acc first uop=0+1
    set alu clamp_min=-128 signal(gemm)
    set gemm gemm_base=0xffffffff
    set store wait(alu)
    finish
  )");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 9u);
  Load load;
  load.memory = Memory::Inp, load.sram = 3, load.dram = 0x120;
  load.ySize = 4, load.xSize = 16, load.yStride = 32, load.xStride = 2;
  load.padTop = 1, load.padBottom = 2, load.padRight = 3;
  load.padKind = Pad::Value, load.gather = 1, load.wait = 1, load.signal = 5;
  EXPECT_TRUE((*read)[0] == Instruction(load));
  Store store;
  store.sram = 5, store.dram = 9, store.ySize = store.xSize = 1;
  store.wait = 4, store.signal = 1;
  EXPECT_TRUE((*read)[1] == Instruction(store));
  Gemm gemm;
  gemm.first = 1, gemm.uopBegin = 7, gemm.uopCount = 9, gemm.outerCount = 4;
  gemm.innerCount = 14, gemm.dstOuter = 14, gemm.dstInner = 1;
  gemm.srcOuter = 16, gemm.srcInner = 2, gemm.thirdInner = 3, gemm.wait = 1;
  EXPECT_TRUE((*read)[2] == Instruction(gemm));
  Alu quant;
  quant.op = AluOp::QuantAdd, quant.target = Target::Out, quant.uopBegin = 1;
  quant.uopCount = 2, quant.outerCount = quant.innerCount = 1;
  quant.dstInner = 1;
  EXPECT_TRUE((*read)[3] == Instruction(quant));
  Alu add;
  add.op = AluOp::Add, add.operand = Operand::Acc, add.first = 1;
  add.uopCount = add.outerCount = add.innerCount = 1;
  EXPECT_TRUE((*read)[4] == Instruction(add));
  Set set;
  set.engine = Engine::Alu, set.index = 3, set.value = uint32_t(-128);
  set.signal = 2;
  EXPECT_TRUE((*read)[5] == Instruction(set));
  EXPECT_EQ(std::get<Set>((*read)[6]).value, 0xffffffffu);
  EXPECT_EQ(std::get<Set>((*read)[7]).index, 0u);
  EXPECT_TRUE((*read)[8] == Instruction(Finish{}));
}

TEST(Assembler, PrintsWhatItReads) {
  Layout layout = shipped("pynq");
  for (const char *line :
       {"load acc8 sram=0 dram=0x0 y=1 x=9 pad=0,0,1,0 signal(gemm,alu,store)",
        "gemm uop=0+1", "set load pad_value=-5", "finish",
        "alu mac first uop=0+9 outer=3 inner=2 third=0,1 wait(load)"})
    EXPECT_EQ(disassemble(layout, assemble(layout, line)->at(0)), line);
}

void roundTrip(const Layout &layout, uint64_t seed, int count) {
  InstructionSource source(layout, seed);
  std::string text;
  std::vector<Instruction> instructions;
  for (int i = 0; i < count; ++i) {
    instructions.push_back(source.draw());
    text += disassemble(layout, instructions.back()) + "\n";
  }
  auto read = assemble(layout, text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(*read == instructions) << "seed " << seed;
}

TEST(Assembler, RoundTrip) {
  for (const std::string &name : shippedConfigurations())
    roundTrip(shipped(name), 21, 3000);
  std::mt19937_64 random(6);
  for (int i = 0; i < 200; ++i)
    roundTrip(*Layout::get(randomConfiguration(random)), i, 200);
}

TEST(Assembler, ErrorsSayWhereAndWhatWasExpected) {
  Layout layout = shipped("pynq");
  const std::pair<const char *, const char *> cases[] = {
      {"\n  lood inp", "t:2:3: expected an instruction (load, store, gemm, "
                       "alu, set, finish), found 'lood'"},
      {"load out", "t:1:6: expected memory (uop_gemm, uop_alu, inp, "},
      {"load inp sram=2048", "t:1:15: expected sram from 0 to 2047, found "
                             "2048"},
      {"load inp sram=-1", "t:1:15: expected sram, found '-'"},
      {"load inp sram 3", "t:1:15: expected '=', found '3'"},
      {"load inp x=0", "t:1:1: load: x_size is 0"},
      {"load inp rows=3", "t:1:10: expected one of sram=, dram=, y=, x="},
      {"load inp x=1 x=2", "t:1:14: x is given twice"},
      {"load inp pad=1,2", "t:1:17: expected ',', found the end of the line"},
      {"load inp pad=1,2,3,4:blue",
       "t:1:22: expected pad (zero, min, max, value), found 'blue'"},
      {"load inp wait(load)",
       "t:1:15: expected an engine (gemm, alu, store), found 'load'"},
      {"load inp wait(gemm", "t:1:19: expected ')', found the end"},
      {"gemm outer=2", "t:1:13: expected uop=BEGIN+COUNT"},
      {"gemm uop=3", "t:1:11: expected '+'"},
      {"gemm uop=0+1 wait(store)", "t:1:1: gemm: bit 2 of wait is set"},
      {"alu mod uop=0+1", "t:1:5: expected alu_op (mov, add, "},
      {"set alu clamp=3", "t:1:9: expected a register of alu (alu_base, "},
      {"set store x=1", "t:1:11: expected wait(..) or signal(..): store has no "
                        "registers"},
      {"set load zero_point=300", "t:1:1: set: 300 does not fit load "
                                  "zero_point: expected -256 to 255"},
      {"set load pad_value=99999999999", "t:1:20: expected pad_value from "},
      {"set load pad_value=0x", "t:1:20: expected pad_value, found '0x'"},
      {"finish now", "t:1:8: expected the end of the line, found 'now'"},
      {"load inp sram=99999999999999999999", "t:1:15: expected sram from 0"},
  };
  for (const auto &[text, message] : cases) {
    auto read = assemble(layout, text, "t");
    EXPECT_THAT(std::string(read.status().message()), HasSubstr(message))
        << text;
  }
}

TEST(Assembler, AnyTextIsReadWithoutHarm) {
  Layout layout = shipped("tiny");
  std::mt19937_64 random(4);
  const std::string alphabet = "load inp=,:()+-0x19;.\"\\\n{}@ wait";
  for (int i = 0; i < 5000; ++i) {
    InstructionSource source(layout, i);
    std::string text = disassemble(layout, source.draw());
    for (int k = 0; k < 3; ++k)
      text[random() % text.size()] = alphabet[random() % alphabet.size()];
    (void)assemble(layout, text);
  }
}

} // namespace
} // namespace tenon::isa
