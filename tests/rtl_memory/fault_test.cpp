// Part of Tenon, under the Apache License v2.0.
//
// The memory fails, is very late, a program leaves its window, or the machine
// is stopped or reset while it works. One burst of FETCH, LOAD or STORE answers
// with an error: the launch ends in bounded time, STATUS and FAULT name the
// engine and the burst that the memory knows it has failed, and the next launch
// of the same machine is right, byte for byte. Only what FETCH read behind
// FINISH may fail without an error. No burst leaves the window, and the first
// that would is named. A launch behind a stop or a reset, at any cycle, is
// right as well. Usage: CONFIG SEED COUNT.

#include "tests/rtl_memory/machine.h"

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr uint32_t beats = 6000;
constexpr uint32_t doneAlone = 1, doneWithError = 5;

uint32_t statusOf(isa::Fault fault) {
  return doneWithError | uint32_t(fault) << 4;
}

isa::Fault faultOf(Master master) {
  constexpr isa::Fault faults[] = {isa::Fault::Load, isa::Fault::Fetch,
                                   isa::Fault::Store};
  return faults[master];
}

/// A program in the DRAM of a machine, and what DRAM is behind it.
class Bench {
public:
  Bench(const isa::Layout &layout, Chance &chance, bool sleeps,
        SlaveOptions options, const Program &program)
      : Bench(layout, chance, sleeps, options, program,
              (uint64_t(chance.in(0, 3)) << 33) +
                  uint64_t(chance.in(1, 5000)) * layout.beatBytes) {}
  /// `base`: where DRAM lies, and so where bursts end at 4 KiB.
  Bench(const isa::Layout &layout, Chance &chance, bool sleeps,
        SlaveOptions options, const Program &program, uint64_t base)
      : layout(layout), chance(chance), program(program),
        before(imageOf(layout, program, beats)), after(before.dram),
        dram(before.dram), base(base),
        machine(layout, chance, sleeps, options, base, dram) {
    Reference reference(layout, after);
    for (const isa::Instruction &instruction : program)
      reference.execute(instruction);
  }

  void launch() { machine.launch(before.programBeat); }
  void start() { machine.start(before.programBeat); }

  /// A launch without a fault: everything is right.
  void launchWell() {
    dram = before.dram;
    machine.memory().breaks({});
    launch();
    expect(machine.read(isa::control::status) == doneAlone, chance,
           "status of a launch without a fault");
    compare(chance, dram, after);
    checkCounters(layout, chance, machine, program);
  }

  /// The same; how many cycles it took.
  uint64_t timeLaunch() {
    const uint64_t begin = machine.cycles();
    launchWell();
    return machine.cycles() - begin;
  }

  /// So many cycles of a launch.
  void startAndStep(uint64_t cycles) {
    dram = before.dram;
    start();
    for (; cycles > 0; --cycles)
      machine.cycle();
  }

  /// A launch that may reach the pages of the first `bytes` of DRAM. Whether it
  /// needed more.
  bool launchWithin(uint64_t bytes) {
    const uint64_t end = (base + bytes + 4095) / 4096 * 4096;
    const uint64_t begin =
        base + uint64_t(before.programBeat) * layout.beatBytes;
    launch();
    const uint32_t status = machine.read(isa::control::status);
    const uint64_t where = machine.read(isa::control::fault);
    if (status == statusOf(isa::Fault::OutsideFetch)) {
      const uint64_t whole =
          end > begin ? (end - begin) / layout.instructionBytes : 0;
      expect(where == whole && whole < program.size(), chance,
             "FETCH needs instruction " + std::to_string(where) +
                 ", the first outside is " + std::to_string(whole));
      return true;
    }
    const uint64_t address = (base >> 32 << 32) + where * layout.beatBytes;
    if (status == statusOf(isa::Fault::OutsideLoad) ||
        status == statusOf(isa::Fault::OutsideStore)) {
      const bool load = status == statusOf(isa::Fault::OutsideLoad);
      expect(address >= end, chance, "the address named is in the window");
      expect(reaches(load, address), chance,
             "no instruction of the program reaches the address named");
      return true;
    }
    expect(status == doneAlone, chance,
           "status " + std::to_string(status) + " behind a narrow window");
    compare(chance, dram, after);
    return false;
  }

