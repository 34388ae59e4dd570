// Part of Tenon, under the Apache License v2.0.
//
// LOAD alone: random instructions into every memory with random strides, pads,
// latencies, tokens and back-pressure.  Each write must belong to the oldest
// instruction that is not complete, hit an element not yet written and carry
// the byte of the DRAM address the specification names; tokens are taken before
// the first address and given after the last write.  Usage: CONFIG SEED COUNT.

#include "common.h"

#include "sim/rtl/coverage_counts.h"
#include "tests/rtl_memory/power_up.h"

#include "Vload.h"
#include "verilated.h"

#include <deque>
#include <map>

using namespace tenon;
using namespace tenon::test;
using isa::Memory;

namespace {

constexpr uint32_t baseBeat = 4101; // not at a page's begin

struct Expected {
  bool isSet = false;
  isa::Load load;
  uint32_t wait = 0, signal = 0, zeroPoint = 0;
  uint32_t padWord = 0;
  uint32_t beats = 1;                                     // of an element
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> data; // index, beat -> DRAM
  std::map<uint32_t, bool> pads;
  uint32_t taken = 0, given = 0;
};

struct Options {
  unsigned valid = 100, token = 100, room = 100, address = 100, data = 100;
  unsigned latency = 32;
};

class Bench {
public:
  Bench(const isa::Layout &layout, Chance &chance, Options options)
      : layout(layout), chance(chance), options(options) {
    top.rst_i = 1;
    top.start_i = 0;
    top.base_i = baseBeat;
    step();
    step();
    top.rst_i = 0;
  }

  ~Bench() { sim::writeCoverage(*Verilated::threadContextp()); }

  void add(const isa::Instruction &instruction) {
    Expected e;
    e.wait = isa::waitOf(instruction);
    e.signal = isa::signalOf(instruction);
    if (auto *set = std::get_if<isa::Set>(&instruction)) {
      e.isSet = true;
      if (set->index == 1)
        zeroPoint = set->value & 0x1ff;
      if (set->index == 2)
        padValue = set->value;
    } else {
      e.load = std::get<isa::Load>(instruction);
      e.zeroPoint = zeroPoint;
      expectLoad(e);
    }
    stream.push_back({encoded(layout, instruction), e});
  }

  /// Runs until everything has retired; the number of cycles it took.
  uint64_t run() {
    uint64_t begin = cycle, limit = cycle + 2000000;
    while (!stream.empty() || !flight.empty()) {
      drive();
      step();
      expect(cycle < limit, chance, "LOAD does not end");
    }
    for (int i = 0; i < 4; ++i) {
      drive();
      step();
    }
    expect(top.idle_o && inflight.empty(), chance, "LOAD is not idle");
    return lastRetired - begin;
  }

  uint64_t firstTake = 0, lastGive = 0, dataBeats = 0;
  uint64_t firstData = 0, lastData = 0;
  std::array<uint64_t, 8> states{};

private:
  struct Item {
    std::vector<uint8_t> bytes;
    Expected expected;
  };
  struct Beat {
    uint64_t due;
    uint32_t address;
    bool last;
  };

  void expectLoad(Expected &e) {
    const isa::Load &l = e.load;
    e.beats = layout.transferBytes(l.memory) / layout.beatBytes;
    bool narrow = l.memory == Memory::Inp;
    switch (l.padKind) {
    case isa::Pad::Zero:
      e.padWord = 0;
      break;
    case isa::Pad::Min:
      e.padWord = narrow ? 0x80 : 0x80000000;
      break;
    case isa::Pad::Max:
      e.padWord = narrow ? 0x7f : 0x7fffffff;
      break;
    case isa::Pad::Value:
      e.padWord = padValue;
      break;
    }
    uint32_t index = l.sram, width = l.padLeft + l.xSize + l.padRight;
    for (uint32_t y = 0; y < l.padTop + l.ySize + l.padBottom; ++y)
      for (uint32_t x = 0; x < width; ++x, ++index) {
        bool inside = y >= l.padTop && y < l.padTop + l.ySize &&
                      x >= l.padLeft && x < l.padLeft + l.xSize;
        if (!inside) {
          e.pads[index] = true;
          continue;
        }
        for (uint32_t b = 0; b < e.beats; ++b)
          e.data[{index, b}] = l.dram + (y - l.padTop) * l.yStride +
                               (x - l.padLeft) * l.xStride + b;
      }
  }

