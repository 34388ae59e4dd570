//===- c_api_test.cpp - Outputs of which only the run tells the shape -----===//
//
// Part of Tenon, under the Apache License v2.0.
//
// By way of tenon.hpp, which hands every call on to tenon.h. What else the
// library does is tested as it is installed (tests/e2e/test_install.py).
//
//===----------------------------------------------------------------------===//

#include "runtime/tenon.hpp"

#include "isa/files.h"
#include "isa/program.h"
#include "runtime/thread_pool.h"
#include "tests/scratch_folder.h"
#include "tests/unit/runtime/small_network.h"

#include "gmock/gmock.h"

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// Of a call that fails.
std::pair<int, std::string> failure(const std::function<void()> &call) {
  try {
    call();
  } catch (const tenon::Error &error) {
    return {error.status, error.what()};
  }
  return {TENON_OK, ""};
}

class Telling : public ::testing::Test {
protected:
  Telling()
      : bytes(*tenon::isa::serializeProgram(tenon::runtime::tellingNetwork())),
        program(bytes.data(), bytes.size(), tenon::HostCode::Any),
        session(program, "cpu") {}

  std::vector<tenon_array> inputs() { return {tenon::array(values, shape)}; }

  std::string bytes;
  tenon::Program program;
  tenon::Session session;
  std::vector<int32_t> values{0, 6, 0, 7}, sum{0};
  std::vector<int64_t> shape{4}, scalar, one{1};
};

TEST_F(Telling, IsLoadedWhereItIsTrusted) {
  auto [status, words] =
      failure([&] { tenon::Program(bytes.data(), bytes.size()); });
  EXPECT_EQ(status, TENON_UNTRUSTED);
  EXPECT_THAT(words, HasSubstr("the program carries host code"));
  EXPECT_THAT(words, HasSubstr("it has no digest of a user"));
  tenon_load_options tooShort{sizeof(size_t), 1};
  tenon_program *loaded = nullptr;
  EXPECT_EQ(tenon_program_load_memory_with(bytes.data(), bytes.size(),
                                           &tooShort, &loaded),
            TENON_INVALID_ARGUMENT);
  EXPECT_THAT(tenon_last_error(), HasSubstr("expected options of 16 bytes"));
}

