// Part of Tenon, under the Apache License v2.0.

#include "tests/unit/functional/support.h"

#include <random>

namespace tenon::sim::functional {
namespace {

// An independent definition: floor((v*m + 2^(s-1)) / 2^s) modulo 2^32 in 128
// bits, without shifts of negative numbers.
int32_t rescaleByDivision(int32_t value, int32_t multiplier, uint32_t shift) {
  __int128 divisor = __int128(1) << shift;
  __int128 sum = __int128(value) * multiplier + divisor / 2;
  __int128 quotient = sum / divisor;
  if (sum % divisor < 0)
    --quotient;
  __int128 modulus = __int128(1) << 32;
  __int128 low = (quotient % modulus + modulus) % modulus;
  return int32_t(low >= modulus / 2 ? low - modulus : low);
}

TEST(Rescale, EqualsDivisionAtTheExtremes) {
  const int32_t values[] = {INT32_MIN, INT32_MIN + 1, -65537,   -2, -1, 0, 1,
                            2,         65535,         INT32_MAX};
  for (int32_t value : values)
    for (int32_t multiplier : values)
      for (uint32_t shift = 2; shift <= 62; ++shift)
        ASSERT_EQ(rescale(value, multiplier, shift),
                  rescaleByDivision(value, multiplier, shift))
            << value << " * " << multiplier << " >> " << shift;
}

TEST(Rescale, EqualsDivisionOnRandomValues) {
  std::mt19937_64 random(20);
  for (int i = 0; i < 100000; ++i) {
    int32_t value = int32_t(random() >> (random() % 32));
    int32_t multiplier = int32_t(random() >> (random() % 32));
    uint32_t shift = 2 + random() % 61;
    ASSERT_EQ(rescale(value, multiplier, shift),
              rescaleByDivision(value, multiplier, shift))
        << value << " * " << multiplier << " >> " << shift;
  }
}

class QuantTest : public TinyTest {
protected:
  isa::Alu quant(isa::AluOp op, isa::Target target, isa::MicroOp uop) {
    state.uopAlu[0] = uop;
    isa::Alu in;
    in.op = op;
    in.target = target;
    in.uopCount = in.outerCount = in.innerCount = 1;
    return in;
  }
  void setPrm(uint32_t index, const Lanes &bias, const Lanes &multiplier,
              const Lanes &shift) {
    std::copy(bias.begin(), bias.end(), state.prm.bias.begin() + index * 4);
    std::copy(multiplier.begin(), multiplier.end(),
              state.prm.multiplier.begin() + index * 4);
    std::copy(shift.begin(), shift.end(), state.prm.shift.begin() + index * 4);
  }
};

TEST_F(QuantTest, HasItsOwnParametersInEveryLane) {
  setAcc(3, {100, -100, 7, 2000});
  setPrm(2, {10, 20, -8, 0}, {3, 5, 1, 1 << 30}, {2, 3, 2, 31});
  set(isa::AluRegister::OutputZeroPoint, -3);
  isa::Alu in = quant(isa::AluOp::Quant, isa::Target::Acc, {1, 3, 2});
  set(isa::AluRegister::ClampMin, INT32_MIN);
  set(isa::AluRegister::ClampMax, INT32_MAX);
  ASSERT_TRUE(execute(in, state).ok());
  // 110*3/4 = 82.5 up; -80*5/8 = -50; -1/4 = -0.25; 2000/2.
  EXPECT_THAT(acc(1), ElementsAre(83 - 3, -50 - 3, 0 - 3, 1000 - 3));
}

TEST_F(QuantTest, RoundsHalvesUp) {
  setAcc(3, {2, -2, 6, -6});
  setPrm(2, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2});
  isa::Alu in = quant(isa::AluOp::Quant, isa::Target::Acc, {1, 3, 2});
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(acc(1), ElementsAre(1, 0, 2, -1));
}

TEST_F(QuantTest, WritesClampedBytesToOut) {
  setAcc(0, {1000, -1000, 40, -44});
  setPrm(0, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2});
  isa::Alu in = quant(isa::AluOp::Quant, isa::Target::Out, {5, 0, 0});
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(bytes(state.out, 5), ElementsAre(127, -128, 10, -11));
}

