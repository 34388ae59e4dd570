// Part of Tenon, under the Apache License v2.0.
//
// The driver on a bridge whose accelerator is the functional simulator.

#include "runtime/fpga/serial_device.h"

#include "fake_bridge.h"
#include "isa/configuration.h"
#include "sim/functional/functional_device.h"
#include "sim/memory/poison.h"
#include "tests/unit/sim_rtl/device_queue.h"
#include "tests/unit/sim_rtl/small_program.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::runtime {
namespace {

using absl::StatusCode;
using sim::LaunchOptions;
using sim::LaunchResult;
using sim::SmallProgram;
using test::Bytes;
using test::FakeBridge;
using test::Faults;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The functional simulator with counters, each of another value.
class CountingMachine : public sim::Simulator {
public:
  explicit CountingMachine(const isa::Configuration &configuration)
      : inner(*sim::FunctionalDevice::create(configuration)) {}
  absl::string_view name() const override { return "counting"; }
  const isa::Configuration &configuration() const override {
    return inner->configuration();
  }
  absl::Status allocate(uint64_t bytes) override {
    return inner->allocate(bytes);
  }
  absl::Status write(uint64_t offset, absl::Span<const uint8_t> data) override {
    return inner->write(offset, data);
  }
  absl::Status read(uint64_t offset, absl::Span<uint8_t> data) const override {
    return inner->read(offset, data);
  }
  absl::StatusOr<LaunchResult> launch(const LaunchOptions &options) override {
    if (fails)
      return absl::InternalError("as asked");
    auto result = inner->launch(options);
    if (!result.ok())
      return result;
    result->cycles = 987654;
    for (unsigned e = 0; e < sim::numEngines; ++e)
      for (unsigned s = 0; s < sim::numStates; ++s)
        result->states[e].cycles[s] = 1000 + 10 * e + s;
    for (unsigned c = 0; c < sim::numChannels; ++c)
      result->tokenWaits[c] = 500 + c;
    return result;
  }

  bool fails = false;

private:
  std::unique_ptr<sim::FunctionalDevice> inner;
};

isa::Configuration tiny() { return *isa::loadConfiguration("tiny"); }

class SerialDeviceTest : public ::testing::Test {
protected:
  SerialDeviceTest() {
    program.writeTo(plain); // how much DRAM it needs, and what it gives
  }

  std::unique_ptr<SerialDevice> open(FakeBridge &bridge) {
    bridge.registers[isa::control::isaVersion] = isa::isaVersion;
    bridge.registers[isa::control::configuration] = hash;
    bridge.instructionCount = program.options().instructionCount;
    LinkOptions options;
    options.patience = 0.05;
    options.tries = 40;
    auto device = SerialDevice::create(bridge.port(), layout.config, options);
    EXPECT_TRUE(device.ok()) << device.status();
    return device.ok() ? *std::move(device) : nullptr;
  }

  Bytes resultOf(const sim::Device &device) const {
    Bytes bytes(program.expected().size());
    absl::Status status =
        device.read(program.resultOffset(), absl::MakeSpan(bytes));
    EXPECT_TRUE(status.ok()) << status;
    return bytes;
  }

  const isa::Layout layout = *isa::Layout::get(tiny());
  const uint32_t hash = uint32_t(isa::configurationHash(layout.config));
  SmallProgram program{layout, 100};
  CountingMachine plain{layout.config}, machine{layout.config};
};

TEST_F(SerialDeviceTest, RunsAProgram) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->clockMhz(), 50);
  program.writeTo(*device);
  auto result = sim::runLaunch(*device, program.options());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resultOf(*device), Bytes(program.expected()));
  EXPECT_EQ(result->cycles, 987654u);
  for (unsigned e = 0; e < sim::numEngines; ++e) {
    EXPECT_EQ(result->retired[e], bridge.lastLaunch.retired[e]);
    for (unsigned s = 0; s < sim::numStates; ++s)
      EXPECT_EQ(result->states[e].cycles[s], 1000 + 10 * e + s);
  }
  for (unsigned c = 0; c < sim::numChannels; ++c)
    EXPECT_EQ(result->tokenWaits[c], 500 + c);
}

