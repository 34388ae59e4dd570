// Part of Tenon, under the Apache License v2.0.
//
// The driver and the RTL of the bridge, bit by bit over a simulated serial
// line: programs made by hand, then a network through the command line.

#include "runtime/fpga/serial_device.h"
#include "sim/board/board_process.h"

#include "isa/configuration.h"
#include "isa/files.h"
#include "isa/program.h"
#include "sim/trace/report.pb.h"
#include "tests/scratch_folder.h"
#include "tests/unit/sim_rtl/small_program.h"

#include "google/protobuf/util/json_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::runtime {
namespace {

using absl::StatusCode;
using sim::BoardProcess;
using sim::SmallProgram;
using ::testing::MatchesRegex;

constexpr uint64_t clockHz = 80'000'000;

void tell(const std::string &phase, double seconds) {
  std::cerr << phase << " (" << seconds << " s)\n";
}

absl::StatusOr<std::unique_ptr<BoardProcess>>
start(const isa::Layout &layout, uint64_t memoryBytes,
      sim::BoardOptions options = {clockHz}) {
  auto model = sim::bridgeModel(layout, {memoryBytes, clockHz});
  if (!model.ok())
    return model.status();
  return sim::startBoard(*model, options, tell);
}

class BoardTest : public ::testing::Test {
protected:
  void SetUp() override {
    auto started = start(layout, 40960);
    ASSERT_TRUE(started.ok()) << started.status();
    board = *std::move(started);
  }

  absl::StatusOr<std::unique_ptr<SerialDevice>> open(uint32_t baud) {
    LinkOptions options;
    options.baud = baud;
    return SerialDevice::create(board->port(), layout.config, options);
  }

  void runSmallProgram(SerialDevice &device, uint64_t &cycles) {
    SmallProgram program(layout, 100);
    program.writeTo(device);
    auto result = sim::runLaunch(device, program.options());
    ASSERT_TRUE(result.ok()) << result.status();
    std::vector<uint8_t> bytes(program.expected().size());
    ASSERT_TRUE(
        device.read(program.resultOffset(), absl::MakeSpan(bytes)).ok());
    EXPECT_EQ(bytes, program.expected());
    EXPECT_THAT(result->retired, ::testing::ElementsAre(3, 0, 2, 1));
    for (unsigned e = 0; e < sim::numEngines; ++e)
      EXPECT_EQ(result->states[e].total(), result->cycles) << e;
    cycles = result->cycles;
  }

  isa::Layout layout = *isa::Layout::get(*isa::loadConfiguration("tiny"));
  std::unique_ptr<BoardProcess> board;
};

TEST_F(BoardTest, SaysWhatItIs) {
  auto device = open(defaultBaud);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ((*device)->board().memoryBytes, 40960u);
  EXPECT_EQ((*device)->board().clockHz, clockHz);
  EXPECT_EQ((*device)->board().divisor, 80u);
}

// Rates of 10, 3 and 1 clocks a bit; the cycles of a launch are the same.
TEST_F(BoardTest, RunsAProgramAtAnyRate) {
  uint64_t first = 0;
  for (uint32_t divisor : {10, 3, 1}) {
    SCOPED_TRACE(divisor);
    auto device = open(clockHz / divisor);
    ASSERT_TRUE(device.ok()) << device.status();
    EXPECT_EQ((*device)->board().divisor, divisor);
    uint64_t cycles = 0;
    runSmallProgram(**device, cycles);
    EXPECT_EQ((*device)->statistics().retries, 0u);
    if (!first)
      first = cycles;
    EXPECT_EQ(cycles, first);
  }
  auto statistics = board->statistics();
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  EXPECT_EQ(statistics->framingErrors, 0u);
  std::cerr << statistics->cycles << " cycles, " << statistics->kiloHertz()
            << " kHz\n";
}

TEST_F(BoardTest, AnAccessOutsideOfDramDoesNotReachTheBoard) {
  auto device = open(clockHz);
  ASSERT_TRUE(device.ok()) << device.status();
  SmallProgram program(layout, 100);
  for (isa::Instruction &instruction : program.instructions)
    if (auto *store = std::get_if<isa::Store>(&instruction))
      store->dram += 40960;
  program.writeTo(**device);
  auto result = sim::runLaunch(**device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(result.status().message()),
              MatchesRegex("instruction 5 of the stream `store .*` accesses "
                           "DRAM up to offset 0x[0-9a-f]*, outside of the "
                           "program's [0-9]* bytes; the program is not run"));
  uint64_t cycles = 0;
  runSmallProgram(**device, cycles);
}

// A program that waits for a token that nobody gives: the driver says so, stops
// it, and the next one runs.
TEST_F(BoardTest, ADeadlockIsStopped) {
  auto device = open(clockHz);
  ASSERT_TRUE(device.ok()) << device.status();
  SmallProgram program(layout, 100);
  isa::Set stuck;
  stuck.engine = isa::Engine::Gemm;
  stuck.wait = 1;
  program.instructions.insert(program.instructions.end() - 1, stuck);
  program.writeTo(**device);
  auto result = sim::runLaunch(**device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kAborted) << result.status();
  uint64_t cycles = 0;
  runSmallProgram(**device, cycles);
}

// A driver that is killed leaves its launch behind: the next one stops it.
TEST_F(BoardTest, ADriverThatIsKilledLeavesNothing) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto device = open(clockHz);
    SmallProgram program(layout, 100);
    isa::Set stuck;
    stuck.engine = isa::Engine::Gemm;
    stuck.wait = 1;
    program.instructions.insert(program.instructions.begin(), stuck);
    program.writeTo(**device);
    if (!(*device)->submit(program.options()).ok())
      _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  auto device = open(clockHz);
  ASSERT_TRUE(device.ok()) << device.status();
  uint64_t cycles = 0;
  runSmallProgram(**device, cycles);
}

