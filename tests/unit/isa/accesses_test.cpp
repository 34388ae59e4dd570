// Part of Tenon, under the Apache License v2.0.
//
// Reads and writes of instructions made by hand. pynq: a beat has 8 bytes, an
// element of INP and OUT 16 (2 beats), of WGT 256, of ACC 64, of PRM 144; a
// line of micro-ops is 2 of them.

#include "isa/accesses.h"
#include "support.h"

#include "gmock/gmock.h"

#include <cstring>
#include <optional>

namespace tenon::isa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Accessing : public testing::Test {
protected:
  Accessing() : layout(shipped("pynq")) { program.set_dram_bytes(1 << 20); }

  /// Puts micro-ops at byte `offset` of the DRAM image.
  void image(uint64_t offset, const std::vector<MicroOp> &uops, bool gemm) {
    Segment &segment = *program.add_segments();
    segment.set_offset(offset);
    for (const MicroOp &uop : uops) {
      uint32_t word =
          gemm ? encodeGemmUop(layout, uop) : encodeAluUop(layout, uop);
      char bytes[4];
      std::memcpy(bytes, &word, 4);
      segment.mutable_data()->append(bytes, 4);
    }
  }

  Load loadUops(Memory memory, uint32_t line, uint64_t offset,
                uint32_t lines) const {
    Load load;
    load.memory = memory;
    load.sram = line;
    load.dram = uint32_t(offset / layout.beatBytes);
    load.ySize = 1, load.xSize = lines, load.xStride = 1;
    return load;
  }

  Accesses accesses(const Instruction &instruction) {
    EXPECT_TRUE(validate(layout, instruction).ok())
        << validate(layout, instruction);
    auto result = walker().next(instruction);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : Accesses{};
  }

  std::string error(const Instruction &instruction) {
    auto result = walker().next(instruction);
    EXPECT_FALSE(result.ok());
    return std::string(result.status().message());
  }

  Set set(Engine engine, uint32_t index, uint32_t value) const {
    Set set;
    set.engine = engine, set.index = index, set.value = value;
    return set;
  }

  /// GEMM or ALU over the micro-ops [begin, begin + count).
  template <typename Loop>
  Loop loop(uint32_t begin, uint32_t count, uint32_t outer = 1,
            uint32_t inner = 1) const {
    Loop in;
    in.uopBegin = begin, in.uopCount = count;
    in.outerCount = outer, in.innerCount = inner;
    return in;
  }

  const Layout layout;
  Program program;
  /// Sees the image as it is when it is asked for first.
  AccessWalker &walker() {
    if (!made)
      made.emplace(layout, program);
    return *made;
  }
  std::optional<AccessWalker> made;
};

void expectOnly(const Accesses &accesses, std::vector<Space> reads,
                std::vector<Space> writes) {
  for (uint32_t i = 0; i < spaceCount; ++i) {
    bool read = std::count(reads.begin(), reads.end(), Space(i)) != 0;
    bool write = std::count(writes.begin(), writes.end(), Space(i)) != 0;
    EXPECT_EQ(!accesses.reads[i].empty(), read) << toString(Space(i));
    EXPECT_EQ(!accesses.writes[i].empty(), write) << toString(Space(i));
  }
}

TEST_F(Accessing, LoadReadsElementsAndFillsPaddingToo) {
  Load load;
  load.memory = Memory::Inp;
  load.sram = 10, load.dram = 100;
  load.ySize = 2, load.xSize = 3, load.yStride = 20, load.xStride = 4;
  load.padTop = 1, load.padLeft = 1, load.padBottom = 2;
  Accesses a = accesses(load);
  expectOnly(a, {Space::Dram}, {Space::Inp});
  // 5 rows of 4 columns.
  EXPECT_THAT(a.writesOf(Space::Inp), ElementsAre(Interval{10, 30}));
  EXPECT_THAT(a.readsOf(Space::Dram),
              ElementsAre(Interval{800, 816}, Interval{832, 848},
                          Interval{864, 880}, Interval{960, 976},
                          Interval{992, 1008}, Interval{1024, 1040}));
}

