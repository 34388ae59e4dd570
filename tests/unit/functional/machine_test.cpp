// Part of Tenon, under the Apache License v2.0.

#include "isa/assembler.h"
#include "sim/memory/poison.h"
#include "tests/unit/functional/support.h"

namespace tenon::sim::functional {
namespace {

using isa::Engine;

class MachineTest : public ::testing::Test {
protected:
  MachineTest() {
    isa::Configuration configuration = shipped("tiny");
    configuration.set_queue_depth(4);
    configuration.set_channel_depth(2);
    layout = layoutOf(configuration);
  }
  // Encodes assembler text at the end of the poisoned DRAM and runs it.
  absl::Status run(absl::string_view text, RunOptions options = {}) {
    absl::StatusOr<std::vector<isa::Instruction>> program =
        isa::assemble(layout, text);
    if (!program.ok())
      return program.status();
    size_t bytes = layout.instructionBytes;
    dram.resize(base + program->size() * bytes);
    sim::poison(dram.data(), 0, dram.size());
    for (size_t i = 0; i < program->size(); ++i)
      if (absl::Status s =
              isa::encode(layout, (*program)[i], &dram[base + i * bytes]);
          !s.ok())
        return s;
    options.programOffset = base;
    machine = std::make_unique<Machine>(layout);
    return machine->run(absl::MakeSpan(dram), options);
  }

  static constexpr size_t base = 1024;
  isa::Layout layout = layoutOf(shipped("tiny"));
  std::vector<uint8_t> dram;
  std::unique_ptr<Machine> machine;
};

TEST_F(MachineTest, RetiresEverythingInFrontOfFinish) {
  ASSERT_TRUE(run(R"(
    load inp sram=0 dram=0 y=1 x=2 ystride=2 xstride=1
    set alu immediate=5
    set load zero_point=-3
    set load
    finish)")
                  .ok());
  EXPECT_EQ(machine->retired(Engine::Load), 3);
  EXPECT_EQ(machine->retired(Engine::Alu), 1);
  EXPECT_EQ(machine->retired(Engine::Gemm), 0);
  EXPECT_EQ(machine->fetched(), 5);
  EXPECT_EQ(machine->state().reg(isa::LoadRegister::ZeroPoint), -3);
}

TEST_F(MachineTest, RegistersStartEachLaunchFromTheirResetValues) {
  ASSERT_TRUE(run("set alu clamp_min=-7\n finish").ok());
  EXPECT_EQ(machine->state().reg(isa::AluRegister::ClampMin), -7);
  EXPECT_EQ(machine->state().reg(isa::AluRegister::ClampMax), 127);
  machine->state().startLaunch();
  EXPECT_EQ(machine->state().reg(isa::AluRegister::ClampMin), -128);
}

// Ten tokens through a channel of two, GEMM behind: the signaller is blocked
// and goes on.
TEST_F(MachineTest, AFullChannelBlocksTheSignaller) {
  std::string text;
  for (int i = 0; i < 10; ++i)
    absl::StrAppend(&text, "set load signal(gemm)\n set gemm wait(load)\n");
  ASSERT_TRUE(run(text + "finish").ok());
  EXPECT_EQ(machine->retired(Engine::Gemm), 10);
}

TEST_F(MachineTest, TheSameForEverySeed) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunOptions options;
    options.seed = seed;
    std::vector<Engine> order;
    options.onRetire = [&](Engine engine, const isa::Instruction &) {
      order.push_back(engine);
    };
    ASSERT_TRUE(run(R"(
      set load signal(gemm,alu)
      set gemm wait(load) signal(alu)
      set alu wait(load,gemm) signal(store)
      set store wait(alu)
      finish)",
                    options)
                    .ok());
    EXPECT_THAT(order, ElementsAre(Engine::Load, Engine::Gemm, Engine::Alu,
                                   Engine::Store));
  }
}

TEST_F(MachineTest, ADeadlockSaysWhoWaitsForWhom) {
  absl::Status status = run(R"(
    set load signal(gemm)
    set load wait(gemm)
    set gemm wait(load,alu) signal(load)
    set alu wait(gemm) signal(gemm)
    finish)");
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(status.message(),
            "deadlock: nothing can act any more\n"
            "  LOAD #1 (instruction 1 of the stream) `set load wait(gemm)` "
            "waits for token 1 from GEMM, which has given 0: GEMM stands at "
            "its #0\n"
            "  GEMM #0 (instruction 2 of the stream) `set gemm wait(load,alu) "
            "signal(load)` waits for token 1 from ALU, which has given 0: ALU "
            "stands at its #0\n"
            "  ALU #0 (instruction 3 of the stream) `set alu wait(gemm) "
            "signal(gemm)` waits for token 1 from GEMM, which has given 0: "
            "GEMM stands at its #0");
}

