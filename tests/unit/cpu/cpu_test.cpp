//===- cpu_test.cpp - TOSA on the host ------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/executable.h"
#include "tests/unit/cpu/host_run.h"

#include "gmock/gmock.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace tenon;
using ::testing::HasSubstr;

namespace {

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
          {input.data()}, output);
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
          {input.data()}, output);
  for (int i = 0; i < 64; ++i)
    EXPECT_NEAR(output[i] / std::exp(static_cast<double>(input[i])), 1, 2.4e-7)
        << input[i];
}

llvm::Expected<Reference> referenceOf(const std::string &text,
                                      Optimization level) {
  mlir::DialectRegistry registry;
  registerCPUTarget(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError("the test's module does not parse");
  return compileReference(*module, level);
}

TEST(CpuTarget, NamedTensorsBecomeResults) {
  auto reference = referenceOf(R"(
func.func @main(%x: tensor<2x3xi8>) -> tensor<3x2xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.negate %x, %z, %z {tenon.tensor = {name = "inner", unsigned = true, perm = array<i64: 1, 0>, shape = array<i64: 3, 2>}} : (tensor<2x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  %y = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %y : tensor<3x2xi8>
})",
                               Optimization::Plain);
  ASSERT_TRUE(static_cast<bool>(reference))
      << llvm::toString(reference.takeError());
  ASSERT_EQ(reference->Tensors.size(), 1u);
  EXPECT_EQ(reference->Tensors[0].Name, "inner");
  EXPECT_TRUE(reference->Tensors[0].IsUnsigned);
  EXPECT_EQ(reference->Tensors[0].Shape, (std::vector<int64_t>{3, 2}));
  std::vector<int8_t> x{1, 2, 3, 4, 5, 6}, y(6, 0x55), inner(6, 0x55);
  run(reference->Code, {x.data(), y.data(), inner.data()});
  EXPECT_EQ(inner, (std::vector<int8_t>{127, 124, 126, 123, 125, 122}));
  EXPECT_EQ(y, (std::vector<int8_t>{-1, -4, -2, -5, -3, -6}));
}

/// What weights alone determine is no loop nest of the code for speed.
TEST(CpuTarget, ComputesConstantsBeforeTheRun) {
  auto reference = referenceOf(R"(
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = "tosa.const"() <{values = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}> : () -> tensor<3x2xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %t = linalg.transpose ins(%w : tensor<3x2xf32>) outs(%e : tensor<2x3xf32>) permutation = [1, 0]
  %p = tensor.empty() : tensor<2x3xf32>
  %s = linalg.mul ins(%t, %t : tensor<2x3xf32>, tensor<2x3xf32>) outs(%p : tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = tosa.add %x, %s : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
})",
                               Optimization::ForSpeed);
  ASSERT_TRUE(static_cast<bool>(reference))
      << llvm::toString(reference.takeError());
  ASSERT_EQ(reference->Code.kernels_size(), 1);
  EXPECT_EQ(reference->Code.kernels(0).nests_size(), 1);
  std::vector<float> x{1, 1, 1, 1, 1, 1}, y(6);
  run(reference->Code, {x.data(), y.data()});
  EXPECT_EQ(y, (std::vector<float>{2, 10, 26, 5, 17, 37}));
}

/// Sums, differences and products of floats that are special, close to each
/// other, or random.
std::vector<float> awkwardFloats(int count) {
  const float special[] = {
      0.0f,          -0.0f,      1.0f,      1.5f,
      -1.0f,         8388607.5f, 0x1p-149f, -0x1.fffffep127f,
      0x1.000002p0f, INFINITY};
  std::mt19937 random(16);
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    uint32_t bits = uint32_t(random());
    float value;
    std::memcpy(&value, &bits, 4);
    unsigned kind = random() % 4;
    if (kind == 0)
      value = special[random() % std::size(special)];
    if (kind == 1) // near one, so that products and sums cancel
      value = 1 + std::ldexp(float(int(bits % 17)) - 8, -23);
    values.push_back(std::isnan(value) ? 1.0f : value);
  }
  return values;
}

TEST(CpuTarget, FusedMultiplicationRoundsOnceOnEveryHost) {
  constexpr int count = 30000;
  std::vector<float> values = awkwardFloats(3 * count);
  std::vector<float> output(count);
  runMain(R"(
#id = affine_map<(i) -> (i)>
func.func @main(%a: tensor<30000xf32>, %b: tensor<30000xf32>, %c: tensor<30000xf32>) -> tensor<30000xf32> {
  %e = tensor.empty() : tensor<30000xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b, %c : tensor<30000xf32>, tensor<30000xf32>, tensor<30000xf32>) outs(%e : tensor<30000xf32>) {
  ^bb0(%x: f32, %z: f32, %w: f32, %o: f32):
    %r = math.fma %x, %z, %w : f32
    // NaNs have bits of their own on each host.
    %nan = arith.cmpf uno, %r, %r : f32
    %one = arith.constant 1.0 : f32
    %s = arith.select %nan, %one, %r : f32
    linalg.yield %s : f32
  } -> tensor<30000xf32>
  return %y : tensor<30000xf32>
})",
          {&values[0], &values[count], &values[2 * count]}, output);
  for (int i = 0; i < count; ++i) {
    float expected =
        std::fma(values[i], values[count + i], values[2 * count + i]);
    if (std::isnan(expected))
      expected = 1;
    ASSERT_EQ(std::memcmp(&output[i], &expected, 4), 0)
        << values[i] << " * " << values[count + i] << " + "
        << values[2 * count + i] << " is " << expected << ", not " << output[i];
  }
}

