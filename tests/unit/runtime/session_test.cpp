//===- session_test.cpp - A whole plan, many times, in many threads -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Runs of one session, what a session refuses, what is left after a failed
// launch; and many threads at once, each with a session of its own, over one
// loaded program: under ThreadSanitizer (./dev test --tsan) nothing they share
// may be written.
//
//===----------------------------------------------------------------------===//

#include "isa/configuration.h"
#include "runtime/session.h"
#include "sim/functional/functional_device.h"
#include "tests/unit/runtime/small_network.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

using namespace tenon;
using namespace tenon::runtime;
using ::testing::HasSubstr;

namespace {

std::string message(const absl::Status &status) {
  return std::string(status.message());
}

std::string refusal(const isa::Program &program) {
  return message(LoadedProgram::load(program, HostCodeTrust::Any).status());
}

/// A session on a device of its own.
struct Running {
  explicit Running(std::shared_ptr<const LoadedProgram> program,
                   Observer *observer = nullptr)
      : device(deviceOf("tiny")),
        session(*Session::create(std::move(program), *device, observer)) {}

  std::vector<uint8_t> outputOf(const Array &input) {
    auto outputs = session->run({input});
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return outputs.ok() ? (*outputs)[0].bytes : std::vector<uint8_t>{};
  }