TEST_F(Accessing, RowsThatTouchAreOneIntervalAndOverlapsCountOnce) {
  Load load;
  load.memory = Memory::Inp;
  load.dram = 7;
  load.ySize = 3, load.xSize = 4, load.yStride = 8, load.xStride = 2;
  EXPECT_THAT(accesses(load).readsOf(Space::Dram),
              ElementsAre(Interval{56, 56 + 3 * 64}));
  load.yStride = 2; // each row begins at the second element of the one before
  EXPECT_THAT(accesses(load).readsOf(Space::Dram),
              ElementsAre(Interval{56, 56 + 6 * 16}));
  load.xStride = 0;
  load.yStride = 100;
  EXPECT_THAT(
      accesses(load).readsOf(Space::Dram),
      ElementsAre(Interval{56, 72}, Interval{856, 872}, Interval{1656, 1672}));
}

TEST_F(Accessing, BytesOfAnElementDependOnTheMemory) {
  Load load;
  load.ySize = load.xSize = 1;
  const std::tuple<Memory, Space, uint64_t> cases[] = {
      {Memory::Wgt, Space::Wgt, 256}, {Memory::Dwt, Space::Dwt, 16},
      {Memory::Acc, Space::Acc, 64},  {Memory::Acc8, Space::Acc, 16},
      {Memory::Prm, Space::Prm, 144}, {Memory::Inp, Space::Inp, 16}};
  for (auto [memory, space, bytes] : cases) {
    load.memory = memory;
    load.sram = 3;
    Accesses a = accesses(load);
    expectOnly(a, {Space::Dram}, {space});
    EXPECT_THAT(a.readsOf(Space::Dram), ElementsAre(Interval{0, bytes}));
    EXPECT_THAT(a.writesOf(space), ElementsAre(Interval{3, 4}));
  }
}

TEST_F(Accessing, MicroOpsCountSingly) {
  Accesses a = accesses(loadUops(Memory::UopGemm, 3, 64, 2));
  expectOnly(a, {Space::Dram}, {Space::UopGemm});
  EXPECT_THAT(a.writesOf(Space::UopGemm), ElementsAre(Interval{6, 10}));
  EXPECT_THAT(a.readsOf(Space::Dram), ElementsAre(Interval{64, 80}));
}

TEST_F(Accessing, StoreReadsOutAndWritesDram) {
  Store store;
  store.sram = 5, store.dram = 1000;
  store.ySize = 2, store.xSize = 2, store.yStride = 50, store.xStride = 6;
  Accesses a = accesses(store);
  expectOnly(a, {Space::Out}, {Space::Dram});
  EXPECT_THAT(a.readsOf(Space::Out), ElementsAre(Interval{5, 9}));
  EXPECT_THAT(a.writesOf(Space::Dram),
              ElementsAre(Interval{8000, 8016}, Interval{8048, 8064},
                          Interval{8400, 8416}, Interval{8448, 8464}));
}

TEST_F(Accessing, GemmFollowsMicroOpsLoopsAndBase) {
  image(4096, {{9, 9, 9}, {0, 0, 5}, {0, 2, 6}, {9, 9, 9}}, true);
  accesses(loadUops(Memory::UopGemm, 10, 4096, 2)); // micro-ops 20 to 23
  Gemm gemm = loop<Gemm>(21, 2, 2, 2);
  gemm.first = 1;
  gemm.dstOuter = 3, gemm.dstInner = 1;
  gemm.srcOuter = 10, gemm.srcInner = 1;
  gemm.thirdOuter = 20;
  Accesses a = accesses(gemm);
  expectOnly(a, {Space::UopGemm, Space::Inp, Space::Wgt}, {Space::Acc});
  EXPECT_THAT(a.readsOf(Space::UopGemm), ElementsAre(Interval{21, 23}));
  EXPECT_THAT(a.readsOf(Space::Inp),
              ElementsAre(Interval{0, 4}, Interval{10, 14}));
  EXPECT_THAT(a.readsOf(Space::Wgt),
              ElementsAre(Interval{5, 7}, Interval{25, 27}));
  EXPECT_THAT(a.writesOf(Space::Acc),
              ElementsAre(Interval{0, 2}, Interval{3, 5}));

  accesses(set(Engine::Gemm, uint32_t(GemmRegister::GemmBase),
               encodeGemmUop(layout, {100, 200, 300})));
  gemm.first = 0;
  a = accesses(gemm);
  EXPECT_THAT(a.readsOf(Space::Acc),
              ElementsAre(Interval{100, 102}, Interval{103, 105}));
  EXPECT_EQ(a.readsOf(Space::Acc), a.writesOf(Space::Acc));
  EXPECT_THAT(a.readsOf(Space::Inp),
              ElementsAre(Interval{200, 204}, Interval{210, 214}));
  EXPECT_THAT(a.readsOf(Space::Wgt),
              ElementsAre(Interval{305, 307}, Interval{325, 327}));
}

