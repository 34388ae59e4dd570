// Part of Tenon, under the Apache License v2.0.
//
// The SystemC model beside the RTL: a small program in several memories. Whole
// networks: tests/bench/tlm_error.py.

#include "isa/configuration.h"
#include "sim/memory/memory_options.h"
#include "sim/rtl/rtl_device.h"
#include "sim/tlm/tlm_device.h"
#include "tests/unit/sim_rtl/small_program.h"

#include "gtest/gtest.h"

namespace tenon::sim {
namespace {

// What a state of an engine may differ by, in cycles: the model's ALU is busy
// while the RTL's already drains, and with few bursts outstanding its LOAD
// waits for the memory a cycle earlier. The sum is the same, and so is all
// else.
double boundOf(isa::Engine engine, isa::State state) {
  if (engine == isa::Engine::Alu)
    return state == isa::State::Busy || state == isa::State::Drain ? 4 : 0;
  if (engine == isa::Engine::Load)
    return state == isa::State::Busy || state == isa::State::Memory ? 1 : 0;
  return 0;
}

TEST(TlmAndRtl, AgreeOnCyclesAndStates) {
  auto configuration = isa::loadConfiguration("tiny");
  ASSERT_TRUE(configuration.ok());
  auto rtl = RtlDevice::create(*configuration);
  ASSERT_TRUE(rtl.ok()) << rtl.status();
  auto tlm = TlmDevice::create(*configuration);
  isa::Layout layout = *isa::Layout::get(*configuration);
  for (const char *memory : {"", "latency=1", "latency=200", "outstanding=2",
                             "dram=ddr3-1066", "dram=lpddr4-3200,latency=20"}) {
    SCOPED_TRACE(memory);
    SmallProgram program(layout, 100);
    LaunchOptions options = program.options();
    options.memory = *parseMemoryTiming(memory);
    program.writeTo(**rtl);
    program.writeTo(**tlm);
    auto expected = (*rtl)->launch(options);
    auto found = (*tlm)->launch(options);
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->cycles, expected->cycles);
    EXPECT_EQ(found->retired, expected->retired);
    EXPECT_EQ(found->layers[0].readBytes, expected->layers[0].readBytes);
    EXPECT_EQ(found->layers[0].writeBytes, expected->layers[0].writeBytes);
    for (unsigned e = 0; e < numEngines; ++e)
      for (unsigned s = 0; s < numStates; ++s)
        EXPECT_NEAR(double(found->states[e].cycles[s]),
                    double(expected->states[e].cycles[s]),
                    boundOf(isa::Engine(e), isa::State(s)))
            << "engine " << e << " state " << s;
  }
}

TEST(TlmAndRtl, AgreeOnNothingButFinish) {
  auto configuration = isa::loadConfiguration("tiny");
  auto rtl = RtlDevice::create(*configuration);
  ASSERT_TRUE(rtl.ok()) << rtl.status();
  auto tlm = TlmDevice::create(*configuration);
  isa::Layout layout = *isa::Layout::get(*configuration);
  std::vector<uint8_t> finish(layout.instructionBytes);
  ASSERT_TRUE(isa::encode(layout, isa::Finish{}, finish.data()).ok());
  LaunchOptions options;
  options.instructionCount = 1;
  uint64_t cycles[2];
  for (Simulator *device : {(Simulator *)rtl->get(), (Simulator *)tlm->get()}) {
    ASSERT_TRUE(device->allocate(4096).ok());
    ASSERT_TRUE(device->write(0, finish).ok());
    auto result = device->launch(options);
    ASSERT_TRUE(result.ok()) << result.status();
    cycles[device == tlm->get()] = result->cycles;
  }
  EXPECT_EQ(cycles[0], cycles[1]);
}

} // namespace
} // namespace tenon::sim
