// Part of Tenon, under the Apache License v2.0.
//
// The UIO driver against a stand-in for the board (stand_in.h).

#include "tests/fpga/uio/stand_in.h"

#include "isa/configuration.h"
#include "isa/program.h"
#include "runtime/check.h"
#include "runtime/executor.h"
#include "sim/functional/functional_device.h"
#include "sim/rtl/rtl_device.h"
#include "tests/unit/sim_rtl/small_program.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace tenon::runtime {
namespace {

namespace fs = std::filesystem;
using absl::StatusCode;
using testing::HasSubstr;

constexpr uint64_t megabyte = 1 << 20;

isa::Configuration configuration(const char *name) {
  return *isa::loadConfiguration(name);
}

const isa::Layout &tinyLayout() {
  static const isa::Layout layout = *isa::Layout::get(configuration("tiny"));
  return layout;
}

std::string message(const absl::Status &status) {
  return std::string(status.message());
}

template <typename Value>
std::string message(const absl::StatusOr<Value> &value) {
  return message(value.status());
}

std::vector<uint8_t> resultOf(const sim::SmallProgram &program,
                              sim::Device &device) {
  std::vector<uint8_t> bytes(program.expected().size());
  EXPECT_EQ(device.read(program.resultOffset(), absl::MakeSpan(bytes)),
            absl::OkStatus());
  return bytes;
}

// A board with `tiny`, and the driver on it.
class Uio : public testing::Test {
protected:
  void open(bool cached = true) {
    board = std::make_unique<StandIn>(configuration("tiny"), megabyte, cached);
    device = std::move(create().value());
  }
  absl::StatusOr<std::unique_ptr<UioDevice>> create() {
    return create(board->options());
  }
  absl::StatusOr<std::unique_ptr<UioDevice>> create(const UioOptions &options) {
    return UioDevice::create(configuration("tiny"), options);
  }

  std::unique_ptr<StandIn> board;
  std::unique_ptr<UioDevice> device;
};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST_F(Uio, RunsAProgramInTheCyclesOfTheRtl) {
  open();
  sim::SmallProgram program(tinyLayout(), 60);
  program.writeTo(*device);
  auto result = device->launch(program.options());
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
  ASSERT_EQ(result->layers.size(), 1u);
  EXPECT_EQ(result->layers[0].cycles, want->cycles);
}

TEST_F(Uio, EachLaunchSeesWhatWasWrittenBeforeIt) {
  open();
  for (uint32_t vectors : {10, 50, 20}) {
    sim::SmallProgram program(tinyLayout(), vectors);
    program.writeTo(*device);
    auto result = device->launch(program.options());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program, *device), program.expected()) << vectors;
  }
  EXPECT_EQ(board->launches, 3u);
}

TEST_F(Uio, MovesTheCachesAroundALaunch) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  ASSERT_TRUE(device->launch(program.options()).ok());
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
  auto result = device->launch(program.options());
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
  auto result = device->launch(program.options());
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
    auto result = device->launch(program.options());
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(resultOf(program, *device), program.expected());
  }
}

