// Part of Tenon, under the Apache License v2.0.

#include "compiler/driver/compile.h"

#include "isa/files.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::compiler {
namespace {

using ::testing::HasSubstr;

/// A file with `text`, in TOSA.
std::string tosaFile(const std::string &text) {
  std::string path = ::testing::TempDir() + "/network.mlir";
  EXPECT_TRUE(isa::writeFile(path, text).ok());
  return path;
}

constexpr char maxPool[] =
    TENON_SOURCE_DIR "/tests/fuzz/input/seeds/tosa/max_pool.mlir";

/// A model in ONNX's text form with the input `x` of int8, of that shape.
std::string onnxFile(const std::string &dimensions) {
  std::string path = ::testing::TempDir() + "/network.textproto";
  EXPECT_TRUE(isa::writeFile(path, R"(
ir_version: 8 opset_import { version: 13 } graph { name: "g"
node { op_type: "MaxPool" name: "pool" input: "x" output: "y"
  attribute { name: "kernel_shape" type: INTS ints: 2 ints: 2 } }
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
    for (const isa::Executable &executable : compiled->program.executables())
      text += executable.triple() + "+" +
              std::to_string(executable.features_size()) + " ";
    return text;
  };
  EXPECT_EQ(triples({"x86-64-v2", "armv7", "x86-64-v4"}),
            "armv7-unknown-linux-gnueabihf+1 x86_64-unknown-linux-gnu+20 "
            "x86_64-unknown-linux-gnu+7 ");
  EXPECT_EQ(triples({"z80"}),
            "host 'z80' is unknown, expected some of: x86-64-v2, x86-64-v3, "
            "x86-64-v4, aarch64, armv7");
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
  EXPECT_EQ(heard[0].message, "the batch 'N' of input 'x' is taken as 1");
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
