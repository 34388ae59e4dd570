// Part of Tenon, under the Apache License v2.0.
//
// Random programs that copy regions of DRAM through LOAD and STORE while tokens
// order DRAM and OUT, and a model that runs the same program in order.

#ifndef TENON_TESTS_RTL_MEMORY_COPIES_H
#define TENON_TESTS_RTL_MEMORY_COPIES_H

#include "tests/rtl_memory/common.h"

#include <algorithm>

namespace tenon::test {

using isa::Engine;
using Program = std::vector<isa::Instruction>;

/// What the program does to DRAM, in program order: LOAD and STORE of it are
/// ordered by tokens wherever they conflict.
class Reference {
public:
  Reference(const isa::Layout &layout, std::vector<uint8_t> &dram)
      : layout(layout), dram(dram),
        out(layout.config.out_entries() * layout.outBytes, 0xEE) {}

  void execute(const isa::Instruction &instruction) {
    if (auto *set = std::get_if<isa::Set>(&instruction)) {
      if (set->engine == Engine::Load && set->index == 2)
        padValue = set->value;
    } else if (auto *load = std::get_if<isa::Load>(&instruction)) {
      executeLoad(*load);
    } else if (auto *store = std::get_if<isa::Store>(&instruction)) {
      for (uint32_t y = 0, i = store->sram; y < store->ySize; ++y)
        for (uint32_t x = 0; x < store->xSize; ++x, ++i)
          std::memcpy(&dram[byteOf(store->dram + y * store->yStride +
                                   x * store->xStride)],
                      &out[i * layout.outBytes], layout.outBytes);
    }
  }

private:
  size_t byteOf(uint32_t beat) { return size_t(beat) * layout.beatBytes; }

  void executeLoad(const isa::Load &l) {
    static const uint8_t low[] = {0, 0, 0xff};
    uint8_t pad = l.padKind == isa::Pad::Value ? uint8_t(padValue)
                                               : low[size_t(l.padKind)];
    uint32_t index = l.sram;
    for (uint32_t y = 0; y < l.padTop + l.ySize + l.padBottom; ++y)
      for (uint32_t x = 0; x < l.padLeft + l.xSize + l.padRight; ++x, ++index) {
        uint32_t row = y - l.padTop, column = x - l.padLeft;
        uint8_t *element = &out[index * layout.outBytes];
        if (row < l.ySize && column < l.xSize)
          std::memcpy(
              element,
              &dram[byteOf(l.dram + row * l.yStride + column * l.xStride)],
              layout.outBytes);
        else
          std::memset(element, pad, layout.outBytes);
      }
  }

  const isa::Layout &layout;
  std::vector<uint8_t> &dram;
  std::vector<uint8_t> out;
  uint32_t padValue = 0;
};

/// Copies through two contexts of OUT: each a few LOADs and one STORE.
class Copies {
public:
  Copies(const isa::Layout &layout, Chance &chance, uint32_t beats)
      : layout(layout), chance(chance), beats(beats),
        element(layout.outBytes / layout.beatBytes) {}

  Program make(unsigned tasks) {
    for (unsigned i = 0; i < tasks; ++i)
      task(i);
    program.push_back(isa::Finish());
    return program;
  }

private:
  void task(unsigned i) {
    if (chance.percent(20))
      pingPong();
    if (chance.percent(30)) {
      isa::Set set;
      set.engine = Engine::Load;
      set.index = 2;
      set.value = chance.in(0, ~0u);
      program.push_back(set);
    }
    uint32_t half =
        std::min(layout.config.out_entries(), layout.config.acc_entries()) / 2;
    uint32_t begin = i % 2 * half, filled = 0;
    unsigned loads = chance.in(1, 3);
    for (unsigned l = 0; l < loads; ++l)
      filled +=
          load(begin + filled, half - filled, l == 0 && i >= 2, l + 1 == loads);
    store(begin, filled);
  }

