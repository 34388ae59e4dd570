// Part of Tenon, under the Apache License v2.0.
//
// Host code is its compiler's own, or a stranger's.

#include "isa/files.h"
#include "isa/host_code_digest.h"
#include "isa/own_path.h"
#include "isa/user_key.h"

#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <functional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace tenon::isa {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Each test is a user with a home, in which nothing is yet.
class HostCodeDigest : public testing::Test {
protected:
  void SetUp() override {
    live(home);
    program.mutable_host_code()->add_executables()->set_image("code");
    program.add_buffers()->set_name("x");
    program.add_steps()->mutable_host_kernel()->set_symbol("f");
    program.add_segments()->set_data("weights");
  }
  void TearDown() override { unsetenv("XDG_STATE_HOME"); }

  static void live(const fs::path &home) {
    setenv("XDG_STATE_HOME", home.c_str(), 1);
  }
  fs::path key() const { return home / "tenon/host-code.key"; }
  std::string refusal() const {
    absl::Status status = checkHostCodeDigest(program);
    EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
    return std::string(status.message());
  }

  const ScratchFolder folder;
  const fs::path home = folder.path();
  Program program;
};

TEST_F(HostCodeDigest, IsOfWhoCompiled) {
  EXPECT_THAT(refusal(), HasSubstr("it has no digest of a user"));
  ASSERT_EQ(addHostCodeDigest(program), absl::OkStatus());
  EXPECT_EQ(checkHostCodeDigest(program), absl::OkStatus());
  EXPECT_EQ(program.host_code_digest().size(), 32u);

  live(home / "other");
  EXPECT_THAT(refusal(), HasSubstr("you have no key of your own ('" +
                                   home.string() + "/other/tenon/"));
  Program another = program;
  ASSERT_EQ(addHostCodeDigest(another), absl::OkStatus());
  EXPECT_NE(another.host_code_digest(), program.host_code_digest());
  EXPECT_THAT(refusal(), HasSubstr("its digest is of another key than '" +
                                   home.string() + "/other/tenon/"));
  EXPECT_THAT(refusal(), HasSubstr("--trust-host-code"));
  live(home);
  EXPECT_EQ(checkHostCodeDigest(program), absl::OkStatus());
}

TEST_F(HostCodeDigest, IsNotNeededWithoutHostCode) {
  program.clear_host_code();
  EXPECT_EQ(checkHostCodeDigest(program), absl::OkStatus());
  EXPECT_EQ(addHostCodeDigest(program), absl::OkStatus());
  EXPECT_EQ(program.host_code_digest(), "");
  EXPECT_FALSE(fs::exists(key()));
}

TEST_F(HostCodeDigest, CoversCodeAndItsCalls) {
  ASSERT_EQ(addHostCodeDigest(program), absl::OkStatus());
  const Program good = program;
  const std::function<void(Program &)> changes[] = {
      [](Program &p) {
        p.mutable_host_code()->mutable_executables(0)->set_image("evil");
      },
      [](Program &p) {
        p.mutable_host_code()->mutable_executables(0)->set_triple("other");
      },
      [](Program &p) {
        p.mutable_host_code()->add_executables()->set_image("evil");
      },
      [](Program &p) { p.mutable_host_code()->set_constants("others"); },
      [](Program &p) { p.mutable_buffers(0)->add_shape(9); },
      [](Program &p) { p.add_inputs(0); },
      [](Program &p) { p.add_outputs(0); },
      [](Program &p) { p.add_tensors()->set_offset(8); },
      [](Program &p) {
        p.mutable_steps(0)->mutable_host_kernel()->set_symbol("g");
      },
      [](Program &p) { p.mutable_configuration()->set_batch(2); },
      [](Program &p) { p.set_isa_version(99); },
      [](Program &p) { p.mutable_host_code_digest()->back() ^= 1; },
      [](Program &p) { p.mutable_host_code_digest()->pop_back(); },
  };
  for (const auto &change : changes) {
    program = good;
    change(program);
    EXPECT_THAT(refusal(), HasSubstr("or the program was changed"));
  }
  // Contents of DRAM are everybody's to change, as inputs are.
  program = good;
  program.mutable_segments(0)->set_data("others");
  program.mutable_debug()->add_layers()->set_name("layer");
  EXPECT_EQ(checkHostCodeDigest(program), absl::OkStatus());
}

