// Part of Tenon, under the Apache License v2.0.
//
// Hostile inputs that are long: written here instead of kept.

#include "tests/fuzz/input/target.h"

#include "gmock/gmock.h"

namespace tenon::fuzz {
namespace {

using ::testing::HasSubstr;

std::string repeated(const std::string &text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i)
    result += text;
  return result;
}

// Parsers that recurse end with the stack, at some depth.
TEST(Nesting, OfOnnxTextIsBounded) {
  std::string text = "graph { " + repeated("node { attribute { g { ", 100000);
  EXPECT_THAT(std::string(onnx(text).message()), HasSubstr("too deep"));
}

TEST(Nesting, OfTosaTextIsBounded) {
  for (const char *open : {"[", "<", "(", "{", "module {", "tuple<"}) {
    std::string text =
        "func.func @main() attributes {a = " + repeated(open, 100000);
    EXPECT_THAT(std::string(tosa(text).message()),
                HasSubstr("brackets nest deeper than 100"));
  }
}

TEST(Nesting, OfAssemblyIsBounded) {
  std::string text = ".configuration {\n" + repeated("a { ", 100000) + "\n}\n";
  EXPECT_FALSE(assembly(text).ok());
  EXPECT_FALSE(configuration(repeated("a < ", 100000)).ok());
}

} // namespace
} // namespace tenon::fuzz
