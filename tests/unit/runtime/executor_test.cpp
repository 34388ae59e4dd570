//===- executor_test.cpp - A whole plan, alone and in many threads --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Pack, launch, unpack and a host kernel; what the executor refuses; and many
// threads at once, each with a device of its own, over one program and one
// host code: under ThreadSanitizer (./dev test --tsan) nothing they share may
// be written.
//
//===----------------------------------------------------------------------===//

#include "isa/assembler.h"
#include "isa/configuration.h"
#include "runtime/executor.h"
#include "sim/functional/functional_device.h"
#include "tests/unit/kernels/kernels.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

using namespace tenon;
using namespace tenon::runtime;
using ::testing::HasSubstr;

namespace {

constexpr int size = 16; // elements of input and output

/// Adds 10 to a 1x2x2x4 tensor on the accelerator, then calls `triple`.
isa::Program program() {
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
  tensors { name: "t" offset: 512 shape: [1, 2, 2, 4] }
  buffers { name: "x" type: INT8 shape: [1, 2, 2, 4] }
  buffers { name: "t" type: INT8 shape: [1, 2, 2, 4] }
  buffers { name: "y" type: INT8 shape: [1, 2, 2, 4] }
  inputs: 0
  outputs: 2
  steps { pack { buffer: 0 tensor: 0 permutation: [0, 1, 2, 3] } }
  steps { launch { program_offset: 1024 instruction_count: 8 } }
  steps { unpack { tensor: 1 buffer: 1 permutation: [0, 1, 2, 3] } }
}
)",
                                   "executor_test");
  EXPECT_TRUE(read.ok()) << read.status();
  *read->add_executables() = kernels();
  isa::HostKernel &kernel = *read->add_steps()->mutable_host_kernel();
  kernel.set_symbol("triple");
  kernel.set_name("triple");
  kernel.add_inputs(1);
  kernel.add_outputs(2);
  return *std::move(read);
}

/// Distinct values, others for each `seed`.
std::vector<Array> inputOf(int seed) {
  Array array{isa::INT8, {1, 2, 2, 4}, {}};
  for (int i = 0; i < size; ++i)
    array.bytes.push_back(uint8_t(int8_t(i - 8 + seed % 16)));
  return {array};
}

std::vector<uint8_t> expectedOf(const Array &input) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < size; ++i)
    bytes.push_back(uint8_t(int8_t(3 * (int8_t(input.bytes[i]) + 10) - i)));
  return bytes;
}

std::unique_ptr<sim::FunctionalDevice> deviceOf(const char *name) {
  return *sim::FunctionalDevice::create(*isa::loadConfiguration(name));
}

absl::StatusOr<Execution> run(const isa::Program &program,
                              const std::vector<Array> &inputs) {
  auto device = deviceOf("tiny");
  return execute(program, *device, inputs, {});
}

std::string refusal(const isa::Program &program) {
  return std::string(run(program, inputOf(0)).status().message());
}

TEST(Executor, RunsEveryKindOfStep) {
  const isa::Program network = program();
  auto inputs = inputOf(0);
  auto execution = run(network, inputs);
  ASSERT_TRUE(execution.ok()) << execution.status();
  ASSERT_EQ(execution->outputs.size(), 1u);
  EXPECT_EQ(execution->outputs[0].bytes, expectedOf(inputs[0]));
  EXPECT_EQ(execution->hostSteps.back().name, "triple");
}

TEST(Executor, RefusesWhatDoesNotFit) {
  const isa::Program network = program();
  EXPECT_EQ(std::string(run(network, {}).status().message()),
            "the network has 1 inputs, given are 0");
  auto device = deviceOf("pynq");
  EXPECT_THAT(
      std::string(execute(network, *device, inputOf(0), {}).status().message()),
      HasSubstr("the program was compiled for configuration 'tiny', the "
                "functional device is 'pynq'; compile it again with "
                "--config=pynq"));
  isa::Program changed = network;
  changed.clear_executables();
  EXPECT_EQ(refusal(changed),
            "the program has no host code for kernel 'triple'");
  changed = network;
  changed.mutable_executables(0)->set_image("no object file");
  EXPECT_THAT(refusal(changed),
              HasSubstr("the program's host code is damaged: image: its 14 "
                        "bytes are no ELF file"));
  changed = network;
  changed.mutable_steps(3)->mutable_host_kernel()->set_symbol("treble");
  EXPECT_THAT(refusal(changed), HasSubstr("host code has no kernel 'treble'"));
  changed = network;
  changed.add_steps();
  EXPECT_EQ(refusal(changed), "the plan has a step of unknown kind");
}

TEST(Executor, ManyThreadsShareAProgram) {
  const isa::Program network = program();
  auto work = [&](int seed) {
    for (int i = 0; i < 20; ++i) {
      auto inputs = inputOf(seed + i);
      auto execution = run(network, inputs);
      ASSERT_TRUE(execution.ok()) << execution.status();
      EXPECT_EQ(execution->outputs[0].bytes, expectedOf(inputs[0]));
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