TEST_F(QuantTest, WritesInp) {
  setAcc(0, {4, 8, 12, 16});
  setPrm(0, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2});
  isa::Alu in = quant(isa::AluOp::Quant, isa::Target::Inp, {6, 0, 0});
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(bytes(state.inp, 6), ElementsAre(1, 2, 3, 4));
}

TEST_F(QuantTest, KeepsLow8BitsWhereTheClampIsWider) {
  setAcc(0, {1020, -1032, 40, -44});
  setPrm(0, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2});
  set(isa::AluRegister::ClampMin, -1000);
  set(isa::AluRegister::ClampMax, 1000);
  isa::Alu in = quant(isa::AluOp::Quant, isa::Target::Out, {5, 0, 0});
  ASSERT_TRUE(execute(in, state).ok());
  // 255 and -258 in eight bits.
  EXPECT_THAT(bytes(state.out, 5), ElementsAre(-1, -2, 10, -11));
}

TEST_F(QuantTest, BiasAndZeroPointWrap) {
  setAcc(0, {INT32_MAX, INT32_MIN, 0, 1});
  setPrm(0, {1, -1, 0, 0}, {4, 4, 4, 4}, {2, 2, 2, 2});
  set(isa::AluRegister::ClampMin, INT32_MIN);
  set(isa::AluRegister::ClampMax, INT32_MAX);
  set(isa::AluRegister::OutputZeroPoint, INT32_MAX);
  isa::Alu in = quant(isa::AluOp::Quant, isa::Target::Acc, {1, 0, 0});
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(acc(1), ElementsAre(-1, -2, INT32_MAX, INT32_MIN));
}

TEST_F(QuantTest, RefusesIllegalShifts) {
  for (int32_t shift : {0, 1, 63, 255}) {
    setPrm(0, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 62, shift, 2});
    isa::Alu in = quant(isa::AluOp::Quant, isa::Target::Out, {5, 0, 0});
    EXPECT_EQ(execute(in, state).message(),
              absl::StrCat("the shift of PRM[0] lane 2 is ", shift,
                           " in iteration (outer 0, inner 0, micro-op 0); it "
                           "must be 2 to 62"));
  }
}

TEST_F(QuantTest, AddsARescaledOperand) {
  // q = (acc + 4) / 4, clamped to -10..50.
  setAcc(0, {36, 400, -400, 16});
  setPrm(1, {4, 4, 4, 4}, {1, 1, 1, 1}, {2, 2, 2, 2});
  setAcc(9, {20, -30, 255, -256});
  set(isa::AluRegister::AddendMin, -10);
  set(isa::AluRegister::AddendMax, 50);
  set(isa::AluRegister::OperandOffset, 9);
  set(isa::AluRegister::AddendScale, 6);
  set(isa::AluRegister::OperandScale, -2);
  set(isa::AluRegister::AddShift, 3);
  set(isa::AluRegister::OutputZeroPoint, 1);
  set(isa::AluRegister::ClampMin, -60);
  isa::Alu in = quant(isa::AluOp::QuantAdd, isa::Target::Out, {5, 0, 1});
  ASSERT_TRUE(execute(in, state).ok());
  // q: 10, 50, -10, 5. Sums: 60-40=20, 300+60=360, -60-510=-570, 30+512=542;
  // over 8, halves up: 2.5->3, 45, -71.25->-71, 67.75->68; plus 1, clamped.
  EXPECT_THAT(bytes(state.out, 5), ElementsAre(4, 46, -60, 69));
}

TEST_F(QuantTest, TheOperandMayStandInFrontOfTheSource) {
  uint32_t entries = state.layout.config.acc_entries();
  setAcc(9, {4, 8, 12, 16});
  setAcc(2, {1, 2, 3, 4});
  setPrm(0, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2});
  set(isa::AluRegister::OperandOffset, int32_t(entries - 7));
  set(isa::AluRegister::AddendScale, 4);
  set(isa::AluRegister::OperandScale, 40);
  isa::Alu in = quant(isa::AluOp::QuantAdd, isa::Target::Acc, {1, 9, 0});
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(acc(1), ElementsAre(11, 22, 33, 44));
}

