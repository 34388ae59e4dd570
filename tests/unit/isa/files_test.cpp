// Part of Tenon, under the Apache License v2.0.

#include "isa/files.h"

#include "tests/scratch_folder.h"

#include "gmock/gmock.h"

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace tenon::isa {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::string messageOf(const absl::Status &status) {
  return std::string(status.message());
}

size_t entriesOf(const std::string &folder) {
  return size_t(std::distance(fs::directory_iterator(folder), {}));
}

TEST(WriteFile, NeverWritesHalf) {
  const ScratchFolder folder;
  EXPECT_THAT(messageOf(writeFile("/nonexistent/x", "new")),
              HasSubstr("/nonexistent/x: cannot be created"));
  // A directory in the way: nothing is left beside it.
  const std::string taken = folder / "taken";
  fs::create_directories(taken + "/file/x");
  EXPECT_THAT(messageOf(writeFile(taken + "/file", "new")),
              HasSubstr("file: cannot be written"));
  EXPECT_EQ(entriesOf(taken), 1u);
}

TEST(WriteFile, WritesWhatLinksLeadTo) {
  const ScratchFolder folder;
  fs::create_directory(folder / "releases");
  const std::string file = folder / "releases/7", link = folder / "current";
  fs::create_symlink("releases/7", folder / "latest");
  fs::create_symlink("latest", link);
  // There may be nothing yet.
  for (const char *text : {"first", "second"}) {
    ASSERT_TRUE(writeFile(link, text).ok());
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(*readFile(file), text);
  }
  EXPECT_EQ(entriesOf(folder / "releases"), 1u);
  fs::create_symlink("ring", folder / "ring");
  EXPECT_THAT(messageOf(writeFile(folder / "ring", "x")),
              HasSubstr("ring: cannot be written"));
}

/// As /dev/stdout behind `> file`: what is written before and after stays.
TEST(WriteFile, AddsToAFileThatThisProcessHasOpen) {
  const ScratchFolder folder;
  const std::string path = folder / "file", link = folder / "stdout";
  int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  fs::create_symlink("/proc/self/fd/" + std::to_string(file), link);
  ASSERT_EQ(::write(file, "a", 1), 1);
  EXPECT_TRUE(writeFile(link, "b").ok());
  EXPECT_TRUE(writeFile("/dev/fd/" + std::to_string(file), "c").ok());
  ASSERT_EQ(::write(file, "d", 1), 1);
  ::close(file);
  EXPECT_EQ(*readFile(path), "abcd");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(entriesOf(folder.path()), 2u);
}

} // namespace
} // namespace tenon::isa
