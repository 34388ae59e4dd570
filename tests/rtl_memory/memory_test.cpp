// Part of Tenon, under the Apache License v2.0.
//
// FETCH, LOAD, STORE, token channels, control and counters together, around a
// stand-in core that copies ACC8 to OUT: random programs copy regions of DRAM
// with random shapes while tokens order DRAM and OUT, against a model that runs
// the same program in order.  The whole DRAM is compared; states must add up to
// cycles, retirements to instructions, token waits to state token.
// Usage: CONFIG SEED COUNT.

#include "axi_slave.h"

#include "sim/rtl/coverage_counts.h"
#include "tests/rtl/power_up.h"

#include "Vtenon_machine.h"
#include "verilated.h"

#include <array>

using namespace tenon;
using namespace tenon::test;
using isa::Engine;

namespace {

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

/// The accelerator, its memory and its host. With `sleeps`, parts that have
/// nothing to do get no clock edge.
class Machine {
public:
  Machine(const isa::Layout &layout, Chance &chance, bool sleeps,
          SlaveOptions options, uint64_t base, std::vector<uint8_t> &dram)
      : chance(chance), sleeps(sleeps),
        slave(top, layout, chance, options, base, dram) {
    top.rst_i = 1;
    cycle();
    cycle();
    top.rst_i = 0;
    write(0x10, uint32_t(base));
    write(0x14, uint32_t(base >> 32));
  }
  ~Machine() { sim::writeCoverage(*Verilated::threadContextp()); }

  void launch(uint32_t programBeat) {
    write(0x08, programBeat);
    write(0x00, 1);
    for (uint64_t limit = 0; !top.done_o; ++limit) {
      expect(limit < 3000000, chance, "the launch does not end");
      cycle();
    }
    expect(slave.quiet(), chance, "done while the memory works");
  }

  void write(uint32_t offset, uint32_t value) {
    top.s_axil_awaddr_i = offset;
    top.s_axil_wdata_i = value;
    top.s_axil_awvalid_i = top.s_axil_wvalid_i = top.s_axil_bready_i = 1;
    bool taken = false;
    do {
      drive();
      taken = top.s_axil_awready_o && top.s_axil_wready_o;
      rise();
    } while (!taken);
    top.s_axil_awvalid_i = top.s_axil_wvalid_i = 0;
    while (!top.s_axil_bvalid_o)
      cycle();
    cycle();
  }

  uint32_t read(uint32_t offset) {
    top.s_axil_araddr_i = offset;
    top.s_axil_arvalid_i = top.s_axil_rready_i = 1;
    cycle();
    top.s_axil_arvalid_i = 0;
    // A counter takes one round over all of them.
    for (unsigned wait = 0; !top.s_axil_rvalid_o; ++wait) {
      expect(wait < 80, chance, "no answer to a control read");
      cycle();
    }
    uint32_t value = top.s_axil_rdata_o;
    cycle();
    return value;
  }

  void cycle() {
    drive();
    rise();
  }

  const AxiSlave<Vtenon_machine> &memory() const { return slave; }
  uint64_t cycles() const { return now; }

private:
  void drive() {
    slave.drive();
    setClocks(0, 0);
    top.eval();
  }
  void rise() {
    if (!top.rst_i)
      slave.sample();
    setClocks(1, awake());
    top.eval();
    ++now;
  }

  // The parts with something to do; the ports belong to FETCH's and STORE's.
  uint32_t awake() const {
    if (!sleeps || top.rst_i)
      return ~0u;
    bool front =
        top.s_axil_awvalid_i || top.s_axil_arvalid_i || top.m_axi_rvalid_i;
    return top.awake_o | front | top.m_axi_bvalid_i << 5;
  }

  void setClocks(bool always, uint32_t parts) {
    top.clk_i = always;
    top.clk_front_i = parts & 1;
    top.clk_core_i = parts >> 1 & 1;
    top.clk_gemm_i = parts >> 2 & 1;
    top.clk_alu_i = parts >> 3 & 1;
    top.clk_load_i = parts >> 4 & 1;
    top.clk_store_i = parts >> 5 & 1;
  }

