// Part of Tenon, under the Apache License v2.0.
//
// Every undefined encoding is refused, by validate, encode and decode, with a
// message that says what was found and what is allowed.

#include "support.h"

#include "gmock/gmock.h"

namespace tenon::isa {
namespace {

using ::testing::HasSubstr;

/// Sets `width` bits at `offset`.
void put(std::vector<uint8_t> &bytes, FieldPosition field, uint64_t value) {
  for (uint32_t i = 0; i < field.width; ++i) {
    uint32_t bit = field.offset + i;
    bytes[bit / 8] &= uint8_t(~(1 << bit % 8));
    bytes[bit / 8] |= uint8_t((value >> i & 1) << bit % 8);
  }
}

Load load() {
  Load i;
  i.memory = Memory::Inp;
  i.ySize = i.xSize = 1;
  return i;
}
Store store() {
  Store i;
  i.ySize = i.xSize = 1;
  return i;
}
template <typename T> T loop() {
  T i;
  i.uopCount = i.outerCount = i.innerCount = 1;
  return i;
}
template <typename T, typename Change> Instruction with(T i, Change change) {
  change(i);
  return i;
}

Instruction alu(AluOp op, Operand operand, bool first = false,
                Target target = Target::Acc) {
  Alu i = loop<Alu>();
  i.op = op, i.operand = operand, i.first = first, i.target = target;
  return i;
}

Instruction set(Engine engine, uint32_t index, int64_t value) {
  Set i;
  i.engine = engine, i.index = index, i.value = uint32_t(value);
  return i;
}

std::vector<std::pair<Instruction, std::string>> undefinedInstructions() {
  return {
      {with(loop<Gemm>(), [](Gemm &i) { i.wait = 4; }),
       "gemm: bit 2 of wait is set, but there is no channel from store to "
       "gemm"},
      {with(loop<Gemm>(), [](Gemm &i) { i.signal = 4; }),
       "there is no channel from gemm to store"},
      {with(store(), [](Store &i) { i.wait = 2; }),
       "store: bit 1 of wait is set, but there is no channel from gemm to "
       "store"},
      {with(store(), [](Store &i) { i.signal = 2; }),
       "there is no channel from store to gemm"},
      {with(Set{}, [](Set &i) { i.engine = Engine::Gemm, i.signal = 4; }),
       "set: bit 2 of signal is set, but there is no channel from gemm to "
       "store"},
      {with(Set{}, [](Set &i) { i.engine = Engine::Store, i.wait = 2; }),
       "there is no channel from gemm to store"},
      {with(load(), [](Load &i) { i.ySize = 0; }),
       "load: y_size is 0, expected at least 1"},
      {with(load(), [](Load &i) { i.xSize = 0; }), "load: x_size is 0"},
      {with(store(), [](Store &i) { i.ySize = 0; }), "store: y_size is 0"},
      {with(store(), [](Store &i) { i.xSize = 0; }), "store: x_size is 0"},
      {with(loop<Gemm>(), [](Gemm &i) { i.uopCount = 0; }),
       "gemm: uop_count is 0"},
      {with(loop<Gemm>(), [](Gemm &i) { i.outerCount = 0; }),
       "gemm: outer_count is 0"},
      {with(loop<Gemm>(), [](Gemm &i) { i.innerCount = 0; }),
       "gemm: inner_count is 0"},
      {with(loop<Alu>(), [](Alu &i) { i.uopCount = 0; }),
       "alu: uop_count is 0"},
      {with(loop<Alu>(), [](Alu &i) { i.outerCount = 0; }),
       "alu: outer_count is 0"},
      {with(loop<Alu>(), [](Alu &i) { i.innerCount = 0; }),
       "alu: inner_count is 0"},
      {with(load(), [](Load &i) { i.memory = Memory::Wgt, i.padTop = 1; }),
       "load: padding into wgt; it is defined for inp, acc and acc8"},
      {with(load(), [](Load &i) { i.memory = Memory::Prm, i.padLeft = 1; }),
       "load: padding into prm"},
      {with(load(), [](Load &i) { i.memory = Memory::Dwt, i.padRight = 1; }),
       "load: padding into dwt"},
      {with(load(),
            [](Load &i) { i.memory = Memory::UopAlu, i.padBottom = 1; }),
       "load: padding into uop_alu"},
      {with(load(), [](Load &i) { i.padKind = Pad::Value; }),
       "load: pad_kind is value but there is no padding"},
      {alu(AluOp::Mov, Operand::Acc, true), "alu: first is 1, but mov"},
      {alu(AluOp::Sub, Operand::Acc, true), "alu: first is 1, but sub"},
      {alu(AluOp::Mul, Operand::Acc, true), "alu: first is 1, but mul"},
      {alu(AluOp::Add, Operand::Immediate, true),
       "alu: first is 1, but add with operand immediate does not reduce"},
      {alu(AluOp::Max, Operand::Immediate, true), "alu: first is 1, but max"},
      {alu(AluOp::Quant, Operand::Immediate, true),
       "alu: first is 1, but quant does not reduce"},
      {alu(AluOp::Clamp, Operand::Acc), "but clamp has no such operand"},
      {alu(AluOp::Mac, Operand::Acc), "but mac has no such operand"},
      {alu(AluOp::Quant, Operand::Acc), "but quant has no such operand"},
      {alu(AluOp::QuantAdd, Operand::Acc), "but quant_add has no such operand"},
      {alu(AluOp::Shl, Operand::Acc), "but shl shifts by an immediate only"},
      {alu(AluOp::Shr, Operand::Acc), "but shr shifts by an immediate only"},
      {alu(AluOp::Shrr, Operand::Acc), "but shrr shifts by an immediate only"},
      {alu(AluOp::Add, Operand::Acc, false, Target::Out),
       "alu: target is out, but add writes acc"},
      {alu(AluOp::Clamp, Operand::Immediate, false, Target::Inp),
       "alu: target is inp, but clamp writes acc"},
      {set(Engine::Load, 3, 0), "set: load has no register 3"},
      {set(Engine::Store, 1, 0), "set: store has no register 1"},
      {set(Engine::Alu, 13, 0), "set: alu has no register 13"},
      {set(Engine::Alu, 0, 9),
       "set: value is 9 with index 0, which is no register; expected 0"},
      {set(Engine::Load, 1, 256), "set: 256 does not fit load zero_point: "
                                  "expected -256 to 255"},
      {set(Engine::Load, 1, -257), "set: -257 does not fit load zero_point"},
      {set(Engine::Alu, 7, 2048),
       "set: 2048 does not fit alu operand_offset: expected 0 to 2047"},
      {set(Engine::Alu, 7, -1), "does not fit alu operand_offset"},
      {set(Engine::Alu, 10, 1 << 21), "does not fit alu addend_scale"},
      {set(Engine::Alu, 12, 64),
       "does not fit alu add_shift: expected 0 to 63"},
  };
}

std::vector<uint64_t> valuesOf(const Instruction &instruction);

/// Encodes without validation, by the layout and the documented field order.
std::vector<uint8_t> rawEncode(const Layout &layout,
                               const Instruction &instruction) {
  std::vector<uint8_t> bytes(layout.instructionBytes, 0);
  std::vector<uint64_t> values = valuesOf(instruction);
  const auto &fields = layout.formats[instruction.index()].fields;
  EXPECT_EQ(values.size(), fields.size());
  for (size_t i = 0; i < fields.size(); ++i)
    put(bytes, fields[i], values[i]);
  return bytes;
}

std::vector<uint64_t> valuesOf(const Instruction &instruction) {
  if (const auto *i = std::get_if<Load>(&instruction))
    return {0,
            i->wait,
            i->signal,
            uint64_t(i->memory),
            uint64_t(i->padKind),
            i->gather,
            i->sram,
            i->dram,
            i->ySize,
            i->xSize,
            i->yStride,
            i->xStride,
            i->padTop,
            i->padBottom,
            i->padLeft,
            i->padRight};
  if (const auto *i = std::get_if<Store>(&instruction))
    return {1,        i->wait,  i->signal,  i->sram,   i->dram,
            i->ySize, i->xSize, i->yStride, i->xStride};
  if (const auto *i = std::get_if<Gemm>(&instruction))
    return {
        2,           i->wait,       i->signal,     i->first,     i->uopBegin,
        i->uopCount, i->outerCount, i->innerCount, i->dstOuter,  i->dstInner,
        i->srcOuter, i->srcInner,   i->thirdOuter, i->thirdInner};
  if (const auto *i = std::get_if<Alu>(&instruction))
    return {3,
            i->wait,
            i->signal,
            uint64_t(i->op),
            uint64_t(i->operand),
            uint64_t(i->target),
            i->first,
            i->uopBegin,
            i->uopCount,
            i->outerCount,
            i->innerCount,
            i->dstOuter,
            i->dstInner,
            i->srcOuter,
            i->srcInner,
            i->thirdOuter,
            i->thirdInner};
  if (const auto *i = std::get_if<Set>(&instruction))
    return {4, i->wait, i->signal, uint64_t(i->engine), i->index, i->value};
  return {5};
}

TEST(Undefined, EveryRuleIsHeldByValidateEncodeAndDecode) {
  Layout layout = shipped("pynq");
  std::vector<uint8_t> out(layout.instructionBytes);
  for (const auto &[instruction, message] : undefinedInstructions()) {
    EXPECT_THAT(std::string(validate(layout, instruction).message()),
                HasSubstr(message));
    EXPECT_THAT(std::string(encode(layout, instruction, out.data()).message()),
                HasSubstr(message));
    std::vector<uint8_t> bytes = rawEncode(layout, instruction);
    EXPECT_THAT(std::string(decode(layout, bytes.data()).status().message()),
                HasSubstr(message));
  }
}

TEST(Undefined, TargetInpNeedsEqualBlocks) {
  Configuration config = *loadConfiguration("pynq");
  Instruction quant = alu(AluOp::Quant, Operand::Immediate, false, Target::Inp);
  EXPECT_TRUE(validate(*Layout::get(config), quant).ok());
  config.set_block_in(32);
  EXPECT_THAT(
      std::string(validate(*Layout::get(config), quant).message()),
      HasSubstr("alu: target is inp, but block_in is 32 and block_out is 16"));
}

TEST(Undefined, Opcodes) {
  Layout layout = shipped("pynq");
  for (uint8_t opcode : {6, 7}) {
    std::vector<uint8_t> bytes(layout.instructionBytes, 0);
    bytes[0] = opcode;
    EXPECT_THAT(std::string(decode(layout, bytes.data()).status().message()),
                HasSubstr("opcode " + std::to_string(opcode) +
                          " is not defined: expected 0 to 5"));
  }
}

TEST(Undefined, UnusedBits) {
  Layout layout = shipped("pynq");
  std::vector<Instruction> all = {load(),      store(), loop<Gemm>(),
                                  loop<Alu>(), Set{},   Finish{}};
  for (const Instruction &instruction : all) {
    uint32_t used = layout.formats[instruction.index()].bits;
    for (uint32_t bit = used; bit < 128; ++bit) {
      std::vector<uint8_t> bytes = rawEncode(layout, instruction);
      ASSERT_TRUE(decode(layout, bytes.data()).ok());
      put(bytes, {bit, 1}, 1);
      EXPECT_THAT(std::string(decode(layout, bytes.data()).status().message()),
                  HasSubstr("bit " + std::to_string(bit) + " is set; bits " +
                            std::to_string(used) +
                            " to 127 are unused and must be zero"));
    }
  }
}

TEST(Undefined, Enumerators) {
  Layout layout = shipped("pynq");
  std::vector<uint8_t> bytes = rawEncode(layout, loop<Alu>());
  put(bytes, layout.formats[3].fields[3], 13);
  EXPECT_THAT(std::string(decode(layout, bytes.data()).status().message()),
              HasSubstr("alu: op is 13, expected 0 to 12"));
  bytes = rawEncode(layout, alu(AluOp::Quant, Operand::Immediate));
  put(bytes, layout.formats[3].fields[5], 3);
  EXPECT_THAT(std::string(decode(layout, bytes.data()).status().message()),
              HasSubstr("alu: target is 3, expected 0 to 2"));
  Alu alu = loop<Alu>();
  alu.op = AluOp(200);
  EXPECT_FALSE(validate(layout, alu).ok());
}

TEST(Undefined, ValuesThatDoNotFitTheirField) {
  Layout layout = shipped("pynq");
  Load i = load();
  i.xStride = 1 << 14;
  EXPECT_THAT(std::string(validate(layout, i).message()),
              HasSubstr("load: x_stride is 16384, which does not fit 14 bits"));
  i = load();
  i.gather = 2;
  EXPECT_THAT(std::string(validate(layout, i).message()),
              HasSubstr("load: gather is 2, which does not fit 1 bit"));
}

} // namespace
} // namespace tenon::isa
