//===- kernel_memory_test.cpp - Kernels that ask for memory ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/configuration.h"
#include "runtime/host_code.h"
#include "runtime/kernel_memory.h"
#include "tests/unit/kernels/kernels.h"
#include "tests/unit/runtime/small_network.h"

#include "gtest/gtest.h"

#include <cfenv>
#include <cfloat>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace tenon;
using namespace tenon::runtime;

namespace {

/// `hoard` of kernels.c, in a memory of `most` bytes.
class Hoard {
public:
  explicit Hoard(uint64_t most)
      : code(*HostCode::load(kernels())), memory(most) {}

  /// How many blocks there were, or the error.
  std::string operator()(std::vector<int32_t> sizes) {
    int64_t count = int64_t(sizes.size());
    int32_t aligned = 0;
    TenonHostTensor tensors[] = {{sizes.data(), &count}, {&aligned, nullptr}};
    auto left = memory.call(*code.kernel("hoard"), absl::MakeSpan(tensors));
    // Whatever came of it, nothing is left.
    EXPECT_EQ(memory.allocated(), 0u);
    if (!left.ok()) {
      EXPECT_EQ(left.status().code(), absl::StatusCode::kResourceExhausted);
      return std::string(left.status().message());
    }
    EXPECT_EQ((*left)[0], nullptr);
    EXPECT_EQ((*left)[1], nullptr);
    return std::to_string(aligned);
  }

private:
  HostCode code;
  KernelMemory memory;
};

TEST(KernelMemory, EndsCallsThatAskForMoreThanTheyMayHave) {
  Hoard hoard(1000);
  EXPECT_EQ(hoard({}), "0");
  EXPECT_EQ(hoard({600, 400}), "2");
  EXPECT_EQ(hoard({600, 300, 101}),
            "there is no memory for 101 bytes beside the 900 that it has; it "
            "may have 1000");
  // The third is released.
  EXPECT_EQ(hoard({600, 300, 100, 100, 0}), "5");
  EXPECT_EQ(hoard({600, 300, 100, 101}),
            "there is no memory for 101 bytes beside the 900 that it has; it "
            "may have 1000");
  EXPECT_EQ(hoard({1000, 0, 0}), "3");
}

TEST(KernelMemory, EndsCallsThatAskForMoreThanThereIs) {
  // As much as addresses reach, where size_t has 64 bits.
  if (sizeof(size_t) < 8)
    GTEST_SKIP() << "sizes have 32 bits here";
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers end the process";
#endif
#endif
  Hoard hoard(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(hoard({5, 1 << 20, -(1 << 20)}),
            "there is no memory for 1125899906842624 bytes beside the 1048581 "
            "that it has");
  EXPECT_EQ(hoard({5, 1 << 20, 7, 1}), "4");
}

TEST(KernelMemory, KnowsSizesBeyond64Bits) {
  KernelMemory memory;
  TenonHostTensor none[1] = {};
  Kernel asks{[](TenonHostTensor *, TenonHostMemory *given) -> const char * {
    given->allocate(given, 3);
    given->allocate(given, std::numeric_limits<uint64_t>::max());
    return "it came back";
  }};
  auto left = memory.call(asks, absl::MakeSpan(none));
  EXPECT_EQ(left.status(),
            absl::ResourceExhaustedError(
                "no memory has the 2^64 bytes or more that it asks for"));
  EXPECT_EQ(memory.allocated(), 0u);
}

TEST(KernelMemory, EndsCallsWhoseLoopNestsHaveNoRoom) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers end the process";
#endif
#endif
  pid_t child = fork();
  if (!child) {
    alarm(60);
    KernelMemory memory;
    Kernel repeats{[](TenonHostTensor *, TenonHostMemory *given) {
      for (TenonHostLoops none = [](const void *, uint32_t, uint32_t) {};;)
        given->run(given, none, nullptr, 0, 0);
      return static_cast<const char *>(nullptr);
    }};
    TenonHostTensor none[1] = {};
    std::vector<NestRun> nests;
    rlimit least{1, 1}; // what there is remains
    setrlimit(RLIMIT_AS, &least);
    auto left = memory.call(repeats, absl::MakeSpan(none), &nests);
    _exit(left.status().code() == absl::StatusCode::kResourceExhausted ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status)) << status;
}

TEST(KernelMemory, BlocksOutliveTheirCall) {
  KernelMemory memory(1000);
  Kernel make{
      [](TenonHostTensor *tensors, TenonHostMemory *given) -> const char * {
        given->allocate(given, 300);
        tensors[1].data = given->allocate(given, 400);
        return nullptr;
      }};
  TenonHostTensor tensors[2] = {};
  auto first = memory.call(make, absl::MakeSpan(tensors));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)[0], nullptr);
  EXPECT_EQ((*first)[1].get(), tensors[1].data);
  EXPECT_EQ(KernelMemory::bytesOf((*first)[1]), 400u);
  EXPECT_EQ(memory.allocated(), 400u);
  // They count.
  auto second = memory.call(make, absl::MakeSpan(tensors));
  EXPECT_EQ(second.status(),
            absl::ResourceExhaustedError(
                "there is no memory for 400 bytes beside the 700 that it has; "
                "it may have 1000"));
  EXPECT_EQ(memory.allocated(), 400u);
  first->clear();
  EXPECT_EQ(memory.allocated(), 0u);
  EXPECT_TRUE(memory.call(make, absl::MakeSpan(tensors)).ok());
}

