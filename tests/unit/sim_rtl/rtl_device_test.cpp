// Part of Tenon, under the Apache License v2.0.
//
// Programs made by hand on the Verilated hardware.

#include "sim/rtl/rtl_device.h"

#include "sim/fault.h"

#include "isa/configuration.h"
#include "tests/unit/sim_rtl/device_queue.h"

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <iostream>
#include <map>
#include <numeric>
#include <regex>

namespace tenon::sim {
namespace {

using ::testing::HasSubstr;

class RtlDeviceTest : public ::testing::Test {
protected:
  // The simulator is built once and kept in the cache.
  static void SetUpTestSuite() {
    auto configuration = isa::loadConfiguration("tiny");
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    auto created = RtlDevice::create(
        *configuration, [](const std::string &phase, double seconds) {
          std::cerr << phase << " (" << seconds << " s)\n";
        });
    ASSERT_TRUE(created.ok()) << created.status();
    shared = created->release();
  }
  static void TearDownTestSuite() { delete shared; }

  void SetUp() override { ASSERT_NE(shared, nullptr); }

  static absl::StatusOr<LaunchResult> run(const SmallProgram &program,
                                          const LaunchOptions &options) {
    program.writeTo(*shared);
    return shared->launch(options);
  }

  static std::vector<uint8_t> resultOf(const SmallProgram &program) {
    std::vector<uint8_t> bytes(program.expected().size());
    EXPECT_TRUE(
        shared->read(program.resultOffset(), absl::MakeSpan(bytes)).ok());
    return bytes;
  }

  isa::Layout layout = *isa::Layout::get(*isa::loadConfiguration("tiny"));
  static RtlDevice *shared;
};

RtlDevice *RtlDeviceTest::shared = nullptr;

TEST_F(RtlDeviceTest, ComputesAndAccounts) {
  SmallProgram program(layout, 100);
  LaunchOptions options = program.options();
  uint64_t bytes = program.expected().size();
  options.watches = {{1, program.resultOffset(), bytes},
                     {0, program.resultOffset(), bytes}};
  options.runs.layers = 2;
  options.runs.engines[0] = {{0, 0}};
  options.runs.engines[2] = {{0, 1}};
  options.runs.engines[3] = {{0, 1}};
  auto result = run(program, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resultOf(program), program.expected());
  EXPECT_EQ(result->snapshots[0], program.expected());
  for (uint64_t i = 0; i < bytes; ++i)
    EXPECT_EQ(result->snapshots[1][i], poisonByte(program.resultOffset() + i));

  EXPECT_THAT(result->retired, ::testing::ElementsAre(3, 0, 2, 1));
  uint64_t cycles = 0;
  for (const LayerResult &layer : result->layers)
    cycles += layer.cycles;
  EXPECT_EQ(cycles, result->cycles);
  for (unsigned e = 0; e < numEngines; ++e)
    EXPECT_EQ(result->states[e].total(), result->cycles);
  EXPECT_EQ(result->layers[1].writeBytes, bytes);
  EXPECT_GE(result->layers[0].readBytes, bytes);
  EXPECT_GT(result->fetchBytes, 0u);
}

TEST_F(RtlDeviceTest, LaunchesAgainWithAnyMemory) {
  uint64_t fastest = 0;
  struct {
    uint32_t latency, bytesPerCycle, outstanding;
  } cases[] = {{32, 0, 64}, {1, 0, 1}, {200, 3, 2}, {7, 1, 3}};
  for (const auto &[latency, bytesPerCycle, outstanding] : cases) {
    MemoryTiming timing;
    timing.latency = latency;
    timing.bytesPerCycle = bytesPerCycle;
    timing.outstanding = outstanding;
    SmallProgram program(layout, 77);
    LaunchOptions options = program.options();
    options.memory = timing;
    auto result = run(program, options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program), program.expected());
    if (!fastest)
      fastest = result->cycles;
    else if (timing.latency > 32)
      EXPECT_GT(result->cycles, fastest);
  }
}

// A memory that keeps silent for longer than a launch may stand still: its
// latency, or its answers to bursts that wait for those before them.
TEST_F(RtlDeviceTest, SlowMemoriesAreNoDeadlock) {
  MemoryTiming late;
  late.latency = 100000;
  MemoryTiming narrow;
  narrow.dram.banks = 8;
  narrow.dram.megabytes = 1;
  for (const MemoryTiming &timing : {late, narrow}) {
    SmallProgram program(layout, 77);
    LaunchOptions options = program.options();
    options.memory = timing;
    options.idleLimit = 10000;
    auto result = run(program, options);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program), program.expected());
  }
}

TEST_F(RtlDeviceTest, DeadlockNamesWhoWaitsForWhom) {
  SmallProgram program(layout, 10);
  std::get<isa::Alu>(program.instructions[4]).signal = 0;
  auto result = run(program, program.options());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kAborted);
  std::string message(result.status().message());
  EXPECT_THAT(message,
              HasSubstr("rtl: no progress for 100032 cycles")); // latency
  EXPECT_THAT(message,
              HasSubstr("store: token, waits for a token from alu; 0 of 1 "
                        "instructions retired, at instruction 5: store"));
  EXPECT_THAT(message, HasSubstr("alu: done; 2 of 2 instructions retired, at "
                                 "no further instruction"));
  // The device can be used again.
  SmallProgram sound(layout, 10);
  auto again = run(sound, sound.options());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(resultOf(sound), sound.expected());
}

