// Part of Tenon, under the Apache License v2.0.
//
// Runs tests/programs/*.tasm on the executors each of them names and compares
// DRAM with what it expects.  See README.md for the comments it reads.

#include "isa/assembler.h"
#include "tests/differential/executors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tenon {
namespace {

struct Expectation {
  uint64_t offset;
  std::vector<uint8_t> bytes;
};

struct Case {
  std::string path, text;
  std::vector<std::string> executors;
  std::vector<Expectation> expectations;
  std::string expectedError;
};

// "@0x200: 01 02": false if it is not that.
bool parseExpectation(absl::string_view text, Expectation &expectation) {
  std::vector<absl::string_view> halves = absl::StrSplit(text, ':');
  if (halves.size() != 2 || !absl::ConsumePrefix(&halves[0], "@") ||
      !absl::SimpleHexAtoi(halves[0], &expectation.offset))
    return false;
  for (absl::string_view byte :
       absl::StrSplit(halves[1], ' ', absl::SkipEmpty())) {
    uint32_t value;
    if (byte.size() != 2 || !absl::SimpleHexAtoi(byte, &value))
      return false;
    expectation.bytes.push_back(uint8_t(value));
  }
  return !expectation.bytes.empty();
}

// What the comments of a program say; false with a message if one is wrong.
bool parseComments(Case &test, std::string &message) {
  for (absl::string_view line : absl::StrSplit(test.text, '\n')) {
    if (!absl::ConsumePrefix(&line, "; "))
      continue;
    Expectation expectation;
    if (absl::ConsumePrefix(&line, "on: "))
      test.executors = absl::StrSplit(line, ' ', absl::SkipEmpty());
    else if (absl::ConsumePrefix(&line, "expect-error: "))
      test.expectedError = std::string(line);
    else if (!absl::ConsumePrefix(&line, "expect "))
      continue;
    else if (parseExpectation(line, expectation))
      test.expectations.push_back(std::move(expectation));
    else
      message = absl::StrCat("not an expectation: ", line);
  }
  if (test.executors.empty())
    message = "no line `; on: EXECUTOR...`";
  if (test.expectations.empty() == test.expectedError.empty())
    message = "expected either `; expect` or `; expect-error`";
  return message.empty();
}

Case readCase(const std::filesystem::path &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  Case test;
  test.path = path.string();
  test.text = text.str();
  return test;
}

class ProgramTest : public ::testing::Test {
public:
  ProgramTest(Case test, std::string executor)
      : test(std::move(test)), executor(std::move(executor)) {}

  void TestBody() override {
    auto program = isa::assembleProgram(test.text, test.path);
    ASSERT_TRUE(program.ok()) << program.status();
    auto device = makeExecutor(executor, program->configuration());
    ASSERT_TRUE(device.ok()) << device.status();
    absl::Status status = runProgram(**device, *program);
    if (!test.expectedError.empty()) {
      EXPECT_THAT(status.message(), ::testing::HasSubstr(test.expectedError));
      return;
    }
    ASSERT_TRUE(status.ok()) << status;
    for (const Expectation &expected : test.expectations) {
      std::vector<uint8_t> found(expected.bytes.size());
      ASSERT_TRUE((*device)->read(expected.offset, absl::MakeSpan(found)).ok());
      EXPECT_EQ(found, expected.bytes) << "at " << expected.offset;
    }
  }

private:
  Case test;
  std::string executor;
};

// A file whose comments cannot be read is a test that fails.
class BrokenTest : public ::testing::Test {
public:
  explicit BrokenTest(std::string message) : message(std::move(message)) {}
  void TestBody() override { FAIL() << message; }

private:
  std::string message;
};

void registerCase(Case test) {
  std::string name = std::filesystem::path(test.path).stem().string();
  std::string message;
  if (!parseComments(test, message)) {
    testing::RegisterTest("Programs", name.c_str(), nullptr, nullptr,
                          test.path.c_str(), 1,
                          [=] { return new BrokenTest(message); });
    return;
  }
  for (const std::string &executor : test.executors)
    testing::RegisterTest(
        "Programs", absl::StrCat(name, "_", executor).c_str(), nullptr, nullptr,
        test.path.c_str(), 1,
        [=]() -> testing::Test * { return new ProgramTest(test, executor); });
}

} // namespace
} // namespace tenon

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  std::filesystem::path folder =
      std::filesystem::path(TENON_SOURCE_DIR) / "tests/programs";
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".tasm")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto &path : paths)
    tenon::registerCase(tenon::readCase(path));
  return RUN_ALL_TESTS();
}