  /// A launch in which one burst fails. Whether it was an error.
  bool launchBroken(const SlaveFault &fault) {
    dram = before.dram;
    machine.memory().breaks(fault);
    launch();
    const SlaveFault &broken = machine.memory().broken();
    uint32_t status = machine.read(isa::control::status);
    if (status == doneAlone) {
      expect(!broken.answered || broken.of == FetchReads, chance,
             "an error of the memory is not reported");
      expect(!broken.answered || instructionAt(broken.beatAt) >= program.size(),
             chance, "an instruction that was not read is not reported");
      compare(chance, dram, after);
      return false;
    }
    expect(broken.answered, chance, "an error that the memory did not answer");
    expect(status == statusOf(faultOf(broken.of)), chance,
           "status has " + std::to_string(status) + " behind a fault of " +
               std::to_string(broken.of));
    uint64_t where = machine.read(isa::control::fault);
    if (broken.of == FetchReads)
      expect(where == instructionAt(broken.beatAt), chance,
             "FETCH names instruction " + std::to_string(where) +
                 ", the memory failed in " +
                 std::to_string(instructionAt(broken.beatAt)));
    else
      expect((base >> 32 << 32) + where * layout.beatBytes == broken.address,
             chance, "the address is not that of the burst that failed");
    return true;
  }

  const isa::Layout &layout;
  Chance &chance;
  const Program program;
  const Image before;
  std::vector<uint8_t> after, dram;
  const uint64_t base;
  Machine machine;

private:
  // Whether a LOAD, or a STORE, of the program has a beat there.
  bool reaches(bool load, uint64_t address) const {
    const uint64_t beat = (address - base) / layout.beatBytes;
    auto within = [&](uint32_t dram, uint32_t ySize, uint32_t yStride,
                      uint32_t xSize, uint32_t xStride, bool rows) {
      const uint32_t element = layout.outBytes / layout.beatBytes;
      for (uint64_t y = 0; y < ySize; ++y) {
        const uint64_t row = dram + y * yStride;
        // A LOAD may read what lies between the elements of a row.
        if (rows && beat >= row && beat < row + (xSize - 1) * xStride + element)
          return true;
        for (uint64_t x = 0; x < xSize; ++x)
          if (beat - (row + x * xStride) < element)
            return true;
      }
      return false;
    };
    for (const isa::Instruction &i : program) {
      if (auto *l = std::get_if<isa::Load>(&i); l && load)
        if (within(l->dram, l->ySize, l->yStride, l->xSize, l->xStride, true))
          return true;
      if (auto *s = std::get_if<isa::Store>(&i); s && !load)
        if (within(s->dram, s->ySize, s->yStride, s->xSize, s->xStride, false))
          return true;
    }
    return false;
  }

  /// Of several in one beat the first.
  uint64_t instructionAt(uint64_t address) const {
    return (address - base - uint64_t(before.programBeat) * layout.beatBytes) /
           layout.instructionBytes;
  }
};

/// LOADs of every memory, their data apart, and a STORE.
Program everyMemory(const isa::Layout &layout) {
  Program program;
  for (auto memory :
       {isa::Memory::UopGemm, isa::Memory::UopAlu, isa::Memory::Inp,
        isa::Memory::Wgt, isa::Memory::Dwt, isa::Memory::Acc, isa::Memory::Prm,
        isa::Memory::Acc8}) { // which the stand-in keeps: the last one
    isa::Load load;
    load.memory = memory;
    load.dram = 300 * uint32_t(memory);
    load.ySize = load.xSize = 1;
    program.push_back(load);
  }
  isa::Set order;
  order.engine = Engine::Load;
  order.signal = 4;
  isa::Store store;
  store.wait = 1;
  store.dram = beats + 8;
  store.ySize = store.xSize = 1;
  store.xStride = layout.outBytes / layout.beatBytes;
  for (const isa::Instruction &i :
       {isa::Instruction(order), isa::Instruction(store),
        isa::Instruction(isa::Finish())})
    program.push_back(i);
  return program;
}