TEST_F(SerialDeviceTest, LeavesDramAsTheSimulatorDoes) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  ASSERT_TRUE(sim::runLaunch(*device, program.options()).ok());
  ASSERT_TRUE(plain.launch(program.options()).ok());
  // Whatever the program has not written is poison, in both.
  Bytes all(4096), expected(4096);
  ASSERT_TRUE(device->read(0, absl::MakeSpan(all)).ok());
  ASSERT_TRUE(plain.read(0, absl::MakeSpan(expected)).ok());
  EXPECT_EQ(all, expected);
}

TEST_F(SerialDeviceTest, TransfersOutsideOfTheProgramAreNotStarted) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  for (isa::Instruction &instruction : program.instructions)
    if (auto *load = std::get_if<isa::Load>(&instruction))
      load->dram = 1 << 16;
  program.writeTo(*device);
  absl::Status status = sim::runLaunch(*device, program.options()).status();
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("instruction 0 of the stream `load "));
  EXPECT_EQ(bridge.lastLaunch.cycles, 0u);
}

TEST_F(SerialDeviceTest, SendsOnlyWhatTheBoardDoesNotHave) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  {
    auto device = open(bridge);
    ASSERT_TRUE(device);
    program.writeTo(*device);
    ASSERT_TRUE(sim::runLaunch(*device, program.options()).ok());
    (void)resultOf(*device);
    uint64_t first = device->statistics().bytesSent;
    program.writeTo(*device); // again: the result is poison, the rest is there
    ASSERT_TRUE(sim::runLaunch(*device, program.options()).ok());
    EXPECT_EQ(resultOf(*device), Bytes(program.expected()));
    EXPECT_LT(device->statistics().bytesSent - first, first / 2);
  }
  // Another driver finds the same board by checksums.
  bridge.served.clear();
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  ASSERT_TRUE(sim::runLaunch(*device, program.options()).ok());
  EXPECT_LE(bridge.served[test::Op::WriteMemory], 8u);
  EXPECT_EQ(resultOf(*device), Bytes(program.expected()));
}

// A launch's results stay while the host writes beside them.
TEST_F(SerialDeviceTest, WritesBesideResults) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  ASSERT_TRUE(sim::runLaunch(*device, program.options()).ok());
  const uint64_t beside = program.resultOffset() + program.expected().size();
  const Bytes mark = {1, 2, 3};
  ASSERT_TRUE(device->write(beside, mark).ok());
  ASSERT_TRUE(sim::runLaunch(*device, program.options()).ok());
  EXPECT_EQ(resultOf(*device), Bytes(program.expected()));
  Bytes back(3);
  ASSERT_TRUE(device->read(beside, absl::MakeSpan(back)).ok());
  EXPECT_EQ(back, mark);
}

TEST_F(SerialDeviceTest, SurvivesABadLine) {
  for (uint64_t seed : {11, 12}) {
    FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
    auto device = open(bridge);
    ASSERT_TRUE(device);
    Faults faults;
    faults.seed = seed;
    faults.dropByte = faults.flipBit = 0.0003;
    faults.loseAnswer = 0.1;
    bridge.setFaults(faults);
    program.writeTo(*device);
    auto result = sim::runLaunch(*device, program.options());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(*device), Bytes(program.expected()));
    EXPECT_EQ(bridge.starts, 1u);
    EXPECT_GT(device->statistics().retries, 0u);
    bridge.setFaults({});
  }
}