  std::unique_ptr<sim::FunctionalDevice> device;
  std::unique_ptr<Session> session;
};

TEST(Session, RunsEveryKindOfStepManyTimes) {
  Running running(loaded(smallNetwork()));
  for (int seed = 0; seed < 5; ++seed)
    EXPECT_EQ(running.outputOf(inputOf(seed)), expectedOf(inputOf(seed)));
}

TEST(Session, WorksOnTheCallersMemory) {
  Running running(loaded(smallNetwork()));
  Array input = inputOf(3), output{isa::INT8, {1, 2, 2, 4}, {}};
  output.bytes.resize(networkSize + 2, 0x55);
  const Array before = input;
  View to = viewOf(output);
  to.data = output.bytes.data() + 1; // bytes lie anywhere
  ASSERT_EQ(running.session->run({viewOf(std::as_const(input))}, {to}),
            absl::OkStatus());
  EXPECT_EQ(input.bytes, before.bytes);
  EXPECT_EQ(output.bytes.front(), 0x55);
  EXPECT_EQ(output.bytes.back(), 0x55);
  EXPECT_EQ(
      std::vector<uint8_t>(output.bytes.begin() + 1, output.bytes.end() - 1),
      expectedOf(input));
}

TEST(Session, RefusesWhatDoesNotFit) {
  auto program = loaded(smallNetwork());
  auto other = deviceOf("pynq");
  EXPECT_EQ(message(Session::create(program, *other).status()),
            "the program was compiled for configuration 'tiny', the "
            "functional device is 'pynq'; compile it again with "
            "--config=pynq");
  Running running(program);
  Session &session = *running.session;
  EXPECT_EQ(message(session.run({}).status()),
            "the network has 1 inputs, given are 0");
  Array wrong = inputOf(0);
  wrong.shape = {2, 2, 2, 2};
  EXPECT_EQ(message(session.run({wrong}).status()),
            "input 'x' must be int8 1x2x2x4, given is int8 2x2x2x2");
  Array input = inputOf(0), output = inputOf(1);
  const ConstView from = viewOf(std::as_const(input));
  EXPECT_EQ(message(session.run({from}, {})),
            "the network has 1 outputs, given are 0");
  output.type = isa::UINT8;
  EXPECT_EQ(message(session.run({from}, {viewOf(output)})),
            "output 'y' must be int8 1x2x2x4, given is uint8 1x2x2x4");
  EXPECT_EQ(message(session.run({from}, {viewOf(input)})),
            "output 'y' overlaps input 'x'");
  // And is none the worse for it.
  EXPECT_EQ(running.outputOf(input), expectedOf(input));
}

TEST(LoadedProgram, RefusesWhatCannotBeRun) {
  isa::Program changed = smallNetwork();
  changed.clear_host_code();
  EXPECT_THAT(refusal(changed), HasSubstr("the program has no executables"));
  changed.mutable_host_code()->add_executables()->set_image("no object file");
  EXPECT_FALSE(refusal(changed).empty());
  changed = smallNetwork();
  changed.add_steps();
  EXPECT_THAT(refusal(changed), HasSubstr("it is neither pack, unpack, launch "
                                          "nor host_kernel"));
}

TEST(Session, RecordsForAnObserver) {
  Observer observer;
  observer.keepTensors = observer.keepDram = true;
  Running running(loaded(smallNetwork()), &observer);
  for (int seed : {1, 2}) {
    const Array input = inputOf(seed);
    (void)running.outputOf(input);
    const Execution &left = observer.execution;
    EXPECT_EQ(left.tensors[0], input.bytes);
    std::vector<uint8_t> sum = input.bytes;
    for (uint8_t &byte : sum)
      byte += 10;
    EXPECT_EQ(left.tensors[1], sum);
    ASSERT_EQ(left.dram.size(), 2048u);
    EXPECT_EQ(
        std::vector<uint8_t>(left.dram.begin() + 512, left.dram.begin() + 528),
        sum);
    ASSERT_EQ(left.launches.size(), 1u);
    EXPECT_EQ(left.launches[0].retired[3], 1u);
    ASSERT_EQ(left.hostSteps.size(), 3u);
    EXPECT_EQ(left.hostSteps[0].name, "pack x");
    EXPECT_EQ(left.hostSteps[2].name, "triple");
  }
}

/// Sixteen bytes to sixteen bytes by two kernels, with more between them than
/// addresses reach.
isa::Program largeNetwork() {
  isa::Program program = smallNetwork();
  program.clear_steps();
  for (int kernel = 0; kernel < 2; ++kernel) {
    isa::HostKernel &step = *program.add_steps()->mutable_host_kernel();
    step.set_symbol("triple");
    step.add_inputs(uint32_t(kernel));      // x, t
    step.add_outputs(uint32_t(kernel) + 1); // t, y
  }
  for (int large = 0; large < 64; ++large) {
    const uint32_t index = program.buffers_size();
    isa::Buffer &buffer = *program.add_buffers();
    buffer.set_name(absl::StrCat("large ", large));
    buffer.set_type(isa::INT64);
    buffer.add_shape(int64_t(1) << 39);
    program.mutable_steps(0)->mutable_host_kernel()->add_outputs(index);
    program.mutable_steps(1)->mutable_host_kernel()->add_inputs(index);
  }
  return program;
}

TEST(Session, IsRefusedAsOftenAsThereIsNoMemory) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers end the process";
#endif
#endif
  Running running(loaded(largeNetwork()));
  const absl::Status none = absl::ResourceExhaustedError(
      // 64 times 2^42, and `t`.
      "arrays between steps: no memory for 281474976710672 bytes");
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(running.session->run({inputOf(run)}).status(), none);
}

/// A functional simulator whose launches fail, with DRAM in ruins, when asked.
class Failing : public sim::Device {
public:
  absl::string_view name() const override { return "failing"; }
  const isa::Configuration &configuration() const override {
    return inner->configuration();
  }
  absl::Status allocate(uint64_t bytes) override {
    size = bytes;
    return inner->allocate(bytes);
  }
  absl::Status write(uint64_t offset, absl::Span<const uint8_t> data) override {
    return inner->write(offset, data);
  }
  absl::Status read(uint64_t offset, absl::Span<uint8_t> data) const override {
    return inner->read(offset, data);
  }
  bool fails = false;
  bool throwsAtStart = false, throwsAtEnd = false; // as if memory ended
  std::vector<uint64_t> starts; // their numbers of instructions

protected:
  absl::Status start(const sim::Launch &launch) override {
    if (throwsAtStart)
      throw std::bad_alloc();
    starts.push_back(launch.instructionCount);
    return inner->submit(launch);
  }
  absl::StatusOr<sim::LaunchCounts>
  await(std::chrono::nanoseconds limit) override {
    auto counts = inner->wait(limit);
    if (throwsAtEnd)
      throw std::bad_alloc();
    if (!fails)
      return counts;
    EXPECT_TRUE(write(0, std::vector<uint8_t>(size, 0xee)).ok());
    return absl::UnavailableError("as asked");
  }

private:
  std::unique_ptr<sim::FunctionalDevice> inner = deviceOf("tiny");
  uint64_t size = 0;
};

