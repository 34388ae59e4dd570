// Part of Tenon, under the Apache License v2.0.
//
// The container: round trip, damage, and programs that lead out of bounds.

#include "isa/files.h"
#include "program_support.h"

#include "tests/scratch_folder.h"

#include "gmock/gmock.h"

#include <filesystem>

namespace tenon::isa {
namespace {

using ::testing::HasSubstr;

std::string messageOf(const absl::Status &status) {
  return std::string(status.message());
}

TEST(ProgramFile, RoundTrip) {
  const ScratchFolder folder;
  const std::string path = folder / "round.tenon";
  for (const std::string &name : shippedConfigurations()) {
    Program program = sampleProgram(name);
    auto bytes = serializeProgram(program);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    ASSERT_TRUE(writeFile(path, *bytes).ok());
    auto read = readProgram(path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->SerializeAsString(), program.SerializeAsString());
  }
}

TEST(ProgramFile, ErrorsTellWhatIsWrong) {
  std::string bytes = *serializeProgram(sampleProgram("pynq"));
  EXPECT_THAT(messageOf(parseProgram("", "p").status()),
              HasSubstr("p: not a Tenon program"));
  EXPECT_THAT(messageOf(parseProgram("\x7f"
                                     "ELF etc.",
                                     "p")
                            .status()),
              HasSubstr("not a Tenon program"));
  EXPECT_THAT(messageOf(parseProgram(bytes.substr(0, 20), "p").status()),
              HasSubstr("truncated: 20 bytes, expected a header of 32"));
  EXPECT_THAT(
      messageOf(parseProgram(bytes.substr(0, bytes.size() - 1), "p").status()),
      HasSubstr("truncated: expected "));
  EXPECT_THAT(messageOf(parseProgram(bytes.substr(0, 40), "p").status()),
              HasSubstr(" bytes after the header, found 8"));
  EXPECT_THAT(messageOf(parseProgram(bytes + "x", "p").status()),
              HasSubstr("damaged: the header does not match the file"));
  std::string other = bytes;
  other[8] = 9;
  EXPECT_THAT(messageOf(parseProgram(other, "p").status()),
              HasSubstr("version 9 of the instruction set, this is version " +
                        std::to_string(isaVersion)));
  other = bytes;
  other.back() ^= 1;
  EXPECT_THAT(messageOf(parseProgram(other, "p").status()),
              HasSubstr("damaged: the checksum does not match"));
  EXPECT_THAT(messageOf(readProgram("/nonexistent/x.tenon").status()),
              HasSubstr("/nonexistent/x.tenon: cannot be opened"));
}

TEST(ProgramFile, TruncatedAndFlippedFilesAreRefused) {
  std::string bytes = *serializeProgram(sampleProgram("tiny"));
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(parseProgram(bytes.substr(0, size), "p").ok()) << size;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string flipped = bytes;
    flipped[i] ^= char(1 << i % 8);
    ASSERT_FALSE(parseProgram(flipped, "p").ok()) << i;
  }
}

/// Wraps any payload in a header that fits it.
std::string wrap(const std::string &payload) {
  std::string header = serializeProgram(sampleProgram("tiny"))->substr(0, 16);
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : payload)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  for (uint64_t word : {uint64_t(payload.size()), hash})
    for (int i = 0; i < 8; ++i)
      header += char(word >> 8 * i);
  return header + payload;
}

TEST(ProgramFile, HostilePayloadsWithRightChecksumDoNoHarm) {
  std::string payload = sampleProgram("tiny").SerializeAsString();
  ASSERT_TRUE(parseProgram(wrap(payload), "p").ok());
  EXPECT_THAT(messageOf(parseProgram(wrap("\xff\xff"), "p").status()),
              HasSubstr("damaged: not a Program message"));
  std::mt19937_64 random(2);
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string hostile = payload;
    for (int k = 0; k < 2; ++k)
      hostile[random() % hostile.size()] = char(random());
    auto program = parseProgram(wrap(hostile), "p");
    accepted += program.ok();
  }
  EXPECT_LT(accepted, 3000);
}

TEST(ProgramFile, IsMadeOfSoundProgramsAlone) {
  Program bad = sampleProgram("pynq");
  bad.set_dram_bytes(1);
  EXPECT_FALSE(serializeProgram(bad).ok());
  // Protobuf would write it, and not read it.
  bad = sampleProgram("pynq");
  bad.mutable_buffers(0)->set_name("entr\xe9"
                                   "e");
  EXPECT_THAT(messageOf(serializeProgram(bad).status()),
              HasSubstr("buffers[0].name of the program is not UTF-8"));
}

