// Part of Tenon, under the Apache License v2.0.
//
// Random GEMM and ALU instructions with their micro-ops and registers.

#include "tests/differential/generator.h"

#include <algorithm>

namespace tenon::differential {

Generator::Nest Generator::drawNest() {
  Nest nest;
  nest.uops = random.range(1, 16);
  nest.outer = random.oneIn(2) ? 1 : random.range(1, 4);
  nest.inner = random.oneIn(2) ? 1 : random.range(1, 4);
  return nest;
}

Generator::Axis Generator::drawAxis(Window window, const Nest &nest) {
  Axis axis;
  auto step = [&] {
    return random.pick({0u, 1u, 1u, 2u, random.below(window.size)});
  };
  axis.outer = step();
  axis.inner = step();
  if ((nest.inner - 1) * axis.inner >= window.size)
    axis.inner = 0;
  if ((nest.outer - 1) * axis.outer + (nest.inner - 1) * axis.inner >=
      window.size)
    axis.outer = 0;
  uint32_t span = (nest.outer - 1) * axis.outer + (nest.inner - 1) * axis.inner;
  uint32_t room = window.size - span;
  bool consecutive = random.oneIn(2);
  uint32_t from = random.below(room);
  for (uint32_t k = 0; k < nest.uops; ++k)
    axis.offsets.push_back(consecutive ? (from + k) % room
                                       : random.below(room));
  return axis;
}

// Runs of equal destinations, or destinations that come back at a distance.
void Generator::repeatDestinations(Axis &dst) {
  uint32_t length = random.range(1, 6);
  bool runs = random.oneIn(2);
  for (size_t k = 1; k < dst.offsets.size(); ++k)
    if (runs && k % length != 0)
      dst.offsets[k] = dst.offsets[k - 1];
    else if (!runs && k >= length)
      dst.offsets[k] = dst.offsets[k - length];
}

// Each source is the destination of a fixed distance before.
void Generator::dependOn(Axis &src, const Axis &dst) {
  uint32_t distance = random.range(1, 12);
  if (distance >= dst.offsets.size())
    return;
  src.outer = dst.outer;
  src.inner = dst.inner;
  for (size_t k = 0; k < dst.offsets.size(); ++k)
    src.offsets[k] = dst.offsets[k < distance ? k : k - distance];
}

uint32_t Generator::loadUops(bool gemm, const std::vector<isa::MicroOp> &uops) {
  uint32_t perLine = layout.uopsPerBeat;
  uint32_t before = random.below(perLine);
  uint32_t lines = (before + uops.size() + perLine - 1) / perLine;
  if (lines > layout.uopLines) {
    before = 0;
    lines = layout.uopLines;
  }
  isa::Load load;
  load.memory = gemm ? isa::Memory::UopGemm : isa::Memory::UopAlu;
  load.sram = random.below(layout.uopLines - lines + 1);
  load.dram = nextUopBeat;
  load.ySize = 1;
  load.xSize = lines;
  load.xStride = 1;
  nextUopBeat += lines;
  for (uint32_t i = 0; i < lines * perLine; ++i) {
    uint32_t k =
        i < before ? 0 : std::min<uint32_t>(i - before, uops.size() - 1);
    uint32_t word = gemm ? isa::encodeGemmUop(layout, uops[k])
                         : isa::encodeAluUop(layout, uops[k]);
    writeWord(uint64_t(load.dram) * layout.beatBytes + 4 * i, word);
  }
  builder->writeDram(
      uint64_t(load.dram) * layout.beatBytes,
      absl::MakeConstSpan(dram).subspan(uint64_t(load.dram) * layout.beatBytes,
                                        uint64_t(lines) * layout.beatBytes));
  builder->append(load);
  return load.sram * perLine + before;
}

void Generator::set(isa::Engine engine, uint32_t number, int32_t value) {
  isa::Set set;
  set.engine = engine;
  set.index = number;
  set.value = uint32_t(value);
  builder->append(set);
}

void Generator::randomBase(isa::Engine engine) {
  auto below = [&](std::initializer_list<Space> spaces) {
    uint32_t least = UINT32_MAX;
    for (Space space : spaces)
      least = std::min(least, window(space).begin);
    return random.oneIn(4) ? 0 : random.range(0, least);
  };
  isa::MicroOp &to = base[size_t(engine)];
  if (engine == isa::Engine::Gemm) {
    to = {below({Space::Acc}), below({Space::Inp}), below({Space::Wgt})};
    set(engine, uint32_t(isa::GemmRegister::GemmBase),
        int32_t(isa::encodeGemmUop(layout, to)));
  } else {
    to = {below({Space::Acc, Space::Inp, Space::Out}), below({Space::Acc}),
          below({Space::Prm, Space::Dwt})};
    set(engine, uint32_t(isa::AluRegister::AluBase),
        int32_t(isa::encodeAluUop(layout, to)));
  }
}

void Generator::randomGemm() {
  Nest nest = drawNest();
  Axis dst = drawAxis(window(Space::Acc), nest);
  Axis src = drawAxis(window(Space::Inp), nest);
  Axis third = drawAxis(window(Space::Wgt), nest);
  if (random.below(3))
    repeatDestinations(dst);
  const isa::MicroOp &from = base[size_t(isa::Engine::Gemm)];
  std::vector<isa::MicroOp> uops;
  for (uint32_t k = 0; k < nest.uops; ++k)
    uops.push_back({window(Space::Acc).begin + dst.offsets[k] - from.dst,
                    window(Space::Inp).begin + src.offsets[k] - from.src,
                    window(Space::Wgt).begin + third.offsets[k] - from.third});
  if (random.oneIn(3))
    set(isa::Engine::Gemm, uint32_t(isa::GemmRegister::WeightZeroPoint),
        random.oneIn(2) ? 0 : random.number(9));
  isa::Gemm gemm;
  gemm.first = random.below(2);
  gemm.uopBegin = loadUops(true, uops);
  gemm.uopCount = nest.uops;
  gemm.outerCount = nest.outer;
  gemm.innerCount = nest.inner;
  gemm.dstOuter = dst.outer;
  gemm.dstInner = dst.inner;
  gemm.srcOuter = src.outer;
  gemm.srcInner = src.inner;
  gemm.thirdOuter = third.outer;
  gemm.thirdInner = third.inner;
  builder->append(gemm);
  // The same micro-ops again, at once: hazards across instructions.
  if (random.oneIn(3)) {
    gemm.first = random.below(2);
    builder->append(gemm);
  }
}

// All of the window into 9 bits or less, for MAC and QUANT_ADD.
void Generator::clampAcc() {
  uint32_t bits = random.pick({4u, 8u, 9u});
  set(isa::Engine::Alu, uint32_t(isa::AluRegister::ClampMin),
      -(1 << (bits - 1)));
  set(isa::Engine::Alu, uint32_t(isa::AluRegister::ClampMax),
      (1 << (bits - 1)) - 1);
  Window acc = window(Space::Acc);
  isa::MicroOp from = base[size_t(isa::Engine::Alu)];
  isa::Alu clamp;
  clamp.op = isa::AluOp::Clamp;
  clamp.uopBegin =
      loadUops(false, {{acc.begin - from.dst, acc.begin - from.src, 0}});
  clamp.uopCount = clamp.outerCount = 1;
  clamp.innerCount = acc.size;
  clamp.dstInner = clamp.srcInner = 1;
  builder->append(clamp);
}

void Generator::drawOperation(isa::Alu &alu) {
  alu.op = isa::AluOp(random.below(13));
  bool either = alu.op <= isa::AluOp::Mul;
  if (either && random.oneIn(2))
    alu.operand = isa::Operand::Acc;
  if (isa::isReducing(alu))
    alu.first = random.below(2);
  if (alu.op == isa::AluOp::Quant || alu.op == isa::AluOp::QuantAdd) {
    alu.target =
        random.pick({isa::Target::Out, isa::Target::Out, isa::Target::Acc});
    if (layout.config.block_in() == layout.config.block_out() &&
        random.oneIn(3))
      alu.target = isa::Target::Inp;
  }
}

void Generator::randomRegisters(const isa::Alu &alu) {
  using Register = isa::AluRegister;
  auto put = [&](Register number, int32_t value) {
    if (!random.oneIn(4)) // else what it was
      set(isa::Engine::Alu, uint32_t(number), value);
  };
  switch (alu.op) {
  case isa::AluOp::Shl:
  case isa::AluOp::Shr:
  case isa::AluOp::Shrr:
    return set(isa::Engine::Alu, uint32_t(Register::Immediate),
               random.below(32));
  case isa::AluOp::Mac:
    return put(Register::DwtZeroPoint, int32_t(random.range(0, 256)) - 128);
  case isa::AluOp::QuantAdd:
    put(Register::OperandOffset, random.below(window(Space::Acc).size));
    put(Register::AddendMin, random.number(9));
    put(Register::AddendMax, random.number(9));
    put(Register::AddendScale, random.number(22));
    put(Register::OperandScale, random.number(22));
    put(Register::AddShift, random.range(2, random.oneIn(2) ? 20 : 62));
    [[fallthrough]];
  case isa::AluOp::Quant:
    put(Register::OutputZeroPoint, random.number(random.oneIn(2) ? 8 : 32));
    [[fallthrough]];
  case isa::AluOp::Clamp:
    put(Register::ClampMin, random.oneIn(2) ? -128 : random.number());
    put(Register::ClampMax, random.oneIn(2) ? 127 : random.number());
    return;
  default:
    if (alu.operand == isa::Operand::Immediate)
      put(Register::Immediate, random.number());
  }
}

void Generator::randomAlu() {
  isa::Alu alu;
  drawOperation(alu);
  bool narrow = alu.op == isa::AluOp::Mac || alu.op == isa::AluOp::QuantAdd;
  if (narrow && random.below(4))
    clampAcc();
  Nest nest = drawNest();
  Window to = window(alu.target == isa::Target::Acc   ? Space::Acc
                     : alu.target == isa::Target::Inp ? Space::Inp
                                                      : Space::Out);
  Window thirds = window(alu.op == isa::AluOp::Mac ? Space::Dwt : Space::Prm);
  Axis dst = drawAxis(to, nest);
  Axis src = drawAxis(window(Space::Acc), nest);
  Axis third = drawAxis(thirds, nest);
  if (random.below(3))
    repeatDestinations(dst);
  if (alu.target == isa::Target::Acc && random.below(3))
    dependOn(src, dst);
  const isa::MicroOp &from = base[size_t(isa::Engine::Alu)];
  std::vector<isa::MicroOp> uops;
  for (uint32_t k = 0; k < nest.uops; ++k)
    uops.push_back({to.begin + dst.offsets[k] - from.dst,
                    window(Space::Acc).begin + src.offsets[k] - from.src,
                    thirds.begin + third.offsets[k] - from.third});
  randomRegisters(alu);
  alu.uopBegin = loadUops(false, uops);
  alu.uopCount = nest.uops;
  alu.outerCount = nest.outer;
  alu.innerCount = nest.inner;
  alu.dstOuter = dst.outer;
  alu.dstInner = dst.inner;
  alu.srcOuter = src.outer;
  alu.srcInner = src.inner;
  alu.thirdOuter = third.outer;
  alu.thirdInner = third.inner;
  builder->append(alu);
  if (random.oneIn(3))
    builder->append(alu);
}

} // namespace tenon::differential
