// Part of Tenon, under the Apache License v2.0.
//
// Instructions with one field at its least or greatest value; where that needs
// it, the others are as small as they can be.

#include "tests/differential/generator.h"

#include <algorithm>

namespace tenon::differential {
namespace {

constexpr uint32_t mostRows = 2047, mostLoops = 4095;
constexpr uint32_t mostYStride = (1 << 20) - 1, mostXStride = (1 << 14) - 1;
constexpr uint32_t mostPadding = 15;

} // namespace

void Generator::randomExtreme() {
  switch (random.below(8)) {
  case 0:
  case 1:
    return extremeLoad();
  case 2:
    return extremeStore();
  case 3:
    return extremeRegister();
  case 4:
    return extremeBase();
  default: {
    bool gemm = random.oneIn(2);
    clearBase(gemm ? isa::Engine::Gemm : isa::Engine::Alu);
    if (gemm) {
      isa::Gemm in;
      in.first = random.below(2);
      extremeLoops(in, true, smallUop(true));
    } else {
      isa::Alu in;
      in.op = isa::AluOp::Add;
      extremeLoops(in, false, smallUop(false));
    }
  }
  }
}

// An element of each window.
isa::MicroOp Generator::smallUop(bool gemm) {
  auto any = [&](Space space) {
    return window(space).begin + random.below(window(space).size);
  };
  return {any(Space::Acc), any(gemm ? Space::Inp : Space::Acc),
          any(gemm ? Space::Wgt : Space::Prm)};
}

void Generator::extremeLoad() {
  isa::Load load;
  load.memory =
      random.pick({isa::Memory::Inp, isa::Memory::Wgt, isa::Memory::Dwt,
                   isa::Memory::Acc, isa::Memory::Acc8, isa::Memory::Prm});
  uint32_t entries = layout.entries(load.memory);
  uint32_t beats = layout.transferBytes(load.memory) / layout.beatBytes;
  load.sram = random.below(entries);
  load.dram = load.memory == isa::Memory::Prm ? plan.prm : plan.data;
  load.ySize = load.xSize = 1;
  load.xStride = beats;
  load.gather = random.below(2);
  switch (random.below(8)) {
  case 0: // one element again and again
    load.sram = 0;
    load.xSize = std::min(entries, mostRows);
    load.xStride = 0;
    break;
  case 1:
    load.sram = 0;
    load.ySize = std::min(entries, mostRows);
    break;
  case 2:
    load.yStride = mostYStride;
    break;
  case 3:
    load.xStride = mostXStride;
    break;
  case 4:
    load.sram = entries - 1;
    break;
  case 5:
    load.sram = 0;
    break;
  case 6:
    if (load.memory != isa::Memory::Prm)
      load.dram = 0;
    break;
  default:
    if (entries <= mostPadding)
      return;
    load.sram = random.below(entries - mostPadding);
    load.*random.pick({&isa::Load::padTop, &isa::Load::padBottom,
                       &isa::Load::padLeft, &isa::Load::padRight}) =
        mostPadding;
    load.padKind = random.pick(
        {isa::Pad::Zero, isa::Pad::Min, isa::Pad::Max, isa::Pad::Value});
  }
  builder->append(load);
}

// As much of OUT as DRAM has room for.
uint32_t Generator::fillOut() {
  uint32_t beats = layout.outBytes / layout.beatBytes;
  uint32_t count =
      std::min({layout.config.out_entries(), mostRows, plan.dataBeats / beats});
  clearBase(isa::Engine::Alu);
  isa::Alu quant;
  quant.op = isa::AluOp::Quant;
  quant.target = isa::Target::Out;
  isa::MicroOp uop = smallUop(false);
  uop.dst = 0;
  quant.uopBegin = loadUops(false, {uop});
  quant.uopCount = quant.outerCount = quant.dstInner = 1;
  quant.innerCount = count;
  builder->append(quant);
  return count;
}

void Generator::extremeStore() {
  uint32_t beats = layout.outBytes / layout.beatBytes;
  Window from = window(Space::Out);
  isa::Store store;
  store.sram = from.begin + (random.oneIn(2) ? from.size - 1 : 0);
  store.dram = plan.data;
  store.ySize = store.xSize = 1;
  store.xStride = store.yStride = beats;
  switch (random.below(5)) {
  case 0:
    store.sram = 0;
    store.xSize = fillOut();
    break;
  case 1:
    store.sram = 0;
    store.ySize = fillOut();
    break;
  case 2:
    store.yStride = mostYStride;
    break;
  case 3:
    store.xStride = random.oneIn(2) ? mostXStride : 0;
    break;
  default:
    store.dram = 0;
    store.yStride = 0;
  }
  builder->append(store);
}

void Generator::clearBase(isa::Engine engine) {
  base[size_t(engine)] = {};
  bool gemm = engine == isa::Engine::Gemm;
  set(engine,
      gemm ? uint32_t(isa::GemmRegister::GemmBase)
           : uint32_t(isa::AluRegister::AluBase),
      0);
}

template <typename Instruction>
void Generator::extremeLoops(Instruction in, bool gemm, isa::MicroOp uop) {
  uint32_t entries = layout.config.uop_entries();
  auto most = [&](uint32_t count) { return count - 1; };
  const isa::Configuration &c = layout.config;
  in.uopCount = in.outerCount = in.innerCount = 1;
  bool whole = false;
  switch (random.below(6)) {
  case 0:
    in.outerCount = mostLoops;
    break;
  case 1:
    in.innerCount = mostLoops;
    break;
  case 2: // steps of loops that are run through once
    in.dstOuter = in.dstInner =
        gemm ? most(c.acc_entries()) : most(1u << layout.aluDstBits);
    in.srcOuter = in.srcInner =
        gemm ? most(c.inp_entries()) : most(c.acc_entries());
    in.thirdOuter = in.thirdInner =
        gemm ? most(c.wgt_entries()) : most(1u << layout.aluThirdBits);
    break;
  case 3:
    whole = true;
    in.uopCount = entries - 1;
    break;
  case 4:
    whole = true;
    in.uopBegin = entries - 1;
    break;
  default:
    whole = true;
  }
  uint32_t begin = loadUops(gemm, {uop});
  if (whole)
    repeatLine(gemm, nextUopBeat - 1);
  else
    in.uopBegin = begin;
  builder->append(in);
}

// All of a memory of micro-ops from one line, whose words are all the same.
void Generator::repeatLine(bool gemm, uint32_t beat) {
  isa::Load load;
  load.memory = gemm ? isa::Memory::UopGemm : isa::Memory::UopAlu;
  load.dram = beat;
  load.ySize = 1;
  load.xSize = layout.uopLines;
  builder->append(load);
}

// The last element of every memory, through the base register alone.
void Generator::extremeBase() {
  const isa::Configuration &c = layout.config;
  bool gemm = random.oneIn(2);
  isa::Engine engine = gemm ? isa::Engine::Gemm : isa::Engine::Alu;
  if (gemm) {
    set(engine, uint32_t(isa::GemmRegister::GemmBase),
        int32_t(isa::encodeGemmUop(layout, {~0u, ~0u, ~0u})));
    isa::Gemm in;
    in.first = 1;
    in.uopBegin = loadUops(true, {{0, 0, 0}});
    in.uopCount = in.outerCount = in.innerCount = 1;
    builder->append(in);
  } else {
    set(engine, uint32_t(isa::AluRegister::AluBase),
        int32_t(isa::encodeAluUop(layout, {~0u, ~0u, ~0u})));
  }
  clearBase(engine);
  // And through the micro-op alone.
  isa::Alu in;
  in.uopBegin =
      loadUops(false, {{(1u << layout.aluDstBits) - 1, c.acc_entries() - 1,
                        (1u << layout.aluThirdBits) - 1}});
  in.uopCount = in.outerCount = in.innerCount = 1;
  builder->append(in);
  if (!gemm)
    return;
  isa::Gemm last;
  last.uopBegin = loadUops(
      true, {{c.acc_entries() - 1, c.inp_entries() - 1, c.wgt_entries() - 1}});
  last.uopCount = last.outerCount = last.innerCount = 1;
  last.first = 1;
  builder->append(last);
}

void Generator::extremeRegister() {
  isa::Engine engine =
      random.pick({isa::Engine::Load, isa::Engine::Gemm, isa::Engine::Alu});
  uint32_t number = engine == isa::Engine::Load ? random.range(1, 2)
                    : engine == isa::Engine::Gemm
                        ? uint32_t(isa::GemmRegister::WeightZeroPoint)
                        : random.range(2, 12);
  uint32_t bits = layout.registerBits(engine, number);
  int64_t least = -(int64_t(1) << (bits - 1));
  bool isUnsigned = engine == isa::Engine::Alu &&
                    (number == uint32_t(isa::AluRegister::OperandOffset) ||
                     number == uint32_t(isa::AluRegister::AddShift));
  if (engine == isa::Engine::Alu &&
      number == uint32_t(isa::AluRegister::AddShift))
    return set(engine, number, random.pick({2, 62}));
  if (isUnsigned)
    return set(engine, number,
               random.oneIn(2) ? 0 : int32_t((int64_t(1) << bits) - 1));
  set(engine, number, int32_t(random.pick({least, -least - 1, int64_t(0)})));
}

} // namespace tenon::differential