template <typename Change> std::string refusal(Change change) {
  Program program = sampleProgram("pynq");
  change(program);
  return messageOf(validateProgram(program));
}

/// A fold that changes nothing, in the step that packs.
Fold *foldOf(Program &program) {
  Fold *fold = program.mutable_steps(0)->mutable_pack()->mutable_fold();
  for (int axis = 0; axis < 2; ++axis) {
    fold->add_phases(1);
    fold->add_step(1);
    fold->add_dilation(1);
    fold->add_origin(0);
  }
  return fold;
}

TEST(ProgramFile, FoldMakesRowsAndColumnsOfAnyNumber) {
  Program program = sampleProgram("pynq");
  program.mutable_steps()->DeleteSubrange(1, program.steps_size() - 1);
  program.mutable_tensors(0)->set_shape(1, 6);
  program.mutable_tensors(0)->clear_onnx_shape();
  EXPECT_THAT(messageOf(validateProgram(program)),
              HasSubstr("differ in their number of elements"));
  foldOf(program);
  EXPECT_EQ(messageOf(validateProgram(program)), "");
}

TEST(ProgramFile, EverythingOutOfBoundsIsRefused) {
  using P = Program;
  const std::pair<std::string, std::string> cases[] = {
      {refusal([](P &p) { p.set_isa_version(isaVersion + 1); }),
       "version " + std::to_string(isaVersion + 1)},
      {refusal([](P &p) { p.mutable_configuration()->set_batch(3); }),
       "batch: 3"},
      {refusal([](P &p) { p.set_dram_bytes((uint64_t{1} << 32) + 1); }),
       "dram_bytes is 4294967297, a machine with beats of 8 bytes addresses at "
       "most 4294967296"},
      {refusal([](P &p) { p.mutable_segments(0)->set_offset(~0ull); }),
       "segment 'instructions'"},
      {refusal([](P &p) { p.mutable_segments(2)->set_offset(65536); }),
       "overlap at byte 65536"},
      {refusal([](P &p) { p.mutable_tensors(0)->set_offset(1 << 20); }),
       "tensor 0 'x': 480 bytes at 1048576"},
      {refusal([](P &p) { p.mutable_tensors(0)->set_offset(4); }),
       "not a multiple of a beat"},
      {refusal([](P &p) { p.mutable_tensors(0)->set_shape(1, -5); }),
       "the shape has a dimension of -5"},
      {refusal([](P &p) { p.mutable_tensors(0)->set_shape(1, 0); }),
       "the shape is empty"},
      {refusal(
           [](P &p) { p.mutable_tensors(0)->set_shape(1, int64_t{1} << 62); }),
       "too many elements"},
      {refusal([](P &p) {
         // Nothing of so many that a stride of it has no number.
         p.mutable_tensors(0)->set_shape(0, 0);
         p.mutable_tensors(0)->set_shape(1, int64_t{1} << 39);
         p.mutable_tensors(0)->set_shape(2, int64_t{1} << 39);
       }),
       "too many elements"},
      {refusal([](P &p) { p.mutable_tensors(0)->add_shape(1); }),
       "5 dimensions, expected N, H, W, C"},
      {refusal([](P &p) { p.mutable_tensors(0)->set_permutation(0, 3); }),
       "permutation is not one of N, H, W, C"},
      {refusal([](P &p) { p.mutable_tensors(0)->set_onnx_shape(0, 2); }),
       "onnx_shape does not have the tensor's 210"},
      {refusal([](P &p) { p.mutable_tensors(0)->set_producer(1); }),
       "producer 1 is not one of 1 layers"},
      {refusal([](P &p) { p.mutable_buffers(0)->set_type(ElementType(99)); }),
       "element type 99"},
      {refusal([](P &p) { p.mutable_buffers(0)->set_shape(0, -1); }),
       "dimension of -1"},
      {refusal([](P &p) { p.set_inputs(0, 1); }), "input buffer 1 is not one"},
      {refusal([](P &p) { p.set_outputs(0, 9); }), "output buffer 9"},
      {refusal([](P &p) { p.add_steps(); }),
       "step 4: it is neither pack, unpack, launch nor host_kernel"},
      {refusal([](P &p) {
         for (int i = 0; i < 9; ++i)
           p.mutable_buffers(0)->add_shape(1);
       }),
       "buffer 0 'x': the shape has too many dimensions"},
      {refusal([](P &p) { p.mutable_steps(0)->mutable_pack()->set_tensor(5); }),
       "step 0: tensor 5"},
      {refusal([](P &p) { p.mutable_steps(0)->mutable_pack()->set_buffer(5); }),
       "step 0: buffer 5"},
      {refusal([](P &p) {
         p.mutable_steps(0)->mutable_pack()->set_permutation(0, 4);
       }),
       "pack: permutation does not name every axis once"},
      {refusal([](P &p) {
         p.mutable_steps(0)->mutable_pack()->set_permutation(1, 3);
         p.mutable_steps(0)->mutable_pack()->set_permutation(2, 2);
       }),
       "pack: axis 1 of tensor 'x' has 5 elements, axis 3 of buffer 'x' has 6"},
      {refusal([](P &p) { foldOf(p)->clear_step(); }),
       "pack: fold has 0 values of step, expected 2"},
      {refusal([](P &p) { foldOf(p)->set_dilation(1, 0); }),
       "pack: fold has a dilation of 0, expected 1 to 1023"},
      {refusal([](P &p) { foldOf(p)->set_phases(0, 1 << 20); }),
       "fold has a phases of 1048576"},
      {refusal([](P &p) { foldOf(p)->set_origin(0, -1024); }),
       "fold has a origin of -1024, expected -1023"},
      {refusal([](P &p) { foldOf(p)->set_outside(128); }),
       "fold has 128 outside, expected -128 to 127"},
      {refusal([](P &p) { foldOf(p)->set_phases(0, 2); }),
       "axis 3 of tensor 'x' has 7 elements, axis 1 of buffer 'x' has 14"},
      {refusal([](P &p) {
         foldOf(p);
         p.mutable_tensors(0)->set_shape(0, 2);
         p.mutable_tensors(0)->clear_onnx_shape();
       }),
       "axis 0 of tensor 'x' has 2 elements, axis 0 of buffer 'x' has 1"},
      {refusal([](P &p) { p.mutable_buffers(0)->set_shape(0, 2); }),
       "differ in their number of elements"},
      {refusal([](P &p) {
         p.mutable_steps(2)->mutable_unpack()->set_permutation(0, 3);
       }),
       "unpack: permutation"},
      {refusal([](P &p) {
         p.mutable_steps(2)
             ->mutable_unpack()
             ->mutable_permutation()
             ->RemoveLast();
       }),
       "unpack: permutation does not name every axis once"},
      {refusal([](P &p) { p.mutable_buffers(0)->add_shape(1); }),
       "pack: permutation does not name every axis once"},
      {refusal([](P &p) { p.mutable_buffers(0)->set_type(FLOAT32); }),
       "pack: buffer 'x' has elements of 4 bytes, tensors of 1"},
      {refusal([](P &p) {
         p.mutable_steps(1)->mutable_launch()->set_instruction_count(0);
       }),
       "instruction_count is 0"},
      {refusal([](P &p) {
         p.mutable_steps(1)->mutable_launch()->set_instruction_count(1ull
                                                                     << 62);
       }),
       "do not lie within the 1048576 bytes"},
      {refusal([](P &p) {
         p.mutable_steps(1)->mutable_launch()->set_program_offset(4100);
       }),
       "not a multiple of a beat"},
      {refusal([](P &p) {
         p.mutable_steps(1)->mutable_launch()->set_program_offset(8192);
       }),
       "do not lie within a segment"},
      // 2^28 beats of 8 bytes, and one beat before.
      {refusal([](P &p) {
         p.set_dram_bytes(3ull << 30);
         p.mutable_steps(1)->mutable_launch()->set_program_offset(1ull << 31);
       }),
       "program_offset is 2147483648, register PROGRAM holds at most "
       "2147483640"},
      {refusal([](P &p) {
         p.set_dram_bytes(3ull << 30);
         p.mutable_steps(1)->mutable_launch()->set_program_offset((1ull << 31) -
                                                                  8);
       }),
       "do not lie within a segment"},
      {refusal([](P &p) { p.clear_host_code(); }),
       "host_kernel triple: the program has no executables"},
      {refusal([](P &p) {
         p.mutable_host_code()->mutable_executables(0)->set_triple("z80");
       }),
       "executable 0: triple: 'z80'"},
      {refusal(
           [](P &p) { p.mutable_host_code()->set_constants("0123456789"); }),
       "executable 0: it reads 16 bytes of constants, the program has 10"},
      {refusal([](P &p) {
         p.mutable_steps(3)->mutable_host_kernel()->set_symbol("treble");
       }),
       "host_kernel treble: executable 0 (x86_64-unknown-linux-gnu) has no "
       "such "
       "function"},
      {refusal([](P &p) {
         p.mutable_steps(3)->mutable_host_kernel()->clear_symbol();
       }),
       "host_kernel: it has no symbol"},
      {refusal([](P &p) {
         p.mutable_steps(3)->mutable_host_kernel()->set_inputs(0, 7);
       }),
       "host_kernel triple: buffer 7"},
      {refusal([](P &p) { p.mutable_debug()->add_engines(); }),
       "5 engines, expected at most 4"},
      {refusal([](P &p) {
         p.mutable_debug()->mutable_layers(0)->set_output_tensors(0, 3);
       }),
       "debug: layer 'conv2d_0': tensor 3"},
      {refusal([](P &p) {
         p.mutable_debug()->mutable_engines(0)->mutable_runs(0)->set_layer(1);
       }),
       "run 0 of load"},
      {refusal([](P &p) {
         p.mutable_debug()->mutable_engines(0)->add_runs()->set_begin(1);
       }),
       "run 1 of load goes backwards or names layer"},
  };
  for (const auto &[found, expected] : cases)
    EXPECT_THAT(found, HasSubstr(expected));
}