// Each burst of a program that has one LOAD of each memory fails in turn.
unsigned everyBurst(const isa::Layout &layout, bool sleeps) {
  Chance chance(1);
  SlaveOptions options;
  Program program = everyMemory(layout);
  Bench bench(layout, chance, sleeps, options, program);
  bench.launchWell();
  unsigned errors = 0;
  for (Master of : {LoadReads, FetchReads, StoreWrites}) {
    bench.launchWell();
    uint64_t bursts = bench.machine.memory().burstsOf(of);
    expect(bursts >= (of == LoadReads ? 8u : 1u), chance, "too few bursts");
    for (uint64_t i = 0; i < bursts; ++i)
      for (unsigned response : {2u, 3u}) {
        SlaveFault fault;
        fault.of = of;
        fault.burst = i;
        fault.response = response;
        bool error = bench.launchBroken(fault);
        expect(error || of == FetchReads, chance, "no error");
        errors += error;
        bench.launchWell();
      }
  }
  return errors;
}

// An undefined opcode: its number.
void undefined(const isa::Layout &layout, bool sleeps) {
  Chance chance(2);
  Bench bench(layout, chance, sleeps, SlaveOptions(),
              Copies(layout, chance, beats).make(8));
  for (size_t i = 0; i < bench.program.size(); i += 3) {
    bench.dram = bench.before.dram;
    bench.dram[size_t(bench.before.programBeat) * layout.beatBytes +
               i * layout.instructionBytes] |= 7;
    bench.launch();
    expect(bench.machine.read(isa::control::status) ==
               statusOf(isa::Fault::Undefined),
           chance, "status behind an undefined opcode");
    expect(bench.machine.read(isa::control::fault) == i, chance,
           "the number of an undefined opcode");
  }
  bench.launchWell();
}

// FETCH has met an error, LOAD waits for room in a channel that nobody empties,
// and a read is under way for longer than the machine has patience: it is given
// up behind the read, not before.
void blockedBesideALateRead(const isa::Layout &layout, bool sleeps) {
  Chance chance(3);
  SlaveOptions late;
  late.loadLatency = 20000; // FETCH has finished long before
  Program program;
  isa::Set stuck;
  stuck.engine = Engine::Gemm;
  stuck.wait = 2; // of ALU, which gives none
  program.push_back(stuck);
  isa::Set full;
  full.engine = Engine::Load;
  full.signal = 1;
  for (unsigned i = 0; i <= layout.config.channel_depth(); ++i)
    program.push_back(full);
  isa::Load load;
  load.memory = isa::Memory::Acc8;
  load.ySize = load.xSize = 1;
  program.push_back(load);
  program.push_back(isa::Finish());
  Bench bench(layout, chance, sleeps, late, program);
  size_t finish = size_t(bench.before.programBeat) * layout.beatBytes +
                  (program.size() - 1) * layout.instructionBytes;
  bench.dram[finish] |= 7;
  bench.launch();
  expect(bench.machine.read(isa::control::status) ==
             statusOf(isa::Fault::Undefined),
         chance, "status of a launch that is given up");
  // The same machine, the same place: what came late is nobody's.
  Program good = Copies(layout, chance, beats).make(4);
  Image image = imageOf(layout, good, beats);
  std::vector<uint8_t> want = image.dram;
  Reference reference(layout, want);
  for (const isa::Instruction &instruction : good)
    reference.execute(instruction);
  image.dram.resize(std::max(image.dram.size(), bench.dram.size()));
  want.resize(image.dram.size());
  bench.dram = image.dram;
  bench.machine.launch(image.programBeat);
  expect(bench.machine.read(isa::control::status) == doneAlone, chance,
         "status behind a launch that was given up");
  compare(chance, bench.dram, want);
}

SlaveOptions lateSlave(Chance &chance) {
  SlaveOptions options = randomSlave(chance);
  if (chance.percent(30))
    options.spread = chance.in(0, 6000);
  return options;
}

struct Figures {
  unsigned programs = 0, faults = 0, named = 0, unread = 0, resets = 0;
  unsigned stops = 0, windows = 0, outside = 0;
};

