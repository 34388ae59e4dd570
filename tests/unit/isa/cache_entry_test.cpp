// Part of Tenon, under the Apache License v2.0.
//
// Entries of caches are what was made, or are not used.

#include "isa/cache_entry.h"
#include "isa/files.h"

#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::isa {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CacheEntry : public testing::Test {
protected:
  void SetUp() override {
    setenv("TENON_CACHE", (root / "cache").c_str(), 1);
    ASSERT_TRUE(fs::create_directories(entry / "folder"));
    std::mt19937 random(7);
    for (char &byte : content)
      byte = char(random());
    for (const char *file : {"simulator.so", "folder/log"})
      ASSERT_EQ(writeFile((entry / file).string(), content), absl::OkStatus());
    ASSERT_EQ(completeEntry(entry), absl::OkStatus());
  }
  void TearDown() override { unsetenv("TENON_CACHE"); }

  /// Why the entry is not used with a file that holds `changed`, then whole
  /// again.
  std::string said(const char *file, const std::string &changed) {
    const std::string path = (entry / file).string();
    const std::string whole = *readFile(path);
    EXPECT_EQ(writeFile(path, changed), absl::OkStatus());
    absl::Status status = checkEntry(entry);
    EXPECT_FALSE(status.ok()) << file;
    EXPECT_FALSE(absl::IsNotFound(status));
    EXPECT_EQ(writeFile(path, whole), absl::OkStatus());
    EXPECT_EQ(checkEntry(entry), absl::OkStatus());
    return std::string(status.message());
  }

  const ScratchFolder folder;
  const fs::path root = folder.path(), entry = root / "cache/kind/entry";
  std::string content = std::string(1000, 0);
};

TEST_F(CacheEntry, AnyDamageIsSeen) {
  EXPECT_EQ(checkEntry(entry), absl::OkStatus());
  for (const char *file : {"simulator.so", "folder/log", "digests"}) {
    const std::string whole = *readFile((entry / file).string());
    for (size_t i = 0; i < 50; ++i) {
      const size_t at = i * whole.size() / 50;
      EXPECT_THAT(said(file, whole.substr(0, at)), HasSubstr("is damaged"));
      std::string other = whole;
      other[at] ^= char(1 << i % 8);
      EXPECT_THAT(said(file, other), HasSubstr("is damaged"));
    }
    EXPECT_THAT(said(file, whole + "x"), HasSubstr("is damaged"));
  }
}

TEST_F(CacheEntry, WhatIsMissingIsSeen) {
  EXPECT_TRUE(absl::IsNotFound(checkEntry(root / "nothing")));
  fs::remove(entry / "simulator.so");
  EXPECT_THAT(std::string(checkEntry(entry).message()),
              HasSubstr("simulator.so' is missing"));
  fs::remove(entry / "digests");
  EXPECT_THAT(std::string(checkEntry(entry).message()),
              HasSubstr("entry' does not say what it holds"));
}

TEST_F(CacheEntry, OthersMayNotWrite) {
  for (const char *file : {"simulator.so", "digests", ""}) {
    fs::permissions(entry / file, fs::perms::group_write,
                    fs::perm_options::add);
    EXPECT_THAT(std::string(checkEntry(entry).message()),
                HasSubstr("and nobody else who may write it"))
        << file;
    fs::permissions(entry / file, fs::perms::group_write,
                    fs::perm_options::remove);
  }
  fs::rename(entry / "simulator.so", root / "elsewhere");
  fs::create_symlink(root / "elsewhere", entry / "simulator.so");
  EXPECT_THAT(std::string(checkEntry(entry).message()),
              HasSubstr("is no regular file"));
}

TEST_F(CacheEntry, CompletionKeepsOthersOut) {
  fs::permissions(entry / "simulator.so", fs::perms::all);
  fs::permissions(entry, fs::perms::all);
  ASSERT_EQ(completeEntry(entry), absl::OkStatus());
  EXPECT_EQ(checkEntry(entry), absl::OkStatus());
}

TEST_F(CacheEntry, StandsInAFolderOfTheUser) {
  EXPECT_EQ(*cacheFolder("kind"), (root / "cache/kind").string());
  auto fresh = cacheFolder("another");
  ASSERT_TRUE(fresh.ok()) << fresh.status();
  EXPECT_EQ(fs::status(*fresh).permissions(), fs::perms::owner_all);
  for (const char *open : {"cache", "cache/kind"}) {
    const fs::perms before = fs::status(root / open).permissions();
    fs::permissions(root / open, fs::perms::all);
    absl::Status status = cacheFolder("kind").status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(
        std::string(status.message()),
        HasSubstr("cache: cannot use " + (root / open).string() + ": '"));
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("has mode 0777; expected this user"));
    fs::permissions(root / open, before);
  }
  setenv("TENON_CACHE", "/proc/nowhere", 1);
  EXPECT_THAT(std::string(cacheFolder("kind").status().message()),
              HasSubstr("cache: cannot write /proc/nowhere: "));
  setenv("TENON_CACHE", (root / "cache").c_str(), 1);
  if (geteuid() != 0)
    return; // who is not root cannot give a directory away
  ASSERT_EQ(chown((root / "cache").c_str(), 12345, 0), 0);
  EXPECT_THAT(std::string(cacheFolder("kind").status().message()),
              HasSubstr("belongs to user 12345"));
}

} // namespace
} // namespace tenon::isa