TEST_F(Accessing, ALaunchResetsRegistersAndKeepsMicroOps) {
  image(0, {{1, 2, 3}, {4, 5, 6}}, true);
  accesses(loadUops(Memory::UopGemm, 0, 0, 1));
  accesses(set(Engine::Gemm, uint32_t(GemmRegister::GemmBase),
               encodeGemmUop(layout, {7, 0, 0})));
  Gemm gemm = loop<Gemm>(0, 1);
  EXPECT_THAT(accesses(gemm).writesOf(Space::Acc), ElementsAre(Interval{8, 9}));
  walker().startLaunch();
  EXPECT_THAT(accesses(gemm).writesOf(Space::Acc), ElementsAre(Interval{1, 2}));
}

TEST_F(Accessing, TheSecondRunOfADestinationReadsTheInstructionsOwnValue) {
  image(0, {{0, 0, 0}, {1, 1, 1}}, true);
  accesses(loadUops(Memory::UopGemm, 0, 0, 1));
  Gemm gemm = loop<Gemm>(0, 2, 3); // acc 0, 1, 0, 1, 0, 1
  Accesses a = accesses(gemm);
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{0, 2}));
  gemm.first = 1;
  a = accesses(gemm);
  EXPECT_THAT(a.readsOf(Space::Acc), IsEmpty());
  EXPECT_THAT(a.writesOf(Space::Acc), ElementsAre(Interval{0, 2}));
}

class AluAccessing : public Accessing {
protected:
  AluAccessing() {
    image(0, {{1, 0, 8}, {2, 1, 9}}, false);
    image(64, {{7, 7, 0}, {7, 8, 0}}, false);
    EXPECT_TRUE(walker().next(loadUops(Memory::UopAlu, 0, 0, 1)).ok());
  }
  Alu alu(AluOp op, Operand operand, Target target = Target::Acc) const {
    Alu in = loop<Alu>(0, 2);
    in.op = op, in.operand = operand, in.target = target;
    return in;
  }
};

TEST_F(AluAccessing, AChainReadsOnlyWhatWasThereBefore) {
  // acc[1] = acc[0] + b; acc[2] = acc[1] + b
  Accesses a = accesses(alu(AluOp::Add, Operand::Immediate));
  expectOnly(a, {Space::UopAlu, Space::Acc}, {Space::Acc});
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{0, 1}));
  EXPECT_THAT(a.writesOf(Space::Acc), ElementsAre(Interval{1, 3}));
}

TEST_F(AluAccessing, OperandsFollowTheOperation) {
  // acc[1] -= acc[0]; acc[2] -= acc[1]
  Accesses a = accesses(alu(AluOp::Sub, Operand::Acc));
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{0, 3}));
  // acc[1] = acc[0]; acc[2] = acc[1]
  a = accesses(alu(AluOp::Mov, Operand::Acc));
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{0, 1}));
  a = accesses(alu(AluOp::Mov, Operand::Immediate));
  expectOnly(a, {Space::UopAlu}, {Space::Acc});
  a = accesses(alu(AluOp::Clamp, Operand::Immediate));
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{0, 1}));
}