  void drive() {
    // Like a queue: once offered, an instruction stays.
    waiting = !stream.empty() && (waiting || chance.percent(options.valid));
    top.valid_i = waiting;
    if (waiting)
      std::memcpy(bytesOf(top.instruction_i), stream.front().bytes.data(),
                  layout.instructionBytes);
    auto bits = [&](unsigned p) {
      return uint8_t(chance.percent(p) | chance.percent(p) << 1 |
                     chance.percent(p) << 2);
    };
    top.token_i = bits(options.token);
    top.room_i = bits(options.room);
    top.burst_ready_i = chance.percent(options.address);
    if (!offered)
      offered = !inflight.empty() && inflight.front().due <= cycle &&
                chance.percent(options.data);
    top.data_valid_i = offered;
    if (offered) {
      for (uint32_t b = 0; b < layout.beatBytes; ++b)
        bytesOf(top.data_i)[b] = dramByte(inflight.front().address, b);
      top.data_last_i = inflight.front().last;
    }
  }

  void step() {
    top.clk_i = 0;
    top.eval();
    if (!top.rst_i)
      sample();
    top.clk_i = 1;
    top.eval();
    ++cycle;
  }

  void sample() {
    ++states[top.state_o];
    tokens();
    if (top.ld_valid_o)
      written();
    given();
    if (top.burst_valid_o && top.burst_ready_i)
      burst();
    if (top.data_valid_i && top.data_ready_o) {
      inflight.pop_front();
      offered = false;
      ++dataBeats;
      if (!firstData)
        firstData = cycle;
      lastData = cycle;
    }
    if (top.valid_i && top.ready_o) {
      flight.push_back(stream.front().expected);
      stream.pop_front();
      waiting = false;
    }
  }

  // A take belongs to the youngest instruction accepted.
  void tokens() {
    expect((top.take_o & ~top.token_i) == 0, chance, "takes a missing token");
    if (!top.take_o)
      return;
    expect(!flight.empty(), chance, "takes a token for no instruction");
    Expected &e = flight.back();
    expect((e.taken & top.take_o) == 0 && (top.take_o & ~e.wait) == 0, chance,
           "takes a token nobody waits for");
    e.taken |= top.take_o;
    firstTake = firstTake ? firstTake : cycle;
  }

  void written() {
    size_t i = 0;
    while (i < flight.size() && flight[i].data.empty() &&
           flight[i].pads.empty())
      ++i;
    expect(i < flight.size(), chance, "writes for no instruction");
    Expected &e = flight[i];
    expect(e.taken == e.wait, chance, "writes before its tokens");
    expect(top.ld_memory_o == uint32_t(e.load.memory), chance, "memory");
    if (top.ld_all_o) {
      expect(e.pads.erase(top.ld_index_o) == 1, chance, "padding out of place");
      uint32_t word = 0;
      std::memcpy(&word, bytesOf(top.ld_data_o), 4);
      uint32_t mask = e.load.memory == Memory::Inp ? 0xff : 0xffffffff;
      expect(((word ^ e.padWord) & mask) == 0, chance, "value of padding");
      return;
    }
    auto at = e.data.find({top.ld_index_o, top.ld_beat_o});
    expect(at != e.data.end(), chance, "element out of place");
    for (uint32_t b = 0; b < layout.beatBytes; ++b)
      expect(bytesOf(top.ld_data_o)[b] == dramByte(at->second, b), chance,
             "byte of an element");
    expect(top.ld_zero_point_o == e.zeroPoint, chance, "zero point");
    e.data.erase(at);
  }

  void given() {
    expect((top.give_o & ~top.room_i) == 0, chance, "gives without room");
    if (top.give_o) {
      expect(!flight.empty(), chance, "gives for no instruction");
      Expected &e = flight.front();
      expect(e.data.empty() && e.pads.empty(), chance,
             "signals before the last write");
      expect((e.given & top.give_o) == 0 && (top.give_o & ~e.signal) == 0,
             chance, "gives a token nobody asked for");
      e.given |= top.give_o;
      lastGive = cycle;
    }
    if (!top.retired_o)
      return;
    expect(!flight.empty(), chance, "retires nothing");
    const Expected &e = flight.front();
    expect(e.data.empty() && e.pads.empty() && e.given == e.signal &&
               e.taken == e.wait,
           chance, "retires too early");
    flight.pop_front();
    lastRetired = cycle;
  }

  void burst() {
    uint32_t beats = top.burst_length_o + 1, page = 4096 / layout.beatBytes;
    uint32_t in = top.burst_beat_o % page, beat = top.burst_beat_o - baseBeat;
    expect(beats >= 1 && beats <= layout.config.burst_beats(), chance,
           "length of a burst");
    expect(in + beats <= page, chance, "a burst crosses 4 KiB");
    for (uint32_t b = 0; b < beats; ++b)
      inflight.push_back({cycle + options.latency, beat + b, b + 1 == beats});
  }