/// What would be read is what the process had in this memory before.
TEST(ProgramFile, NothingIsReadThatNothingWrote) {
  auto second = [](Program &p) { // like the input, and none
    *p.add_buffers() = p.buffers(0);
    p.mutable_buffers(1)->set_name("t");
    return 1;
  };
  EXPECT_EQ(refusal([&](Program &p) {
              p.mutable_steps(0)->mutable_pack()->set_buffer(second(p));
            }),
            "step 0: pack: no step before it writes buffer 't', which is no "
            "input");
  EXPECT_EQ(refusal([&](Program &p) {
              p.mutable_steps(3)->mutable_host_kernel()->add_inputs(second(p));
            }),
            "step 3: host_kernel triple: no step before it writes buffer 't', "
            "which is no input");
  EXPECT_EQ(refusal([&](Program &p) { p.set_outputs(0, second(p)); }),
            "no step writes output 't', which is no input");
  // A kernel that reads what it writes.
  EXPECT_EQ(refusal([&](Program &p) {
              HostKernel &kernel = *p.mutable_steps(3)->mutable_host_kernel();
              kernel.add_inputs(second(p));
              kernel.add_outputs(1);
            }),
            "step 3: host_kernel triple: no step before it writes buffer 't', "
            "which is no input");
  // Written by the unpack in front of it, and by a kernel.
  EXPECT_EQ(refusal([&](Program &p) {
              p.mutable_steps(2)->mutable_unpack()->set_buffer(second(p));
              p.mutable_steps(3)->mutable_host_kernel()->add_inputs(1);
              p.set_outputs(0, 1);
            }),
            "");
  EXPECT_EQ(refusal([&](Program &p) {
              p.mutable_steps(3)->mutable_host_kernel()->add_outputs(second(p));
              p.set_outputs(0, 1);
            }),
            "");
}

