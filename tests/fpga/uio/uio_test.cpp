// Part of Tenon, under the Apache License v2.0.
//
// The UIO driver against a stand-in for the board (stand_in.h): programs.

#include "tests/fpga/uio/fixture.h"

#include "isa/program.h"
#include "runtime/check.h"
#include "runtime/run_once.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_device.h"
#include "tests/scratch_folder.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <cstring>
#include <random>
#include <unistd.h>

namespace tenon::runtime {
namespace {

namespace fs = std::filesystem;
using absl::StatusCode;

TEST_F(Uio, RunsAProgramInTheCyclesOfTheRtl) {
  open();
  sim::SmallProgram program(tinyLayout(), 60);
  program.writeTo(*device);
  auto result = sim::runLaunch(*device, program.options());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(board->failure, "");
  EXPECT_EQ(resultOf(program, *device), program.expected());

  auto rtl = sim::RtlDevice::create(configuration("tiny"));
  ASSERT_TRUE(rtl.ok()) << rtl.status();
  program.writeTo(**rtl);
  auto want = (*rtl)->launch(program.options());
  ASSERT_TRUE(want.ok()) << want.status();
  EXPECT_EQ(result->cycles, want->cycles);
  EXPECT_EQ(result->retired, want->retired);
  EXPECT_EQ(result->tokenWaits, want->tokenWaits);
  for (unsigned e = 0; e < sim::numEngines; ++e)
    EXPECT_EQ(result->states[e].cycles, want->states[e].cycles) << e;
}

TEST_F(Uio, EachLaunchSeesWhatWasWrittenBeforeIt) {
  open();
  for (uint32_t vectors : {10, 50, 20}) {
    sim::SmallProgram program(tinyLayout(), vectors);
    program.writeTo(*device);
    auto result = sim::runLaunch(*device, program.options());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program, *device), program.expected()) << vectors;
  }
  EXPECT_EQ(board->launches, 3u);
}

TEST_F(Uio, MovesTheCachesAroundALaunch) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  ASSERT_TRUE(sim::runLaunch(*device, program.options()).ok());
  // The stand-in took sync_for_device back when it had acted on it, and cleared
  // sync_for_cpu, which therefore was written after the launch.
  EXPECT_EQ(StandIn::text(board->attribute("sync_for_device")), "0\n");
  EXPECT_EQ(StandIn::text(board->attribute("sync_for_cpu")), "1\n");
  EXPECT_EQ(StandIn::text(board->attribute("sync_offset")), "0\n");
  EXPECT_EQ(StandIn::text(board->attribute("sync_direction")), "0\n");
  EXPECT_GT(std::stoull(StandIn::text(board->attribute("sync_size"))),
            program.resultOffset() + program.expected().size());
}

TEST_F(Uio, UncachedMemoryNeedsNoAttributes) {
  open(/*cached=*/false);
  fs::remove(board->attribute("sync_for_cpu"));
  fs::remove(board->attribute("sync_for_device"));
  sim::SmallProgram program(tinyLayout(), 30);
  program.writeTo(*device);
  auto result = sim::runLaunch(*device, program.options());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resultOf(program, *device), program.expected());
}

TEST_F(Uio, CoherentMemoryNeedsNoAttributes) {
  open();
  StandIn::setText(board->attribute("dma_coherent"), "1\n");
  fs::remove(board->attribute("sync_for_cpu"));
  fs::remove(board->attribute("sync_for_device"));
  device = std::move(create().value());
  sim::SmallProgram program(tinyLayout(), 30);
  program.writeTo(*device);
  auto result = sim::runLaunch(*device, program.options());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resultOf(program, *device), program.expected());
}

TEST_F(Uio, PollsWhereThereIsNoInterrupt) {
  open();
  board->faults.mute = true;
  UioOptions options = board->options();
  options.interrupt = false;
  device = std::move(create(options).value());
  for (uint32_t vectors : {40, 15}) {
    sim::SmallProgram program(tinyLayout(), vectors);
    program.writeTo(*device);
    auto result = sim::runLaunch(*device, program.options());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program, *device), program.expected());
  }
}

