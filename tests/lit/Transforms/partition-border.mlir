// A float border is quantised and dequantised by the host: part of packing, and
// no offence against require-accelerator.
// RUN: tenon-opt %s -accel-attach-machine -accel-partition="require-accelerator=true" -verify-each | FileCheck %s

// CHECK: func.func private @host_1
// CHECK-SAME: tenon.name = "dequantize"
// CHECK-SAME: tenon.reason = "the network's border is floating-point
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.name = "quantize"
func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32> {
  %s = "tosa.const"() <{values = dense<2.5> : tensor<1x1x1x1xf32>}> : () -> tensor<1x1x1x1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %m = tosa.mul %x, %s, %shift : (tensor<1x4x4x2xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x4x4x2xf32>
  %i = tosa.cast %m : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xi8>
  %q = tosa.max_pool2d %i {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi8>) -> tensor<1x3x3x2xi8>
  %f = tosa.cast %q : (tensor<1x3x3x2xi8>) -> tensor<1x3x3x2xf32>
  %d = tosa.mul %f, %s, %shift : (tensor<1x3x3x2xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x3x3x2xf32>
  return %d : tensor<1x3x3x2xf32>
}
