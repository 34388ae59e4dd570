// Part of Tenon, under the Apache License v2.0.

#include "compiler/driver/compile.h"

#include "isa/files.h"
#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::compiler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string pathOf(const std::string &name) {
  static const ScratchFolder folder;
  return folder / name;
}

/// A file with `text`, in TOSA.
std::string tosaFile(const std::string &text) {
  std::string path = pathOf("network.mlir");
  EXPECT_TRUE(isa::writeFile(path, text).ok());
  return path;
}

constexpr char maxPool[] =
    TENON_SOURCE_DIR "/tests/fuzz/input/seeds/tosa/max_pool.mlir";

/// A model in ONNX's text form with the input `x` of int8, of that shape.
std::string onnxFile(const std::string &dimensions) {
  std::string path = pathOf("network.textproto");
  EXPECT_TRUE(isa::writeFile(path, R"(
ir_version: 8 opset_import { version: 13 } graph { name: "g"
initializer { name: "s" data_type: 1 float_data: [0.5] }
initializer { name: "z" data_type: 3 int32_data: [0] }
node { op_type: "DequantizeLinear" input: "x" input: "s" input: "z" output: "d" }
node { op_type: "MaxPool" name: "pool" input: "d" output: "p"
  attribute { name: "kernel_shape" type: INTS ints: 2 ints: 2 } }
node { op_type: "QuantizeLinear" input: "p" input: "s" input: "z" output: "y" }
input { name: "x" type { tensor_type { elem_type: 3 shape { )" +
                                       dimensions + R"( } } } }
output { name: "y" type { tensor_type { elem_type: 3 } } } })")
                  .ok());
  return path;
}

TEST(Compile, EachLevelHasItsForm) {
  Options options;
  options.config = "tiny";
  const std::pair<Level, const char *> texts[] = {
      {Level::Tosa, "tosa.max_pool2d"},
      {Level::Graph, "accel.window"},
      {Level::Tiled, "#accel.schedule"},
      {Level::Stream, "accel.stream"}};
  for (auto [level, expected] : texts) {
    auto compiled = compile(maxPool, options, level);
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    EXPECT_THAT(compiled->text, HasSubstr(expected));
    EXPECT_EQ(compiled->program.ByteSizeLong(), 0u);
  }
  auto compiled = compile(maxPool, options, Level::Program);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ(compiled->text, "");
  EXPECT_EQ(compiled->program.model(), "max_pool.mlir");
  EXPECT_EQ(compiled->program.configuration().name(), "tiny");
  ASSERT_TRUE(compiled->verification);
  EXPECT_TRUE(compiled->verification->verified());
  EXPECT_GT(compiled->verification->seconds(), 0);
}

/// Nothing of it is the accelerator's.
constexpr char floats[] = R"(
func.func @main(%x: tensor<4xi8>) -> tensor<4xf32> {
  %y = tosa.cast %x : (tensor<4xi8>) -> tensor<4xf32>
  return %y : tensor<4xf32>
})";

TEST(Compile, CarriesCodeForTheHostsAskedFor) {
  auto triples = [&](std::vector<std::string> hosts) {
    Options options;
    options.hosts = std::move(hosts);
    std::string text;
    auto compiled = compile(tosaFile(floats), options, Level::Program);
    if (!compiled.ok())
      return std::string(compiled.status().message());
    for (const isa::Executable &executable :
         compiled->program.host_code().executables())
      text += executable.triple() + "+" +
              std::to_string(executable.features_size()) + " ";
    return text;
  };
  EXPECT_EQ(triples({"x86-64-v2", "armv7", "x86-64-v4"}),
            "armv7-unknown-linux-gnueabihf+1 x86_64-unknown-linux-gnu+20 "
            "x86_64-unknown-linux-gnu+7 ");
  EXPECT_EQ(triples({"z80"}),
            "host 'z80' is unknown, expected some of: x86-64-v2, x86-64-v3, "
            "x86-64-v3-vnni, x86-64-v4, x86-64-v4-vnni, x86-64-v4-amx, "
            "aarch64, aarch64-dotprod, armv7");
#ifdef __x86_64__
  EXPECT_EQ(triples({}), "x86_64-unknown-linux-gnu+20 "
                         "x86_64-unknown-linux-gnu+15 "
                         "x86_64-unknown-linux-gnu+7 ");
#endif
}

TEST(Compile, TheListenerHearsWhatIsNoError) {
  std::vector<Diagnostic> heard;
  Options options;
  options.config = "tiny";
  options.listener = [&](const Diagnostic &d) { heard.push_back(d); };
  std::string path = onnxFile("dim { dim_param: \"N\" } dim { dim_value: 4 } "
                              "dim { dim_value: 6 } dim { dim_value: 8 }");
  auto compiled = compile(path, options, Level::Tosa);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].severity, Severity::Warning);
  EXPECT_EQ(heard[0].node, "x");
  EXPECT_EQ(heard[0].message,
            "the batch 'N' of input 'x' is taken as 1; --shape gives it "
            "another extent");
}

