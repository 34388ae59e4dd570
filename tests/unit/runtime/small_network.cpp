// Part of Tenon, under the Apache License v2.0.

#include "tests/unit/runtime/small_network.h"

#include "isa/assembler.h"
#include "isa/configuration.h"
#include "tests/unit/kernels/kernels.h"

#include "gtest/gtest.h"

namespace tenon::runtime {

isa::Program smallNetwork() {
  auto read = isa::assembleProgram(R"(
.configuration tiny
.dram 2048
.segment "micro-ops" @0x80
.alu_uop 0,0,0
.segment "parameters" @0x100   ; rescale by 4/4: the identity
.word 0, 0, 0, 0, 4, 4, 4, 4
.hex 02 02 02 02
.instructions @0x400
load uop_alu dram=32
load prm dram=64
load acc8 dram=0 x=4 xstride=1 signal(alu)
set alu immediate=10 wait(load)
alu add uop=0+1 inner=4 dst=0,1 src=0,1
alu quant target=out uop=0+1 inner=4 dst=0,1 src=0,1 signal(store)
store dram=128 x=4 xstride=1 wait(alu)
finish
.program {
  tensors { name: "x" offset: 0 shape: [1, 2, 2, 4] }
  tensors { name: "t" offset: 512 shape: [1, 2, 2, 4] complete_after_stores: 1 }
  buffers { name: "x" type: INT8 shape: [1, 2, 2, 4] }
  buffers { name: "t" type: INT8 shape: [1, 2, 2, 4] }
  buffers { name: "y" type: INT8 shape: [1, 2, 2, 4] }
  inputs: 0
  steps { pack { buffer: 0 tensor: 0 permutation: [0, 1, 2, 3] } }
  steps { launch { program_offset: 1024 instruction_count: 8 } }
  steps { unpack { tensor: 1 buffer: 1 permutation: [0, 1, 2, 3] } }
}
)",
                                   "small_network");
  EXPECT_TRUE(read.ok()) << read.status();
  *read->mutable_host_code() = kernels();
  isa::HostKernel &kernel = *read->add_steps()->mutable_host_kernel();
  kernel.set_symbol("triple");
  kernel.set_name("triple");
  kernel.add_inputs(1);
  kernel.add_outputs(2);
  read->add_outputs(2); // which nothing wrote before
  return *std::move(read);
}

isa::Program tellingNetwork() {
  isa::Program program;
  program.set_isa_version(isa::isaVersion);
  *program.mutable_configuration() = *isa::loadConfiguration("tiny");
  auto buffer = [&](const char *name, isa::ElementType type,
                    const char *symbol) {
    isa::Buffer &added = *program.add_buffers();
    added.set_name(name);
    added.set_type(type);
    if (*symbol) {
      added.add_shape(0);
      added.add_symbols(symbol);
    }
  };
  buffer("values", isa::INT32, "tokens");
  buffer("places", isa::INT64, "?");
  buffer("sum", isa::INT32, "");
  program.add_inputs(0);
  program.add_outputs(1);
  program.add_outputs(2);
  *program.mutable_host_code() = kernels();
  isa::HostKernel &kernel = *program.add_steps()->mutable_host_kernel();
  kernel.set_symbol("places_and_sum");
  kernel.set_name("places");
  kernel.add_inputs(0);
  kernel.add_outputs(1);
  kernel.add_outputs(2);
  return program;
}

Array int32s(const std::vector<int32_t> &values) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  return {
      isa::INT32, {int64_t(values.size())}, {bytes, bytes + 4 * values.size()}};
}

std::shared_ptr<const LoadedProgram> loaded(const isa::Program &program) {
  auto result = LoadedProgram::load(program, HostCodeTrust::Any);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

std::unique_ptr<sim::FunctionalDevice> deviceOf(const char *name) {
  return *sim::FunctionalDevice::create(*isa::loadConfiguration(name));
}

Array inputOf(int seed) {
  Array array{isa::INT8, {1, 2, 2, 4}, {}};
  for (int i = 0; i < networkSize; ++i)
    array.bytes.push_back(uint8_t(int8_t(i - 8 + seed % 16)));
  return array;
}

std::vector<uint8_t> expectedOf(const Array &input) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < networkSize; ++i)
    bytes.push_back(uint8_t(int8_t(3 * (int8_t(input.bytes[i]) + 10) - i)));
  return bytes;
}

} // namespace tenon::runtime