TEST_F(QuantTest, ScalesOfTheSumMayNeedMoreThan32Bits) {
  setAcc(0, {1020, 1020, -1024, 1020});
  setPrm(0, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2});
  setAcc(1, {255, -256, -256, 255});
  int32_t greatest = (1 << 21) - 1;
  set(isa::AluRegister::AddendMin, -256);
  set(isa::AluRegister::AddendMax, 255);
  set(isa::AluRegister::OperandOffset, 1);
  set(isa::AluRegister::AddendScale, greatest);
  set(isa::AluRegister::OperandScale, greatest);
  set(isa::AluRegister::AddShift, 62);
  isa::Alu in = quant(isa::AluOp::QuantAdd, isa::Target::Acc, {2, 0, 0});
  ASSERT_TRUE(execute(in, state).ok());
  // The rounding term alone is 2^61: every sum is less than half.
  EXPECT_THAT(acc(2), ElementsAre(0, 0, 0, 0));
  set(isa::AluRegister::AddShift, 21);
  set(isa::AluRegister::ClampMin, -1000);
  set(isa::AluRegister::ClampMax, 1000);
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(acc(2), ElementsAre(510, -1, -512, 510));
}

TEST_F(QuantTest, RefusesAnOperandOfMoreThanNineBits) {
  setAcc(0, {4, 8, 12, 16});
  setPrm(0, {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2});
  set(isa::AluRegister::OperandOffset, 9);
  isa::Alu in = quant(isa::AluOp::QuantAdd, isa::Target::Out, {5, 0, 0});
  for (uint32_t lane = 0; lane < 4; ++lane) {
    std::vector<int32_t> operands = {1, 2, 3, 4};
    operands[lane] = 256;
    setAcc(9, operands);
    EXPECT_THAT(execute(in, state).message(),
                HasSubstr(absl::StrCat("the second operand, ACC[9] lane ", lane,
                                       " is 256")));
  }
}

TEST_F(QuantTest, RefusesAnIllegalShiftOfTheSum) {
  for (int32_t shift : {0, 1, 63}) {
    set(isa::AluRegister::AddShift, shift);
    isa::Alu in = quant(isa::AluOp::QuantAdd, isa::Target::Out, {5, 0, 0});
    EXPECT_EQ(
        execute(in, state).message(),
        absl::StrCat("register add_shift is ", shift, "; it must be 2 to 62"));
  }
}

TEST_F(QuantTest, ChecksTheBoundsOfItsTarget) {
  uint32_t entries = state.layout.config.out_entries();
  isa::Alu in = quant(isa::AluOp::Quant, isa::Target::Out, {entries, 0, 0});
  EXPECT_THAT(execute(in, state).message(),
              HasSubstr(absl::StrCat("dst is OUT[", entries, "]")));
  in = quant(isa::AluOp::Quant, isa::Target::Out,
             {0, 0, state.layout.config.prm_entries()});
  EXPECT_THAT(execute(in, state).message(), HasSubstr("third is PRM["));
}

// OUT is laid out [blockOut/B][batch][B]; parameters are by channel.
TEST(QuantShape, BatchAndPieces) {
  State state(layoutOf(shaped(2, 4, 8)));
  for (uint32_t o = 0; o < 8; ++o) {
    state.prm.bias[o] = 0;
    state.prm.multiplier[o] = 4;
    state.prm.shift[o] = 2;
    state.acc[o] = int32_t(o);
    state.acc[8 + o] = int32_t(o + 50);
  }
  state.uopAlu[0] = {0, 0, 0};
  isa::Alu in;
  in.op = isa::AluOp::Quant;
  in.target = isa::Target::Out;
  in.uopCount = in.outerCount = in.innerCount = 1;
  ASSERT_TRUE(execute(in, state).ok());
  EXPECT_THAT(Lanes(state.out.begin(), state.out.begin() + 16),
              ElementsAre(0, 1, 2, 3, 50, 51, 52, 53, //
                          4, 5, 6, 7, 54, 55, 56, 57));
}

} // namespace
} // namespace tenon::sim::functional
