//===- tests/unit/tools/classes_test.cpp ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/classes.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const std::vector<std::string> names = {"cat", "tabby cat", "dog"};

TEST(ClassOf, NamesAndNumbers) {
  EXPECT_EQ(classOf("tabby cat", names), 1u);
  EXPECT_EQ(classOf("2", names), 2u);
  EXPECT_EQ(classOf("3", names), std::nullopt);
  EXPECT_EQ(classOf("cow", names), std::nullopt);
  EXPECT_EQ(classOf("999", {}), 999u);
}

TEST(TrueClasses, NamesBeforeClasses) {
  auto classes = TrueClasses::parse(
      "a b.png 2\n\nc.png,tabby cat\r\nd.png\tdog\n", "f", names);
  ASSERT_TRUE(classes.ok()) << classes.status();
  EXPECT_THAT(classes->byName, ElementsAre(Pair("a b.png", 2), Pair("c.png", 1),
                                           Pair("d.png", 2)));
  EXPECT_THAT(classes->inOrder, IsEmpty());
}

TEST(TrueClasses, OneClassALine) {
  auto classes = TrueClasses::parse("tabby cat\n0\ndog", "f", names);
  ASSERT_TRUE(classes.ok()) << classes.status();
  EXPECT_THAT(classes->inOrder, ElementsAre(1, 0, 2));
}

TEST(TrueClasses, WrongLinesAreNamed) {
  auto message = [](absl::string_view text) {
    return std::string(TrueClasses::parse(text, "f", names).status().message());
  };
  EXPECT_THAT(message("a.png 0\nb.png cow\n"),
              HasSubstr("'f', line 2: 'cow' is no class: expected its number"));
  EXPECT_THAT(message("a.png 0\na.png 1\n"),
              HasSubstr("line 2: a second class for the same name"));
  EXPECT_THAT(
      message("a.png 0\n1\n"),
      HasSubstr("line 2: lines with a name and lines without one are mixed"));
}

} // namespace
} // namespace tenon::tools
