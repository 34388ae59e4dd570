//===- cpu_test.cpp - TOSA on the host ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/host_code.h"
#include "tenon/Target/CPU/CPUTarget.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tenon;

namespace {

/// Compiles `text`, calls @main with `buffers` (inputs, then results).
void runMain(const std::string &text, std::vector<void *> buffers) {
  mlir::DialectRegistry registry;
  registerCPUTarget(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto object = compileToObject(*module);
  ASSERT_TRUE(static_cast<bool>(object)) << llvm::toString(object.takeError());
  auto code = runtime::HostCode::load(*object);
  ASSERT_TRUE(code.ok()) << code.status();
  ASSERT_TRUE(code->call("main_packed", buffers).ok());
}

// TOSA 1.0, apply_scale_32 with single rounding, in 128 bits.
int8_t rescaled(int32_t value, int32_t multiplier, int shift, int zero) {
  __int128 product = static_cast<__int128>(value) * multiplier;
  int64_t result = static_cast<int64_t>(
      (product + (static_cast<__int128>(1) << (shift - 1))) >> shift);
  result += zero;
  return static_cast<int8_t>(
      std::min<int64_t>(127, std::max<int64_t>(-128, result)));
}

TEST(CpuTarget, RescaleIsTosas) {
  // Values around every rounding edge of shift 31 with a multiplier that is no
  // power of two, and extremes.
  std::vector<int32_t> input{0,     1,     -1,         2,           -2,  3,
                             -3,    7,     -7,         101,         -99, 12345,
                             -9876, 99999, 2147483647, -2147483648, 64,  -64};
  std::vector<int8_t> output(input.size(), 0x55);
  runMain(R"(
func.func @main(%x: tensor<18xi32>) -> tensor<18xi8> {
  %m = "tosa.const"() <{values = dense<1340000001> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %i = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %o = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = tosa.rescale %x, %m, %s, %i, %o {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<18xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<18xi8>
  return %y : tensor<18xi8>
})",
          {input.data(), output.data()});
  for (size_t i = 0; i < input.size(); ++i)
    EXPECT_EQ(output[i], rescaled(input[i], 1340000001, 33, -5)) << input[i];
}

TEST(CpuTarget, ExponentialIsWithinTwoUlpOfLibm) {
  std::vector<float> input, output(64, -1);
  for (int i = 0; i < 64; ++i)
    input.push_back(-20.0f + 0.3125f * i);
  runMain(R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tosa.exp %x : (tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
})",
          {input.data(), output.data()});
  for (int i = 0; i < 64; ++i)
    EXPECT_NEAR(output[i] / std::exp(static_cast<double>(input[i])), 1, 2.4e-7)
        << input[i];
}

TEST(CpuTarget, NamedTensorsBecomeResults) {
  mlir::DialectRegistry registry;
  registerCPUTarget(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
func.func @main(%x: tensor<2x3xi8>) -> tensor<3x2xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.negate %x, %z, %z {tenon.tensor = {name = "inner", unsigned = true, perm = array<i64: 1, 0>, shape = array<i64: 3, 2>}} : (tensor<2x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  %y = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %y : tensor<3x2xi8>
})",
                                                        &context);
  ASSERT_TRUE(module);
  auto reference = compileReference(*module);
  ASSERT_TRUE(static_cast<bool>(reference))
      << llvm::toString(reference.takeError());
  ASSERT_EQ(reference->Tensors.size(), 1u);
  EXPECT_EQ(reference->Tensors[0].Name, "inner");
  EXPECT_TRUE(reference->Tensors[0].IsUnsigned);
  EXPECT_EQ(reference->Tensors[0].Shape, (std::vector<int64_t>{3, 2}));
  auto code = runtime::HostCode::load(reference->Object);
  ASSERT_TRUE(code.ok()) << code.status();
  std::vector<int8_t> x{1, 2, 3, 4, 5, 6}, y(6, 0x55), inner(6, 0x55);
  std::vector<void *> buffers{x.data(), y.data(), inner.data()};
  ASSERT_TRUE(code->call("main_packed", buffers).ok());
  EXPECT_EQ(inner, (std::vector<int8_t>{127, 124, 126, 123, 125, 122}));
  EXPECT_EQ(y, (std::vector<int8_t>{-1, -4, -2, -5, -3, -6}));
}

TEST(HostCode, RefusesWhatIsNoObject) {
  EXPECT_EQ(runtime::HostCode::load("not an object file").status().code(),
            absl::StatusCode::kInvalidArgument);
}

} // namespace