TEST_F(HostCodeDigest, HasAKeyThatNobodyElseReads) {
  ASSERT_EQ(addHostCodeDigest(program), absl::OkStatus());
  struct stat status;
  ASSERT_EQ(stat(key().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_EQ(status.st_size, 32);
  ASSERT_EQ(stat(key().parent_path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  // Nothing beside it, of who made it.
  EXPECT_EQ(std::distance(fs::directory_iterator(key().parent_path()), {}), 1);

  chmod(key().c_str(), 0640);
  EXPECT_THAT(refusal(), HasSubstr("and has mode 0640; expected this user"));
  EXPECT_TRUE(absl::IsPermissionDenied(addHostCodeDigest(program)));
  chmod(key().c_str(), 0600);
  chmod(key().parent_path().c_str(), 0777);
  program.set_host_code_digest("x");
  EXPECT_THAT(refusal(), HasSubstr("and has mode 0777; expected this user"));
  chmod(key().parent_path().c_str(), 0700);
  fs::resize_file(key(), 5);
  EXPECT_THAT(refusal(), HasSubstr("has 5 bytes, expected a key of 32"));
  fs::remove(key());
  fs::create_symlink("elsewhere", key());
  EXPECT_THAT(refusal(), HasSubstr("is no regular file"));
}

TEST_F(HostCodeDigest, HasOneKeyForAllWhoBegin) {
  std::vector<std::string> keys(8);
  std::vector<std::thread> threads;
  for (std::string &made : keys)
    threads.emplace_back([&made] { made = *makeUserKey(); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(keys, testing::Each(*readUserKey()));
}

TEST_F(HostCodeDigest, SaysWhereAKeyCannotBe) {
  ASSERT_EQ(writeFile((home / "file").string(), ""), absl::OkStatus());
  live(home / "file");
  absl::Status status = addHostCodeDigest(program);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("Not a directory"));
  live("/proc/nowhere");
  status = addHostCodeDigest(program);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the user's key '/proc/nowhere/tenon/host-code.key' "
                        "cannot be made: "));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("(XDG_STATE_HOME chooses another place)"));
}

TEST_F(HostCodeDigest, NeedsAHome) {
  const std::string before = getenv("HOME") ? getenv("HOME") : "";
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", "/h", 1);
  EXPECT_EQ(*userKeyPath(), "/h/.local/state/tenon/host-code.key");
  unsetenv("HOME");
  EXPECT_THAT(std::string(addHostCodeDigest(program).message()),
              HasSubstr("neither XDG_STATE_HOME nor HOME is set"));
  program.set_host_code_digest("x");
  EXPECT_THAT(refusal(), HasSubstr("neither XDG_STATE_HOME nor HOME is set"));
  setenv("HOME", before.c_str(), 1);
}

TEST(OwnPath, IsTheUsersOrRoots) {
  EXPECT_EQ(checkOwnFile("/etc/passwd"), absl::OkStatus());
  EXPECT_FALSE(checkOwnFile("/etc/passwd", /*isPrivate=*/true).ok());
  EXPECT_EQ(checkOwnDirectory("/etc"), absl::OkStatus());
  EXPECT_THAT(std::string(checkOwnDirectory("/tmp").message()),
              HasSubstr("'/tmp' belongs to user 0 and has mode 1777"));
  EXPECT_THAT(std::string(checkOwnDirectory("/etc/passwd").message()),
              HasSubstr("is no directory"));
  EXPECT_TRUE(absl::IsNotFound(checkOwnFile("/nowhere")));
  if (geteuid() != 0)
    return; // who is not root cannot give a file away
  const ScratchFolder folder;
  const std::string path = folder / "given";
  ASSERT_EQ(writeFile(path, ""), absl::OkStatus());
  ASSERT_EQ(chown(path.c_str(), 12345, 0), 0);
  EXPECT_THAT(std::string(checkOwnFile(path).message()),
              HasSubstr("belongs to user 12345"));
}

} // namespace
} // namespace tenon::isa
