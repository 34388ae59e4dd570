// Part of Tenon, under the Apache License v2.0.
//
// The UIO driver where something is wrong: the hardware, the files, the
// target's text.

#include "tests/fpga/uio/fixture.h"

#include "runtime/fpga/uio_files.h"

#include <array>
#include <fcntl.h>
#include <set>
#include <thread>
#include <unistd.h>

namespace tenon::runtime {
namespace {

namespace fs = std::filesystem;
using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;

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
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(message(result), HasSubstr("its interrupt did not come"));
  // When it comes again the next launch is not taken in by the old one.
  board->faults.mute = false;
  program.writeTo(*device);
  result = sim::runLaunch(*device, program.options());
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
  ASSERT_EQ(device->submit(program.options()), absl::OkStatus());
  auto result = device->wait(std::chrono::milliseconds(10));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->done);
  std::vector<uint8_t> bytes(16);
  EXPECT_EQ(device->write(0, bytes),
            absl::FailedPreconditionError(
                "fpga: a write while a launch is outstanding"));
  result = device->wait(std::chrono::seconds(10));
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(message(result), HasSubstr("did not end within 0.3 s (running"));
  EXPECT_THAT(message(result), HasSubstr("and was stopped"));
  EXPECT_EQ(board->stops, 3u); // and whenever it was opened
  // In the middle of its traffic; the next one runs.
  board->faults.hang = false;
  device = std::move(create().value());
  expectRight(program);
}

// A program that waits for a token that nobody gives.
TEST_F(Uio, ADeadlockIsStopped) {
  open();
  UioOptions options = board->options();
  options.timeLimit = 1;
  device = std::move(create(options).value());
  sim::SmallProgram program(tinyLayout(), 20), stuck = program;
  isa::Set set;
  set.engine = isa::Engine::Gemm;
  set.wait = 1;
  stuck.instructions.insert(stuck.instructions.end() - 1, set);
  stuck.writeTo(*device);
  auto result = sim::runLaunch(*device, stuck.options());
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  device = std::move(create().value());
  expectRight(program);
}

// A driver that was killed has stopped nothing; the next one does.
TEST_F(Uio, ALaunchLeftBehindIsStopped) {
  open();
  board->faults.hang = true;
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  ASSERT_EQ(device->submit(program.options()), absl::OkStatus());
  while (!(board->readRegister(isa::control::status) & sim::statusRunning))
    std::this_thread::yield();
  // Its files are closed, and nothing else happens.
  board->ignoreStops = true;
  device.reset();
  board->ignoreStops = false;
  EXPECT_TRUE(board->readRegister(isa::control::status) & sim::statusRunning);
  board->faults.hang = false;
  device = std::move(create().value());
  EXPECT_FALSE(board->readRegister(isa::control::status) & sim::statusRunning);
  expectRight(program);
}

// An interrupt that can be waited for and not be switched on: found out when
// the launch runs.
TEST_F(Uio, ALaunchThatNobodyWouldHearOfIsStopped) {
  open();
  board->faults.hang = true;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  UioOptions options = board->options();
  options.interruptDescriptor = ends[0]; // nothing can be written to it
  device = std::move(create(options).value());
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  const unsigned stops = board->stops;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(result), HasSubstr("cannot enable its interrupt"));
  EXPECT_EQ(board->launches, 1u);
  EXPECT_EQ(board->stops, stops + 1);
  EXPECT_FALSE(board->readRegister(isa::control::status) & sim::statusRunning);
  close(ends[0]);
  close(ends[1]);
  board->faults.hang = false;
  device = std::move(create().value());
  expectRight(program);
}

// What the accelerator may still write to is not the processor's.
TEST_F(Uio, AStopThatDidNotSucceedIsTriedAgain) {
  open();
  board->faults.hang = true;
  UioOptions options = board->options();
  options.timeLimit = 0.3;
  device = std::move(create(options).value());
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  board->ignoreStops = true;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kDeadlineExceeded);
  const std::string owed = "the accelerator was stopped, but the memory has "
                           "not answered all of its bursts within a second";
  EXPECT_THAT(message(result),
              HasSubstr("; " + board->registers().string() + ": " + owed));
  std::vector<uint8_t> bytes(16);
  for (const absl::Status &status :
       {device->allocate(4096), device->write(0, bytes),
        device->read(0, absl::MakeSpan(bytes)),
        device->submit(program.options())})
    EXPECT_THAT(message(status), HasSubstr(owed));
  EXPECT_EQ(board->launches, 1u);
  board->ignoreStops = false;
  board->faults.hang = false;
  expectRight(program);
}

TEST_F(Uio, AnotherProcessIsKeptOut) {
  open();
  auto second = UioDevice::create(configuration("tiny"), board->options());
  EXPECT_EQ(second.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(second), HasSubstr("another process uses it"));
}