/// Leaves a block of the size that its first tensor says, in the second.
Kernel making() {
  return Kernel{
      [](TenonHostTensor *tensors, TenonHostMemory *given) -> const char * {
        const auto bytes = *static_cast<const uint64_t *>(tensors[0].data);
        given->allocate(given, bytes / 2); // free with the call
        tensors[1].data = given->allocate(given, bytes);
        return nullptr;
      }};
}

TEST(KernelMemory, ARunTakesTheBlocksOfTheLastOne) {
  KernelMemory memory;
  auto make = [&](uint64_t bytes) {
    TenonHostTensor tensors[2] = {{&bytes, nullptr}, {}};
    memory.beginRun();
    auto left = memory.call(making(), absl::MakeSpan(tensors));
    EXPECT_TRUE(left.ok()) << left.status();
    EXPECT_EQ(KernelMemory::bytesOf((*left)[1]), bytes);
    EXPECT_EQ(memory.allocated(), bytes);
    std::memset(tensors[1].data, 1, bytes);
    return reinterpret_cast<uintptr_t>(tensors[1].data);
  };
  const uintptr_t first = make(100000);
  EXPECT_EQ(memory.spare(), 150000u);
  EXPECT_EQ(make(100000), first);
  EXPECT_EQ(make(60000), first) << "a little less";
  EXPECT_EQ(memory.spare(), 150000u);
  EXPECT_NE(make(49999), first) << "less than half";
  // Of 50,000 bytes for 49,999, and of the 24,999 that the call has freed.
  memory.beginRun();
  EXPECT_EQ(memory.spare(), 74999u);
  EXPECT_EQ(memory.allocated(), 0u);
  memory.beginRun();
  EXPECT_EQ(memory.spare(), 0u) << "no run has used them";
}

TEST(KernelMemory, SparesLeaveRoomForWhatIsAskedFor) {
  KernelMemory memory(1000);
  auto make = [&](uint64_t bytes) {
    TenonHostTensor tensors[2] = {{&bytes, nullptr}, {}};
    return memory.call(making(), absl::MakeSpan(tensors)).status();
  };
  EXPECT_TRUE(make(400).ok());
  EXPECT_EQ(memory.spare(), 600u);
  EXPECT_TRUE(make(20).ok());
  EXPECT_EQ(memory.spare(), 630u);
  EXPECT_TRUE(make(600).ok()); // 300 is in 400 or so
  EXPECT_LE(memory.spare(), 1000u);
  EXPECT_FALSE(make(700).ok());
  EXPECT_EQ(memory.allocated(), 0u);
}

TEST(KernelMemory, IsFreedWhereAKernelRefuses) {
  KernelMemory memory;
  TenonHostTensor none[1] = {};
  Kernel refuses{
      [](TenonHostTensor *tensors, TenonHostMemory *given) -> const char * {
        tensors[0].data = given->allocate(given, 12);
        return "it will not";
      }};
  auto left = memory.call(refuses, absl::MakeSpan(none));
  EXPECT_EQ(left.status(), absl::InvalidArgumentError("it will not"));
  EXPECT_EQ(memory.allocated(), 0u);
}