TEST_F(Uio, MemoryIsPoisonedAndChecked) {
  open();
  uint8_t byte;
  EXPECT_EQ(device->read(0, absl::MakeSpan(&byte, 1)).code(),
            StatusCode::kOutOfRange);
  EXPECT_EQ(device->launch({}).status().code(),
            StatusCode::kFailedPrecondition);
  ASSERT_EQ(device->allocate(1000), absl::OkStatus());
  std::vector<uint8_t> bytes(1000);
  ASSERT_EQ(device->read(0, absl::MakeSpan(bytes)), absl::OkStatus());
  for (size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(bytes[i], sim::poisonByte(i)) << i;
  EXPECT_EQ(device->write(996, bytes).code(), StatusCode::kOutOfRange);
}

// A network of the examples, all of it, on the reference configuration.
TEST(UioNetwork, ResNet8IsBitExact) {
  const std::string path =
      testing::TempDir() + absl::StrCat("uio-resnet8-", getpid(), ".tenon");
  const std::string compile = absl::StrCat(
      TENON_BINARY_DIR "/bin/tenon compile " TENON_SOURCE_DIR
                       "/examples/resnet8/resnet8.onnx --config pynq -o ",
      path, " > /dev/null");
  ASSERT_EQ(std::system(compile.c_str()), 0);
  auto program = isa::readProgram(path);
  fs::remove(path);
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
  auto got = execute(*program, **device, inputs, {});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(board.failure, "");
  auto functional = sim::FunctionalDevice::create(program->configuration());
  ASSERT_TRUE(functional.ok());
  auto want = execute(*program, **functional, inputs, {});
  ASSERT_TRUE(want.ok()) << want.status();
  Check check = compareDram(*program, *got, *want);
  EXPECT_EQ(check.mismatches, 0u) << check.layer;
  EXPECT_GT(check.elements, 100000u);
  ASSERT_EQ(got->outputs.size(), want->outputs.size());
  for (size_t i = 0; i < got->outputs.size(); ++i)
    EXPECT_EQ(got->outputs[i].bytes, want->outputs[i].bytes);

  auto rtl = sim::RtlDevice::create(program->configuration());
  ASSERT_TRUE(rtl.ok()) << rtl.status();
  ExecutionOptions plain;
  plain.keepTensors = false;
  auto simulated = execute(*program, **rtl, inputs, plain);
  ASSERT_TRUE(simulated.ok()) << simulated.status();
  ASSERT_EQ(got->launches.size(), simulated->launches.size());
  for (size_t i = 0; i < got->launches.size(); ++i)
    EXPECT_EQ(got->launches[i].cycles, simulated->launches[i].cycles);
}

//===----------------------------------------------------------------------===//
// What goes wrong during a launch
//===----------------------------------------------------------------------===//

TEST_F(Uio, AnInterruptThatNeverComesIsSaid) {
  open();
  board->faults.mute = true;
  UioOptions options = board->options();
  options.timeLimit = 0.5;
  device = std::move(create(options).value());
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  auto result = device->launch(program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(message(result), HasSubstr("its interrupt did not come"));
  // When it comes again the next launch is not taken in by the old one.
  board->faults.mute = false;
  program.writeTo(*device);
  result = device->launch(program.options());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resultOf(program, *device), program.expected());
}

TEST_F(Uio, ALaunchThatNeverEndsIsGivenUp) {
  open();
  board->faults.hang = true;
  UioOptions options = board->options();
  options.timeLimit = 0.3;
  device = std::move(create(options).value());
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  unsigned told = 0;
  sim::LaunchOptions launch = program.options();
  launch.progress = [&](uint64_t, uint64_t) { ++told; };
  auto result = device->launch(launch);
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(message(result), HasSubstr("did not end within 0.3 s (running"));
  EXPECT_GE(told, 1u);
  // It runs still, so nothing can be started on it.
  result = device->launch(launch);
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(result), HasSubstr("the accelerator is busy"));
}

TEST_F(Uio, AnErrorOfTheHardwareIsReportedAndPasses) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  board->faults.corrupt = true;
  auto result = device->launch(program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(message(result), HasSubstr("an undefined opcode"));
  EXPECT_THAT(message(result), HasSubstr("retired: load 0, gemm 0"));
  board->faults.corrupt = false;
  program.writeTo(*device);
  result = device->launch(program.options());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resultOf(program, *device), program.expected());
}

TEST_F(Uio, AHardwareThatDoesNotTakeTheStartIsSaid) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  // Registers that nobody looks at.
  fs::path dead = board->registers().parent_path() / "dead";
  fs::copy_file(board->registers(), dead);
  fs::create_directories(
      board->mapSize().parent_path().parent_path().parent_path().parent_path() /
      "dead/maps/map0");
  fs::copy_file(
      board->mapSize(),
      board->mapSize().parent_path().parent_path().parent_path().parent_path() /
          "dead/maps/map0/size");
  UioOptions options = board->options();
  options.registers = dead.string();
  device = std::move(create(options).value());
  program.writeTo(*device);
  auto result = device->launch(program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(message(result), HasSubstr("did not take the start"));
}

TEST_F(Uio, RefusesWhatHardwareCannot) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  sim::LaunchOptions launch = program.options();
  launch.watches.push_back({1, 0, 16});
  EXPECT_EQ(device->launch(launch).status().code(), StatusCode::kUnimplemented);
  launch.watches[0].afterStores = 0; // before the launch: possible
  auto result = device->launch(launch);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->snapshots[0].size(), 16u);
  launch = program.options();
  launch.programOffset += 1;
  EXPECT_EQ(device->launch(launch).status().code(),
            StatusCode::kInvalidArgument);
  launch = program.options();
  launch.cycleLimit = 10;
  result = device->launch(launch);
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(result), HasSubstr("more than the 10"));
}

//===----------------------------------------------------------------------===//
// What is not there, or another
//===----------------------------------------------------------------------===//