TEST_F(Uio, MemoryIsPoisonedAndChecked) {
  open();
  uint8_t byte;
  EXPECT_EQ(device->read(0, absl::MakeSpan(&byte, 1)).code(),
            StatusCode::kOutOfRange);
  EXPECT_EQ(sim::runLaunch(*device, {}).status().code(),
            StatusCode::kFailedPrecondition);
  ASSERT_EQ(device->allocate(1000), absl::OkStatus());
  std::vector<uint8_t> bytes(1000);
  ASSERT_EQ(device->read(0, absl::MakeSpan(bytes)), absl::OkStatus());
  for (size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(bytes[i], sim::poisonByte(i)) << i;
  EXPECT_EQ(device->write(996, bytes).code(), StatusCode::kOutOfRange);
}

// The port reaches other memory than the program's.
TEST_F(Uio, TransfersOutsideOfTheProgramAreNotStarted) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  for (isa::Instruction &instruction : program.instructions)
    if (auto *store = std::get_if<isa::Store>(&instruction))
      store->dram = 1 << 16;
  program.writeTo(*device);
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kOutOfRange);
  EXPECT_THAT(message(result), testing::HasSubstr(" of the stream `store "));
  EXPECT_EQ(board->launches, 0u);
}

TEST_F(Uio, LaunchesQueue) {
  open();
  sim::testQueue(*device, sim::SmallProgram(tinyLayout(), 20));
}

// A network of the examples, all of it, on the reference configuration.
TEST(UioNetwork, ResNet8IsBitExact) {
  const ScratchFolder folder;
  const std::string path = folder / "resnet8.tenon";
  const std::string compile = absl::StrCat(
      TENON_BINARY_DIR "/bin/tenon compile " TENON_SOURCE_DIR
                       "/examples/resnet8/resnet8.onnx --config pynq -o ",
      path, " > /dev/null");
  ASSERT_EQ(std::system(compile.c_str()), 0);
  auto program = isa::readProgram(path);
  ASSERT_TRUE(program.ok()) << program.status();

  std::vector<Array> inputs;
  std::mt19937_64 random(20240607);
  for (uint32_t input : program->inputs()) {
    const isa::Buffer &buffer = program->buffers(input);
    Array array{
        buffer.type(), Shape(buffer.shape().begin(), buffer.shape().end()), {}};
    array.bytes.resize(elementCount(array.shape) *
                       isa::elementBytes(buffer.type()));
    for (uint8_t &byte : array.bytes)
      byte = static_cast<uint8_t>(random());
    if (buffer.type() == isa::FLOAT32)
      for (size_t i = 0; i < array.bytes.size(); i += 4) {
        float value = static_cast<float>(random() % 256);
        std::memcpy(&array.bytes[i], &value, 4);
      }
    inputs.push_back(std::move(array));
  }

  StandIn board(program->configuration(), 16 * megabyte);
  auto device = UioDevice::create(program->configuration(), board.options());
  ASSERT_TRUE(device.ok()) << device.status();
  auto got = runOnce(*program, **device, inputs);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(board.failure, "");
  auto functional = sim::FunctionalDevice::create(program->configuration());
  ASSERT_TRUE(functional.ok());
  auto want = runOnce(*program, **functional, inputs);
  ASSERT_TRUE(want.ok()) << want.status();
  Check check = compareDram(*program, got->execution, want->execution);
  EXPECT_EQ(check.mismatches, 0u) << check.layer;
  EXPECT_GT(check.elements, 100000u);
  ASSERT_EQ(got->outputs.size(), want->outputs.size());
  for (size_t i = 0; i < got->outputs.size(); ++i)
    EXPECT_EQ(got->outputs[i].bytes, want->outputs[i].bytes);

  auto rtl = sim::RtlDevice::create(program->configuration());
  ASSERT_TRUE(rtl.ok()) << rtl.status();
  auto simulated = runOnce(*program, **rtl, inputs, Observer{});
  ASSERT_TRUE(simulated.ok()) << simulated.status();
  const auto &launches = got->execution.launches;
  ASSERT_EQ(launches.size(), simulated->execution.launches.size());
  for (size_t i = 0; i < launches.size(); ++i)
    EXPECT_EQ(launches[i].cycles, simulated->execution.launches[i].cycles);
}

} // namespace
} // namespace tenon::runtime