TEST_F(MachineTest, AMissingTokenIsADeadlockAfterFinish) {
  absl::Status status = run("set store wait(alu)\n finish");
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(status.message(),
              HasSubstr("waits for token 1 from ALU, which has given 0: ALU "
                        "has retired all its 0 instructions"));
}

TEST_F(MachineTest, AFullChannelThatNobodyEmptiesIsADeadlock) {
  absl::Status status = run(R"(
    set load signal(gemm)
    set load signal(gemm)
    set load signal(gemm)
    finish)");
  EXPECT_THAT(status.message(),
              HasSubstr("LOAD #2 (instruction 2 of the stream) `set load "
                        "signal(gemm)` waits for room in the channel to GEMM, "
                        "which holds 2 tokens: GEMM has retired all its 0"));
}

// The fifth instruction of LOAD does not fit its queue, and what would free
// the first one is behind it.
TEST_F(MachineTest, AFullQueueInFrontOfWhatIsNeededIsADeadlock) {
  std::string waiting = "set load wait(gemm)\n";
  for (int i = 0; i < 3; ++i)
    waiting += "set load\n";
  EXPECT_TRUE(run(waiting + "set gemm signal(load)\n finish").ok());
  absl::Status status =
      run(waiting + "set load zero_point=1\n set gemm signal(load)\n finish");
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(
      status.message(),
      HasSubstr("FETCH waits for room in the queue of LOAD, which is "
                "full with 4 instructions; it holds LOAD #4 "
                "(instruction 4 of the stream) `set load zero_point=1`"));
  EXPECT_THAT(status.message(),
              HasSubstr("GEMM is empty after 0 instructions: what comes next "
                        "is behind what FETCH holds"));
}

TEST_F(MachineTest, AnErrorNamesTheInstruction) {
  absl::Status status = run(R"(
    set gemm
    set load
    load inp sram=511 dram=0 y=1 x=2 ystride=2 xstride=1
    finish)");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              ::testing::StartsWith("LOAD #1 (instruction 2 of the stream) "
                                    "`load inp sram=511"));
  EXPECT_THAT(status.message(),
              HasSubstr("goes to element 512 of the scratchpad"));
}

TEST_F(MachineTest, FinishMustBeThere) {
  absl::Status status = run("set load\n set gemm");
  EXPECT_EQ(
      status.message(),
      "the program has no FINISH: 2 instructions fetched from DRAM offset "
      "0x400 on");
  RunOptions options;
  options.instructionCount = 1;
  EXPECT_THAT(run("set load\n finish", options).message(),
              HasSubstr("has no FINISH: 1 instructions"));
}

TEST_F(MachineTest, UndefinedEncodingsStop) {
  ASSERT_TRUE(run("finish").ok());
  std::fill(dram.begin() + base, dram.end(), uint8_t(0xff));
  RunOptions options;
  options.programOffset = base;
  absl::Status status = machine->run(absl::MakeSpan(dram), options);
  EXPECT_THAT(std::string(status.message()),
              ::testing::StartsWith("undefined encoding: instruction 0 of the "
                                    "stream at DRAM offset 0x400: "));
}

TEST_F(MachineTest, NothingBehindFinishIsFetched) {
  ASSERT_TRUE(run("finish\n set load wait(gemm)").ok());
  EXPECT_EQ(machine->fetched(), 1);
}

TEST_F(MachineTest, TheLimitOfRetirements) {
  RunOptions options;
  options.retireLimit = 2;
  absl::Status status = run("set load\n set load\n set load\n finish", options);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(), HasSubstr("2 instructions retired, the limit"));
  EXPECT_TRUE(run("set load\n set load\n finish", options).ok());
}

TEST_F(MachineTest, ReadsOfUndefinedMemoryShow) {
  absl::Status status = run("alu mov operand=acc uop=3+1\n finish");
  EXPECT_THAT(status.message(), HasSubstr("micro-op 3 has never been loaded"));
}

} // namespace
} // namespace tenon::sim::functional
