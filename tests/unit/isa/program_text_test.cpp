// Part of Tenon, under the Apache License v2.0.
//
// Whole programs as text.

#include "isa/assembler.h"
#include "program_support.h"

#include "gmock/gmock.h"

namespace tenon::isa {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ProgramText, RoundTrip) {
  for (const std::string &name : shippedConfigurations()) {
    Program program = sampleProgram(name);
    for (bool annotate : {false, true}) {
      std::string text = disassembleProgram(program, annotate);
      auto read = assembleProgram(text, "t");
      ASSERT_TRUE(read.ok()) << read.status() << "\n" << text;
      EXPECT_EQ(read->SerializeAsString(), program.SerializeAsString()) << text;
    }
  }
}

TEST(ProgramText, RoundTripOfOtherConfigurations) {
  Program program = sampleProgram("pynq");
  program.mutable_configuration()->set_name("mine");
  program.mutable_configuration()->set_queue_depth(5);
  auto read = assembleProgram(disassembleProgram(program, true), "t");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->SerializeAsString(), program.SerializeAsString());
}

TEST(ProgramText, ShowsInstructionsMicroOpsAndOrigin) {
  std::string text = disassembleProgram(sampleProgram("pynq"), true);
  EXPECT_THAT(
      text, AllOf(HasSubstr(".configuration pynq\n"), HasSubstr("\n  finish\n"),
                  HasSubstr("\n  .gemm_uop 2,3,5\n"), HasSubstr("; load 0\n"),
                  HasSubstr("; load 2, conv2d_0, tile 6, from Conv_0"),
                  HasSubstr("; alu 0"), HasSubstr(".zero 101")));
}

TEST(ProgramText, HandWrittenProgram) {
  auto program = assembleProgram(R"(
; on: functional rtl
.configuration pynq
.dram 4096
.segment "uops" @0
  .gemm_uop 1,2,3
  .alu_uop 4,5,6
.segment "data" @256
  .hex 01 02ff
  .word 1, -1, 0x80000000
  .zero 3
.instructions @512
  set alu immediate=7
  finish
)",
                                 "t");
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->segments_size(), 3);
  EXPECT_EQ(program->segments(0).data(),
            std::string("\x01\x10\xc0\x00\x04\x28\x80\x01", 8));
  EXPECT_EQ(program->segments(1).data(),
            std::string("\x01\x02\xff\x01\0\0\0\xff\xff\xff\xff\0\0\0\x80"
                        "\0\0\0",
                        18));
  EXPECT_EQ(program->segments(2).data().size(), 32u);
  ASSERT_EQ(program->steps_size(), 1);
  EXPECT_EQ(program->steps(0).launch().program_offset(), 512u);
  EXPECT_EQ(program->steps(0).launch().instruction_count(), 2u);
}

TEST(ProgramText, ErrorsHaveAPlace) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "t:1:1: the text has no .configuration"},
      {".configuration nope", "t:1:16: no configuration 'nope'"},
      {".configuration pynq\n.configuration pynq", "t:2:1: .configuration is "
                                                   "given twice"},
      {".configuration {\nbatch: 1\n  block_in: x\n}", "t:3:13: "},
      {".configuration {\nbatch: 1",
       "t:1:17: the closing '}' in column 1 is missing"},
      {".configuration {\nbatch: 3\n}", "t:1:1: configuration '' is not legal"},
      {".isa 7", "t:1:6: the text is for version 7"},
      {"finish", "t:1:1: expected .segment or .instructions before data"},
      {".segment \"a\" @0\nfinish",
       "t:2:1: expected .configuration before data"},
      {".segment a @0", "t:1:10: expected a name in double quotes"},
      {".segment \"a @0", "t:1:10: the closing double quote is missing"},
      {".segment \"a\" 0", "t:1:14: expected '@', found '0'"},
      {".configuration pynq\n.segment \"a\" @0\n.hex 0g",
       "t:3:7: expected pairs of hexadecimal digits, found 'g'"},
      {".configuration pynq\n.segment \"a\" @0\n.hex 012", "odd number"},
      {".configuration pynq\n.segment \"a\" @0\n.word 0x100000000",
       "t:3:7: expected a 32-bit word from"},
      {".configuration pynq\n.segment \"a\" @0\n.zero 99999999999",
       "t:3:7: expected a number of bytes from 0 to 2147483647"},
      {".configuration pynq\n.segment \"a\" @0\n.gemm_uop 1,2",
       "t:3:14: expected ','"},
      {".configuration pynq\n.segment \"a\" @0\n.alu_uop 1,2,1024",
       "t:3:14: expected third from 0 to 1023, found 1024"},
      {".configuration pynq\n.segment \"a\" @0\n load inp x=9999",
       "t:3:13: expected x_size from 0 to 2047"},
      {".data 3", "t:1:1: expected an instruction or a directive (.isa, "},
      {".program {\nmodel: 3\n}", "t:2:8: "},
      {".program {\n}\n.program {\n}", "t:3:1: .program is given twice"},
      {".program {\ndram_bytes: 3\n}", "t:1:1: .program must not hold"},
      {".configuration pynq\n.dram 8\n.segment \"a\" @0\n.zero 9",
       "t: segment 'a': 9 bytes at 0 do not lie within the 8 bytes"},
  };
  for (const auto &[text, message] : cases)
    EXPECT_THAT(std::string(assembleProgram(text, "t").status().message()),
                HasSubstr(message))
        << text;
}

TEST(ProgramText, AnyTextIsReadWithoutHarm) {
  std::string text = disassembleProgram(sampleProgram("tiny"), true);
  std::mt19937_64 random(8);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = text.substr(0, random() % text.size());
    if (!damaged.empty())
      damaged[random() % damaged.size()] = char(random());
    (void)assembleProgram(damaged, "t");
  }
}

} // namespace
} // namespace tenon::isa