TEST(Session, RestoresDramAfterAFailedLaunch) {
  Failing device;
  auto session = *Session::create(loaded(smallNetwork()), device);
  const Array input = inputOf(4);
  ASSERT_TRUE(session->run({input}).ok());
  device.fails = true;
  EXPECT_EQ(session->run({input}).status(), absl::UnavailableError("as asked"));
  device.fails = false;
  auto outputs = session->run({input});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ((*outputs)[0].bytes, expectedOf(input));
}

TEST(Session, RunsItsOwnLaunchAfterAnException) {
  Failing device;
  auto session = *Session::create(loaded(smallNetwork()), device);
  const Array input = inputOf(4);
  for (bool Failing::*throws :
       {&Failing::throwsAtStart, &Failing::throwsAtEnd}) {
    device.*throws = true;
    EXPECT_THROW((void)session->run({input}), std::bad_alloc);
    device.*throws = false;
    EXPECT_EQ(device.wait(std::chrono::seconds(0)).status().code(),
              absl::StatusCode::kFailedPrecondition);
    device.starts.clear();
    auto outputs = session->run({input});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].bytes, expectedOf(input));
    EXPECT_EQ(device.starts, std::vector<uint64_t>{8});
  }
  // Of two launches the second does not outlive the first.
  sim::Launch first, second;
  first.instructionCount = 8, first.programOffset = 1024;
  second = first;
  ASSERT_TRUE(device.submit(first).ok());
  ASSERT_TRUE(device.submit(second).ok());
  device.throwsAtStart = true;
  EXPECT_THROW((void)device.wait(std::chrono::seconds(1)), std::bad_alloc);
  device.throwsAtStart = false;
  EXPECT_EQ(device.wait(std::chrono::seconds(0)).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

/// A program whose STORE goes over the parameters that its next run needs.
TEST(Session, WritesAgainWhatARunOverwrites) {
  isa::Program program = smallNetwork();
  ASSERT_TRUE(loaded(program)->overwrittenSegments().empty());
  // The tensor `t` and the STORE that writes it, moved onto the parameters.
  auto layout = *isa::Layout::get(program.configuration());
  program.mutable_tensors(1)->set_offset(256);
  isa::Segment &code = *program.mutable_segments(2);
  auto *bytes = reinterpret_cast<uint8_t *>(code.mutable_data()->data());
  uint8_t *place = bytes + 6 * layout.instructionBytes;
  auto store = std::get<isa::Store>(*isa::decode(layout, place));
  store.dram = 64;
  ASSERT_EQ(isa::encode(layout, store, place), absl::OkStatus());
  auto changed = loaded(program);
  ASSERT_EQ(changed->overwrittenSegments(), std::vector<int>{1});
  Running running(changed);
  for (int seed = 0; seed < 3; ++seed)
    EXPECT_EQ(running.outputOf(inputOf(seed)), expectedOf(inputOf(seed)));
}

TEST(Session, TakesTurnsOnADevice) {
  auto device = deviceOf("tiny");
  auto program = loaded(smallNetwork());
  auto first = *Session::create(program, *device);
  auto second = *Session::create(program, *device);
  for (int seed = 0; seed < 3; ++seed)
    for (Session *session : {first.get(), second.get()}) {
      // As if the other's program were another.
      ASSERT_TRUE(device->write(0, std::vector<uint8_t>(2048, 0xee)).ok());
      auto outputs = session->run({inputOf(seed)});
      ASSERT_TRUE(outputs.ok()) << outputs.status();
      EXPECT_EQ((*outputs)[0].bytes, expectedOf(inputOf(seed)));
    }
}

TEST(Session, ManyThreadsShareAProgram) {
  auto program = loaded(smallNetwork());
  auto work = [&](int seed) {
    Running running(program);
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(running.outputOf(inputOf(seed + i)),
                expectedOf(inputOf(seed + i)));
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
