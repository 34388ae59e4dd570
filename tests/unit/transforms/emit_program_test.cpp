//===- emit_program_test.cpp - What is no program -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The passes before emitProgram never give it most of these modules; another
// pipeline may.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/Accelerator/EmitProgram.h"

#include "isa/configuration.h"
#include "tenon/Dialect/Accel/Accel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tenon;

namespace {

/// The program of a module that calls no host code, or why there is none.
llvm::Expected<isa::Program> emit(const std::string &Text) {
  mlir::MLIRContext Context;
  Context.loadDialect<accel::AccelDialect, mlir::arith::ArithDialect,
                      mlir::func::FuncDialect, mlir::tensor::TensorDialect>();
  auto Module = mlir::parseSourceString<mlir::ModuleOp>(Text, &Context);
  EXPECT_TRUE(Module) << Text;
  auto Configuration = isa::loadConfiguration("tiny");
  EXPECT_TRUE(Configuration.ok());
  auto L = isa::Layout::get(*Configuration);
  EXPECT_TRUE(L.ok());
  return emitProgram(*Module, *L, [](mlir::ModuleOp) {
    ADD_FAILURE() << "there is no host code";
    return isa::HostCode();
  });
}

void expectError(const std::string &Text, const std::string &Why) {
  auto Program = emit(Text);
  ASSERT_FALSE(bool(Program)) << Text;
  EXPECT_THAT(llvm::toString(Program.takeError()), testing::HasSubstr(Why));
}

TEST(EmitProgram, StepsOnly) {
  expectError(R"(func.func @main() {
    %e = tensor.empty() : tensor<4xi8>
    return
  })",
              "'tensor.empty' is no step of a program");
  expectError(R"(func.func @main() -> tensor<4xi8> {
    %c = arith.constant dense<1> : tensor<4xi8>
    return %c : tensor<4xi8>
  })",
              "'arith.constant' is no step of a program");
  // A constant that nothing uses is left over.
  auto Program = emit(R"(func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
    %c = arith.constant dense<1> : tensor<4xi8>
    return %x : tensor<4xi8>
  })");
  ASSERT_TRUE(bool(Program)) << llvm::toString(Program.takeError());
  EXPECT_EQ(Program->steps_size(), 0);
  EXPECT_EQ(Program->outputs_size(), 1);
}

/// A layout of accel.pack or accel.unpack, and where the tensor lies.
constexpr char Plain[] =
    "{permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32, accel.dram = "
    "{group_bytes = 16 : i64, offset = 0 : i64}} : tensor<1x2x2x4xi8> -> "
    "tensor<1x2x2x4xi8>\n";

TEST(EmitProgram, ValuesOfEarlierSteps) {
  const std::string Main =
      "func.func @main(%x: tensor<1x2x2x4xi8>) -> tensor<1x2x2x4xi8> {\n";
  expectError(Main + "%p = accel.pack %x " + Plain +
                  "return %p : tensor<1x2x2x4xi8> }",
              "'func.return' returns a value that no step makes");
  expectError(Main + "%p = accel.pack %x " + Plain + "%q = accel.pack %p " +
                  Plain + "return %x : tensor<1x2x2x4xi8> }",
              "'accel.pack' reads a value that no step makes");
  expectError(Main + "%u = accel.unpack %x " + Plain +
                  "return %u : tensor<1x2x2x4xi8> }",
              "'accel.unpack' reads an activation that no step makes");
}

TEST(EmitProgram, Calls) {
  expectError(R"(func.func private @away(tensor<4xi8>) -> tensor<4xi8>
  func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
    %y = call @away(%x) : (tensor<4xi8>) -> tensor<4xi8>
    return %y : tensor<4xi8>
  })",
              "calls 'away', which has no body");
}

// Beats of 4 bytes: PROGRAM ends at 2^30 - 4.
TEST(EmitProgram, LaunchesBeginWhereARegisterPoints) {
  const std::string Launch = R"(
    accel.stream 0() attributes {layers = [{}], segments = []} {
      accel.finish layer 0 tile 0
    } : () -> ()
  )";
  auto Module = [&](const std::string &Launches) {
    return "module attributes {accel.dram_bytes = 1073741760 : i64} {"
           "func.func @main() {" +
           Launches + "return } }";
  };
  auto Program = emit(Module(Launch));
  ASSERT_TRUE(bool(Program)) << llvm::toString(Program.takeError());
  EXPECT_EQ(Program->steps(0).launch().program_offset(), 1073741760u);
  expectError(Module(Launch + Launch),
              "the instructions of step 1 begin at byte 1073741824 of DRAM, "
              "register PROGRAM holds at most 1073741820");
}

TEST(EmitProgram, ArraysOfTheHost) {
  expectError("func.func @main(%x: tensor<4xi7>) { return }",
              "expected elements of 1, 8, 16, 32 or 64 bits, found i7");
  expectError("func.func @main(%x: tensor<*xi8>) { return }",
              "expected a tensor of known rank");
}

} // namespace