/// Two convolutions. The large image and its result, 624,033,792 bytes each,
/// are more than 2^28 beats of 4 bytes; the small image has 131,072.
constexpr char largeImage[] = R"(
func.func @main(%x: tensor<1x4416x4416x32xi8>, %y: tensor<1x64x64x32xi8>) -> (tensor<1x4416x4416x32xi8>, tensor<1x64x64x32xi8>) {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %w = "tosa.const"() <{values = dense<3> : tensor<32x3x3x32xi8>}> : () -> tensor<32x3x3x32xi8>
  %b = "tosa.const"() <{values = dense<7> : tensor<32xi32>}> : () -> tensor<32xi32>
  %a0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4416x4416x32xi8>, tensor<32x3x3x32xi8>, tensor<32xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4416x4416x32xi32>
  %q0 = tosa.rescale %a0, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x4416x4416x32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4416x4416x32xi8>
  %a1 = tosa.conv2d %y, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x64x64x32xi8>, tensor<32x3x3x32xi8>, tensor<32xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x64x64x32xi32>
  %q1 = tosa.rescale %a1, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x64x64x32xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x64x64x32xi8>
  return %q0, %q1 : tensor<1x4416x4416x32xi8>, tensor<1x64x64x32xi8>
})";

/// A narrow port and much room behind it.
constexpr char roomy[] = R"(
name: "roomy" batch: 1 block_in: 32 block_out: 32 bus_bits: 32
burst_beats: 256 outstanding_bursts: 16 uop_entries: 1024 inp_entries: 4096
wgt_entries: 128 dwt_entries: 128 acc_entries: 4096 prm_entries: 32
out_entries: 4096 acc_banks: 2 alu_lanes: 32 alu_multiply_cycles: 1
queue_depth: 16 channel_depth: 8 instruction_bits: 256 counters: FULL
clock_mhz: 1000)";

TEST(Compile, WhatIsRefusedBehindPlacementGoesToTheHost) {
  std::vector<Diagnostic> heard;
  Options options;
  options.listener = [&](const Diagnostic &d) { heard.push_back(d); };
  options.config = pathOf("roomy.textproto");
  ASSERT_TRUE(isa::writeFile(options.config, roomy).ok());
  std::string path = tosaFile(largeImage);
  auto compiled = compile(path, options, Level::Tiled);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_THAT(compiled->text, Not(HasSubstr("the host")));
  compiled = compile(path, options, Level::Stream);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_TRUE(heard.empty());
  EXPECT_THAT(compiled->text,
              HasSubstr("placed on the accelerator, it was refused: the "
                        "network's activations need 1248198656 bytes of DRAM, "
                        "a tensor of this layer 624033792; instructions "
                        "address 1073741824\""));
  EXPECT_THAT(compiled->text,
              HasSubstr("tenon.remedy = \"smaller images or batches, or a "
                        "wider memory port\""));
  EXPECT_THAT(compiled->text, HasSubstr("accel.gemm"));
  options.requireAccelerator = true;
  EXPECT_THAT(compile(path, options, Level::Stream).status().message(),
              HasSubstr("'conv2d+rescale' is not on the accelerator, which is "
                        "required: placed on the accelerator, it was refused: "
                        "the network's activations need"));
}

/// The host's arrays have an axis more than a tensor that is packed.
TEST(Compile, AnOperandThatCannotBePackedIsTheHosts) {
  std::string path = tosaFile(R"(
func.func @main(%x: tensor<1x1x8x8x16xi8>) -> tensor<1x1x8x8x16xi8> {
  %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %x, %m, %s, %z, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x1x8x8x16xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x8x8x16xi8>
  return %r : tensor<1x1x8x8x16xi8>
})");
  auto compiled = compile(path, {}, Level::Program);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  ASSERT_EQ(compiled->program.steps_size(), 1);
  EXPECT_EQ(compiled->program.steps(0).host_kernel().reason(),
            "placed on the accelerator, it was refused: an operand of the "
            "layer is no permutation of an array");
}

/// MLIR's parser says nothing of this one.
TEST(Compile, ATextThatIsRefusedWithoutAWord) {
  auto text = isa::readFile(TENON_SOURCE_DIR
                            "/tests/fuzz/input/seeds/tosa/convolution.mlir");
  ASSERT_TRUE(text.ok()) << text.status();
  size_t comma = text->find(", output_unsigned");
  ASSERT_NE(comma, std::string::npos);
  (*text)[comma + 1] = '(';
  std::string path = tosaFile(*text);
  auto status = compile(path, {}, Level::Program).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "'" + path + "': it is not MLIR that can be parsed");
}

TEST(Compile, TheListenerHearsWhatTheStatusSays) {
  std::vector<Diagnostic> heard;
  Options options;
  options.listener = [&](const Diagnostic &d) { heard.push_back(d); };
  std::string path = tosaFile("func.func private @main()");
  auto status = compile(path, options, Level::Program).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "'" + path +
                                  "': a network is one function @main of one "
                                  "block");
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].severity, Severity::Error);
  EXPECT_EQ(heard[0].message, "a network is one function @main of one block");
}

TEST(Compile, ThePhasesAreTold) {
  std::vector<std::string> phases;
  Options options;
  options.config = "tiny";
  options.progress = [&](const std::string &p) { phases.push_back(p); };
  ASSERT_TRUE(compile(maxPool, options, Level::Program).ok());
  EXPECT_EQ(phases.front(), "reading");
  EXPECT_EQ(phases.back(), "verifying");
  EXPECT_THAT(phases,
              ::testing::IsSupersetOf(
                  {"accel-partition", "accel-schedule", "writing code"}));
}

TEST(Compile, AFileThatIsNotThere) {
  auto status = compile("/nowhere/x.onnx", {}, Level::Tosa).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "'/nowhere/x.onnx': cannot read the file: No "
                              "such file or directory");
}

TEST(Compile, AConfigurationThatIsNotThere) {
  Options options;
  options.config = "nope";
  EXPECT_FALSE(compile(maxPool, options, Level::Tosa).ok());
}

} // namespace
} // namespace tenon::compiler