TEST_F(AluAccessing, ARunReadsItsDestinationUnlessItIsFirst) {
  // One run of acc[7]: max over acc[7], acc[8].
  accesses(loadUops(Memory::UopAlu, 5, 64, 1));
  Alu in = loop<Alu>(10, 2);
  in.op = AluOp::Max, in.operand = Operand::Acc, in.first = 1;
  Accesses a = accesses(in);
  // acc[7] is a source, with the value from before the run.
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{7, 9}));
  EXPECT_THAT(a.writesOf(Space::Acc), ElementsAre(Interval{7, 8}));
  in = alu(AluOp::Mac, Operand::Immediate); // acc[1] += acc[0] * dwt[8], ...
  a = accesses(in);
  expectOnly(a, {Space::UopAlu, Space::Acc, Space::Dwt}, {Space::Acc});
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{0, 3}));
  EXPECT_THAT(a.readsOf(Space::Dwt), ElementsAre(Interval{8, 10}));
  in.first = 1; // acc[1] is written before the second run reads it
  EXPECT_THAT(accesses(in).readsOf(Space::Acc), ElementsAre(Interval{0, 1}));
}

TEST_F(AluAccessing, QuantReadsParametersAndWritesItsTarget) {
  Accesses a = accesses(alu(AluOp::Quant, Operand::Immediate, Target::Out));
  expectOnly(a, {Space::UopAlu, Space::Acc, Space::Prm}, {Space::Out});
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{0, 2}));
  EXPECT_THAT(a.readsOf(Space::Prm), ElementsAre(Interval{8, 10}));
  EXPECT_THAT(a.writesOf(Space::Out), ElementsAre(Interval{1, 3}));
  a = accesses(alu(AluOp::Quant, Operand::Immediate, Target::Inp));
  EXPECT_THAT(a.writesOf(Space::Inp), ElementsAre(Interval{1, 3}));
}

TEST_F(AluAccessing, QuantAddsOperandWrapsAroundAcc) {
  accesses(set(Engine::Alu, uint32_t(AluRegister::OperandOffset), 2045));
  accesses(set(Engine::Alu, uint32_t(AluRegister::AluBase),
               encodeAluUop(layout, {0, 5, 0})));
  Accesses a = accesses(alu(AluOp::QuantAdd, Operand::Immediate, Target::Out));
  // Sources 5 and 6, operands 2050 and 2051 modulo 2048.
  EXPECT_THAT(a.readsOf(Space::Acc),
              ElementsAre(Interval{2, 4}, Interval{5, 7}));
}

TEST_F(Accessing, WideIntervalsCrossWords) {
  image(0, {{0, 0, 0}, {0, 0, 0}}, true);
  accesses(loadUops(Memory::UopGemm, 0, 0, 1));
  Gemm gemm = loop<Gemm>(0, 1, 1, 200);
  gemm.srcInner = 1, gemm.dstInner = 1, gemm.thirdInner = 2;
  accesses(set(Engine::Gemm, uint32_t(GemmRegister::GemmBase),
               encodeGemmUop(layout, {64, 63, 0})));
  Accesses a = accesses(gemm);
  EXPECT_THAT(a.readsOf(Space::Inp), ElementsAre(Interval{63, 263}));
  EXPECT_THAT(a.writesOf(Space::Acc), ElementsAre(Interval{64, 264}));
  EXPECT_EQ(a.readsOf(Space::Wgt).size(), 200u);
  EXPECT_EQ(a.readsOf(Space::Wgt).back(), (Interval{398, 399}));
}

// Iterations are not walked: these would take hours.
TEST_F(Accessing, LoopsOfAnyLengthAreCheap) {
  std::vector<MicroOp> uops(2000, MicroOp{3, 4, 5});
  image(0, uops, true);
  image(8192, uops, false);
  accesses(loadUops(Memory::UopGemm, 0, 0, 1000));
  accesses(loadUops(Memory::UopAlu, 0, 8192, 1000));
  Gemm gemm = loop<Gemm>(0, 2000, 4095, 4095);
  gemm.first = 1;
  for (int i = 0; i < 100; ++i) {
    Accesses a = accesses(gemm);
    EXPECT_THAT(a.readsOf(Space::Inp), ElementsAre(Interval{4, 5}));
    EXPECT_THAT(a.writesOf(Space::Acc), ElementsAre(Interval{3, 4}));
  }
  // Reads of its own results count as read there: acc[3] = acc[4] + 0, ...
  Alu alu = loop<Alu>(0, 2000, 4095, 1000);
  alu.op = AluOp::Add;
  alu.dstInner = alu.srcInner = 1;
  Accesses a = accesses(alu);
  EXPECT_THAT(a.readsOf(Space::Acc), ElementsAre(Interval{4, 1004}));
  EXPECT_THAT(a.writesOf(Space::Acc), ElementsAre(Interval{3, 1003}));
}

