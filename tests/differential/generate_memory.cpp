// Part of Tenon, under the Apache License v2.0.
//
// Random LOADs and STOREs.

#include "tests/differential/generator.h"

#include <algorithm>

namespace tenon::differential {
namespace {

Space spaceOf(isa::Memory memory) {
  switch (memory) {
  case isa::Memory::Inp:
    return Space::Inp;
  case isa::Memory::Wgt:
    return Space::Wgt;
  case isa::Memory::Dwt:
    return Space::Dwt;
  case isa::Memory::Prm:
    return Space::Prm;
  default:
    return Space::Acc;
  }
}

bool canPad(isa::Memory memory) {
  return memory == isa::Memory::Inp || memory == isa::Memory::Acc ||
         memory == isa::Memory::Acc8;
}

} // namespace

void Generator::loadWindow(isa::Memory memory) {
  Window to = window(spaceOf(memory));
  uint32_t beats = layout.transferBytes(memory) / layout.beatBytes;
  isa::Load load;
  load.memory = memory;
  load.sram = to.begin;
  load.ySize = 1;
  load.xSize = to.size;
  load.xStride = beats;
  load.dram =
      memory == isa::Memory::Prm
          ? plan.prm
          : plan.data + random.below(plan.dataBeats - to.size * beats + 1);
  builder->append(load);
}

// Strides for a rectangle that fits the data region.  Elements may overlap in
// DRAM where `overlap` says so.
bool Generator::fitStrides(uint32_t beats, uint32_t &ySize, uint32_t &xSize,
                           uint32_t &yStride, uint32_t &xStride, bool overlap) {
  xStride = random.pick({beats, beats, 2 * beats, beats + random.below(5)});
  if (overlap)
    xStride = random.below(3 * beats);
  uint32_t row = (xSize - 1) * xStride + beats;
  yStride = random.pick({row, row + random.below(9), 2 * row});
  if (overlap)
    yStride = random.below(2 * row);
  uint64_t extent = uint64_t(ySize - 1) * yStride + row;
  return extent <= plan.dataBeats;
}

// Takes rows, elements and padding away until no more than `room` elements are
// written; their number.
uint32_t Generator::fit(isa::Load &load, uint32_t room) {
  auto written = [&] {
    return (load.padTop + load.ySize + load.padBottom) *
           (load.padLeft + load.xSize + load.padRight);
  };
  while (written() > room) {
    auto field = random.pick({&isa::Load::ySize, &isa::Load::xSize,
                              &isa::Load::padTop, &isa::Load::padBottom,
                              &isa::Load::padLeft, &isa::Load::padRight});
    bool isSize = field == &isa::Load::ySize || field == &isa::Load::xSize;
    if (load.*field > (isSize ? 1 : 0))
      --(load.*field);
  }
  if (load.padTop + load.padBottom + load.padLeft + load.padRight == 0)
    load.padKind = isa::Pad::Zero;
  return written();
}

void Generator::randomLoad() {
  isa::Load load;
  load.memory = random.pick(
      {isa::Memory::Inp, isa::Memory::Inp, isa::Memory::Wgt, isa::Memory::Dwt,
       isa::Memory::Acc, isa::Memory::Acc8, isa::Memory::Acc8});
  Window to = window(spaceOf(load.memory));
  load.ySize = random.range(1, 4);
  load.xSize = random.range(1, 8);
  if (canPad(load.memory) && random.oneIn(2)) {
    load.padTop = random.below(3);
    load.padBottom = random.below(3);
    load.padLeft = random.below(3);
    load.padRight = random.below(3);
    load.padKind = random.pick(
        {isa::Pad::Zero, isa::Pad::Min, isa::Pad::Max, isa::Pad::Value});
  }
  uint32_t elements = fit(load, to.size);
  load.sram = to.begin + random.below(to.size - elements + 1);
  uint32_t beats = layout.transferBytes(load.memory) / layout.beatBytes;
  load.gather = random.oneIn(3);
  if (!fitStrides(beats, load.ySize, load.xSize, load.yStride, load.xStride,
                  load.gather && random.oneIn(2)))
    return;
  uint64_t extent = uint64_t(load.ySize - 1) * load.yStride +
                    uint64_t(load.xSize - 1) * load.xStride + beats;
  load.dram = plan.data + random.below(plan.dataBeats - extent + 1);
  if (load.memory == isa::Memory::Acc8 && random.oneIn(2))
    set(isa::Engine::Load, uint32_t(isa::LoadRegister::ZeroPoint),
        random.number(9));
  if (load.padKind == isa::Pad::Value && random.oneIn(2))
    set(isa::Engine::Load, uint32_t(isa::LoadRegister::PadValue),
        random.number());
  builder->append(load);
}

void Generator::randomParameterLoad() {
  Window to = window(Space::Prm);
  uint32_t beats = layout.transferBytes(isa::Memory::Prm) / layout.beatBytes;
  isa::Load load;
  load.memory = isa::Memory::Prm;
  load.ySize = 1;
  load.xSize = random.range(1, to.size);
  load.sram = to.begin + random.below(to.size - load.xSize + 1);
  uint32_t every =
      load.xSize > 1
          ? random.range(1, (plan.prmElements - 1) / (load.xSize - 1))
          : 1;
  uint32_t room = plan.prmElements - (load.xSize - 1) * every;
  load.dram = plan.prm + random.below(room) * beats;
  load.xStride = every * beats;
  load.gather = random.oneIn(2);
  builder->append(load);
}

void Generator::randomStore() {
  Window from = window(Space::Out);
  isa::Store store;
  store.ySize = random.range(1, 4);
  store.xSize = random.range(1, 8);
  uint32_t elements = store.ySize * store.xSize;
  if (elements > from.size)
    return;
  store.sram = from.begin + random.below(from.size - elements + 1);
  uint32_t beats = layout.outBytes / layout.beatBytes;
  if (!fitStrides(beats, store.ySize, store.xSize, store.yStride, store.xStride,
                  false))
    return;
  uint64_t extent = uint64_t(store.ySize - 1) * store.yStride +
                    uint64_t(store.xSize - 1) * store.xStride + beats;
  store.dram = plan.data + random.below(plan.dataBeats - extent + 1);
  builder->append(store);
}

} // namespace tenon::differential
