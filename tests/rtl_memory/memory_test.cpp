// Part of Tenon, under the Apache License v2.0.
//
// FETCH, LOAD, STORE, token channels, control and counters together, around a
// stand-in core that copies ACC8 to OUT: random programs copy regions of DRAM
// with random shapes while tokens order DRAM and OUT, against a model that runs
// the same program in order.  The whole DRAM is compared; states must add up to
// cycles, retirements to instructions, token waits to state token.
// Usage: CONFIG SEED COUNT.

#include "tests/rtl_memory/machine.h"
#include "tests/rtl_memory/power_up.h"

using namespace tenon;
using namespace tenon::test;

namespace {

/// Returns the cycles it took.
uint64_t randomCopies(const isa::Layout &layout, uint64_t seed, bool sleeps) {
  powerUp(seed);
  Chance chance(seed);
  constexpr uint32_t beats = 6000;
  Program program = Copies(layout, chance, beats).make(chance.in(1, 60));
  Image image = imageOf(layout, program, beats);
  std::vector<uint8_t> want = image.dram;
  // The base need not be aligned to a page.
  uint64_t base = (uint64_t(chance.in(0, 3)) << 33) +
                  uint64_t(chance.in(1, 5000)) * layout.beatBytes;
  SlaveOptions slave = randomSlave(chance);
  Machine machine(layout, chance, sleeps, slave, base, image.dram);
  expect(machine.read(isa::control::status) == 0, chance,
         "status before a launch");
  expect(machine.read(isa::control::baseLow) == uint32_t(base) &&
             machine.read(isa::control::baseHigh) == uint32_t(base >> 32),
         chance, "base as written");
  for (int launch = 0; launch < 2; ++launch) {
    Reference reference(layout, want);
    for (const isa::Instruction &instruction : program)
      reference.execute(instruction);
    machine.launch(image.programBeat);
    expect(machine.read(4) == 1, chance, "status after a launch");
    expect(machine.read(isa::control::program) == image.programBeat, chance,
           "program as written");
    compare(chance, image.dram, want);
    checkCounters(layout, chance, machine, program);
  }
  return machine.cycles();
}

// Figures of the report: a large copy should move a beat a cycle each way.
void figures(const isa::Layout &layout) {
  Chance chance(2);
  constexpr uint32_t beats = 6000;
  uint32_t element = layout.outBytes / layout.beatBytes;
  uint32_t half =
      std::min(layout.config.out_entries(), layout.config.acc_entries()) / 2;
  uint32_t size = std::min(half, 64u);
  Program program;
  constexpr unsigned tasks = 64;
  for (unsigned i = 0; i < tasks; ++i) {
    isa::Load load;
    load.wait = i >= 2 ? 4 : 0;
    load.signal = 4;
    load.memory = isa::Memory::Acc8;
    load.sram = i % 2 * half;
    load.dram = i * 16;
    load.ySize = 1;
    load.xSize = size;
    load.xStride = element;
    isa::Store store;
    store.wait = store.signal = 1;
    store.sram = load.sram;
    store.dram = beats + i * 16;
    store.ySize = 1;
    store.xSize = size;
    store.xStride = element;
    program.push_back(load);
    program.push_back(store);
  }
  program.push_back(isa::Finish());
  Image image = imageOf(layout, program, beats);
  Machine machine(layout, chance, true, SlaveOptions(), 1 << 20, image.dram);
  machine.launch(image.programBeat);
  std::printf("copy of %u x %u beats through two contexts: %u cycles\n", tasks,
              size * element, machine.read(0x20));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: memory_test CONFIG SEED COUNT\n"), 2;
  isa::Layout layout = layoutOf(argv[1]);
  uint64_t seed = std::strtoull(argv[2], nullptr, 0);
  unsigned count = std::strtoul(argv[3], nullptr, 0);
  figures(layout);
  for (uint64_t s = seed; s < seed + count; ++s)
    expect(randomCopies(layout, s, false) == randomCopies(layout, s, true),
           Chance(s), "other cycles where parts sleep");
  std::printf("%s: %u random programs agree\n", argv[1], count);
}
