//===- host_code_test.cpp - Loading host kernels --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/host_target.h"
#include "runtime/host_code.h"
#include "runtime/kernel_memory.h"
#include "tests/unit/kernels/kernels.h"

#include "gmock/gmock.h"

#include <random>
#include <thread>

using namespace tenon;
using namespace tenon::runtime;
using ::testing::HasSubstr;

namespace {

constexpr int size = 16; // elements of the kernels' arrays

void expectTripled(Kernel kernel, int times, int seed) {
  std::array<int8_t, size> input, output;
  for (int k = 0; k < size; ++k)
    input[k] = int8_t(k + seed);
  int64_t extent = size;
  TenonHostTensor tensors[] = {{input.data(), &extent},
                               {output.data(), &extent}};
  KernelMemory memory;
  ASSERT_TRUE(memory.reserveWorkspace(kernel.workspace).ok());
  ASSERT_TRUE(memory.call(kernel, absl::MakeSpan(tensors)).ok());
  for (int k = 0; k < size; ++k) {
    int8_t expected = input[k];
    for (int i = 0; i < times; ++i)
      expected = int8_t(3 * expected - k);
    ASSERT_EQ(output[k], expected);
  }
}

TEST(HostCode, CallsKernels) {
  auto code = HostCode::load(kernels());
  ASSERT_TRUE(code.ok()) << code.status();
  expectTripled(*code->kernel("triple"), 1, 5);
  expectTripled(*code->kernel("triple_twice"), 2, -7);
  EXPECT_EQ(code->kernel("triple")->workspace, 0u);
  EXPECT_EQ(code->kernel("triple_twice")->workspace, 80u);
  EXPECT_EQ(std::string(code->kernel("treble").status().message()),
            "host code has no kernel 'treble'");
  // Of the process, not of the object.
  EXPECT_FALSE(code->kernel("memcpy").ok());
}

TEST(HostCode, BringsItsConstants) {
  isa::HostCode kept = kernels();
  auto code = HostCode::load(kept);
  ASSERT_TRUE(code.ok()) << code.status();
  std::array<int8_t, size> input = {1, 2, 3}, output;
  TenonHostTensor tensors[] = {{input.data(), nullptr},
                               {output.data(), nullptr}};
  KernelMemory memory;
  ASSERT_TRUE(
      memory.call(*code->kernel("add_constants"), absl::MakeSpan(tensors))
          .ok());
  for (int k = 0; k < size; ++k)
    EXPECT_EQ(output[k], input[k] + kept.constants()[k]);
  kept.mutable_constants()->pop_back();
  EXPECT_EQ(HostCode::load(kept).status(),
            absl::InvalidArgumentError(
                "the program's host code is damaged: it reads 16 bytes of "
                "constants, there are 15"));
}

TEST(HostCode, IsLoadedManyTimesAtOnce) {
  std::vector<HostCode> codes;
  for (int i = 0; i < 20; ++i) {
    auto code = HostCode::load(kernels());
    ASSERT_TRUE(code.ok()) << code.status();
    codes.push_back(*std::move(code));
    if (i % 3 == 2)
      codes.erase(codes.begin());
  }
  for (const HostCode &code : codes)
    expectTripled(*code.kernel("triple"), 1, 1);
}

TEST(HostCode, TakesTheFirstThatTheMachineSatisfies) {
  isa::HostCode several = kernels();
  const isa::Executable good = several.executables(0);
  isa::Executable foreign = good;
  foreign.set_triple("powerpc64le-unknown-linux-gnu");
  isa::Executable tooMuch = good;
  tooMuch.add_features("no processor has this");
  *several.mutable_executables(0) = foreign;
  *several.add_executables() = tooMuch;
  absl::Status none = HostCode::load(several).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(none.message()),
              HasSubstr("the program has no host code for this machine, "));
  EXPECT_THAT(std::string(none.message()),
              HasSubstr("; it has some for: powerpc64le-unknown-linux-gnu; "));
  *several.add_executables() = good;
  auto code = HostCode::load(several);
  ASSERT_TRUE(code.ok()) << code.status();
  expectTripled(*code->kernel("triple"), 1, 2);
}

/// Loads what two random changes make of an image, if it is not refused: then
/// it loads, or the system says why not. Nothing of it is called.
TEST(HostCode, SurvivesDamage) {
  const isa::HostCode good = kernels();
  std::mt19937_64 random(16);
  int loaded = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    isa::HostCode bad = good;
    std::string &image = *bad.mutable_executables(0)->mutable_image();
    for (int k = 0; k < 2; ++k)
      image[random() % image.size()] ^= char(1 << random() % 8);
    if (i % 100 == 0)
      image.resize(random() % image.size());
    ++(HostCode::load(bad).ok() ? loaded : refused);
  }
  // Most of the file is code, and tables that only other tools read.
  EXPECT_GT(loaded, 2000);
  EXPECT_GT(refused, 2000);
  isa::HostCode none = good;
  none.mutable_executables(0)->set_image("no object file");
  EXPECT_THAT(std::string(HostCode::load(none).status().message()),
              HasSubstr("the program's host code is damaged: "));
}

TEST(HostCode, ManyThreadsCallOneKernel) {
  auto code = HostCode::load(kernels());
  ASSERT_TRUE(code.ok()) << code.status();
  Kernel kernel = *code->kernel("triple_twice");
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed)
    threads.emplace_back([=] {
      for (int i = 0; i < 100; ++i)
        expectTripled(kernel, 2, seed + i % 16);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