  const isa::Layout &layout;
  Chance &chance;
  Options options;
  Vload top;
  uint64_t cycle = 0, lastRetired = 0;
  uint32_t zeroPoint = 0, padValue = 0;
  bool offered = false, waiting = false; // data beat, instruction
  std::deque<Item> stream;
  std::deque<Expected> flight;
  std::deque<Beat> inflight;
};

isa::Instruction randomInstruction(const isa::Layout &layout, Chance &chance) {
  uint32_t wait = chance.percent(40) ? chance.in(0, 7) : 0;
  uint32_t signal = chance.percent(40) ? chance.in(0, 7) : 0;
  if (chance.percent(15)) {
    isa::Set set;
    set.wait = wait;
    set.signal = signal;
    set.engine = isa::Engine::Load;
    set.index = chance.in(0, 2);
    if (set.index == 1)
      set.value = uint32_t(int32_t(chance.in(0, 511)) - 256);
    if (set.index == 2)
      set.value = chance.in(0, ~0u);
    return set;
  }
  isa::Load load;
  load.wait = wait;
  load.signal = signal;
  load.memory = Memory(chance.in(0, 7));
  uint32_t beats = layout.transferBytes(load.memory) / layout.beatBytes;
  uint32_t entries = layout.entries(load.memory);
  load.gather = chance.percent(50);
  load.dram = chance.in(0, (1 << 20) - 1);
  load.ySize = chance.in(1, 5);
  load.xSize = chance.percent(30) ? 1 : chance.in(1, 9);
  load.yStride = chance.in(0, 3000);
  load.xStride = chance.percent(50) ? beats : chance.in(0, 3 * beats);
  bool padded = load.memory == Memory::Inp || load.memory == Memory::Acc ||
                load.memory == Memory::Acc8;
  if (padded && chance.percent(50)) {
    auto pad = [&] { return chance.percent(50) ? 0 : chance.in(0, 3); };
    load.padTop = pad();
    load.padBottom = pad();
    load.padLeft = pad();
    load.padRight = pad();
    if (load.padTop + load.padBottom + load.padLeft + load.padRight)
      load.padKind = isa::Pad(chance.in(0, 3));
  }
  // Stay inside the smallest scratchpad.
  auto area = [&] {
    return (load.padTop + load.ySize + load.padBottom) *
           (load.padLeft + load.xSize + load.padRight);
  };
  while (area() > entries)
    load.xSize > 1 ? load.xSize = 1 : load.ySize = 1;
  load.sram = chance.in(0, entries - area());
  return load;
}

void randomLoads(const isa::Layout &layout, uint64_t seed, unsigned count) {
  powerUp(seed);
  Chance chance(seed);
  auto some = [&] { return chance.percent(50) ? 100 : chance.in(10, 90); };
  Options options{some(), some(), some(), some(), some(), chance.in(0, 80)};
  Bench bench(layout, chance, options);
  for (unsigned i = 0; i < count; ++i)
    bench.add(randomInstruction(layout, chance));
  bench.run();
}

// Figures of the report; the bounds are exact properties of the pipeline.
void figures(const isa::Layout &layout) {
  Chance chance(0);
  isa::Load one;
  one.memory = Memory::UopGemm;
  one.wait = one.signal = 1;
  one.ySize = one.xSize = one.xStride = 1;
  {
    Bench bench(layout, chance, Options());
    bench.add(one);
    bench.run();
    uint64_t cycles = bench.lastGive - bench.firstTake;
    std::printf("one beat, latency 32: %llu cycles from wait to signal\n",
                (unsigned long long)cycles);
    expect(cycles <= 36, chance, "latency of a LOAD of one beat");
  }
  for (Memory memory : {Memory::UopGemm, Memory::Inp}) {
    Bench bench(layout, chance, Options());
    uint32_t count = 256;
    for (uint32_t i = 0; i < count; ++i) {
      isa::Load load = one;
      load.memory = memory;
      load.dram = i * 77;
      load.sram = i;
      load.xStride = layout.transferBytes(memory) / layout.beatBytes;
      bench.add(load);
    }
    bench.run();
    uint64_t span = bench.lastData - bench.firstData + 1;
    std::printf("%u LOADs of one element (%llu beats): %llu cycles of data\n",
                count, (unsigned long long)bench.dataBeats,
                (unsigned long long)span);
    // An instruction comes from the queue every other cycle; a read port with
    // few bursts on their way has them once a round trip.
    uint64_t trips = uint64_t(count) * (Options().latency + 2) /
                     layout.config.outstanding_bursts();
    uint64_t beats = std::max<uint64_t>(bench.dataBeats, 2 * count);
    expect(span <= std::max(beats + beats / 3, trips), chance,
           "short LOADs do not follow each other");
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return std::fprintf(stderr, "usage: load_test CONFIG SEED COUNT\n"), 2;
  isa::Layout layout = layoutOf(argv[1]);
  uint64_t seed = std::strtoull(argv[2], nullptr, 0);
  unsigned count = std::strtoul(argv[3], nullptr, 0);
  figures(layout);
  for (unsigned i = 0; i < count; ++i)
    randomLoads(layout, seed + i, 60);
  std::printf("%s: %u random streams of LOADs agree\n", argv[1], count);
}