// Damage that no frame's CRC saw: here, memory that changes by itself.
TEST_F(SerialDeviceTest, RefusesMemoryThatDoesNotKeepItsContents) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  ASSERT_TRUE(device->allocate(4096).ok());
  program.writeTo(*device);
  bridge.memory.resize(3072); // the checksum beyond is refused
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_FALSE(result.ok());
}

TEST_F(SerialDeviceTest, SaysThatTheMemoryDoesNotKeepWhatIsWritten) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  const size_t place = 8; // which the program leaves as poison
  bridge.memory[place] = uint8_t(~sim::poisonByte(place));
  bridge.stuckByte = place;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kDataLoss);
  EXPECT_THAT(std::string(result.status().message()),
              AllOf(HasSubstr(bridge.port() +
                              ": the board's memory does not keep what is "
                              "written to it: the checksum of "),
                    HasSubstr(" bytes is wrong after 3 repairs")));
  EXPECT_EQ(bridge.starts, 0u);
}

TEST_F(SerialDeviceTest, NamesBothConfigurations) {
  uint32_t small =
      uint32_t(isa::configurationHash(*isa::loadConfiguration("small")));
  FakeBridge bridge({1, 65536, 50'000'000, small});
  LinkOptions options;
  options.patience = 0.05;
  auto device = SerialDevice::create(bridge.port(), layout.config, options);
  EXPECT_EQ(device.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(device.status().message()),
              AllOf(HasSubstr("'small'"),
                    HasSubstr("; load a bitstream of 'tiny', or compile for "
                              "the board's with --config")));
}

TEST_F(SerialDeviceTest, NamesBothSizesOfMemory) {
  FakeBridge bridge({1, 40960, 50'000'000, hash});
  auto device = open(bridge);
  ASSERT_TRUE(device);
  EXPECT_TRUE(device->allocate(40960).ok());
  absl::Status status = device->allocate(40961);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the program needs 40961 bytes of DRAM, the board has "
                        "40960"));
}

TEST_F(SerialDeviceTest, RefusesWhatHardwareCannot) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  auto early = sim::runLaunch(*device, program.options());
  EXPECT_EQ(early.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(early.status().message()),
            "fpga: DRAM is not allocated");
  program.writeTo(*device);
  EXPECT_EQ(device->simulator(), nullptr);
  Bytes bytes(16);
  EXPECT_EQ(device->read(1 << 20, absl::MakeSpan(bytes)).code(),
            StatusCode::kOutOfRange);
  EXPECT_EQ(device->write(65530, bytes).code(), StatusCode::kOutOfRange);
}

TEST_F(SerialDeviceTest, ReportsTheHardwaresError) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  machine.fails = true;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr(": the memory answered with an error at DRAM offset "
                        "0x64 (address 0x64"));
}

// Its cycles go on, but no engine retires anything or works.
TEST_F(SerialDeviceTest, SaysThatNoEngineDoesAnything) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  bridge.registers[isa::control::cycles] = 100'001;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kAborted);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("fpga: no engine has done anything for 100001 cycles, "
                        "after 0 instructions: a deadlock; target rtl names "
                        "who waits for whom"));
}

TEST_F(SerialDeviceTest, GivesUpALaunchThatDoesNotEnd) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  bridge.registers[isa::control::cycles] = ~0u;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr(" cycles, more than its instructions can take"));
  // It is stopped, as what was left from before the device was opened.
  EXPECT_EQ(bridge.stops, 2u);
  EXPECT_EQ(bridge.registers[isa::control::status], 0u);
}

// No cycle goes by: only the host's clock does.
TEST_F(SerialDeviceTest, GivesUpALaunchWhoseCountersStandStill) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()),
              AllOf(HasSubstr("fpga: the launch has not ended within "),
                    HasSubstr(" cycles should take ")));
  EXPECT_EQ(bridge.stops, 2u);
}

