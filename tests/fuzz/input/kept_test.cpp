// Part of Tenon, under the Apache License v2.0.
//
// Every input that once broke a parser (kept/TARGET), and every seed: an error
// or a result, in time. Seeds begin with what the parser accepts.

#include "isa/files.h"
#include "tests/fuzz/input/targets.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace tenon::fuzz {
namespace {

namespace fs = std::filesystem;
const fs::path root = TENON_SOURCE_DIR;
constexpr unsigned secondsAnInput = 20;

std::vector<fs::path> filesIn(const fs::path &folder, const std::string &end) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() &&
          (end.empty() || entry.path().extension() == end))
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class KeptInput : public ::testing::TestWithParam<Target> {
protected:
  /// Parses the file; what it did is in the error.
  static absl::Status parse(const fs::path &file) {
    auto bytes = isa::readFile(file.string());
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    // A hang ends the process with a signal, a crash as well.
    ::alarm(secondsAnInput);
    absl::Status status = GetParam().parse(*bytes);
    ::alarm(0);
    checkError(status);
    return status;
  }
};

TEST_P(KeptInput, DoesNoHarm) {
  fs::path folder = root / "tests/fuzz/input/kept" / GetParam().name;
  for (const fs::path &file : filesIn(folder, "")) {
    std::fprintf(stderr, "%s\n", file.c_str());
    std::fprintf(stderr, "  %s\n", parse(file).ToString().c_str());
  }
}

TEST_P(KeptInput, SeedsAreAccepted) {
  fs::path folder = root / "tests/fuzz/input/seeds" / GetParam().name;
  std::vector<fs::path> files = filesIn(folder, "");
  for (const auto &[path, ending] : GetParam().shared)
    for (const fs::path &file : filesIn(root / path, ending))
      files.push_back(file);
  ASSERT_FALSE(files.empty());
  int accepted = 0;
  for (const fs::path &file : files)
    accepted += parse(file).ok();
  // What a parser mostly refuses is no place to begin.
  EXPECT_GE(2 * accepted, int(files.size()));
}

INSTANTIATE_TEST_SUITE_P(Parser, KeptInput, ::testing::ValuesIn(targets()),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
} // namespace tenon::fuzz
