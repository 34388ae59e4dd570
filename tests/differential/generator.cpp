// Part of Tenon, under the Apache License v2.0.
//
// What a random program works on: windows of scratchpads and the DRAM image.

#include "tests/differential/generator.h"

#include <algorithm>

namespace tenon::differential {
namespace {

constexpr uint32_t mostUops = 16; // of one table, with what stands in front

uint32_t beatsOf(uint64_t bytes, const isa::Layout &layout) {
  return uint32_t((bytes + layout.beatBytes - 1) / layout.beatBytes);
}

} // namespace

Generator::Generator(const isa::Layout &layout, uint64_t seed, uint32_t size)
    : layout(layout), random(seed), size(size) {
  planWindows();
  planDram(size);
  fillDram();
  builder = std::make_unique<StreamBuilder>(layout, dram);
}

RandomProgram Generator::generate() {
  prologue();
  for (uint32_t i = 0; i < size; ++i) {
    if (random.oneIn(12))
      randomExtreme();
    uint32_t kind = random.below(16);
    if (kind < 4)
      randomLoad();
    else if (kind < 5)
      randomParameterLoad();
    else if (kind < 7)
      randomStore();
    else if (kind < 10)
      randomGemm();
    else if (kind < 11)
      randomBase(random.pick({isa::Engine::Gemm, isa::Engine::Alu}));
    else
      randomAlu();
  }
  epilogue();
  return {dram, builder->accepted()};
}

Window Generator::draw(uint32_t entries, uint32_t most) {
  uint32_t limit = std::min(entries, most);
  uint32_t count = random.range(std::min(limit, 4u), limit);
  uint32_t last = entries - count;
  return {random.oneIn(4)   ? 0
          : random.oneIn(3) ? last
                            : random.below(last + 1),
          count};
}

void Generator::planWindows() {
  const isa::Configuration &c = layout.config;
  auto at = [&](Space space) -> Window & { return windows[size_t(space)]; };
  Window &acc = at(Space::Acc) = draw(c.acc_entries(), 40);
  if (c.acc_banks() > 1 && random.oneIn(2)) { // across the border of two banks
    uint32_t bank = c.acc_entries() / c.acc_banks();
    uint32_t border = bank * random.range(1, c.acc_banks() - 1);
    acc.size = std::min(acc.size, 2 * std::min(border, bank));
    acc.begin = border - acc.size / 2;
  }
  // The end of the program shows INP and WGT through ACC.
  at(Space::Inp) = draw(c.inp_entries(), std::min(acc.size, 24u));
  at(Space::Wgt) = draw(c.wgt_entries(), std::min(acc.size, 8u));
  at(Space::Dwt) = draw(c.dwt_entries(), 12);
  at(Space::Prm) = draw(c.prm_entries(), 6);
  at(Space::Out) = draw(c.out_entries(), 40);
}

void Generator::planDram(uint32_t size) {
  auto windowBytes = [&](Space space, isa::Memory memory) {
    return uint64_t(window(space).size) * layout.transferBytes(memory);
  };
  uint64_t data =
      std::max({uint64_t(8192), 2 * windowBytes(Space::Acc, isa::Memory::Acc),
                2 * windowBytes(Space::Wgt, isa::Memory::Wgt)});
  if (random.oneIn(4)) // for a STORE of all rows
    data =
        std::max(data, uint64_t(layout.config.out_entries()) * layout.outBytes);
  uint64_t prmBytes = layout.transferBytes(isa::Memory::Prm);
  uint64_t shown = window(Space::Out).size + 12ull * window(Space::Acc).size;
  uint32_t tableBeats = mostUops / layout.uopsPerBeat + 2;

  plan.data = random.oneIn(2) ? 0 : random.below(64);
  plan.dataBeats = beatsOf(data, layout);
  plan.prm = plan.data + plan.dataBeats;
  plan.prmElements = 2 * window(Space::Prm).size;
  plan.uops = plan.prm + beatsOf(plan.prmElements * prmBytes, layout);
  plan.uopBeats = (size + 40) * tableBeats;
  plan.output = plan.uops + plan.uopBeats;
  plan.outputBeats = beatsOf(shown * layout.outBytes, layout);
  plan.beats = plan.output + plan.outputBeats;
  nextUopBeat = plan.uops;
  nextOutputBeat = plan.output;
}

void Generator::fillDram() {
  dram.resize(size_t(plan.beats) * layout.beatBytes);
  for (uint8_t &byte : dram)
    byte = uint8_t(random.bits());
  for (uint32_t i = 0; i < plan.prmElements; ++i)
    writeParameters(i, i == 0);
}

void Generator::writeWord(uint64_t offset, uint32_t word) {
  for (int b = 0; b < 4; ++b)
    dram[offset + b] = uint8_t(word >> 8 * b);
}

void Generator::writeParameters(uint32_t element, bool identity) {
  uint32_t channels = layout.config.block_out();
  uint64_t at = uint64_t(plan.prm) * layout.beatBytes +
                uint64_t(element) * layout.transferBytes(isa::Memory::Prm);
  for (uint32_t o = 0; o < channels; ++o) {
    writeWord(at + 4 * o, identity ? 0 : uint32_t(random.number()));
    writeWord(at + 4 * (channels + o),
              identity ? 4 : uint32_t(random.number()));
    dram[at + 8 * channels + o] = identity ? 2 : uint8_t(random.range(2, 62));
  }
}

RandomProgram randomProgram(const isa::Layout &layout, uint64_t seed,
                            uint32_t size) {
  return Generator(layout, seed, size).generate();
}

isa::Program assembleRandomProgram(const isa::Layout &layout,
                                   const RandomProgram &random) {
  StreamBuilder builder(layout, random.dram);
  for (const isa::Instruction &instruction : random.instructions)
    builder.append(instruction);
  std::vector<isa::Instruction> stream = builder.finish();

  isa::Program program;
  *program.mutable_configuration() = layout.config;
  program.set_isa_version(isa::isaVersion);
  isa::Segment *data = program.add_segments();
  data->set_name("data");
  data->set_data(random.dram.data(), random.dram.size());
  uint64_t alignment = std::max(layout.beatBytes, layout.instructionBytes);
  uint64_t start = (random.dram.size() + alignment - 1) / alignment * alignment;
  std::vector<uint8_t> code(stream.size() * layout.instructionBytes);
  for (size_t i = 0; i < stream.size(); ++i)
    // What the builder accepted validates.
    (void)isa::encode(layout, stream[i], &code[i * layout.instructionBytes]);
  isa::Segment *instructions = program.add_segments();
  instructions->set_name("instructions");
  instructions->set_offset(start);
  instructions->set_data(code.data(), code.size());
  isa::Launch *launch = program.add_steps()->mutable_launch();
  launch->set_program_offset(start);
  launch->set_instruction_count(stream.size());
  program.set_dram_bytes(start + code.size());
  return program;
}

} // namespace tenon::differential
