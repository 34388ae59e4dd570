// Part of Tenon, under the Apache License v2.0.
//
// The SystemC model as a device: results, accounts, errors, many launches in
// one process, and cycles that were calculated by hand from the RTL's text.

#include "sim/tlm/tlm_device.h"

#include "isa/configuration.h"
#include "sim/functional/functional_device.h"
#include "tests/unit/sim_rtl/device_queue.h"
#include "tests/unit/sim_rtl/small_program.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

namespace tenon::sim {
namespace {

using ::testing::HasSubstr;

isa::Layout layoutOf(const char *name) {
  return *isa::Layout::get(*isa::loadConfiguration(name));
}

std::unique_ptr<TlmDevice> deviceOf(const char *name) {
  auto device = TlmDevice::create(*isa::loadConfiguration(name));
  EXPECT_TRUE(device.ok()) << device.status();
  return *std::move(device);
}

// Writes the instructions to the start of DRAM; the options that run them.
LaunchOptions write(TlmDevice &device, const isa::Layout &layout,
                    const std::vector<isa::Instruction> &instructions) {
  EXPECT_TRUE(device.allocate(1 << 16).ok());
  std::vector<uint8_t> bytes(instructions.size() * layout.instructionBytes);
  for (size_t i = 0; i < instructions.size(); ++i)
    EXPECT_TRUE(isa::encode(layout, instructions[i],
                            bytes.data() + i * layout.instructionBytes)
                    .ok());
  EXPECT_TRUE(device.write(0, bytes).ok());
  LaunchOptions options;
  options.instructionCount = instructions.size();
  return options;
}

isa::Set setOf(isa::Engine engine, uint32_t wait, uint32_t signal) {
  isa::Set set;
  set.engine = engine;
  set.wait = wait;
  set.signal = signal;
  return set;
}

std::vector<uint8_t> resultOf(const TlmDevice &device,
                              const SmallProgram &program) {
  std::vector<uint8_t> bytes(program.expected().size());
  EXPECT_TRUE(device.read(program.resultOffset(), absl::MakeSpan(bytes)).ok());
  return bytes;
}

void expectSums(const LaunchResult &result) {
  uint64_t layers = 0;
  for (const LayerResult &layer : result.layers)
    layers += layer.cycles;
  EXPECT_EQ(layers, result.cycles);
  for (unsigned e = 0; e < numEngines; ++e)
    EXPECT_EQ(result.states[e].total(), result.cycles) << e;
}

// FETCH asks in cycles 0 to 7 for 64 beats; an address is accepted a cycle
// later, its first beat comes 32 cycles after that and a cycle later to FETCH:
// 34. FINISH is complete in 37 (two beats out of the buffer in 35 and 36), the
// 62 beats behind it are dropped from 38 to 99, and that is seen in 100; done
// rises behind it.
TEST(TlmDevice, NothingButFinish) {
  isa::Layout layout = layoutOf("pynq");
  auto device = deviceOf("pynq");
  auto result = device->launch(write(*device, layout, {isa::Finish{}}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->cycles, 101u);
  EXPECT_EQ(result->fetchBytes, 512u);
  EXPECT_EQ(result->states[1].cycles[stateEmpty], 38u);
  EXPECT_EQ(result->states[1].cycles[stateDone], 63u);
  expectSums(*result);
}

// The first instruction is complete in 37 and at its engine in 38; a SET
// retires in the cycle after it went. Its token is there in the next one.
TEST(TlmDevice, TokenFromGemmToAlu) {
  isa::Layout layout = layoutOf("pynq");
  auto device = deviceOf("pynq");
  LaunchTrace trace;
  LaunchOptions options =
      write(*device, layout,
            {setOf(isa::Engine::Alu, 2, 0), setOf(isa::Engine::Gemm, 0, 2),
             isa::Finish{}});
  options.trace = &trace;
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(trace.engines[1].size(), 1u);
  ASSERT_EQ(trace.engines[2].size(), 1u);
  // GEMM's is the second: two cycles behind the first. Goes in 40, retires
  // in 41; `retire` is the end of that cycle.
  EXPECT_EQ(trace.engines[1][0].begin, 40u);
  EXPECT_EQ(trace.engines[1][0].retire, 42u);
  // ALU waits from 38 on, goes in 42 and retires in 43.
  EXPECT_EQ(trace.engines[2][0].tokenWait[1], 4u);
  EXPECT_EQ(trace.engines[2][0].begin, 42u);
  EXPECT_EQ(trace.engines[2][0].retire, 44u);
  EXPECT_EQ(result->tokenWaits[4], 4u); // gemm to alu
}

// A LOAD goes a cycle after it is at the front; its burst enters the port two
// cycles later, is accepted in the next one, and its beat arrives `latency` + 1
// after that. The retirement follows the write by a cycle.
TEST(TlmDevice, OneBeatLoaded) {
  isa::Layout layout = layoutOf("pynq");
  auto device = deviceOf("pynq");
  isa::Load load;
  load.memory = isa::Memory::UopGemm;
  load.dram = 512;
  load.ySize = load.xSize = load.xStride = 1;
  LaunchTrace trace;
  LaunchOptions options = write(*device, layout, {load, isa::Finish{}});
  options.memory.latency = 100;
  options.trace = &trace;
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok()) << result.status();
  // FETCH's first beat is there in 102, so the LOAD is in its queue in 106, at
  // the front in 107 and goes; issued in 108, accepted in 109, its beat is
  // there in 210 and written; retires in 211.
  EXPECT_EQ(trace.engines[0][0].begin, 107u);
  EXPECT_EQ(trace.engines[0][0].retire, 212u);
  EXPECT_EQ(result->layers[0].readBytes, 8u);
  EXPECT_EQ(result->cycles, 213u);
}

// Five micro-ops take stage 0 in the five cycles after the one in which GEMM
// goes; the last is in ACC's write port eight cycles later (gemm.sv). Of ALU's
// four, the first leaves stage r five cycles after the go, the last three
// later, and is written in the eleventh cycle after that (alu_execute.sv).
TEST(TlmDevice, PipelinesOfGemmAndAlu) {
  isa::Layout layout = layoutOf("pynq");
  auto device = deviceOf("pynq");
  isa::Load gemmUop, aluUop;
  gemmUop.memory = isa::Memory::UopGemm;
  gemmUop.signal = 1; // gemm
  aluUop.memory = isa::Memory::UopAlu;
  aluUop.signal = 2; // alu
  for (isa::Load *load : {&gemmUop, &aluUop}) {
    load->dram = 512;
    load->ySize = load->xSize = load->xStride = 1;
  }
  isa::Gemm gemm;
  gemm.wait = 1; // load
  gemm.first = 1;
  gemm.uopCount = gemm.innerCount = 1;
  gemm.outerCount = 5;
  isa::Alu alu;
  alu.wait = 1; // load
  alu.uopCount = alu.innerCount = 1;
  alu.outerCount = 4;
  alu.dstOuter = 1;
  LaunchTrace trace;
  LaunchOptions options =
      write(*device, layout, {gemmUop, aluUop, gemm, alu, isa::Finish{}});
  std::vector<uint8_t> zeros(8); // micro-ops of nothing but zeros
  ASSERT_TRUE(device->write(512 * 8, zeros).ok());
  options.trace = &trace;
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok()) << result.status();
  const InstructionTrace &first = trace.engines[1][0];
  // The completion is seen a cycle after the last write.
  EXPECT_EQ(first.retire - first.begin, 1u + 5 + 9 + 1);
  const InstructionTrace &second = trace.engines[2][0];
  EXPECT_EQ(second.retire - second.begin, 1u + 5 + 3 + 11 + 1);
  // A token is taken in the cycle after the LOAD gave it, and with it they go.
  EXPECT_EQ(first.begin, trace.engines[0][0].retire);
  EXPECT_EQ(second.begin, trace.engines[0][1].retire);
}

TEST(TlmDevice, ResultsAndAccounts) {
  isa::Layout layout = layoutOf("tiny");
  auto device = deviceOf("tiny");
  SmallProgram program(layout, 50);
  program.writeTo(*device);
  LaunchOptions options = program.options();
  LaunchTrace trace;
  options.trace = &trace;
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resultOf(*device, program), program.expected());
  expectSums(*result);
  for (unsigned e = 0; e < numEngines; ++e) {
    ASSERT_EQ(trace.engines[e].size(), result->retired[e]);
    uint64_t before = 0;
    for (const InstructionTrace &event : trace.engines[e]) {
      uint64_t sum = 0;
      for (uint32_t cycles : event.cycles)
        sum += cycles;
      EXPECT_EQ(before + sum, event.retire);
      before = event.retire;
    }
  }
  uint64_t beats = 0;
  for (uint32_t count : trace.traffic.beats[TrafficTrace::Load])
    beats += count;
  EXPECT_EQ(beats * layout.beatBytes, result->layers[0].readBytes);
}