  // The last LOAD tells STORE; STORE tells the LOAD after the next.
  uint32_t load(uint32_t sram, uint32_t room, bool wait, bool signal) {
    isa::Load l;
    l.wait = wait ? 4 : 0;
    l.signal = signal ? 4 : 0;
    l.memory = isa::Memory::Acc8;
    l.sram = sram;
    l.gather = chance.percent(50);
    l.ySize = chance.in(1, 4);
    l.xSize = chance.percent(20) ? 1 : chance.in(1, 12);
    l.xStride = chance.percent(60) ? element : chance.in(0, 4 * element);
    l.yStride = chance.in(0, 700);
    if (chance.percent(40)) {
      l.padKind = isa::Pad(chance.in(0, 3));
      l.padTop = chance.in(0, 1);
      l.padBottom = chance.in(0, 1);
      l.padLeft = chance.in(0, 2);
      l.padRight = chance.in(0, 2);
      if (!(l.padTop + l.padBottom + l.padLeft + l.padRight))
        l.padKind = isa::Pad::Zero;
    }
    auto area = [&] {
      return (l.padTop + l.ySize + l.padBottom) *
             (l.padLeft + l.xSize + l.padRight);
    };
    while (area() > room / 3)
      if (l.xSize > 1)
        l.xSize = 1;
      else if (l.ySize > 1)
        l.ySize = 1;
      else
        l.padTop = l.padBottom = l.padLeft = l.padRight = 0, l.padKind = {};
    uint32_t span = (l.ySize - 1) * l.yStride + (l.xSize - 1) * l.xStride;
    l.dram = chance.in(0, beats - span - element);
    program.push_back(l);
    return area();
  }

  void store(uint32_t sram, uint32_t elements) {
    isa::Store s;
    s.wait = 1;
    s.signal = 1;
    s.sram = sram;
    s.ySize = chance.in(1, std::min(elements, 5u));
    s.xSize = elements / s.ySize;
    s.xStride = chance.percent(60) ? element : chance.in(0, 4 * element);
    s.yStride = chance.in(0, 700);
    uint32_t span = (s.ySize - 1) * s.yStride + (s.xSize - 1) * s.xStride;
    // LOADs of the next task run beside it: what they read, it must not write.
    s.dram = chance.in(beats + 8, 2 * beats - span - element);
    program.push_back(s);
  }

  // A token around all other engines, through SETs.
  void pingPong() {
    auto set = [&](Engine engine, uint32_t wait, uint32_t signal) {
      isa::Set s;
      s.engine = engine;
      s.wait = wait;
      s.signal = signal;
      program.push_back(s);
    };
    set(Engine::Load, 0, 1);  // to gemm
    set(Engine::Gemm, 1, 2);  // load; to alu
    set(Engine::Alu, 2, 5);   // gemm; to load and store
    set(Engine::Load, 2, 0);  // alu
    set(Engine::Store, 4, 4); // alu; to alu
    set(Engine::Alu, 4, 0);   // store
  }

  const isa::Layout &layout;
  Chance &chance;
  uint32_t beats, element;
  Program program;
};

struct Image {
  std::vector<uint8_t> dram;
  uint32_t programBeat;
};

/// DRAM: a region that is read, one that is written, the program at its end.
inline Image imageOf(const isa::Layout &layout, const Program &program,
                     uint32_t beats) {
  uint32_t perInstruction = layout.instructionBytes;
  Image image;
  image.programBeat = 2 * beats + 3;
  size_t begin = size_t(image.programBeat) * layout.beatBytes;
  image.dram.resize(begin + program.size() * perInstruction + 4096 + 64);
  for (size_t i = 0; i < image.dram.size(); ++i)
    image.dram[i] =
        dramByte(uint32_t(i / layout.beatBytes), i % layout.beatBytes);
  for (size_t i = 0; i < program.size(); ++i) {
    std::vector<uint8_t> bytes = encoded(layout, program[i]);
    std::copy(bytes.begin(), bytes.end(),
              image.dram.begin() + begin + i * perInstruction);
  }
  return image;
}

inline void compare(Chance &chance, const std::vector<uint8_t> &got,
                    const std::vector<uint8_t> &want) {
  for (size_t i = 0; i < want.size(); ++i)
    if (got[i] != want[i])
      fail(chance, "byte " + std::to_string(i) + " of DRAM is " +
                       std::to_string(got[i]) + ", expected " +
                       std::to_string(want[i]));
}

} // namespace tenon::test

#endif // TENON_TESTS_RTL_MEMORY_COPIES_H