TEST(KernelMemory, EndsCallsInManyThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([thread] {
      Hoard hoard(1 << 16);
      for (int i = 0; i < 200; ++i) {
        std::vector<int32_t> sizes(size_t(i % 7), 1000 + thread);
        ASSERT_EQ(hoard(sizes), std::to_string(sizes.size()));
        sizes.push_back(1 << 17);
        ASSERT_NE(hoard(sizes).find("no memory for 131072 bytes"),
                  std::string::npos);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// What a program may have set for floats, while it lives: rounding upwards,
/// traps, and on x86 subnormal numbers that are zeros.
class OddFloats {
public:
  OddFloats() {
    std::fegetenv(&before);
    std::fesetround(FE_UPWARD);
    feenableexcept(FE_OVERFLOW);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  }
  ~OddFloats() { std::fesetenv(&before); }

  static bool areSet() {
    bool areZeros = true;
#if defined(__x86_64__)
    areZeros = (_mm_getcsr() & 0x8040) == 0x8040;
#endif
    volatile double one = 1, little = 0x1p-54;
    return one + little > 1 && areZeros;
  }

private:
  std::fenv_t before;
};

TEST(KernelMemory, KernelsComputeFloatsByDefault) {
  KernelMemory memory(100);
  Kernel computes{[](TenonHostTensor *tensors,
                     TenonHostMemory *given) -> const char * {
    volatile double one = 1, half = 0x1p-53, least = DBL_MIN, most = DBL_MAX;
    auto *results = static_cast<double *>(tensors[0].data);
    results[0] = one + half;
    results[1] = least * 0.5;
    results[2] = most * 2;
    given->allocate(given, *static_cast<uint64_t *>(tensors[1].data));
    return nullptr;
  }};
  for (uint64_t bytes : {10, 1000}) {
    double results[3] = {};
    TenonHostTensor tensors[2] = {{results, nullptr}, {&bytes, nullptr}};
    bool ended = false, areAsBefore = false;
    {
      OddFloats odd;
      ended = memory.call(computes, absl::MakeSpan(tensors)).ok();
      areAsBefore = OddFloats::areSet();
    }
    EXPECT_EQ(ended, bytes < 100);
    EXPECT_TRUE(areAsBefore);
    EXPECT_EQ(results[0], 1);
    EXPECT_EQ(results[1], 0x1p-1023);
    EXPECT_EQ(results[2], INFINITY);
  }
}

/// A program of `hoard` alone.
isa::Program hoarding() {
  isa::Program program;
  program.set_isa_version(isa::isaVersion);
  *program.mutable_configuration() = *isa::loadConfiguration("tiny");
  isa::Buffer &sizes = *program.add_buffers(), &count = *program.add_buffers();
  sizes.set_name("sizes");
  sizes.set_type(isa::INT32);
  sizes.add_shape(0);
  sizes.add_symbols("tokens");
  count.set_name("count");
  count.set_type(isa::INT32);
  program.add_inputs(0);
  program.add_outputs(1);
  *program.mutable_host_code() = kernels();
  isa::HostKernel &kernel = *program.add_steps()->mutable_host_kernel();
  kernel.set_symbol("hoard");
  kernel.set_name("Hoard_0");
  kernel.add_inputs(0);
  kernel.add_outputs(1);
  return program;
}

TEST(KernelMemory, SessionsRunAgain) {
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(hoarding()), *device);
  auto run = [&](std::vector<int32_t> sizes) {
    Array input{isa::INT32, {int64_t(sizes.size())}, {}};
    input.bytes.resize(sizes.size() * 4);
    std::memcpy(input.bytes.data(), sizes.data(), input.bytes.size());
    return session->run({input});
  };
  for (int i = 0; i < 3; ++i) {
    auto good = run({1, 2, 3, 4});
    ASSERT_TRUE(good.ok()) << good.status();
    EXPECT_EQ(valueAt((*good)[0], 0), 4);
    auto bad = run({100, 1000, -(1 << 20)});
    EXPECT_EQ(bad.status(),
              absl::ResourceExhaustedError(absl::StrCat(
                  "host kernel 'Hoard_0': there is no memory for "
                  "1125899906842624 bytes beside the 1100 that it has; it may "
                  "have ",
                  KernelMemory::machineBytes())));
  }
}

} // namespace
