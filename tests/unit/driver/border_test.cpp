// Part of Tenon, under the Apache License v2.0.
//
// What a program says of the arguments and results of @main.

#include "isa/configuration.h"
#include "isa/program.h"
#include "runtime/host_device.h"
#include "runtime/run_once.h"
#include "tenon/Target/Accelerator/Border.h"
#include "tenon/Target/Accelerator/EmitProgram.h"
#include "tenon/Target/CPU/CPUTarget.h"
#include "tenon/Target/CPU/Hosts.h"

#include "mlir/Parser/Parser.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A program of @main: its steps too if they are calls, else the border alone.
llvm::Expected<isa::Program> programOf(const std::string &text,
                                       bool withSteps = false) {
  mlir::DialectRegistry registry;
  registerCPUTarget(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  auto layout = isa::Layout::get(*isa::loadConfiguration("tiny"));
  if (!withSteps)
    return borderOf(*module, *layout);
  auto codeOf = [](mlir::ModuleOp functions) -> llvm::Expected<isa::HostCode> {
    auto objects = compileForHosts(functions, {&thisHost()});
    if (!objects)
      return objects.takeError();
    return std::move(objects->Code);
  };
  return emitProgram(*module, *layout, codeOf);
}

isa::Buffer inputOf(const std::string &type, const std::string &attributes) {
  auto program = programOf(
      "func.func @main(%x: " + type + " {tenon.name = \"x\"" +
      (attributes.empty() ? "" : ", ") + attributes + "}) { return }");
  if (program)
    return program->buffers(program->inputs(0));
  ADD_FAILURE() << llvm::toString(program.takeError());
  return {};
}

std::string refusal(const std::string &type, const std::string &attributes) {
  auto program = programOf(
      "func.func @main(%x: " + type + " {tenon.name = \"x\"" +
      (attributes.empty() ? "" : ", ") + attributes + "}) { return }");
  return program ? "" : llvm::toString(program.takeError());
}

TEST(Border, HasEveryElementType) {
  for (auto [text, type] : {std::pair("i1", isa::BOOL),
                            {"i8", isa::INT8},
                            {"i16", isa::INT16},
                            {"i32", isa::INT32},
                            {"i64", isa::INT64},
                            {"ui8", isa::UINT8},
                            {"ui16", isa::UINT16},
                            {"ui32", isa::UINT32},
                            {"ui64", isa::UINT64},
                            {"f16", isa::FLOAT16},
                            {"bf16", isa::BFLOAT16},
                            {"f32", isa::FLOAT32},
                            {"f64", isa::FLOAT64}})
    EXPECT_EQ(inputOf("tensor<2x" + std::string(text) + ">", "").type(), type)
        << text;
  for (const isa::ElementFormat &format : isa::elementFormats())
    if (format.bytes == 1)
      EXPECT_EQ(inputOf("tensor<2xi8>", "tenon.element = \"" +
                                            isa::ElementType_Name(format.type) +
                                            "\"")
                    .type(),
                format.type);
}

TEST(Border, NamesOpenDimensions) {
  isa::Buffer x = inputOf("tensor<?x3x?xf32>", "tenon.symbols = [\"batch\", "
                                               "\"\", \"\"]");
  EXPECT_THAT(x.shape(), ElementsAre(0, 3, 0));
  EXPECT_THAT(x.symbols(), ElementsAre("batch", "", "x.2"));
  EXPECT_THAT(inputOf("tensor<?xf32>", "").symbols(), ElementsAre("x.0"));
  EXPECT_THAT(inputOf("tensor<4xf32>", "tenon.symbols = [\"n\"]").symbols(),
              IsEmpty());
}

TEST(Border, RefusesWhatProgramsHaveNot) {
  EXPECT_EQ(refusal("tensor<*xf32>", ""),
            "host array 'x': expected a tensor of known rank");
  EXPECT_EQ(refusal("tensor<2xi7>", ""),
            "host array 'x': expected elements of 1, 8, 16, 32 or 64 bits, "
            "found i7");
  EXPECT_EQ(refusal("tensor<2xi8>", "tenon.element = \"FLOAT16\""),
            "host array 'x': 'tenon.element' is 'FLOAT16', expected a type of "
            "one byte for elements of one byte");
  EXPECT_EQ(refusal("tensor<?xi8>", "tenon.symbols = [\"a\", \"b\"]"),
            "host array 'x': 'tenon.symbols' has 2 names for 1 dimensions");
}

/// Two host functions with an array between them of as many elements as the
/// first one says, and results of known, of named and of untold extents.
constexpr char network[] = R"(
func.func @main(%x: tensor<?xui32> {tenon.name = "x", tenon.symbols = ["n"]})
    -> (tensor<?xui32> {tenon.name = "same", tenon.symbols = ["n"]},
        tensor<?xi32> {tenon.name = "half", tenon.symbols = ["unheard"]},
        tensor<1xi64> {tenon.name = "count"}) {
  %h, %s = func.call @halve(%x) : (tensor<?xui32>) -> (tensor<?xi32>, tensor<?xui32>)
  %c = func.call @count(%h) : (tensor<?xi32>) -> tensor<1xi64>
  return %s, %h, %c : tensor<?xui32>, tensor<?xi32>, tensor<1xi64>
}
func.func private @halve(%x: tensor<?xui32>) -> (tensor<?xi32>, tensor<?xui32>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %size = tensor.dim %x, %zero : tensor<?xui32>
  %odd = arith.remui %size, %two : index
  %even = arith.cmpi eq, %odd, %zero : index
  cf.assert %even, "x has an odd number of elements"
  %half = arith.divui %size, %two : index
  %s = tensor.bitcast %x : tensor<?xui32> to tensor<?xi32>
  %y = tensor.extract_slice %s[0] [%half] [1] : tensor<?xi32> to tensor<?xi32>
  return %y, %x : tensor<?xi32>, tensor<?xui32>
}
func.func private @count(%x: tensor<?xi32>) -> tensor<1xi64> {
  %zero = arith.constant 0 : index
  %size = tensor.dim %x, %zero : tensor<?xi32>
  %wide = arith.index_cast %size : index to i64
  %y = tensor.from_elements %wide : tensor<1xi64>
  return %y : tensor<1xi64>
})";

