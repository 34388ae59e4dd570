//===- graph_size_test.cpp - Operators and live bytes, by hand ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Transforms/GraphSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tenon;

namespace {

GraphSize measure(const std::string &Text) {
  mlir::MLIRContext Context;
  Context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::linalg::LinalgDialect, mlir::scf::SCFDialect,
                      mlir::tensor::TensorDialect, mlir::tosa::TosaDialect>();
  auto Module = mlir::parseSourceString<mlir::ModuleOp>(Text, &Context);
  EXPECT_TRUE(Module) << Text;
  return Module ? measureGraph(*Module) : GraphSize();
}

TEST(GraphSize, TensorsLiveToTheirLastReader) {
  // x 40 lives throughout; a 40, b 160 and c 4 at once, then a and d 10.
  GraphSize Size = measure(R"(
    func.func @main(%x: tensor<10xf32>) -> tensor<10xi8> {
      %a = tosa.abs %x : (tensor<10xf32>) -> tensor<10xf32>
      %r = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
      %b = tosa.tile %a, %r : (tensor<10xf32>, !tosa.shape<1>) -> tensor<40xf32>
      %c = tosa.argmax %b {axis = 0 : i32} : (tensor<40xf32>) -> tensor<i32>
      %d = tosa.cast %a : (tensor<10xf32>) -> tensor<10xi8>
      return %d : tensor<10xi8>
    })");
  EXPECT_EQ(Size.Operators, 4u);
  EXPECT_EQ(Size.Tensors.Bytes, 40u + 160 + 4 + 10);
  EXPECT_EQ(Size.Peak.Bytes, 40u + 40 + 160 + 4);
  EXPECT_EQ(Size.Peak.Open, 0u);
  EXPECT_EQ(Size.Constants, 0u);
}

TEST(GraphSize, WhatIsReturnedLivesToTheEnd) {
  // y 400 stays while z 16 is made; the reverse order would be as much.
  GraphSize Size = measure(R"(
    func.func @main(%x: tensor<4xi32>) -> (tensor<100xf32>, tensor<4xi32>) {
      %c = arith.constant 1.0 : f32
      %y = tensor.splat %c : tensor<100xf32>
      %z = tosa.abs %x : (tensor<4xi32>) -> tensor<4xi32>
      return %y, %z : tensor<100xf32>, tensor<4xi32>
    })");
  EXPECT_EQ(Size.Peak.Bytes, 16u + 400 + 16);
}

TEST(GraphSize, EqualConstantsCountOnce) {
  GraphSize Size = measure(R"(
    func.func @main() -> (tensor<3xi64>, tensor<3xi64>, tensor<5xi1>) {
      %a = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
      %b = "tosa.const"() <{values = dense<[1, 2, 3]> : tensor<3xi64>}> : () -> tensor<3xi64>
      %c = arith.constant dense<true> : tensor<5xi1>
      return %a, %b, %c : tensor<3xi64>, tensor<3xi64>, tensor<5xi1>
    })");
  EXPECT_EQ(Size.Operators, 0u);
  EXPECT_EQ(Size.Constants, 24u + 5);
  EXPECT_EQ(Size.Peak.Bytes, 0u);
}

TEST(GraphSize, ViewsAndDestinationsTakeNoMemory) {
  // The fill's 24 are the product's and, seen as 6 elements, the slice's.
  GraphSize Size = measure(R"(
    func.func @main(%a: tensor<2x5xf32>, %b: tensor<5x3xf32>) -> tensor<4xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<2x3xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
      %p = linalg.matmul ins(%a, %b : tensor<2x5xf32>, tensor<5x3xf32>)
             outs(%f : tensor<2x3xf32>) -> tensor<2x3xf32>
      %flat = tensor.collapse_shape %p [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
      %s = tensor.extract_slice %flat[1] [4] [1] : tensor<6xf32> to tensor<4xf32>
      return %s : tensor<4xf32>
    })");
  EXPECT_EQ(Size.Operators, 4u);
  EXPECT_EQ(Size.Tensors.Bytes, 24u);
  EXPECT_EQ(Size.Peak.Bytes, 40u + 60 + 24);
}

TEST(GraphSize, ADestinationThatIsReadAgainIsCopied) {
  GraphSize Size = measure(R"(
    func.func @main(%i: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
      %g = tensor.insert_slice %i into %f[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
      return %f, %g : tensor<8xf32>, tensor<8xf32>
    })");
  EXPECT_EQ(Size.Tensors.Bytes, 32u + 32);
  EXPECT_EQ(Size.Peak.Bytes, 8u + 32 + 32);
}

TEST(GraphSize, OpenTensorsAreCounted) {
  GraphSize Size = measure(R"(
    func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
      %a = tosa.abs %x : (tensor<?xf32>) -> tensor<?xf32>
      %b = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32>
      %c = tosa.abs %b : (tensor<?xf32>) -> tensor<3xf32>
      return %c : tensor<3xf32>
    })");
  EXPECT_EQ(Size.Tensors.Bytes, 12u);
  EXPECT_EQ(Size.Tensors.Open, 2u);
  EXPECT_EQ(Size.Peak.Bytes, 12u);
  EXPECT_EQ(Size.Peak.Open, 3u); // x, a and b
}

TEST(GraphSize, BodiesAreInside) {
  // Beside x 40, which the branch reads, its 40 and 4; then the result's 4.
  GraphSize Size = measure(R"(
    func.func @main(%x: tensor<10xf32>, %which: i1) -> tensor<i32> {
      %y = scf.if %which -> tensor<i32> {
        %a = tosa.abs %x : (tensor<10xf32>) -> tensor<10xf32>
        %m = tosa.argmax %a {axis = 0 : i32} : (tensor<10xf32>) -> tensor<i32>
        scf.yield %m : tensor<i32>
      } else {
        %n = tosa.argmax %x {axis = 0 : i32} : (tensor<10xf32>) -> tensor<i32>
        scf.yield %n : tensor<i32>
      }
      return %y : tensor<i32>
    })");
  EXPECT_EQ(Size.Operators, 4u);
  EXPECT_EQ(Size.Tensors.Bytes, 44u + 4);
  EXPECT_EQ(Size.Peak.Bytes, 40u + 44);
}

TEST(GraphSize, ALoopCarriesInPlace) {
  // The state's 16, and the step's 16 beside it.
  GraphSize Size = measure(R"(
    func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %s = tosa.abs %x : (tensor<4xf32>) -> tensor<4xf32>
      %r = scf.for %i = %zero to %n step %one iter_args(%c = %s) -> tensor<4xf32> {
        %d = tosa.add %c, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
        scf.yield %d : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    })");
  EXPECT_EQ(Size.Peak.Bytes, 16u + 16 + 16);
}

TEST(GraphSize, FunctionsAddUpAndTheGreatestPeakStands) {
  GraphSize Size = measure(R"(
    func.func @small(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = tosa.abs %x : (tensor<2xf32>) -> tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func @large(%x: tensor<7xf64>) -> tensor<7xf64> {
      %y = tosa.abs %x : (tensor<7xf64>) -> tensor<7xf64>
      return %y : tensor<7xf64>
    })");
  EXPECT_EQ(Size.Operators, 2u);
  EXPECT_EQ(Size.Tensors.Bytes, 8u + 56);
  EXPECT_EQ(Size.Peak.Bytes, 112u);
}

} // namespace