TEST_F(Telling, CallsAFileThatIsNoProgramABadArgument) {
  const tenon::ScratchFolder folder;
  auto statusOf = [](const std::string &path) {
    return failure([&] { tenon::Program{path}; }).first;
  };
  const std::string cut = folder / "cut.tenon";
  ASSERT_TRUE(
      tenon::isa::writeFile(cut, bytes.substr(0, bytes.size() / 2)).ok());
  EXPECT_EQ(statusOf(cut), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(statusOf(folder.path()), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(statusOf(folder / "none.tenon"), TENON_NOT_FOUND);
  std::filesystem::permissions(cut, std::filesystem::perms::none);
  EXPECT_EQ(statusOf(cut), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(
      failure([&] { tenon::Program(bytes.data(), bytes.size() - 1); }).first,
      TENON_INVALID_ARGUMENT);
}

TEST_F(Telling, KeepsThreadsOnProcessorsOrDoesNot) {
  EXPECT_EQ(tenon_set_pinned(2), TENON_INVALID_ARGUMENT);
  EXPECT_STREQ(tenon_last_error(), "expected 0 or 1, found 2");
  EXPECT_EQ(tenon_set_pinned(1), TENON_OK);
  EXPECT_EQ(tenon_set_pinned(0), TENON_OK);
}

TEST_F(Telling, ComputesInAsManyThreadsAsItIsTold) {
  EXPECT_EQ(tenon_set_threads(3), TENON_OK);
  EXPECT_EQ(tenon::runtime::ThreadPool::process().threads(), 3u);
  EXPECT_EQ(tenon_set_threads(4097), TENON_INVALID_ARGUMENT);
  EXPECT_STREQ(tenon_last_error(), "expected at most 4096 threads, found 4097");
  EXPECT_EQ(tenon_set_threads(0), TENON_OK);
  EXPECT_EQ(tenon::runtime::ThreadPool::process().threads(),
            tenon::runtime::processors());
}

TEST_F(Telling, DescribesItsBorder) {
  EXPECT_STREQ(program.input(0).symbols[0], "tokens");
  EXPECT_STREQ(program.output(0).symbols[0], "?");
  EXPECT_THAT(session.outputShape(inputs(), 0), ElementsAre(-1));
}

TEST_F(Telling, KeepsWhatItComputed) {
  EXPECT_EQ(failure([&] { session.resultShape(0); }),
            (std::pair<int, std::string>(
                TENON_FAILED_PRECONDITION,
                "there is no result: no run of this session has ended well "
                "since the last one began")));
  session.run(inputs(), {tenon::later(TENON_INT64), tenon::array(sum, scalar)});
  EXPECT_THAT(sum, ElementsAre(13));
  EXPECT_THAT(session.resultShape(0), ElementsAre(2));
  EXPECT_THAT(session.result<int64_t>(0), ElementsAre(1, 3));
  EXPECT_EQ(failure([&] { session.result<int32_t>(1); }).second,
            "output 1 is in the memory that the run was given, expected one of "
            "which only the run tells the shape");
}

TEST_F(Telling, CopiesWhereThereIsRoom) {
  std::vector<int64_t> places(3, -1);
  session.run(inputs(), {tenon::array(places, one), tenon::array(sum, scalar)});
  EXPECT_THAT(places, ElementsAre(1, 3, -1));
  std::vector<int64_t> few(1);
  EXPECT_EQ(failure([&] {
              session.run(inputs(),
                          {tenon::array(few, one), tenon::array(sum, scalar)});
            }),
            (std::pair<int, std::string>(
                TENON_BUFFER_TOO_SMALL,
                "output 0 is 2 and has 16 bytes, there is room for 8")));
  EXPECT_THAT(session.result<int64_t>(0), ElementsAre(1, 3));
}

TEST_F(Telling, HasNoResultOfARunThatDidNotBegin) {
  const std::vector<tenon_array> outputs = {tenon::later(TENON_INT64),
                                            tenon::array(sum, scalar)};
  const std::vector<std::function<void()>> calls = {
      [&] {
        tenon_array little = tenon::array(values, shape);
        little.bytes = 4;
        session.run({little}, outputs);
      },
      [&] {
        tenon_array little = outputs[1];
        little.bytes = 3;
        session.run(inputs(), {outputs[0], little});
      },
      [&] { session.run(inputs(), {}); }};
  for (const std::function<void()> &call : calls) {
    session.run(inputs(), outputs);
    EXPECT_THAT(session.result<int64_t>(0), ElementsAre(1, 3));
    EXPECT_NE(failure(call).first, TENON_OK);
    EXPECT_EQ(failure([&] { session.result<int64_t>(0); }).first,
              TENON_FAILED_PRECONDITION);
    EXPECT_EQ(failure([&] { session.resultShape(0); }).first,
              TENON_FAILED_PRECONDITION);
  }
}

TEST_F(Telling, RefusesAnArrayWithoutItsShape) {
  tenon_array shapeless = tenon::array(values, shape);
  shapeless.shape = nullptr;
  const std::pair<int, std::string> none(
      TENON_INVALID_ARGUMENT, "expected a shape, found a null pointer");
  EXPECT_EQ(failure([&] { session.outputShape({shapeless}, 0); }), none);
  EXPECT_EQ(failure([&] {
              session.run({shapeless}, {tenon::later(TENON_INT64),
                                        tenon::array(sum, scalar)});
            }),
            none);
}

TEST_F(Telling, SaysWhatTheNetworkRefuses) {
  values[2] = -1;
  EXPECT_EQ(
      failure([&] {
        session.run(inputs(),
                    {tenon::later(TENON_INT64), tenon::array(sum, scalar)});
      }),
      (std::pair<int, std::string>(TENON_INVALID_ARGUMENT,
                                   "a token is negative, expected 0 or more")));
}

} // namespace