TEST_F(Uio, TwoAcceleratorsDoNotShareABuffer) {
  open();
  StandIn other(configuration("tiny"), megabyte);
  UioOptions options = other.options();
  options.buffer = board->buffer().string();
  auto second = UioDevice::create(configuration("tiny"), options);
  EXPECT_EQ(second.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(message(second),
            options.buffer + ": another accelerator's driver uses this buffer; "
                             "give each one of its own (buffer=FILE)");
  EXPECT_TRUE(UioDevice::create(configuration("tiny"), other.options()).ok());
}

// Bytes of memory that fail, under reads and under writes.
TEST_F(Uio, AnErrorOfTheMemoryPasses) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  std::set<std::string> engines;
  for (uint64_t byte = 0; byte < program.options().programOffset; byte += 24) {
    program.writeTo(*device);
    board->faults.byte = byte;
    auto result = sim::runLaunch(*device, program.options());
    board->faults.byte = ~0ull;
    if (result.ok())
      continue; // nobody touches it
    EXPECT_EQ(result.status().code(), StatusCode::kUnavailable);
    EXPECT_THAT(message(result),
                HasSubstr("the memory answered with an error"));
    for (const char *engine : {"LOAD", "STORE"})
      if (message(result).find(engine) != std::string::npos)
        engines.insert(engine);
    expectRight(program);
  }
  EXPECT_EQ(engines.size(), 2u);
}

// A STORE that leaves DRAM because memory has changed it behind the driver's
// back: the buffer is larger, but the window is the program's DRAM.
TEST_F(Uio, AnAccessOutsideOfTheWindowIsStopped) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    isa::Instruction wild = program.instructions[i];
    auto *store = std::get_if<isa::Store>(&wild);
    if (!store)
      continue;
    store->dram += megabyte / 2 / tinyLayout().beatBytes;
    board->patch.offset =
        program.options().programOffset + i * tinyLayout().instructionBytes;
    board->patch.bytes.resize(tinyLayout().instructionBytes);
    ASSERT_EQ(isa::encode(tinyLayout(), wild, board->patch.bytes.data()),
              absl::OkStatus());
    program.writeTo(*device);
    auto result = sim::runLaunch(*device, program.options());
    EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(message(result), HasSubstr("an access outside of its window"));
    board->patch.bytes.clear();
    expectRight(program);
  }
}

TEST_F(Uio, AnErrorOfTheHardwareIsReportedAndPasses) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  board->faults.corrupt = true;
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(message(result),
              HasSubstr("FETCH: undefined opcode: instruction 0 of the stream "
                        "at DRAM offset 0x"));
  board->faults.corrupt = false;
  program.writeTo(*device);
  result = sim::runLaunch(*device, program.options());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(resultOf(program, *device), program.expected());
}

TEST_F(Uio, AHardwareThatTakesNothingIsSaid) {
  open();
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
  auto dumb = create(options);
  EXPECT_EQ(dumb.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(message(dumb),
              HasSubstr("did not take what was written to register control: it "
                        "reads 0x4 after a second, expected 0"));
}

TEST_F(Uio, RefusesWhatHardwareCannot) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  EXPECT_EQ(device->simulator(), nullptr);
  sim::Launch launch = program.options();
  launch.programOffset += 1;
  EXPECT_EQ(sim::runLaunch(*device, launch).status().code(),
            StatusCode::kInvalidArgument);
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
  absl::Status status = device->allocate(megabyte + 1);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(message(status),
              HasSubstr("has 1048576 bytes, this program needs 1048577"));
  EXPECT_EQ(device->allocate(megabyte), absl::OkStatus());
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
  EXPECT_THAT(refusal(options), AllOf(HasSubstr("map 0 has 256 bytes"),
                                      HasSubstr("bytes, the registers of an "
                                                "accelerator take ")));
  StandIn::setText(board->mapSize(), "large\n");
  EXPECT_THAT(refusal(options), HasSubstr("expected a number, found 'large'"));
  StandIn::setText(board->mapSize(), "0x1000\n");
  StandIn::setText(board->attribute("phys_addr"), "0x1a200040\n");
  EXPECT_THAT(refusal(options), HasSubstr("begins with a page"));
  fs::remove(board->attribute("phys_addr"));
  EXPECT_THAT(refusal(options), HasSubstr("phys_addr"));
}

TEST_F(Uio, RegistersBeyondTheMapAreNotTouched) {
  open();
  device.reset();
  UioOptions options = board->options();
  auto registers = UioRegisters::open(options.registers, options.sysfs);
  ASSERT_TRUE(registers.ok()) << registers.status();
  EXPECT_TRUE((*registers)->write(0x10, 1).ok());
  EXPECT_EQ(message((*registers)->write(0x1000, 1)),
            options.registers +
                ": 1 registers at offset 0x1000 are not in its map");
  std::array<uint32_t, 4> values;
  EXPECT_EQ(message((*registers)->read(0xff4, absl::MakeSpan(values))),
            options.registers +
                ": 4 registers at offset 0xff4 are not in its map");
}

TEST_F(Uio, ADeviceWithoutAnInterruptIsSaid) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  UioOptions options = board->options();
  options.interruptDescriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  device = std::move(create(options).value());
  program.writeTo(*device);
  auto result = sim::runLaunch(*device, program.options());
  EXPECT_EQ(result.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(message(result), HasSubstr("wait=poll does without"));
  close(options.interruptDescriptor);
}

TEST_F(Uio, AMissingAttributeStopsTheLaunch) {
  open();
  sim::SmallProgram program(tinyLayout(), 20);
  program.writeTo(*device);
  fs::remove(board->attribute("sync_for_device"));
  auto result = sim::runLaunch(*device, program.options());
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
      {"/dev/uio0,cache=maybe", "fpga:uio: bad value 'maybe' of cache"},
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