TEST(TlmDevice, LaunchesOfSeveralDevicesInTurn) {
  uint64_t cycles = 0;
  for (int round = 0; round < 3; ++round)
    for (const char *name : {"tiny", "pynq", "wide"}) {
      isa::Layout layout = layoutOf(name);
      auto device = deviceOf(name);
      SmallProgram program(layout, 20);
      program.writeTo(*device);
      for (int launch = 0; launch < 2; ++launch) {
        auto result = device->launch(program.options());
        ASSERT_TRUE(result.ok()) << result.status();
        EXPECT_EQ(resultOf(*device, program), program.expected());
        if (std::string(name) == "tiny") {
          cycles = cycles ? cycles : result->cycles;
          EXPECT_EQ(result->cycles, cycles); // every time the same
        }
      }
    }
}

TEST(TlmDevice, LaunchesOfSeveralThreads) {
  auto work = [](const char *name, uint32_t vectors) {
    isa::Layout layout = layoutOf(name);
    auto device = deviceOf(name);
    SmallProgram program(layout, vectors);
    program.writeTo(*device);
    for (int i = 0; i < 20; ++i) {
      auto result = device->launch(program.options());
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(resultOf(*device, program), program.expected());
    }
  };
  std::thread other(work, "pynq", 31);
  work("tiny", 50);
  other.join();
}

