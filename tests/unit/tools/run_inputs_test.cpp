//===- tests/unit/tools/run_inputs_test.cpp -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/run_inputs.h"

#include "isa/files.h"
#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ReadLabels, ClassIsInLineI) {
  ScratchFolder folder;
  auto labels = [&](const std::string &text) {
    EXPECT_TRUE(isa::writeFile(folder / "labels.txt", text).ok());
    return *readLabels(folder / "labels.txt");
  };
  EXPECT_THAT(labels("cat\n\ntabby cat\n"),
              ElementsAre("cat", "", "tabby cat"));
  EXPECT_THAT(labels("\ncat"), ElementsAre("", "cat"));
  EXPECT_THAT(labels("cat\r\n\r\ndog\r\n"), ElementsAre("cat", "", "dog"));
  EXPECT_THAT(labels(""), IsEmpty());
}

} // namespace
} // namespace tenon::tools