TEST_F(Uio, AnotherAcceleratorIsRefused) {
  open();
  uint32_t hash = board->readRegister(isa::control::configuration);
  board->writeRegister(isa::control::configuration, hash ^ 0x10);
  auto other = create();
  EXPECT_EQ(other.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(other), HasSubstr("expected configuration 'tiny'"));
  board->writeRegister(isa::control::configuration, hash);
  board->writeRegister(isa::control::isaVersion, 0xffffffff);
  other = create();
  EXPECT_EQ(other.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(other), HasSubstr("is its bitstream loaded?"));
}

TEST_F(Uio, ABufferThatIsTooSmallIsRefused) {
  open();
  absl::Status status = device->allocate(megabyte);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(status), HasSubstr("has 1048576 bytes, of which 983040 "
                                         "are for a program; this one needs "
                                         "1048576"));
  EXPECT_EQ(device->allocate(983040), absl::OkStatus());
}

TEST_F(Uio, MissingFilesAreNamed) {
  open();
  auto refusal = [&](const UioOptions &options) {
    auto made = create(options);
    EXPECT_EQ(made.status().code(), StatusCode::kFailedPrecondition);
    return message(made);
  };
  UioOptions options = board->options();
  options.registers = "/dev/uio-that-is-not-there";
  EXPECT_THAT(refusal(options),
              HasSubstr("/dev/uio-that-is-not-there: cannot open the device: "
                        "No such file or directory"));
  options = board->options();
  options.buffer = "/dev/udmabuf-that-is-not-there";
  EXPECT_THAT(refusal(options), HasSubstr("/dev/udmabuf-that-is-not-there"));
  options = board->options();
  StandIn::setText(board->mapSize(), "0x100\n");
  EXPECT_THAT(refusal(options), HasSubstr("map 0 has 256 bytes"));
  StandIn::setText(board->mapSize(), "large\n");
  EXPECT_THAT(refusal(options), HasSubstr("expected a number, found 'large'"));
  StandIn::setText(board->mapSize(), "0x1000\n");
  StandIn::setText(board->attribute("phys_addr"), "0x1a200040\n");
  EXPECT_THAT(refusal(options), HasSubstr("begins with a page"));
  fs::remove(board->attribute("phys_addr"));
  EXPECT_THAT(refusal(options), HasSubstr("phys_addr"));
}

TEST_F(Uio, ADeviceWithoutAnInterruptIsSaid) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  UioOptions options = board->options();
  options.interruptDescriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  device = std::move(create(options).value());
  program.writeTo(*device);
  auto result = device->launch(program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(result), HasSubstr("wait=poll does without"));
  close(options.interruptDescriptor);
}

TEST_F(Uio, AMissingAttributeStopsTheLaunch) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  fs::remove(board->attribute("sync_for_device"));
  auto result = device->launch(program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(result), HasSubstr("sync_for_device"));
  EXPECT_EQ(board->launches, 0u);
}

//===----------------------------------------------------------------------===//
// The target's text
//===----------------------------------------------------------------------===//

TEST(UioTarget, HasDefaults) {
  auto options = parseUioTarget("/dev/uio3");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->registers, "/dev/uio3");
  EXPECT_EQ(options->buffer, "/dev/udmabuf-tenon");
  EXPECT_TRUE(options->cached);
  EXPECT_TRUE(options->interrupt);
  EXPECT_EQ(options->sysfs, "/sys");
  EXPECT_LT(options->interruptDescriptor, 0);
}

TEST(UioTarget, TakesKeys) {
  auto options = parseUioTarget(
      "/dev/uio0,timeout=2.5,cache=off,buffer=/dev/b,wait=poll,clock=142.8");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->buffer, "/dev/b");
  EXPECT_FALSE(options->cached);
  EXPECT_FALSE(options->interrupt);
  EXPECT_EQ(options->clockMhz, 142.8);
  EXPECT_EQ(options->timeLimit, 2.5);
}

TEST(UioTarget, NamesWhatIsWrong) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expected a device"},
      {"/dev/uio0,colour=red", "unknown key 'colour'"},
      {"/dev/uio0,cache=maybe", "bad value 'maybe' of cache"},
      {"/dev/uio0,wait", "bad value '' of wait"},
      {"/dev/uio0,clock=-1", "bad value '-1' of clock"},
      {"/dev/uio0,timeout=nan", "bad value 'nan' of timeout"},
      {"/dev/uio0,buffer=", "bad value '' of buffer"},
      {"/dev/uio0,wait=poll,wait=poll", "wait is given twice"}};
  for (auto [text, reason] : cases) {
    auto options = parseUioTarget(text);
    EXPECT_EQ(options.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(message(options), HasSubstr(reason));
  }
}

} // namespace
} // namespace tenon::runtime