TEST(TlmDevice, DeadlockNamesWhoWaitsForWhom) {
  isa::Layout layout = layoutOf("tiny");
  auto device = deviceOf("tiny");
  auto result =
      device->launch(write(*device, layout,
                           {setOf(isa::Engine::Gemm, 2, 2),
                            setOf(isa::Engine::Alu, 2, 2), isa::Finish{}}));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kAborted);
  std::string message(result.status().message());
  EXPECT_THAT(message, HasSubstr("deadlock"));
  EXPECT_THAT(message, HasSubstr("gemm: token, waits for a token from alu; 0 "
                                 "of 1 instructions retired, at instruction 0: "
                                 "set gemm"));
  EXPECT_THAT(message, HasSubstr("alu: token, waits for a token from gemm"));
  // The next launch finds the machine empty.
  EXPECT_TRUE(device->launch(write(*device, layout, {isa::Finish{}})).ok());
}

TEST(TlmDevice, FullChannelNamesWhoWaits) {
  isa::Layout layout = layoutOf("tiny");
  auto device = deviceOf("tiny");
  uint32_t depth = layout.config.channel_depth();
  std::vector<isa::Instruction> program(depth + 1,
                                        setOf(isa::Engine::Gemm, 0, 2));
  program.push_back(isa::Finish{});
  auto result = device->launch(write(*device, layout, program));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("gemm: token, waits for room in its channel to alu"));
}

TEST(TlmDevice, Limits) {
  isa::Layout layout = layoutOf("tiny");
  auto device = deviceOf("tiny");
  SmallProgram program(layout, 50);
  program.writeTo(*device);
  LaunchOptions options = program.options();
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok());
  options.cycleLimit = result->cycles;
  EXPECT_TRUE(device->launch(options).ok());
  options.cycleLimit = result->cycles - 1;
  EXPECT_EQ(device->launch(options).status().code(),
            absl::StatusCode::kResourceExhausted);
  options.cycleLimit = 0;
  // A memory that keeps silent is no deadlock.
  options.memory.latency = 100000;
  options.memory.outstanding = 1;
  result = device->launch(options);
  EXPECT_TRUE(result.ok()) << result.status();
}

TEST(TlmDevice, WatchesSeeTheStoresBeforeThem) {
  isa::Layout layout = layoutOf("tiny");
  auto device = deviceOf("tiny");
  SmallProgram program(layout, 50);
  program.writeTo(*device);
  LaunchOptions options = program.options();
  uint64_t bytes = program.expected().size();
  options.watches = {{1, program.resultOffset(), bytes},
                     {0, program.resultOffset(), bytes}};
  auto result = device->launch(options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->snapshots[0], program.expected());
  EXPECT_NE(result->snapshots[1], program.expected());
  options.watches = {{1000, 0, 1}};
  EXPECT_EQ(device->launch(options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(TlmDevice, BadPrograms) {
  isa::Layout layout = layoutOf("tiny");
  auto device = deviceOf("tiny");
  EXPECT_EQ(device->launch({}).status(),
            absl::FailedPreconditionError("tlm: DRAM is not allocated"));
  // FINISH is missing; poison is no instruction.
  LaunchOptions options =
      write(*device, layout, {setOf(isa::Engine::Gemm, 0, 0)});
  EXPECT_THAT(std::string(device->launch(options).status().message()),
              HasSubstr("a program ends with its only FINISH"));
  options.instructionCount = 0;
  EXPECT_EQ(std::string(device->launch(options).status().message()),
            "tlm: a program has at least FINISH");
  options.instructionCount = 2;
  EXPECT_THAT(std::string(device->launch(options).status().message()),
              HasSubstr("undefined encoding: instruction 1"));
  options.programOffset = 1;
  EXPECT_THAT(std::string(device->launch(options).status().message()),
              HasSubstr("is not a multiple of a beat"));
  isa::Load load;
  load.dram = 1 << 20;
  load.ySize = load.xSize = load.xStride = 1;
  auto status =
      device->launch(write(*device, layout, {load, isa::Finish{}})).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("LOAD #0 (instruction 0 of the stream)"));
}

TEST(Device, LaunchesQueue) {
  const isa::Layout layout = layoutOf("tiny");
  const SmallProgram program(layout, 20);
  testQueue(*deviceOf("tiny"), program);
  auto functional = FunctionalDevice::create(layout.config);
  ASSERT_TRUE(functional.ok()) << functional.status();
  testQueue(**functional, program);
}

} // namespace
} // namespace tenon::sim
