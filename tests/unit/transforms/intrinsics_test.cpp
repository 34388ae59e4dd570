//===- intrinsics_test.cpp - Reductions and the declared intrinsics -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Hand-made linalg.generic operations, one for each thing that keeps a
// reduction off the accelerator, beside ones that match. What TOSA lowers to
// never has some of these forms; another front end may.
//
//===----------------------------------------------------------------------===//

#include "tenon/Transforms/Intrinsics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tenon;

namespace {

constexpr char MultiplyAdd[] = R"(
  ^bb0(%a: i8, %b: i8, %c: i32):
    %d = arith.extsi %a : i8 to i32
    %e = arith.extsi %b : i8 to i32
    %f = arith.muli %d, %e : i32
    %g = arith.addi %c, %f : i32
    linalg.yield %g : i32
)";

/// One linalg.generic over %x and %w into %y, in @main.
struct Case {
  std::string X, W, Y;          // types
  std::string MapX, MapW, MapY; // affine maps
  std::string Iterators;        // p and r, one an iterator
  std::string Body = MultiplyAdd;
};

std::string textOf(const Case &C) {
  std::string Iterators;
  for (char Kind : C.Iterators)
    Iterators += std::string(Iterators.empty() ? "" : ", ") +
                 (Kind == 'p' ? "\"parallel\"" : "\"reduction\"");
  return "func.func @main(%x: " + C.X + ", %w: " + C.W + ", %y: " + C.Y +
         ") -> " + C.Y +
         " {\n%r = linalg.generic {indexing_maps = [affine_map<" + C.MapX +
         ">, affine_map<" + C.MapW + ">, affine_map<" + C.MapY +
         ">], iterator_types = [" + Iterators + "]} ins(%x, %w : " + C.X +
         ", " + C.W + ") outs(%y : " + C.Y + ") {" + C.Body + "} -> " + C.Y +
         "\nreturn %r : " + C.Y + "\n}";
}

/// The name of the intrinsic that matches, or why none does. `Activations` are
/// the numbers of the arguments that are computed at run time.
std::string match(const Case &C, std::vector<unsigned> Activations = {0},
                  IntrinsicMatch *Found = nullptr) {
  mlir::DialectRegistry Registry;
  Registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect>();
  mlir::MLIRContext Context(Registry);
  auto Module = mlir::parseSourceString<mlir::ModuleOp>(textOf(C), &Context);
  if (!Module)
    return "no module: " + textOf(C);
  mlir::linalg::GenericOp Op;
  Module->walk([&](mlir::linalg::GenericOp G) { Op = G; });
  auto IsActivation = [&](mlir::Value V) {
    auto Argument = mlir::cast<mlir::BlockArgument>(V);
    return llvm::is_contained(Activations, Argument.getArgNumber());
  };
  std::string Why;
  auto Match = matchIntrinsic(Op, IsActivation, Why);
  if (Match && Found)
    *Found = *Match;
  return Match ? Match->Decl->Name : Why;
}

// y[m, n] += x[m, k] * w[k, n]
Case product() {
  return {"tensor<2x4xi8>",
          "tensor<4x3xi8>",
          "tensor<2x3xi32>",
          "(m, n, k) -> (m, k)",
          "(m, n, k) -> (k, n)",
          "(m, n, k) -> (m, n)",
          "ppr"};
}

TEST(Intrinsics, ProductIsGemmWhicheverFactorIsTheInput) {
  IntrinsicMatch Found;
  EXPECT_EQ(match(product(), {0}, &Found), "gemm");
  EXPECT_EQ(Found.Input, 0);
  EXPECT_EQ(Found.Weights, 1);
  EXPECT_EQ(Found.WeightAxes[AxisIn], 0);
  EXPECT_EQ(Found.WeightAxes[AxisOut], 1);
  // x * w with w the input: the rows are n, which the result must begin with.
  Case Swapped = product();
  Swapped.MapW = "(m, n, k) -> (n, k)";
  Swapped.W = "tensor<3x4xi8>";
  Swapped.MapY = "(m, n, k) -> (n, m)";
  Swapped.Y = "tensor<3x2xi32>";
  EXPECT_EQ(match(Swapped, {1}, &Found), "gemm");
  EXPECT_EQ(Found.Input, 1);
  EXPECT_EQ(Found.Weights, 0);
}