TEST(ProgramFile, RunsAreFoundByInstruction) {
  Debug debug;
  debug.add_engines();
  for (uint32_t begin : {2, 5, 5, 9}) {
    auto *run = debug.mutable_engines(0)->add_runs();
    run->set_begin(begin);
    run->set_tile(uint32_t(debug.engines(0).runs_size()));
  }
  EXPECT_EQ(findRun(debug, Engine::Load, 1), nullptr);
  EXPECT_EQ(findRun(debug, Engine::Load, 2)->tile(), 1u);
  EXPECT_EQ(findRun(debug, Engine::Load, 5)->tile(), 3u);
  EXPECT_EQ(findRun(debug, Engine::Load, 100)->tile(), 4u);
  EXPECT_EQ(findRun(debug, Engine::Store, 2), nullptr);
}

TEST(ProgramFile, DramBytesPadsBatchAndChannels) {
  DramTensor tensor;
  for (int64_t d : {3, 5, 6, 20})
    tensor.add_shape(d);
  EXPECT_EQ(dramBytes(shipped("pynq"), tensor), 3u * 5 * 6 * 32);
  EXPECT_EQ(dramBytes(shipped("batch4"), tensor), 4u * 5 * 6 * 32);
}

} // namespace
} // namespace tenon::isa