TEST_F(BoardTest, ServesOneDriverAfterAnother) {
  for (unsigned i = 0; i < 3; ++i) {
    auto device = open(clockHz);
    ASSERT_TRUE(device.ok()) << device.status();
    uint64_t cycles = 0;
    runSmallProgram(**device, cycles);
  }
}

// The processes that this one has started and that have not ended.
std::vector<pid_t> children() {
  std::ifstream file("/proc/thread-self/children");
  return {std::istream_iterator<pid_t>(file), {}};
}

// One that is stopped stands for one that hangs: neither an answer nor the end
// is waited for any longer than the limit.
TEST_F(BoardTest, IsNotWaitedForBeyondTheLimit) {
  board.reset();
  auto started = start(layout, 40960, {clockHz, std::chrono::seconds(1)});
  ASSERT_TRUE(started.ok()) << started.status();
  ASSERT_TRUE((*started)->statistics().ok());
  const std::vector<pid_t> processes = children();
  ASSERT_EQ(processes.size(), 1u);
  ASSERT_EQ(kill(processes[0], SIGSTOP), 0);
  EXPECT_EQ(
      (*started)->statistics().status(),
      absl::UnavailableError("the simulated board does not answer for 1 s"));
  auto before = std::chrono::steady_clock::now();
  started->reset();
  EXPECT_LT(std::chrono::steady_clock::now() - before,
            std::chrono::seconds(20));
  EXPECT_TRUE(children().empty());
}

TEST_F(BoardTest, EndsWithItsObject) {
  auto device = open(clockHz);
  ASSERT_TRUE(device.ok()) << device.status();
  board.reset();
  SmallProgram program(layout, 4);
  program.writeTo(**device);
  EXPECT_EQ(sim::runLaunch(**device, program.options()).status().code(),
            StatusCode::kUnavailable);
}

// ---- a network through the command line

std::string network() {
  if (const char *path = std::getenv("TENON_KWS"))
    return path;
  return std::string(TENON_SOURCE_DIR) +
         "/../shared/models/mlperftiny_kws_dscnn/qdq/model.onnx";
}

/// Bytes of DRAM of the program that `small` gets for a network.
uint64_t dramOf(const std::string &model) {
  const ScratchFolder folder;
  const std::string path = folder / "network.tenon";
  const std::string command = std::string(TENON_BINARY_DIR "/bin/tenon") +
                              " compile " + model + " --config small -o " +
                              path;
  if (std::system(command.c_str()) != 0)
    return 0;
  auto program = isa::readProgram(path);
  return program.ok() ? program->dram_bytes() : 0;
}

TEST(Board, RunsAWholeNetwork) {
  if (access(network().c_str(), R_OK) != 0)
    GTEST_SKIP() << "../shared/models or TENON_KWS is not there: " << network();
  auto layout = isa::Layout::get(*isa::loadConfiguration("small"));
  auto board = start(*layout, 160 << 10);
  ASSERT_TRUE(board.ok()) << board.status();
  const std::string target =
      "fpga:serial:" + (*board)->port() + "@" + std::to_string(clockHz);
  const ScratchFolder folder;
  const std::string json = folder / "report.json";
  const std::string command = std::string(TENON_BINARY_DIR "/bin/tenon run ") +
                              network() + " --config small --target " + target +
                              " --json " + json;
  int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
  auto text = isa::readFile(json);
  ASSERT_TRUE(text.ok()) << text.status();
  report::RunReport report;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(*text, &report).ok());
  EXPECT_EQ(report.checks().functional().status(), "bit-exact");
  EXPECT_EQ(report.checks().functional().elements(), dramOf(network()));
  EXPECT_EQ(report.checks().cpu().status(), "bit-exact");
  EXPECT_EQ(report.clock_mhz(), clockHz / 1e6);
  EXPECT_GT(report.cycles(), report.bound_cycles());
  for (const auto &[engine, states] : report.states())
    EXPECT_EQ(states.busy() + states.token() + states.memory() + states.bank() +
                  states.drain() + states.empty() + states.done(),
              report.cycles())
        << engine;
  EXPECT_EQ(report.layers(0).cycles(), 0); // what hardware cannot say
  EXPECT_GE(report.notes_size(), 2);
  auto statistics = (*board)->statistics();
  ASSERT_TRUE(statistics.ok()) << statistics.status();
  std::cerr << statistics->cycles << " cycles, " << statistics->kiloHertz()
            << " kHz, " << statistics->bytesToBoard << " bytes in, "
            << statistics->bytesFromBoard << " out\n";
}

} // namespace
} // namespace tenon::runtime