TEST_F(RtlDeviceTest, CycleLimit) {
  SmallProgram program(layout, 10);
  LaunchOptions options = program.options();
  options.cycleLimit = 50;
  auto result = run(program, options);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("within 50 cycles, the limit that was set"));
}

TEST_F(RtlDeviceTest, AccessOutOfDram) {
  SmallProgram program(layout, 10);
  std::get<isa::Store>(program.instructions[5]).dram = 1 << 20;
  auto result = run(program, program.options());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  const uint64_t offset = (1ull << 20) * layout.beatBytes;
  EXPECT_THAT(
      std::string(result.status().message()),
      HasSubstr(absl::StrFormat(
          "rtl: STORE #0 (instruction 5 of the stream) `%s`: stopped before "
          "an access outside of its window, at DRAM offset 0x%x (address 0x%x, "
          "outside of the ",
          isa::disassemble(layout, program.instructions[5]), offset,
          0x340000000 + offset)));
}

// One byte after the other fails: the result is right where nobody touches it,
// else the message names the engine that does, and an address whose burst has
// it. The device runs the program rightly behind each.
TEST_F(RtlDeviceTest, NamesWhoMetAFault) {
  SmallProgram program(layout, 40);
  LaunchOptions options = program.options();
  options.nameOf = [](uint64_t offset) {
    return absl::StrFormat("the thing at 0x%x", offset);
  };
  std::map<std::string, unsigned> seen;
  for (uint64_t fault = 0; fault < options.programOffset + 7 * 16;
       fault += 24) {
    SCOPED_TRACE(fault);
    MemoryDisturbance broken;
    broken.faultOffset = fault;
    shared->disturb(broken);
    auto result = run(program, options);
    shared->disturb({});
    if (result.ok()) {
      ++seen["right"];
      EXPECT_EQ(resultOf(program), program.expected());
      continue;
    }
    EXPECT_EQ(result.status().code(), absl::StatusCode::kUnavailable);
    const std::string message(result.status().message());
    std::smatch found;
    ASSERT_TRUE(std::regex_search(
        message, found,
        std::regex("rtl: (FETCH|LOAD|STORE)[^:]*: the memory answered with an "
                   "error at DRAM offset 0x([0-9a-f]+) .*, the thing at 0x")))
        << message;
    const uint64_t at = std::stoull(found[2], nullptr, 16);
    ++seen[found[1]];
    // A burst lies within 4 KiB; FETCH names the instruction.
    EXPECT_TRUE(at <= fault && fault / 4096 == at / 4096) << message;
    if (found[1] == "FETCH")
      EXPECT_LT(fault - at, layout.instructionBytes) << message;
    auto again = run(program, options);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(resultOf(program), program.expected());
  }
  for (const char *who : {"right", "FETCH", "LOAD", "STORE"})
    EXPECT_GT(seen[who], 0u) << who;
}

TEST_F(RtlDeviceTest, AMemoryThatIsLateChangesNoResult) {
  SmallProgram program(layout, 77);
  uint64_t fastest = run(program, program.options())->cycles;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    MemoryDisturbance late;
    late.jitterSeed = seed;
    shared->disturb(late);
    auto result = run(program, program.options());
    shared->disturb({});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program), program.expected());
    EXPECT_GT(result->cycles, fastest);
  }
}

// At any cycle, beside a hostile memory: the device runs the program rightly
// behind it.
TEST_F(RtlDeviceTest, AStopLeavesNothingBehind) {
  SmallProgram program(layout, 77);
  const uint64_t cycles = run(program, program.options())->cycles;
  unsigned stopped = 0, ended = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    MemoryDisturbance hostile;
    hostile.jitterSeed = seed % 3 ? seed : 0;
    const uint32_t value = seed % 2 ? controlReset : controlStop;
    shared->disturb(hostile);
    shared->stopAfter(1 + seed * cycles / 35, value);
    auto result = run(program, program.options());
    shared->stopAfter(0, 0);
    stopped += absl::IsCancelled(result.status());
    ended += result.ok();
    EXPECT_TRUE(result.ok() || absl::IsCancelled(result.status()))
        << result.status();
    if (!result.ok())
      EXPECT_THAT(
          std::string(result.status().message()),
          value == controlReset
              ? HasSubstr("rtl: the launch was reset")
              : HasSubstr("the launch was stopped, behind instruction "));
    result = run(program, program.options());
    shared->disturb({});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program), program.expected());
  }
  EXPECT_GT(stopped, 25u);
  EXPECT_GT(ended, 0u);
}

TEST_F(RtlDeviceTest, BadOptions) {
  SmallProgram program(layout, 10);
  auto fresh = RtlDevice::create(layout.config);
  ASSERT_TRUE(fresh.ok()) << fresh.status();
  EXPECT_EQ((*fresh)->launch(program.options()).status(),
            absl::FailedPreconditionError("rtl: DRAM is not allocated"));
  program.writeTo(*shared);
  LaunchOptions options = program.options();
  options.programOffset += 1;
  EXPECT_THAT(std::string(shared->launch(options).status().message()),
              HasSubstr("is not a multiple of a beat"));
  options = program.options();
  options.watches = {{1, 1u << 30, 1}};
  EXPECT_EQ(shared->launch(options).status().code(),
            absl::StatusCode::kOutOfRange);
  uint8_t byte = 0;
  EXPECT_EQ(shared->write(1u << 30, {&byte, 1}).code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(shared->allocate(~0ull).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(RtlDeviceTest, LaunchesQueue) {
  testQueue(*shared, SmallProgram(layout, 20));
}

} // namespace
} // namespace tenon::sim