// A random burst of a random program fails, sometimes beside an engine that
// waits for ever.
void randomFaults(const isa::Layout &layout, uint64_t seed, bool sleeps,
                  Figures &figures) {
  Chance chance(seed);
  Program program = Copies(layout, chance, beats).make(chance.in(1, 12));
  Bench bench(layout, chance, sleeps, lateSlave(chance), program);
  bench.launchWell();
  ++figures.programs;
  std::array<uint64_t, masters> bursts;
  for (unsigned of = 0; of < masters; ++of)
    bursts[of] = bench.machine.memory().burstsOf(Master(of));
  for (unsigned i = 0; i < 3; ++i) {
    SlaveFault fault;
    fault.of = Master(chance.in(0, masters - 1));
    fault.burst = chance.in(0, uint32_t(bursts[fault.of] - 1));
    fault.beat = chance.percent(50) ? chance.in(0, 15) : chance.in(0, 255);
    fault.response = chance.in(2, 3);
    bool error = bench.launchBroken(fault);
    ++figures.faults;
    figures.named += error;
    figures.unread += !error;
    if (chance.percent(50))
      bench.launchWell();
  }
  bench.launchWell();
}

// The same with an engine that waits for a token for ever: it is given up.
void faultsBesideAStuckEngine(const isa::Layout &layout, uint64_t seed,
                              bool sleeps, Figures &figures) {
  Chance chance(seed);
  Program good = Copies(layout, chance, beats).make(chance.in(1, 6));
  Program program = good;
  isa::Set stuck;
  stuck.engine = Engine::Alu;
  stuck.wait = 1;
  program.insert(program.end() - 1, stuck);
  SlaveOptions options = lateSlave(chance);
  Bench counted(layout, chance, sleeps, options, good);
  counted.launchWell();
  SlaveFault fault;
  fault.of = chance.percent(50) ? LoadReads : StoreWrites;
  fault.burst =
      chance.in(0, uint32_t(counted.machine.memory().burstsOf(fault.of) - 1));
  fault.beat = chance.in(0, 15);
  Bench bench(layout, chance, sleeps, options, program, counted.base);
  expect(bench.launchBroken(fault), chance, "no error beside a stuck engine");
  ++figures.programs;
  ++figures.faults;
  ++figures.named;
  // Without the engine that is stuck: FINISH in its place.
  size_t at = size_t(bench.before.programBeat) * layout.beatBytes +
              (program.size() - 2) * layout.instructionBytes;
  std::vector<uint8_t> finish = encoded(layout, isa::Finish());
  bench.dram = bench.before.dram;
  std::copy(finish.begin(), finish.end(), bench.dram.begin() + at);
  std::copy(finish.begin(), finish.end(), bench.after.begin() + at);
  bench.machine.memory().breaks({});
  bench.launch();
  expect(bench.machine.read(isa::control::status) == doneAlone, chance,
         "status behind a launch that was given up");
  compare(chance, bench.dram, bench.after);
}

// Reset at any cycle of a launch, of machine and memory together or, where no
// write is under way, of the machine alone.
void resets(const isa::Layout &layout, uint64_t seed, bool sleeps,
            Figures &figures) {
  Chance chance(seed);
  Bench bench(layout, chance, sleeps, lateSlave(chance),
              Copies(layout, chance, beats).make(chance.in(1, 12)));
  const uint64_t length = bench.timeLaunch();
  ++figures.programs;
  for (unsigned i = 0; i < 3; ++i) {
    bench.startAndStep(chance.in(0, uint32_t(length)));
    bool writes =
        bench.machine.memory().writing() || bench.machine.asksToWrite();
    if (writes || chance.percent(50))
      bench.machine.reset(bench.base, chance.in(1, 4));
    else
      bench.machine.resetAlone(bench.base);
    ++figures.resets;
    expect(bench.machine.read(isa::control::status) == 0, chance,
           "status behind a reset");
    bench.launchWell();
  }
}

// Stopped, or reset by the control port, at any cycle of a launch.
void stops(const isa::Layout &layout, uint64_t seed, bool sleeps,
           Figures &figures) {
  Chance chance(seed);
  Bench bench(layout, chance, sleeps, lateSlave(chance),
              Copies(layout, chance, beats).make(chance.in(1, 12)));
  const uint64_t length = bench.timeLaunch();
  ++figures.programs;
  for (unsigned i = 0; i < 4; ++i) {
    const bool reset = i % 2;
    bench.startAndStep(chance.in(0, uint32_t(length)));
    bench.machine.stop(reset);
    ++figures.stops;
    const uint32_t status = bench.machine.read(isa::control::status);
    const uint32_t low = bench.machine.read(isa::control::baseLow);
    if (reset) {
      expect(status == 0 && low == 0 &&
                 bench.machine.read(isa::control::window) == 0 &&
                 bench.machine.read(isa::control::program) == 0,
             chance, "registers behind a reset");
      bench.machine.setBase(bench.base);
    } else {
      expect(status == doneAlone || status == statusOf(isa::Fault::Stopped),
             chance, "status behind a stop");
      expect(low == uint32_t(bench.base), chance, "base behind a stop");
    }
    bench.launchWell();
  }
}

