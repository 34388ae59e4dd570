// Part of Tenon, under the Apache License v2.0.
//
// The beginning of a random program, which defines the windows, and its end,
// which makes every bit of them visible in DRAM.

#include "tests/differential/generator.h"

#include <algorithm>

namespace tenon::differential {

// `op` from ACC elements [begin, begin+count) to as many of its target.
isa::Alu Generator::overAcc(isa::AluOp op, isa::Target target, uint32_t begin,
                            uint32_t count) {
  uint32_t to = target == isa::Target::Acc ? begin : window(Space::Out).begin;
  isa::Alu alu;
  alu.op = op;
  alu.target = target;
  alu.uopBegin = loadUops(false, {{to, begin, window(Space::Prm).begin}});
  alu.uopCount = alu.outerCount = 1;
  alu.innerCount = count;
  alu.dstInner = alu.srcInner = 1;
  return alu;
}

void Generator::prologue() {
  for (isa::Memory memory :
       {isa::Memory::Prm, isa::Memory::Acc, isa::Memory::Dwt, isa::Memory::Wgt,
        isa::Memory::Inp})
    loadWindow(memory);
  // OUT is written by the ALU only: all of it, in pieces of what ACC has.
  Window acc = window(Space::Acc), out = window(Space::Out);
  for (uint32_t at = 0; at < out.size; at += acc.size) {
    uint32_t count = std::min(acc.size, out.size - at);
    isa::Alu quant;
    quant.op = isa::AluOp::Quant;
    quant.target = isa::Target::Out;
    quant.uopBegin = loadUops(
        false, {{out.begin + at, acc.begin, window(Space::Prm).begin}});
    quant.uopCount = quant.outerCount = 1;
    quant.innerCount = count;
    quant.dstInner = quant.srcInner = 1;
    builder->append(quant);
  }
}

// Registers so that QUANT gives the low eight bits.
void Generator::resetAlu() {
  base = {};
  set(isa::Engine::Alu, uint32_t(isa::AluRegister::AluBase), 0);
  set(isa::Engine::Alu, uint32_t(isa::AluRegister::ClampMin), INT32_MIN);
  set(isa::Engine::Alu, uint32_t(isa::AluRegister::ClampMax), INT32_MAX);
  set(isa::Engine::Alu, uint32_t(isa::AluRegister::OutputZeroPoint), 0);
  set(isa::Engine::Alu, uint32_t(isa::AluRegister::Immediate), 8);
  loadWindow(isa::Memory::Prm); // the identity first
}

void Generator::storeOut(uint32_t count) {
  isa::Store store;
  store.sram = window(Space::Out).begin;
  store.dram = nextOutputBeat;
  store.ySize = 1;
  store.xSize = count;
  store.xStride = layout.outBytes / layout.beatBytes;
  nextOutputBeat += count * store.xStride;
  builder->append(store);
}

// Four times the low eight bits of ACC, shifted by eight in between.
void Generator::showAcc() {
  Window acc = window(Space::Acc), out = window(Space::Out);
  for (int part = 0; part < 4; ++part) {
    for (uint32_t at = 0; at < acc.size; at += out.size) {
      uint32_t count = std::min(out.size, acc.size - at);
      builder->append(
          overAcc(isa::AluOp::Quant, isa::Target::Out, acc.begin + at, count));
      storeOut(count);
    }
    if (part < 3)
      builder->append(
          overAcc(isa::AluOp::Shr, isa::Target::Acc, acc.begin, acc.size));
  }
}

// Every INP element times the first weights, then every weight times the first
// INP element, through ACC.
void Generator::showInputs() {
  set(isa::Engine::Gemm, uint32_t(isa::GemmRegister::GemmBase), 0);
  Window acc = window(Space::Acc);
  isa::Gemm gemm;
  gemm.first = 1;
  gemm.uopBegin = loadUops(
      true, {{acc.begin, window(Space::Inp).begin, window(Space::Wgt).begin}});
  gemm.uopCount = gemm.outerCount = 1;
  gemm.dstInner = 1;
  gemm.srcInner = 1;
  gemm.innerCount = window(Space::Inp).size;
  builder->append(gemm);
  showAcc();
  gemm.srcInner = 0;
  gemm.thirdInner = 1;
  gemm.innerCount = window(Space::Wgt).size;
  builder->append(gemm);
  showAcc();
}

void Generator::epilogue() {
  storeOut(window(Space::Out).size);
  resetAlu();
  showAcc();
  showInputs();
}

} // namespace tenon::differential