/// Of so many in a row, in vectors of some hosts: the place of the largest says
/// which were looked at.
TEST(CpuTarget, TheLargestOfARowIsFoundAnywhere) {
  for (int count : {1, 3, 4, 7, 16, 39}) {
    const std::string in = "tensor<" + std::to_string(count + 2) + "x" +
                           std::to_string(count) + "xf32>";
    const std::string out = "tensor<" + std::to_string(count + 2) + "xf32>";
    std::vector<float> x(size_t(count + 2) * count, -0.0f), y(count + 2);
    for (int row = 0; row < count; ++row)
      x[size_t(row) * count + row] = row % 2 ? 0.0f : float(row + 1);
    x[size_t(count) * count + count / 2] = NAN;
    runMain("func.func @main(%x: " + in + ") -> " + out + R"( {
  %l = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : )" +
                out + "\n  %f = linalg.fill ins(%l : f32) outs(%e : " + out +
                ") -> " + out + R"(
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : )" +
                in + ") outs(%f : " + out + R"() {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> )" + out +
                "\n  return %y : " + out + "\n}",
            {x.data()}, y);
    for (int row = 0; row < count; ++row) {
      EXPECT_EQ(y[row], row % 2 ? 0.0f : float(row + 1)) << count;
      // Of zeros the last.
      EXPECT_EQ(std::signbit(y[row]), row % 2 && row + 1 < count) << count;
    }
    EXPECT_TRUE(std::isnan(y[count])) << count;
    EXPECT_TRUE(std::signbit(y[count + 1])) << count;
  }
}

TEST(CpuTarget, RefusesWhatNeedsALibrary) {
  auto elementwise = [](const std::string &type, const std::string &operation) {
    return "func.func @main(%x: tensor<4x" + type + ">) -> tensor<4x" + type +
           "> {\n"
           "  %e = tensor.empty() : tensor<4x" +
           type +
           ">\n"
           "  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, "
           "affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} ins(%x : "
           "tensor<4x" +
           type + ">) outs(%e : tensor<4x" + type +
           ">) {\n"
           "  ^bb0(%a: " +
           type + ", %o: " + type + "):\n    " + operation +
           "\n    linalg.yield %r : " + type + "\n  } -> tensor<4x" + type +
           ">\n  return %y : tensor<4x" + type + ">\n}";
  };
  auto hosts = defaultHosts();
  EXPECT_EQ(
      refusal(elementwise("f64", "%r = math.fma %a, %a, %a : f64"), hosts),
      "lowering to the CPU failed: 'math.fma' op on 'f64' would call C's "
      "mathematics library, whose results differ from host to host");
  // What the code generator would call.
  EXPECT_THAT(refusal(elementwise("f128", "%r = arith.divf %a, %a : f128"),
                      {isa::findHostTarget("x86-64-v2")}),
              HasSubstr("host code for x86-64-v2: image: it imports "
                        "'__divtf3'"));
}

TEST(CpuTarget, CompilesForEveryHost) {
  std::vector<const isa::HostTarget *> targets, all;
  for (const isa::HostTarget &target : isa::hostTargets()) {
    all.push_back(&target);
    if (target.base.empty()) // there are no products of bytes
      targets.push_back(&target);
  }
  auto code = compile(R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = tosa.exp %x : (tensor<64xf32>) -> tensor<64xf32>
  %z = tosa.floor %y : (tensor<64xf32>) -> tensor<64xf32>
  return %z : tensor<64xf32>
})",
                      all);
  ASSERT_TRUE(static_cast<bool>(code)) << llvm::toString(code.takeError());
  ASSERT_EQ(size_t(code->executables_size()), targets.size());
  for (size_t i = 0; i < targets.size(); ++i) {
    // The most demanding first.
    const isa::Executable &executable =
        code->executables(int(targets.size() - 1 - i));
    EXPECT_EQ(executable.triple(), targets[i]->triple);
    EXPECT_EQ(size_t(executable.features_size()), targets[i]->features.size());
    auto image = isa::readExecutable(executable);
    ASSERT_TRUE(image.ok()) << image.status();
    EXPECT_TRUE(image->hasFunction("main_packed"));
    EXPECT_FALSE(image->hasFunction("main"));
  }
}

TEST(Hosts, ThisMachineRunsItsOwn) {
  isa::Executable executable;
  executable.set_triple(std::string(thisHost().triple));
  for (absl::string_view feature : thisHost().features)
    executable.add_features(std::string(feature));
  EXPECT_TRUE(isa::satisfies(executable));
}

} // namespace
