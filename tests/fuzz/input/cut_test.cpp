// Part of Tenon, under the Apache License v2.0.
//
// Small files cut at every byte and with every bit flipped: one clear error or
// a result, never a crash, in time. Networks that are still read are compiled,
// programs verified and executed. TENON_CUT_EVERY=1 tries all of them; without
// it one in fifty is tried.

#include "compiler/driver/compile.h"
#include "isa/files.h"
#include "tests/fuzz/input/target.h"
#include "tests/scratch_folder.h"

#include "absl/strings/numbers.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace tenon::fuzz {
namespace {

constexpr unsigned secondsAnInput = 20;

struct Case {
  const char *name;
  const char *file; // in the tree
  Parse *parse;
};

/// Compiles what is left of a network, as the program does.
template <Parse *parse>
absl::Status compiled(absl::string_view input, const char *ending) {
  if (absl::Status status = parse(input); !status.ok())
    return status;
  const ScratchFolder folder;
  const std::string path = folder / (std::string("network") + ending);
  if (absl::Status status = isa::writeFile(path, input); !status.ok())
    return status;
  compiler::Options options;
  options.config = "tiny";
  return compiler::compile(path, options, compiler::Level::Program).status();
}

absl::Status compiledOnnx(absl::string_view input) {
  return compiled<onnx>(input, ".onnx");
}

absl::Status compiledTosa(absl::string_view input) {
  return compiled<tosa>(input, ".mlir");
}

size_t stride() {
  const char *text = std::getenv("TENON_CUT_EVERY");
  int every = 50;
  if (text && (!absl::SimpleAtoi(text, &every) || every < 1))
    ADD_FAILURE() << "TENON_CUT_EVERY is " << text << ", expected a number";
  return size_t(every);
}

class Cut : public ::testing::TestWithParam<Case> {
protected:
  void take(const std::string &input) {
    if (tried++ % stride())
      return;
    auto begin = std::chrono::steady_clock::now();
    ::alarm(secondsAnInput); // a hang ends the process with a signal
    absl::Status status = GetParam().parse(input);
    ::alarm(0);
    checkError(status);
    accepted += status.ok();
    ++taken;
    slowest = std::max<double>(
        slowest,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count());
  }

  size_t tried = 0, taken = 0, accepted = 0;
  double slowest = 0;
};

TEST_P(Cut, AtEveryByteWithEveryBitFlipped) {
  auto whole =
      isa::readFile(std::string(TENON_SOURCE_DIR "/") + GetParam().file);
  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_TRUE(GetParam().parse(*whole).ok());
  for (size_t size = 0; size < whole->size(); ++size)
    take(whole->substr(0, size));
  for (size_t bit = 0; bit < 8 * whole->size(); ++bit) {
    std::string flipped = *whole;
    flipped[bit / 8] ^= char(1 << bit % 8);
    take(flipped);
  }
  std::printf("%s: %zu inputs, %zu accepted, the slowest took %.3f s\n",
              GetParam().file, taken, accepted, slowest);
}

#define SEEDS "tests/fuzz/input/seeds/"
#define GRAPHS "tests/conformance/graphs/"
INSTANTIATE_TEST_SUITE_P(
    Files, Cut,
    ::testing::Values(
        Case{"container", SEEDS "program/max_pool.tenon", program},
        Case{"message", SEEDS "program/max_pool_qop.message", program},
        Case{"pooling", GRAPHS "max_pool_qop/model.onnx", compiledOnnx},
        Case{"depthwise", GRAPHS "depthwise_multiplier_qop/model.onnx",
             compiledOnnx},
        Case{"tosa", SEEDS "tosa/convolution.mlir", compiledTosa}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace tenon::fuzz