// A window that ends anywhere: what lies behind it is not asked for, and the
// first who needs it is named.
void windows(const isa::Layout &layout, uint64_t seed, bool sleeps,
             Figures &figures) {
  Chance chance(seed);
  Bench bench(layout, chance, sleeps, lateSlave(chance),
              Copies(layout, chance, beats).make(chance.in(1, 12)));
  bench.launchWell();
  ++figures.programs;
  for (unsigned i = 0; i < 3; ++i) {
    const uint64_t bytes = chance.in(0, uint32_t(bench.before.dram.size()));
    bench.dram = bench.before.dram;
    bench.machine.setWindow(bench.base, bytes);
    ++figures.windows;
    figures.outside += bench.launchWithin(bytes);
    bench.machine.setWindow(bench.base, bench.before.dram.size());
    bench.launchWell();
  }
}

// What a launch depends on cannot be changed while it runs.
void locks(const isa::Layout &layout, bool sleeps) {
  Chance chance(4);
  Bench bench(layout, chance, sleeps, SlaveOptions(),
              Copies(layout, chance, beats).make(8));
  bench.dram = bench.before.dram;
  bench.start();
  unsigned refused = 0;
  for (auto [offset, value] : {std::pair(isa::control::program, ~0u),
                               {isa::control::baseLow, 0u},
                               {isa::control::baseHigh, ~0u},
                               {isa::control::window, 0u},
                               {isa::control::control, 1u},
                               {isa::control::cycles, 5u}}) {
    bench.machine.write(offset, value);
    refused += offset != isa::control::cycles;
    expect(!bench.machine.done(), chance, "too short a launch");
    expect(bench.machine.read(isa::control::refused) == refused, chance,
           "refused writes are counted");
  }
  bench.machine.awaitDone();
  expect(bench.machine.read(isa::control::status) == doneAlone, chance,
         "status of a launch that somebody disturbed");
  compare(chance, bench.dram, bench.after);
  bench.launchWell();
}

// Nothing fails; everything is as late as it can be.
void pressure(const isa::Layout &layout, uint64_t seed, bool sleeps,
              Figures &figures) {
  Chance chance(seed);
  SlaveOptions options = randomSlave(chance);
  for (unsigned *ready : {&options.arReady, &options.rValid, &options.awReady,
                          &options.wReady, &options.bValid})
    *ready = chance.in(2, 60);
  options.spread = chance.in(0, 3) * chance.in(0, 3000);
  Bench bench(layout, chance, sleeps, options,
              Copies(layout, chance, beats).make(chance.in(1, 12)));
  bench.launchWell();
  bench.launchWell();
  ++figures.programs;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: fault_test CONFIG SEED COUNT\n"), 2;
  isa::Layout layout = layoutOf(argv[1]);
  uint64_t seed = std::strtoull(argv[2], nullptr, 0);
  unsigned count = std::strtoul(argv[3], nullptr, 0);
  Figures figures;
  for (bool sleeps : {false, true}) {
    figures.faults += everyBurst(layout, sleeps);
    undefined(layout, sleeps);
    locks(layout, sleeps);
    blockedBesideALateRead(layout, sleeps);
  }
  figures.named = figures.faults;
  for (uint64_t s = seed; s < seed + count; ++s) {
    randomFaults(layout, s, s % 2, figures);
    faultsBesideAStuckEngine(layout, s, s % 2, figures);
    resets(layout, s, s % 2, figures);
    stops(layout, s, s % 2, figures);
    windows(layout, s, s % 2, figures);
    pressure(layout, s, s % 2, figures);
  }
  std::printf("%s: %u programs, %u faults: %u named, %u behind FINISH; %u "
              "resets, %u stops; %u windows, %u too narrow\n",
              argv[1], figures.programs, figures.faults, figures.named,
              figures.unread, figures.resets, figures.stops, figures.windows,
              figures.outside);
}
