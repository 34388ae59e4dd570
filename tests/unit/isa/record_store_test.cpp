// Part of Tenon, under the Apache License v2.0.
//
// Records are what was kept, or nothing.

#include "isa/record_store.h"

#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace tenon::isa {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Optional;

class Records : public testing::Test {
protected:
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto &entry : fs::directory_iterator(directory))
      all.push_back(entry.path());
    return all;
  }

  const ScratchFolder folder;
  const fs::path directory = folder / "kept";
};

TEST_F(Records, AreFoundByAnotherProcess) {
  RecordStore(directory).keep("key", std::string("a\0b", 3));
  RecordStore later(directory);
  EXPECT_THAT(later.find("key"), Optional(std::string("a\0b", 3)));
  EXPECT_EQ(later.find("kez"), std::nullopt);
  later.keep("key", "new");
  EXPECT_THAT(later.find("key"), Optional(std::string("new")));
  EXPECT_TRUE(later.status().ok());
  EXPECT_EQ(files().size(), 1);
}

// By `printf 3:key | sha256sum`: of no other key.
TEST_F(Records, AreNamedByTheirKeys) {
  RecordStore(directory).keep("key", "value");
  ASSERT_EQ(files().size(), 1);
  EXPECT_EQ(files()[0].filename(), "474326a42cd522fa267a84e1acc5fba46c634f6d905"
                                   "f920177c01b87e295a7ed.record");
}

TEST_F(Records, AreNobodyElses) {
  RecordStore store(directory);
  store.keep("key", "value");
  EXPECT_EQ(fs::status(directory).permissions(), fs::perms::owner_all);
  fs::permissions(files()[0], fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_THAT(std::string(store.status().message()),
              HasSubstr("may be from another user: '" + files()[0].string()));
  store.keep("key", "value");
  EXPECT_THAT(store.find("key"), Optional(std::string("value")));
}

TEST_F(Records, OthersMayNotWriteBesideThem) {
  RecordStore(directory).keep("key", "value");
  fs::permissions(directory, fs::perms::all);
  RecordStore store(directory);
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_THAT(std::string(store.status().message()),
              HasSubstr("may be from another user: '" + directory.string() +
                        "' belongs to user "));
}

TEST_F(Records, AreNotKeptWhereOthersMayPutLinks) {
  fs::create_directory(directory);
  fs::permissions(directory, fs::perms::all);
  RecordStore store(directory);
  store.keep("key", "value");
  EXPECT_THAT(std::string(store.status().message()),
              HasSubstr("records cannot be kept in '" + directory.string() +
                        "': '" + directory.string() + "' belongs to user "));
  EXPECT_TRUE(files().empty());
}

TEST_F(Records, AreTheUsersAlone) {
  const mode_t mask = ::umask(0);
  RecordStore(directory).keep("key", "value");
  ::umask(mask);
  ASSERT_EQ(files().size(), 1);
  EXPECT_EQ(fs::status(files()[0]).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Records, ALinkIsNone) {
  RecordStore store(directory);
  store.keep("key", "value");
  fs::path file = files()[0], elsewhere = directory.parent_path() / "other";
  fs::rename(file, elsewhere);
  fs::create_symlink(elsewhere, file);
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_FALSE(store.status().ok());
}

TEST_F(Records, AnyDamageIsSeen) {
  RecordStore(directory).keep("key", "value");
  const fs::path file = files()[0];
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  const std::string whole = text.str();
  auto said = [&](const std::string &content) {
    std::ofstream(file) << content;
    RecordStore store(directory);
    EXPECT_EQ(store.find("key"), std::nullopt) << content;
    return std::string(store.status().message());
  };
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string other = whole;
    other[at] ^= 1;
    EXPECT_THAT(said(other), HasSubstr("is damaged")) << at;
    EXPECT_THAT(said(whole.substr(0, at)), HasSubstr("is damaged")) << at;
  }
  EXPECT_THAT(said(whole + "x"), HasSubstr("is damaged"));
}

TEST_F(Records, WithoutADirectoryNothingIsKept) {
  RecordStore store("");
  store.keep("key", "value");
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_TRUE(store.status().ok());
}

TEST_F(Records, WhatCannotBeKeptIsSaid) {
  std::ofstream(directory) << "a file";
  RecordStore store(directory);
  store.keep("key", "value");
  EXPECT_THAT(std::string(store.status().message()),
              HasSubstr("records cannot be kept in '" + directory.string()));
}

TEST_F(Records, TheLeastRecentlyUsedGo) {
  RecordStore(directory).keep("used", "value");
  // Files without blocks, of more bytes than may be kept.
  for (int age : {1, 2, 3}) {
    fs::path file = directory / (std::to_string(age) + ".record");
    std::ofstream(file) << "";
    fs::resize_file(file, RecordStore::mostBytes / 2);
    fs::last_write_time(file, fs::file_time_type::clock::now() -
                                  std::chrono::hours(age));
  }
  std::ofstream(directory / "other") << "is no record";
  RecordStore store(directory);
  store.keep("another", "value");
  EXPECT_FALSE(fs::exists(directory / "3.record"));
  EXPECT_FALSE(fs::exists(directory / "2.record"));
  EXPECT_TRUE(fs::exists(directory / "1.record"));
  EXPECT_TRUE(fs::exists(directory / "other"));
  EXPECT_THAT(store.find("used"), Optional(std::string("value")));
}

/// Whoever is first makes the directory; the others' are kept as well.
TEST_F(Records, ManyMayBeTheFirst) {
  constexpr int threads = 8, rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    RecordStore store(directory);
    std::atomic<int> ready = 0;
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        for (++ready; ready < threads;)
          std::this_thread::yield();
        store.keep(std::to_string(i), "value");
      });
    for (std::thread &thread : all)
      thread.join();
    ASSERT_TRUE(store.status().ok()) << store.status();
    ASSERT_EQ(files().size(), size_t(threads));
    fs::remove_all(directory);
  }
}

TEST_F(Records, ManyMayWriteOne) {
  RecordStore store(directory);
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&] {
      RecordStore own(directory);
      for (int round = 0; round < 100; ++round) {
        own.keep("key", std::string(1000, 'v'));
        EXPECT_THAT(own.find("key"), Optional(std::string(1000, 'v')));
      }
      EXPECT_TRUE(own.status().ok()) << own.status();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(files().size(), 1);
}

} // namespace
} // namespace tenon::isa