  Chance &chance;
  const bool sleeps;
  uint64_t now = 0;
  Vtenon_machine top;
  AxiSlave<Vtenon_machine> slave;
};

void checkCounters(const isa::Layout &layout, Chance &chance, Machine &machine,
                   const Program &program) {
  if (layout.config.counters() == isa::Configuration::NONE)
    return;
  uint32_t cycles = machine.read(0x20), tokenCycles = 0, waits = 0;
  std::array<uint32_t, 4> count{};
  for (const isa::Instruction &instruction : program)
    if (!std::holds_alternative<isa::Finish>(instruction))
      ++count[size_t(isa::engineOf(instruction))];
  for (uint32_t e = 0; e < 4; ++e)
    expect(machine.read(0x30 + 4 * e) == count[e], chance, "retired");
  if (layout.config.counters() != isa::Configuration::FULL)
    return;
  for (uint32_t e = 0; e < 4; ++e) {
    uint32_t sum = 0;
    for (uint32_t s = 0; s < 7; ++s)
      sum += machine.read(0x100 + 64 * e + 4 * s);
    expect(sum == cycles, chance, "states do not add up to cycles");
    tokenCycles += machine.read(0x100 + 64 * e + 4);
  }
  for (uint32_t c = 0; c < 10; ++c)
    waits += machine.read(0x200 + 4 * c);
  expect(waits == tokenCycles, chance, "token waits do not add up");
}

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
Image imageOf(const isa::Layout &layout, const Program &program,
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

void compare(Chance &chance, const std::vector<uint8_t> &got,
             const std::vector<uint8_t> &want) {
  for (size_t i = 0; i < want.size(); ++i)
    if (got[i] != want[i])
      fail(chance, "byte " + std::to_string(i) + " of DRAM is " +
                       std::to_string(got[i]) + ", expected " +
                       std::to_string(want[i]));
}

SlaveOptions randomSlave(Chance &chance) {
  auto some = [&] { return chance.percent(50) ? 100u : chance.in(10, 90); };
  SlaveOptions options;
  options.arReady = some();
  options.rValid = some();
  options.awReady = some();
  options.wReady = some();
  options.latency = chance.in(1, 80);
  options.spread = chance.percent(30) ? chance.in(0, 50) : 0;
  options.outstanding = chance.in(1, 64);
  options.reorder = chance.percent(50);
  return options;
}

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
  expect(machine.read(4) == 0, chance, "status before a launch");
  expect(machine.read(0x10) == uint32_t(base) &&
             machine.read(0x14) == uint32_t(base >> 32),
         chance, "base as written");
  for (int launch = 0; launch < 2; ++launch) {
    Reference reference(layout, want);
    for (const isa::Instruction &instruction : program)
      reference.execute(instruction);
    machine.launch(image.programBeat);
    expect(machine.read(4) == 1, chance, "status after a launch");
    expect(machine.read(8) == image.programBeat, chance, "program as written");
    compare(chance, image.dram, want);
    checkCounters(layout, chance, machine, program);
  }
  return machine.cycles();
}

// An undefined opcode, a read error, a write error: the launch ends with the
// error bit even where an engine waits for a token, and the next one works.
void errors(const isa::Layout &layout, bool sleeps) {
  Chance chance(1);
  constexpr uint32_t beats = 6000;
  Program good = Copies(layout, chance, beats).make(8);
  Program bad = good;
  isa::Set stuck;
  stuck.engine = Engine::Alu;
  stuck.wait = 1;
  bad.insert(bad.end() - 1, stuck);
  for (int kind = 0; kind < 3; ++kind) {
    Image image = imageOf(layout, bad, beats);
    size_t end = size_t(image.programBeat) * layout.beatBytes +
                 (bad.size() - 1) * layout.instructionBytes;
    SlaveOptions options;
    uint64_t base = 4096;
    auto firstOf = [&](auto *type) {
      using T = std::remove_pointer_t<decltype(type)>;
      for (const isa::Instruction &i : bad)
        if (auto *found = std::get_if<T>(&i))
          return base + uint64_t(found->dram) * layout.beatBytes;
      return uint64_t(0);
    };
    if (kind == 0)
      image.dram[end] = 7;
    if (kind == 1)
      options.errorAddress = firstOf((isa::Load *)nullptr);
    if (kind == 2)
      options.errorAddress = firstOf((isa::Store *)nullptr);
    Machine machine(layout, chance, sleeps, options, base, image.dram);
    machine.launch(image.programBeat);
    expect(machine.read(4) == 5, chance, "status after an error");
    image.dram[size_t(image.programBeat) * layout.beatBytes] =
        encoded(layout, isa::Finish())[0];
    machine.launch(image.programBeat);
    expect(machine.read(4) == 1, chance, "status after the next launch");
  }
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
  errors(layout, false);
  errors(layout, true);
  for (uint64_t s = seed; s < seed + count; ++s)
    expect(randomCopies(layout, s, false) == randomCopies(layout, s, true),
           Chance(s), "other cycles where parts sleep");
  std::printf("%s: %u random programs agree\n", argv[1], count);
}
