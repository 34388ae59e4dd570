// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/kernels.h"
#include "tests/unit/functional/support.h"

#include <algorithm>
#include <random>

namespace tenon::sim::functional {
namespace {

constexpr int32_t least = INT32_MIN, greatest = INT32_MAX;

class AluTest : public TinyTest {
protected:
  isa::Alu alu(isa::AluOp op, isa::Operand operand,
               std::vector<isa::MicroOp> uops, bool first = false) {
    std::copy(uops.begin(), uops.end(), state.uopAlu.begin());
    isa::Alu in;
    in.op = op;
    in.operand = operand;
    in.first = first;
    in.uopCount = uops.size();
    in.outerCount = in.innerCount = 1;
    return in;
  }
  absl::Status immediate(isa::AluOp op, int32_t value) {
    set(isa::AluRegister::Immediate, value);
    return execute(alu(op, isa::Operand::Immediate, {{1, 0, 0}}), state);
  }
  absl::Status operand(isa::AluOp op) {
    return execute(alu(op, isa::Operand::Acc, {{1, 0, 0}}), state);
  }
};

TEST_F(AluTest, MovesAnImmediate) {
  ASSERT_TRUE(immediate(isa::AluOp::Mov, -7).ok());
  EXPECT_THAT(acc(1), ElementsAre(-7, -7, -7, -7));
}

TEST_F(AluTest, MovesAnOperand) {
  setAcc(0, {1, least, -3, greatest});
  ASSERT_TRUE(operand(isa::AluOp::Mov).ok());
  EXPECT_THAT(acc(1), ElementsAre(1, least, -3, greatest));
}

TEST_F(AluTest, AddsAndWraps) {
  setAcc(0, {1, greatest, -3, least});
  ASSERT_TRUE(immediate(isa::AluOp::Add, 5).ok());
  EXPECT_THAT(acc(1), ElementsAre(6, least + 4, 2, least + 5));
  setAcc(1, {10, 1, -20, -1});
  ASSERT_TRUE(operand(isa::AluOp::Add).ok());
  EXPECT_THAT(acc(1), ElementsAre(11, least, -23, greatest));
}

TEST_F(AluTest, SubtractsTheSecondOperand) {
  setAcc(0, {1, 2, -3, least});
  ASSERT_TRUE(immediate(isa::AluOp::Sub, 5).ok());
  EXPECT_THAT(acc(1), ElementsAre(-4, -3, -8, greatest - 4));
  setAcc(1, {10, 20, -30, 0});
  ASSERT_TRUE(operand(isa::AluOp::Sub).ok());
  EXPECT_THAT(acc(1), ElementsAre(9, 18, -27, least));
}

TEST_F(AluTest, MinAndMaxAreSigned) {
  setAcc(0, {1, greatest, -9, least});
  ASSERT_TRUE(immediate(isa::AluOp::Min, 3).ok());
  EXPECT_THAT(acc(1), ElementsAre(1, 3, -9, least));
  ASSERT_TRUE(immediate(isa::AluOp::Max, -2).ok());
  EXPECT_THAT(acc(1), ElementsAre(1, greatest, -2, -2));
  setAcc(1, {2, 5, -10, 7});
  ASSERT_TRUE(operand(isa::AluOp::Min).ok());
  EXPECT_THAT(acc(1), ElementsAre(1, 5, -10, least));
  ASSERT_TRUE(operand(isa::AluOp::Max).ok());
  EXPECT_THAT(acc(1), ElementsAre(1, greatest, -9, least));
}

TEST_F(AluTest, MultipliesToTheLow32Bits) {
  setAcc(0, {3, 65536, -9, least});
  ASSERT_TRUE(immediate(isa::AluOp::Mul, 65537).ok());
  // 65536 * 65537 = 2^32 + 65536; -2^31 * 65537 = -2^47 - 2^31.
  EXPECT_THAT(acc(1), ElementsAre(196611, 65536, -589833, least));
  setAcc(1, {-4, 32768, 7, 3});
  ASSERT_TRUE(operand(isa::AluOp::Mul).ok());
  EXPECT_THAT(acc(1), ElementsAre(-12, least, -63, least));
}

TEST_F(AluTest, Shifts) {
  setAcc(0, {5, -5, greatest, least});
  ASSERT_TRUE(immediate(isa::AluOp::Shl, 1).ok());
  EXPECT_THAT(acc(1), ElementsAre(10, -10, -2, 0));
  ASSERT_TRUE(immediate(isa::AluOp::Shr, 1).ok());
  EXPECT_THAT(acc(1), ElementsAre(2, -3, 1073741823, -1073741824));
  ASSERT_TRUE(immediate(isa::AluOp::Shrr, 1).ok());
  // (2^31 - 1 + 1) >> 1 needs the 33rd bit.
  EXPECT_THAT(acc(1), ElementsAre(3, -2, 1073741824, -1073741824));
  ASSERT_TRUE(immediate(isa::AluOp::Shrr, 0).ok());
  EXPECT_THAT(acc(1), ElementsAre(5, -5, greatest, least));
  ASSERT_TRUE(immediate(isa::AluOp::Shr, 31).ok());
  EXPECT_THAT(acc(1), ElementsAre(0, -1, 0, -1));
}

TEST_F(AluTest, RefusesShiftsOutOfRange) {
  for (isa::AluOp op : {isa::AluOp::Shl, isa::AluOp::Shr, isa::AluOp::Shrr})
    for (int32_t amount : {-1, 32})
      EXPECT_THAT(immediate(op, amount).message(),
                  HasSubstr("it must be 0 to 31"));
}

TEST_F(AluTest, ClampsFromBothSides) {
  setAcc(0, {5, -5, 100, -100});
  set(isa::AluRegister::ClampMin, -20);
  set(isa::AluRegister::ClampMax, 30);
  ASSERT_TRUE(
      execute(alu(isa::AluOp::Clamp, isa::Operand::Immediate, {{1, 0, 0}}),
              state)
          .ok());
  EXPECT_THAT(acc(1), ElementsAre(5, -5, 30, -20));
}

TEST_F(AluTest, MacMultipliesByTheTapMinusItsZeroPoint) {
  setAcc(0, {255, -256, 3, 4});
  setAcc(1, {1000, 2000, 3000, 4000});
  std::vector<int8_t> taps = {-128, 127, 5, -6};
  std::copy(taps.begin(), taps.end(), state.dwt.begin() + 2 * 4);
  set(isa::AluRegister::DwtZeroPoint, -7);
  isa::Alu mac = alu(isa::AluOp::Mac, isa::Operand::Immediate, {{1, 0, 2}});
  ASSERT_TRUE(execute(mac, state).ok());
  // Taps minus the zero point: -121, 134, 12, 1.
  EXPECT_THAT(acc(1), ElementsAre(1000 - 30855, 2000 - 34304, 3036, 4004));
  mac.first = 1;
  ASSERT_TRUE(execute(mac, state).ok());
  EXPECT_THAT(acc(1), ElementsAre(-30855, -34304, 36, 4));
}

TEST_F(AluTest, MacRefusesOperandsOfMoreThanNineBits) {
  setAcc(0, {1, 2, 256, 4});
  std::fill_n(state.dwt.begin(), 4, int8_t(-128));
  isa::Alu mac = alu(isa::AluOp::Mac, isa::Operand::Immediate, {{1, 0, 0}});
  EXPECT_THAT(execute(mac, state).message(),
              HasSubstr("ACC[0] lane 2 is 256 in iteration (outer 0, inner 0, "
                        "micro-op 0); it must fit 9 signed bits"));
  setAcc(0, {1, 2, 3, -257});
  EXPECT_THAT(execute(mac, state).message(), HasSubstr("lane 3 is -257"));
  setAcc(0, {1, 2, 3, 4});
  set(isa::AluRegister::DwtZeroPoint, 200);
  EXPECT_THAT(execute(mac, state).message(),
              HasSubstr("DWT[0] lane 0 minus the zero point 200 is -328"));
}

// Runs: the same destination in consecutive iterations keeps the running value,
// and a source that names it reads what was there before.
TEST_F(AluTest, ReadsWhatWasBeforeTheRun) {
  setAcc(0, {1, 2, 3, 4});
  setAcc(1, {10, 20, 30, 40});
  ASSERT_TRUE(execute(alu(isa::AluOp::Add, isa::Operand::Acc,
                          {{1, 0, 0}, {1, 1, 0}, {1, 0, 0}}),
                      state)
                  .ok());
  // 10 + 1 + 10 (not 11) + 1.
  EXPECT_THAT(acc(1), ElementsAre(22, 44, 66, 88));
}

TEST_F(AluTest, AnInterruptedRunIsWrittenAndReadAgain) {
  setAcc(0, {1, 2, 3, 4});
  setAcc(1, {10, 20, 30, 40});
  setAcc(2, {100, 200, 300, 400});
  ASSERT_TRUE(execute(alu(isa::AluOp::Add, isa::Operand::Acc,
                          {{1, 0, 0}, {2, 1, 0}, {1, 1, 0}}),
                      state)
                  .ok());
  EXPECT_THAT(acc(2), ElementsAre(111, 222, 333, 444));
  EXPECT_THAT(acc(1), ElementsAre(22, 44, 66, 88));
}

TEST_F(AluTest, FirstStartsFromTheFirstOperand) {
  setAcc(0, {1, -2, 3, 4});
  setAcc(1, {1000, 1000, 1000, 1000});
  setAcc(3, {-5, 7, 0, 9});
  ASSERT_TRUE(execute(alu(isa::AluOp::Max, isa::Operand::Acc,
                          {{1, 0, 0}, {1, 3, 0}}, true),
                      state)
                  .ok());
  EXPECT_THAT(acc(1), ElementsAre(1, 7, 3, 9));
}

TEST_F(AluTest, EachRunWithFirstStartsAnew) {
  setAcc(0, {1, 2, 3, 4});
  setAcc(3, {10, 20, 30, 40});
  isa::Alu sum =
      alu(isa::AluOp::Add, isa::Operand::Acc, {{5, 0, 0}, {5, 3, 0}}, true);
  sum.outerCount = 2; // the destination moves to 6, then src to 1 and 4
  sum.dstOuter = 1;
  sum.srcOuter = 1;
  setAcc(1, {5, 6, 7, 8});
  setAcc(4, {50, 60, 70, 80});
  ASSERT_TRUE(execute(sum, state).ok());
  EXPECT_THAT(acc(5), ElementsAre(11, 22, 33, 44));
  EXPECT_THAT(acc(6), ElementsAre(55, 66, 77, 88));
}

TEST_F(AluTest, OtherOperationsAreCompleteInEachIteration) {
  setAcc(0, {1, 2, 3, 4});
  setAcc(1, {10, 20, 30, 40});
  ASSERT_TRUE(
      execute(alu(isa::AluOp::Mul, isa::Operand::Acc, {{1, 0, 0}, {1, 1, 0}}),
              state)
          .ok());
  EXPECT_THAT(acc(1), ElementsAre(100, 1600, 8100, 25600));
}

TEST_F(AluTest, AddsTheBaseAndTheSteps) {
  for (uint32_t i = 0; i < 32; ++i)
    setAcc(i, {int32_t(i), 0, 0, int32_t(1000 + i)});
  isa::MicroOp base{20, 2, 0};
  set(isa::AluRegister::AluBase,
      int32_t(isa::encodeAluUop(state.layout, base)));
  isa::Alu in = alu(isa::AluOp::Mov, isa::Operand::Acc, {{1, 1, 0}});
  in.outerCount = 2;
  in.innerCount = 3;
  in.dstOuter = 4;
  in.dstInner = 1;
  in.srcOuter = 1;
  in.srcInner = 5;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_EQ(acc(21)[0], 3);
  EXPECT_EQ(acc(22)[0], 8);
  EXPECT_EQ(acc(23)[3], 1013);
  EXPECT_EQ(acc(25)[0], 4);
  EXPECT_EQ(acc(26)[0], 9);
  EXPECT_EQ(acc(27)[0], 14);
  EXPECT_EQ(acc(24)[0], 24);
}

TEST_F(AluTest, NamesTheFirstIterationOutOfBounds) {
  uint32_t entries = state.layout.config.acc_entries();
  isa::Alu in = alu(isa::AluOp::Mov, isa::Operand::Acc,
                    {{entries - 2, 0, 0}, {entries - 3, 0, 0}});
  in.innerCount = 3;
  in.dstInner = 1;
  EXPECT_EQ(execute(in, state).message(),
            absl::StrCat("dst is ACC[", entries,
                         "] in iteration (outer 0, inner 2, micro-op 0), but "
                         "ACC has ",
                         entries, " entries"));
  in.srcInner = entries - 1;
  in.dstInner = 0;
  EXPECT_THAT(execute(in, state).message(), HasSubstr("src is ACC["));
  // Three micro-ops, two inner and two outer iterations: all of them count.
  in = alu(isa::AluOp::Mov, isa::Operand::Acc,
           {{0, 0, 0}, {entries - 6, 0, 0}, {1, 0, 0}});
  in.outerCount = in.innerCount = 2;
  in.dstOuter = 4;
  in.dstInner = 2;
  EXPECT_THAT(execute(in, state).message(),
              HasSubstr("in iteration (outer 1, inner 1, micro-op 1), but"));
}

TEST_F(AluTest, RefusesMicroOpsThatWereNotLoaded) {
  isa::Alu in = alu(isa::AluOp::Mov, isa::Operand::Acc, {{1, 0, 0}});
  in.uopCount = 2;
  EXPECT_EQ(execute(in, state).message(), "micro-op 1 has never been loaded");
  in.uopBegin = state.layout.config.uop_entries() - 1;
  EXPECT_THAT(execute(in, state).message(), HasSubstr("micro-ops "));
}

// Every kernel against the operations written down once more, in sizes with and
// without a kernel of their own; two micro-ops share a destination.
TEST(AluKernels, AgreeWithTheText) {
  const std::pair<uint32_t, uint32_t> sizes[] = {
      {1, 16}, {1, 4}, {1, 64}, {3, 8}};
  for (const auto &size : sizes) {
    const uint32_t batch = size.first, blockOut = size.second;
    uint32_t lanes = batch * blockOut;
    std::mt19937 random(batch * 100 + blockOut);
    auto narrow = [&] { return int32_t(random() % 512) - 256; };
    std::vector<int32_t> acc(8 * lanes), bias(2 * blockOut),
        multiplier(2 * blockOut), scratch(lanes);
    std::vector<int8_t> dwt(2 * blockOut), out(8 * lanes);
    std::vector<uint8_t> shift(2 * blockOut);
    std::vector<uint32_t> order(lanes);
    for (int32_t &value : acc)
      value = narrow();
    for (uint32_t i = 0; i < 2 * blockOut; ++i) {
      bias[i] = int32_t(random());
      multiplier[i] = int32_t(random());
      shift[i] = 2 + random() % 61;
      dwt[i] = int8_t(random());
    }
    for (uint32_t l = 0; l < lanes; ++l)
      order[l] = (l * 5 + 3) % lanes; // 5 and lanes have no common factor
    std::vector<Indices> uops = {{6, 0, 0}, {6, 1, 1}, {7, 2, 1}};

    AluWork work{};
    work.uops = uops.data();
    work.uopCount = uops.size();
    work.outerCount = work.innerCount = 1;
    work.batch = batch;
    work.blockOut = blockOut;
    work.lanes = lanes;
    work.dwt = dwt.data();
    work.tapZeroPoint = 3;
    work.bias = bias.data();
    work.multiplier = multiplier.data();
    work.shift = shift.data();
    work.byteOfLane = order.data();
    work.zeroPoint = 5;
    work.low = -100;
    work.high = 90;
    work.offset = 6;
    work.accMask = 7;
    work.addShift = 20;
    work.addendLow = -128;
    work.addendHigh = 127;
    work.addendScale = 12345;
    work.operandScale = -23456;
    work.scratch = scratch.data();

    auto at = [&](uint32_t entry, uint32_t lane) {
      return acc[entry * lanes + lane];
    };
    auto scaled = [&](uint32_t src, uint32_t third, uint32_t lane) {
      uint32_t p = third * blockOut + lane % blockOut;
      int64_t biased = int32_t(uint32_t(at(src, lane)) + uint32_t(bias[p]));
      __int128 sum =
          __int128(biased) * multiplier[p] + (__int128(1) << (shift[p] - 1));
      return int32_t(uint32_t(uint64_t(sum >> shift[p])));
    };
    auto finished = [&](int32_t value) {
      int32_t moved = int32_t(uint32_t(value) + 5u);
      return int8_t(std::clamp(moved, -100, 90));
    };
    for (const AluVariant &variant : aluVariants(batch, blockOut)) {
      SCOPED_TRACE(variant.name);
      auto run = [&](AluKernel kernel, std::vector<int32_t> &memory) {
        memory = acc;
        work.acc = memory.data();
        return kernel(work);
      };
      std::vector<int32_t> memory;
      ASSERT_EQ(run(variant.kernels.mac, memory), 3u);
      for (uint32_t l = 0; l < lanes; ++l) {
        auto tap = [&](uint32_t t) {
          return dwt[t * blockOut + l % blockOut] - 3;
        };
        EXPECT_EQ(memory[6 * lanes + l],
                  at(6, l) + at(0, l) * tap(0) + at(1, l) * tap(1));
        EXPECT_EQ(memory[7 * lanes + l], at(7, l) + at(2, l) * tap(1));
      }
      work.first = true;
      ASSERT_EQ(run(variant.kernels.greatest, memory), 3u);
      for (uint32_t l = 0; l < lanes; ++l)
        EXPECT_EQ(memory[6 * lanes + l], std::max(at(0, l), at(1, l)));
      ASSERT_EQ(run(variant.kernels.least, memory), 3u);
      for (uint32_t l = 0; l < lanes; ++l)
        EXPECT_EQ(memory[6 * lanes + l], std::min(at(0, l), at(1, l)));
      work.first = false;
      ASSERT_EQ(run(variant.kernels.add, memory), 3u);
      for (uint32_t l = 0; l < lanes; ++l)
        EXPECT_EQ(memory[6 * lanes + l], at(6, l) + at(0, l) + at(1, l));

      work.bytes = out.data();
      ASSERT_EQ(run(variant.kernels.quant, memory), 3u);
      for (uint32_t l = 0; l < lanes; ++l) {
        EXPECT_EQ(out[6 * lanes + order[l]], finished(scaled(1, 1, l)));
        EXPECT_EQ(out[7 * lanes + order[l]], finished(scaled(2, 1, l)));
      }
      ASSERT_EQ(run(variant.kernels.quantAdd, memory), 3u);
      for (uint32_t l = 0; l < lanes; ++l) {
        int64_t sum = int64_t(std::clamp(scaled(2, 1, l), -128, 127)) * 12345 +
                      int64_t(at(0, l)) * -23456 + (1 << 19);
        EXPECT_EQ(out[7 * lanes + order[l]], finished(int32_t(sum >> 20)));
      }
      work.bytes = nullptr;

      // What breaks a rule is named by its iteration, and ACC is as it was.
      std::vector<int32_t> good = acc;
      acc[1 * lanes + lanes - 1] = 256;
      EXPECT_EQ(run(variant.kernels.mac, memory), 1u);
      EXPECT_EQ(memory, acc);
      acc = good;
      shift[2 * blockOut - 1] = 63;
      EXPECT_EQ(run(variant.kernels.quant, memory), 1u);
      shift[2 * blockOut - 1] = 2;
    }
  }
}

} // namespace
} // namespace tenon::sim::functional
