// Part of Tenon, under the Apache License v2.0.

#include "hand_made.h"

#include <cstring>

namespace tenon::sim {
namespace {

constexpr uint64_t uopsAt = 0, codeAt = 4096;
// Masks in the order of the neighbours.
constexpr uint32_t loadToAlu = 1 << 1, aluFromLoad = 1 << 0,
                   aluToStore = 1 << 2, storeFromAlu = 1 << 2;

isa::Load load(isa::Memory memory, uint32_t dram, uint32_t count,
               uint32_t stride) {
  isa::Load load;
  load.memory = memory;
  load.dram = dram;
  load.ySize = 1, load.xSize = count, load.xStride = stride;
  return load;
}

std::vector<isa::Instruction> instructions() {
  isa::Load operands = load(isa::Memory::Acc8, 1024, 4, 2);
  operands.signal = loadToAlu;
  isa::Set set;
  set.engine = isa::Engine::Alu;
  set.index = uint32_t(isa::AluRegister::OutputZeroPoint);
  set.value = 3;
  isa::Alu quant;
  quant.wait = aluFromLoad, quant.signal = aluToStore;
  quant.op = isa::AluOp::Quant, quant.target = isa::Target::Out;
  quant.uopCount = quant.outerCount = 1, quant.innerCount = 4;
  quant.dstInner = quant.srcInner = 1;
  isa::Store store;
  store.wait = storeFromAlu;
  store.dram = 2048;
  store.ySize = 1, store.xSize = 4, store.xStride = 2;
  return {load(isa::Memory::UopAlu, 0, 1, 1),
          load(isa::Memory::Prm, 16, 1, 18),
          operands,
          set,
          quant,
          store,
          isa::Finish{}};
}

void addSegment(isa::Program &program, uint64_t offset, std::string data) {
  isa::Segment &segment = *program.add_segments();
  segment.set_offset(offset);
  segment.set_data(std::move(data));
}

void addLayer(report::RunReport &report, const char *name, double cycles) {
  report::Layer &layer = *report.add_layers();
  layer.set_name(name);
  layer.set_op("quant");
  layer.set_placed_on("accelerator");
  layer.set_cycles(cycles);
}

} // namespace

HandMade::HandMade() {
  auto config = isa::loadConfiguration("pynq");
  EXPECT_TRUE(config.ok()) << config.status();
  auto layout = isa::Layout::get(*config);
  *program.mutable_configuration() = *config;
  program.set_dram_bytes(1 << 16);
  std::string code(instructions().size() * layout->instructionBytes, '\0');
  size_t at = 0;
  for (const isa::Instruction &instruction : instructions()) {
    EXPECT_TRUE(isa::encode(*layout, instruction,
                            reinterpret_cast<uint8_t *>(&code[at]))
                    .ok());
    at += layout->instructionBytes;
  }
  addSegment(program, uopsAt, std::string(8, '\0'));
  addSegment(program, codeAt, code);
  isa::Launch &launch = *program.add_steps()->mutable_launch();
  launch.set_program_offset(codeAt);
  launch.set_instruction_count(instructions().size());

  report.set_model("hand<made>.onnx");
  report.set_config("pynq");
  report.set_target("rtl");
  report.set_cycles(cycles);
  report.set_clock_mhz(100);
  report.set_peak_macs(256);
  report.set_beat_bytes(8);
  addLayer(report, "first", 10);
  addLayer(report, "second & <b>last</b>", 51);

  runs.layers = 2;
  runs.engines[0] = {{0, 0}, {1, 1}};
  runs.engines[2] = {{0, 0}, {1, 1}};
  runs.engines[3] = {{0, 1}};
  events.engines[0] = {event(0, 10, {1, 0, 9}), event(10, 14, {4}),
                       event(14, 30, {6, 0, 10})};
  events.engines[2] = {event(0, 1, {1}), event(30, 40, {8, 29, 0, 0, 2})};
  events.engines[2][1].tokenWait[0] = 29;
  events.engines[3] = {event(40, 60, {5, 38, 15, 0, 0, 2})};
  events.engines[3][0].tokenWait[2] = 38;
  states[1].cycles[5] = 20;
  states[2].cycles[5] = 3;
  states[3].cycles[5] = 2;
  for (unsigned e = 0; e < numEngines; ++e)
    (*report.mutable_states())[std::string(isa::toString(isa::Engine(e)))]
        .set_empty(states[e].cycles[5]);
  for (uint64_t cycle = 20; cycle < 28; ++cycle)
    events.traffic.add(TrafficTrace::Load, cycle);
  events.traffic.add(TrafficTrace::Fetch, 3, 2);
  events.traffic.add(TrafficTrace::Store, 50, 7);
}

} // namespace tenon::sim