// The counters have 32 bits, a launch may be longer.
TEST_F(SerialDeviceTest, CyclesBeginAnew) {
  isa::Alu longest;
  longest.uopCount = 100;
  longest.outerCount = longest.innerCount = 1000; // 10^8 cycles
  program.instructions.insert(program.instructions.end() - 1, 50, longest);
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  ASSERT_EQ(device->submit(program.options()), absl::OkStatus());
  bridge.registers[isa::control::retired] = 1;
  for (uint32_t cycles : {~0u - 5, 7u}) {
    bridge.registers[isa::control::cycles] = cycles;
    auto counts = device->wait(std::chrono::milliseconds(300));
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_EQ(counts->cycles, cycles);
  }
}

TEST_F(SerialDeviceTest, SaysThatTheBoardWasReset) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  ASSERT_EQ(device->submit(program.options()), absl::OkStatus());
  bridge.registers[isa::control::status] = 0;
  EXPECT_EQ(device->wait(std::chrono::seconds(1)).status(),
            absl::UnavailableError(
                bridge.port() + ": the board does not know of the launch that "
                                "it was at; was it reset?"));
}

// Whether it runs nobody knows: nothing is read before it has been stopped.
TEST_F(SerialDeviceTest, StopsALaunchWhoseStartWasNotAnswered) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  bridge.silenceAtStart();
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(bridge.starts, 1u);
  const unsigned stops = bridge.stops; // those that were not answered, too
  bridge.silence(false);
  EXPECT_EQ(resultOf(*device).size(), program.expected().size());
  EXPECT_EQ(bridge.stops, stops + 1);
  EXPECT_EQ(bridge.registers[isa::control::status], 0u);
  // It has been, once and for all.
  EXPECT_EQ(resultOf(*device).size(), program.expected().size());
  EXPECT_EQ(bridge.stops, stops + 1);
}

// The memory owes an answer: neither this launch nor another one.
TEST_F(SerialDeviceTest, SaysThatAStopDoesNotEnd) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  bridge.registers[isa::control::cycles] = ~0u;
  bridge.stopEnds = false;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("the accelerator was stopped, but the memory has not "
                        "answered all of its bursts within a second; load its "
                        "bitstream again"));
  result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(bridge.starts, 1u);
  bridge.stopEnds = true;
  EXPECT_EQ(resultOf(*device).size(), program.expected().size());
}

TEST_F(SerialDeviceTest, StartsNothingBesideAnotherLaunch) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  bridge.registers[isa::control::status] = sim::statusRunning;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("the accelerator is busy: a launch that could not be "
                        "stopped runs still; load its bitstream again"));
  EXPECT_EQ(bridge.starts, 0u);
}

// The board works beside the caller, who may look now and then; its memory is
// the caller's again when the launch is done.
TEST_F(SerialDeviceTest, IsLookedAtWhileALaunchRuns) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}); // without a machine
  auto device = open(bridge);
  ASSERT_TRUE(device);
  program.writeTo(*device);
  ASSERT_EQ(device->submit(program.options()), absl::OkStatus());
  for (unsigned look = 0; look < 3; ++look) {
    auto counts = device->wait(std::chrono::milliseconds(0));
    ASSERT_TRUE(counts.ok()) << counts.status();
    EXPECT_FALSE(counts->done);
  }
  Bytes bytes(16);
  EXPECT_EQ(device->read(0, absl::MakeSpan(bytes)),
            absl::FailedPreconditionError(
                "fpga: a read while a launch is outstanding"));
  bridge.registers[isa::control::status] = 1; // done
  auto counts = device->wait(std::chrono::seconds(1));
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_TRUE(counts->done);
  EXPECT_EQ(device->read(0, absl::MakeSpan(bytes)), absl::OkStatus());
}

TEST_F(SerialDeviceTest, LaunchesQueue) {
  FakeBridge bridge({1, 65536, 50'000'000, hash}, &machine);
  auto device = open(bridge);
  ASSERT_TRUE(device);
  sim::testQueue(*device, program);
}

} // namespace
} // namespace tenon::runtime
