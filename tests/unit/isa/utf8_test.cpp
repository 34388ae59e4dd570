// Part of Tenon, under the Apache License v2.0.

#include "isa/utf8.h"

#include "isa/proto/program.pb.h"

#include "gtest/gtest.h"

namespace tenon::isa {
namespace {

// The ill-formed sequences are those of the Unicode standard, table 3-7.
TEST(Utf8, ReplacesWhatIsNone) {
  for (const char *whole : {"", "plain", "entr\u00e9e", "\u6f22", "\U0001f600"})
    EXPECT_EQ(toUtf8(whole), whole);
  EXPECT_EQ(toUtf8("caf\xe9.onnx"), "caf\uFFFD.onnx");
  EXPECT_EQ(toUtf8("end\xc3"), "end\uFFFD");
  EXPECT_EQ(toUtf8("\xff\u00e9\xfe"), "\uFFFD\u00e9\uFFFD");
  EXPECT_EQ(toUtf8("\xc0\x80"), "\uFFFD\uFFFD");           // too long
  EXPECT_EQ(toUtf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD"); // a surrogate
  std::string text(1000, 'x');
  text[500] = char(0xe9);
  EXPECT_EQ(toUtf8(text), text.substr(0, 500) + "\uFFFD" + text.substr(501));
}

TEST(Utf8, FindsForeignTextInMessages) {
  Program program;
  program.set_model("m.onnx");
  program.add_buffers()->set_name("x");
  program.add_steps()->mutable_host_kernel()->add_nodes("entr\u00e9e");
  EXPECT_FALSE(findForeignText(program));
  program.mutable_steps(0)->mutable_host_kernel()->add_nodes("entr\xe9"
                                                             "e");
  EXPECT_EQ(findForeignText(program), "steps[0].host_kernel.nodes[1]");
  EXPECT_FALSE(findForeignText(program, "nodes"));
  program.set_model("\xe9");
  EXPECT_EQ(findForeignText(program, "nodes"), "model");
  // Bytes are no text.
  program.clear_model();
  program.mutable_host_code()->add_executables()->set_image("\xe9");
  EXPECT_FALSE(findForeignText(program, "nodes"));
}

} // namespace
} // namespace tenon::isa