// Rows two apart, taps three apart along y; one apart along x.
Case convolution() {
  return {"tensor<1x8x5x4xi8>", // 8 = 2 * 2 + 1 * 3 + 1
          "tensor<6x2x3x4xi8>",
          "tensor<1x3x3x6xi32>",
          "(n, y, x, o, i, j, c) -> (n, y * 2 + i * 3, x + j, c)",
          "(n, y, x, o, i, j, c) -> (o, i, j, c)",
          "(n, y, x, o, i, j, c) -> (n, y, x, o)",
          "pppprrr"};
}

TEST(Intrinsics, ConvolutionHasItsWindow) {
  IntrinsicMatch Found;
  ASSERT_EQ(match(convolution(), {0}, &Found), "gemm");
  EXPECT_EQ(Found.Stride, (std::array<int64_t, 2>{2, 1}));
  EXPECT_EQ(Found.Dilation, (std::array<int64_t, 2>{3, 1}));
  EXPECT_EQ(Found.Kernel, (std::array<int64_t, 2>{2, 3}));
  EXPECT_EQ(Found.WeightAxes, (std::array<int, 4>{0, 1, 2, 3}));
}

TEST(Intrinsics, WeightsComputedAtRunTime) {
  // A product may have them, with a matrix for each of its batches, or one.
  IntrinsicMatch Found;
  ASSERT_EQ(match(product(), {0, 1}, &Found), "product");
  EXPECT_EQ(Found.WeightAxes, (std::array<int, 4>{1, -1, -1, 0}));
  Case Batches = {"tensor<5x2x4xi8>",
                  "tensor<5x4x3xi8>",
                  "tensor<5x2x3xi32>",
                  "(b, m, n, k) -> (b, m, k)",
                  "(b, m, n, k) -> (b, k, n)",
                  "(b, m, n, k) -> (b, m, n)",
                  "pppr"};
  ASSERT_EQ(match(Batches, {0, 1}, &Found), "product");
  EXPECT_EQ(Found.WeightAxes, (std::array<int, 4>{2, 0, -1, 1}));
  EXPECT_EQ(match(convolution(), {0, 1}),
            "both factors are computed at run time");
}

TEST(Intrinsics, BothFactorsAreConstants) {
  EXPECT_EQ(match(product(), {}), "both factors are constants");
}

TEST(Intrinsics, OpenShape) {
  Case C = product();
  C.X = "tensor<?x4xi8>";
  C.Y = "tensor<?x3xi32>";
  EXPECT_EQ(match(C), "its shape is not static");
}

TEST(Intrinsics, IndexThatIsNoSum) {
  Case C = product();
  C.MapX = "(m, n, k) -> (m, k floordiv 2)";
  EXPECT_EQ(match(C), "an index that is not a sum of scaled iterators");
}

TEST(Intrinsics, ScalarInput) {
  Case C = product();
  C.X = "tensor<i8>";
  C.MapX = "(m, n, k) -> ()";
  EXPECT_EQ(match(C), "a scalar input");
}

TEST(Intrinsics, TransposedResult) {
  Case C = product();
  C.Y = "tensor<3x2xi32>";
  C.MapY = "(m, n, k) -> (n, m)";
  EXPECT_EQ(match(C), "its result is ordered otherwise than its input");
}

TEST(Intrinsics, WindowOfAnInputWithoutFourAxes) {
  Case C = {"tensor<5x4xi8>",
            "tensor<6x3x4xi8>",
            "tensor<3x6xi32>",
            "(x, o, j, c) -> (x + j, c)",
            "(x, o, j, c) -> (o, j, c)",
            "(x, o, j, c) -> (x, o)",
            "pprr"};
  EXPECT_EQ(match(C), "its window does not lie on the two middle axes of four");
}

TEST(Intrinsics, EveryOtherWeight) {
  Case C = product();
  C.W = "tensor<7x3xi8>";
  C.MapW = "(m, n, k) -> (k * 2, n)";
  EXPECT_EQ(match(C),
            "its weights are indexed by more than channels and window");
}

} // namespace