TEST_F(Accessing, ErrorsSayWhatAndLeaveNothingBehind) {
  image(0, {{2000, 2040, 1000}, {0, 0, 0}}, true);
  Gemm gemm = loop<Gemm>(0, 1);
  EXPECT_THAT(error(gemm), HasSubstr("uop_gemm[0], which has never been"));
  accesses(loadUops(Memory::UopGemm, 0, 0, 1));
  gemm.innerCount = 9;
  gemm.srcInner = 1;
  EXPECT_THAT(error(gemm), HasSubstr("src reaches inp[2048], but there are"));
  gemm.srcInner = 0, gemm.dstInner = 6;
  EXPECT_THAT(error(gemm), HasSubstr("dst reaches acc[2048]"));
  gemm.dstInner = 0, gemm.thirdInner = 3;
  EXPECT_THAT(error(gemm), HasSubstr("third reaches wgt[1024]"));
  gemm.uopBegin = 2047, gemm.uopCount = 2;
  EXPECT_THAT(error(gemm), HasSubstr("uop_gemm[2048]"));
  gemm = loop<Gemm>(1, 1);
  gemm.first = 1;
  Accesses a = accesses(gemm);
  EXPECT_THAT(a.readsOf(Space::UopGemm), ElementsAre(Interval{1, 2}));
  EXPECT_THAT(a.readsOf(Space::Inp), ElementsAre(Interval{0, 1}));

  Load load;
  load.memory = Memory::Prm;
  load.sram = 510;
  load.ySize = 1, load.xSize = 3, load.xStride = 18;
  EXPECT_THAT(error(load), HasSubstr("prm[512], but there are 512"));
  load.sram = 0, load.dram = (1 << 17) - 18 * 2;
  EXPECT_THAT(error(load), HasSubstr("dram[1048719], but there are 1048576"));
  Store store;
  store.sram = 2047, store.ySize = 2, store.xSize = 1;
  EXPECT_THAT(error(store), HasSubstr("out[2048]"));
}

TEST_F(Accessing, MicroOpsMustComeFromTheImage) {
  std::vector<MicroOp> uops;
  for (uint32_t i = 0; i < 8; ++i)
    uops.push_back({0, 0, i});
  image(0, uops, true);
  accesses(loadUops(Memory::UopGemm, 0, 0, 5)); // the last line is not there
  EXPECT_THAT(accesses(loop<Gemm>(7, 1)).readsOf(Space::Wgt),
              ElementsAre(Interval{7, 8}));
  EXPECT_THAT(error(loop<Gemm>(8, 1)), HasSubstr("does not define"));
  Store store;
  store.ySize = store.xSize = 1;
  store.dram = 1; // bytes 8 to 23
  accesses(store);
  accesses(loadUops(Memory::UopGemm, 0, 0, 4));
  for (uint32_t i : {1, 6})
    EXPECT_THAT(accesses(loop<Gemm>(i, 1)).readsOf(Space::Wgt),
                ElementsAre(Interval{i, i + 1}));
  for (uint32_t i : {2, 3, 4, 5})
    EXPECT_THAT(error(loop<Gemm>(i, 1)), HasSubstr("does not define"));
}

// The second of a line's two micro-ops lacks its last byte.
TEST_F(Accessing, AMicroOpMustBeWholeInTheImage) {
  image(0, {{0, 0, 3}, {0, 0, 4}}, true);
  program.mutable_segments(0)->mutable_data()->pop_back();
  accesses(loadUops(Memory::UopGemm, 0, 0, 1));
  EXPECT_THAT(accesses(loop<Gemm>(0, 1)).readsOf(Space::Wgt),
              ElementsAre(Interval{3, 4}));
  EXPECT_THAT(error(loop<Gemm>(1, 1)), HasSubstr("does not define"));
}

} // namespace
} // namespace tenon::isa