TEST(Border, LeadsOpenDimensionsThroughKernels) {
  auto program = programOf(network, true);
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  ASSERT_EQ(isa::validateProgram(*program), absl::OkStatus());
  EXPECT_THAT(program->buffers(program->outputs(0)).symbols(),
              ElementsAre("n"));
  EXPECT_THAT(program->buffers(program->outputs(1)).symbols(),
              ElementsAre("?"));
  runtime::HostDevice cpu(program->configuration());
  for (int64_t size : {6, 2, 0}) {
    runtime::Array x{isa::UINT32, {size}, {}};
    for (int64_t i = 0; i < size; ++i)
      x.bytes.insert(x.bytes.end(), {uint8_t(i + 1), 0, 0, 0x80});
    auto outcome =
        runtime::runOnce(*program, cpu, {x}, runtime::Observer::ofEverything(),
                         runtime::HostCodeTrust::Any);
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_EQ(outcome->outputs[0].bytes, x.bytes);
    EXPECT_THAT(outcome->outputs[1].shape, ElementsAre(size / 2));
    EXPECT_EQ(
        outcome->outputs[1].bytes,
        std::vector<uint8_t>(x.bytes.begin(), x.bytes.begin() + size / 2 * 4));
    EXPECT_EQ(runtime::valueAt(outcome->outputs[2], 0), size / 2);
  }
  runtime::Array odd{isa::UINT32, {1}, {1, 2, 3, 4}};
  EXPECT_EQ(runtime::runOnce(*program, cpu, {odd},
                             runtime::Observer::ofEverything(),
                             runtime::HostCodeTrust::Any)
                .status(),
            absl::InvalidArgumentError("x has an odd number of elements"));
}

} // namespace
} // namespace tenon
