// Part of Tenon, under the Apache License v2.0.
//
// A program made by hand that moves data through LOAD, ALU and STORE.

#include "small_program.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>

namespace tenon::sim {
namespace {

constexpr uint32_t alignment = 4096;
constexpr int32_t zeroPoint = 3;
constexpr uint32_t shift = 30; // with multiplier 2^30: times one

// Masks of `wait` and `signal`, in the order of the neighbours.
constexpr uint32_t loadToAlu = 1 << 1, aluFromLoad = 1 << 0,
                   aluToStore = 1 << 2, storeFromAlu = 1 << 2;

int32_t biasOf(uint32_t channel) { return int32_t(channel * 5) - 9; }

} // namespace

uint32_t SmallProgram::beats(uint64_t bytes) const {
  return uint32_t(bytes / layout.beatBytes);
}

SmallProgram::SmallProgram(const isa::Layout &layout, uint32_t vectors)
    : layout(layout) {
  uint64_t bytes = uint64_t(vectors) * layout.outBytes;
  uint64_t room = (bytes + alignment - 1) / alignment * alignment;
  uops = alignment;
  params = 2 * alignment;
  data = 4 * alignment;
  result = data + room;
  program = result + room;
  dramBytes = program + alignment;
  for (uint64_t i = 0; i < bytes; ++i)
    input.push_back(uint8_t((i * 0x9e3779b1u) >> 13));

  isa::Load load;
  load.memory = isa::Memory::UopAlu;
  load.dram = beats(uops);
  load.ySize = load.xSize = load.xStride = 1;
  instructions.push_back(load);
  load.memory = isa::Memory::Prm;
  load.dram = beats(params);
  instructions.push_back(load);
  load.memory = isa::Memory::Acc8;
  load.dram = beats(data);
  load.xSize = vectors;
  load.xStride = beats(layout.outBytes);
  load.signal = loadToAlu;
  instructions.push_back(load);

  isa::Set set;
  set.engine = isa::Engine::Alu;
  set.index = uint32_t(isa::AluRegister::OutputZeroPoint);
  set.value = zeroPoint;
  instructions.push_back(set);

  isa::Alu alu;
  alu.wait = aluFromLoad;
  alu.signal = aluToStore;
  alu.op = isa::AluOp::Quant;
  alu.target = isa::Target::Out;
  alu.uopCount = alu.outerCount = 1;
  alu.innerCount = vectors;
  alu.dstInner = alu.srcInner = 1;
  instructions.push_back(alu);

  isa::Store store;
  store.wait = storeFromAlu;
  store.dram = beats(result);
  store.ySize = 1;
  store.xSize = vectors;
  store.xStride = beats(layout.outBytes);
  instructions.push_back(store);
  instructions.push_back(isa::Finish{});
}

std::vector<uint8_t> SmallProgram::parameters() const {
  const uint32_t channels = layout.config.block_out();
  std::vector<uint8_t> bytes(layout.prmBytes);
  for (uint32_t c = 0; c < channels; ++c) {
    int32_t bias = biasOf(c), multiplier = 1 << 30;
    std::memcpy(&bytes[4 * c], &bias, 4);
    std::memcpy(&bytes[4 * (channels + c)], &multiplier, 4);
    bytes[8 * channels + c] = shift;
  }
  return bytes;
}

void SmallProgram::writeTo(Device &device) const {
  std::vector<uint8_t> code(instructions.size() * layout.instructionBytes);
  for (size_t i = 0; i < instructions.size(); ++i) {
    absl::Status status = isa::encode(layout, instructions[i],
                                      &code[i * layout.instructionBytes]);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::vector<uint8_t> microOps(layout.beatBytes); // dst 0, src 0, third 0
  ASSERT_TRUE(device.allocate(dramBytes).ok());
  ASSERT_TRUE(device.write(uops, microOps).ok());
  ASSERT_TRUE(device.write(params, parameters()).ok());
  ASSERT_TRUE(device.write(data, input).ok());
  ASSERT_TRUE(device.write(program, code).ok());
}

LaunchOptions SmallProgram::options() const {
  LaunchOptions options;
  options.programOffset = program;
  options.instructionCount = instructions.size();
  return options;
}

std::vector<uint8_t> SmallProgram::expected() const {
  std::vector<uint8_t> bytes;
  const uint32_t batch = layout.config.batch();
  for (uint64_t i = 0; i < input.size(); ++i) {
    // An element lies as [BLOCK_OUT/B][BATCH][B].
    uint32_t at = i % layout.outBytes, block = layout.blockMin;
    uint32_t channel = at / (batch * block) * block + at % block;
    int32_t value = int8_t(input[i]) + biasOf(channel) + zeroPoint;
    bytes.push_back(uint8_t(std::clamp(value, -128, 127)));
  }
  return bytes;
}

} // namespace tenon::sim
