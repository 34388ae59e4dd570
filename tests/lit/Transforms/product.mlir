// RUN: tenon-opt %s -split-input-file -accel-transpose-right-operands | FileCheck %s --check-prefix=TURNED
// RUN: tenon-opt %s -split-input-file -accel-transpose-right-operands -accel-attach-machine -accel-partition -verify-each | FileCheck %s
// RUN: tenon-opt %s -split-input-file -accel-transpose-right-operands -accel-attach-machine="config=batch4" -accel-partition | FileCheck %s --check-prefix=BATCH

// Products of two activations. The transposition of the right one is done by packing, whatever stood there.
// TURNED-LABEL: func.func @main
// TURNED: %[[T:.*]] = tosa.transpose %arg1 {perms = array<i32: 0, 2, 1>} : (tensor<8x32x64xi8>) -> tensor<8x64x32xi8>
// TURNED: %[[B:.*]] = tosa.transpose %[[T]] {perms = array<i32: 0, 2, 1>} : (tensor<8x64x32xi8>) -> tensor<8x32x64xi8>
// TURNED: tosa.matmul %arg0, %[[B]]
// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = accel.pack %arg0 {offset = 0 : i32, permutation = array<i64: -1, 0, 1, 2>} : tensor<8x48x32xi8> -> tensor<1x8x48x32xi8>
// CHECK: %[[W:.*]] = accel.pack %arg1 {offset = 0 : i32, permutation = array<i64: -1, 0, 2, 1>} : tensor<8x32x64xi8> -> tensor<1x8x64x32xi8>
// CHECK: accel.product %[[X]] weights %[[W]] scale
// CHECK-SAME: input_zp = -7 : i32, quant = #accel.quant<zp = 0, min = -3, max = 127>
// CHECK-SAME: tenon.layer = "matmul_0", tenon.macs = 786432 : i64
// CHECK-SAME: tenon.op = "matmul", weight_zp = 9 : i32
// CHECK-SAME: -> tensor<1x8x48x64xi8>
// CHECK: accel.unpack
// CHECK-NOT: call
// BATCH-LABEL: func.func @main
// BATCH: tenon.reason = "it does not fit configuration batch4: it multiplies two activations, whose layout in DRAM is that of WGT where BATCH is 1 and BLOCK_IN at least BLOCK_OUT; they are 4, 16 and 16"
func.func @main(%x: tensor<8x48x32xi8>, %y: tensor<8x32x64xi8>) -> tensor<8x48x64xi8> {
  %zx = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zy = "tosa.const"() <{values = dense<9> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %acc = tosa.matmul %x, %y, %zx, %zy : (tensor<8x48x32xi8>, tensor<8x32x64xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<8x48x64xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<8x48x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<8x48x64xi8>
  %c = tosa.clamp %r {min_val = -3 : i8, max_val = 127 : i8} : (tensor<8x48x64xi8>) -> tensor<8x48x64xi8>
  return %c : tensor<8x48x64xi8>
}

// -----

// A right operand that lies as GEMM reads it is packed as it is; one pair of matrices.
// TURNED-LABEL: func.func @main
// TURNED-COUNT-1: tosa.transpose
// TURNED-NOT: tosa.transpose
// CHECK-LABEL: func.func @main
// CHECK: accel.pack %arg1 {offset = 0 : i32, permutation = array<i64: -1, 0, 1, 2>} : tensor<1x64x96xi8> -> tensor<1x1x64x96xi8>
// CHECK: accel.product {{.*}} -> tensor<1x1x48x64xi8>
// BATCH-LABEL: func.func @main
func.func @main(%x: tensor<1x48x96xi8>, %y: tensor<1x64x96xi8>) -> tensor<1x48x64xi8> {
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %t = tosa.transpose %y {perms = array<i32: 0, 2, 1>} : (tensor<1x64x96xi8>) -> tensor<1x96x64xi8>
  %acc = tosa.matmul %x, %t, %z8, %z8 : (tensor<1x48x96xi8>, tensor<1x96x64xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x48x64xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x48x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x48x64xi8>
  return %r : tensor<1x48x64xi8>
}

// -----

// What a layer makes is the left operand as it lies; as the right one it goes over the host, which transposes it.
// TURNED-LABEL: func.func @main
// CHECK-LABEL: func.func @main
// CHECK: %[[F:.*]] = accel.product
// CHECK: %[[U:.*]] = accel.unpack %[[F]]
// CHECK: %[[H:.*]] = call @host_0(%[[U]])
// CHECK: %[[W:.*]] = accel.pack %[[H]]
// CHECK: accel.product %[[F]] weights %[[W]] scale
// BATCH-LABEL: func.func @main
func.func @main(%x: tensor<8x64x64xi8>, %y: tensor<8x64x64xi8>) -> tensor<8x64x64xi8> {
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %first = tosa.matmul %x, %y, %z8, %z8 : (tensor<8x64x64xi8>, tensor<8x64x64xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<8x64x64xi32>
  %f = tosa.rescale %first, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<8x64x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<8x64x64xi8>
  %acc = tosa.matmul %f, %f, %z8, %z8 : (tensor<8x64x64xi8>, tensor<8x64x64xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<8x64x64xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<8x64x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<8x64x64xi8>
  return %r : tensor<8x64x64xi8>
}

// -----

// A constant right operand is no activation: its channels are the weights' inputs.
// TURNED-LABEL: func.func @main
// TURNED-NOT: tosa.transpose
// CHECK-LABEL: func.func @main
// CHECK: accel.contract
// BATCH-LABEL: func.func @main
func.func @main(%x: tensor<1x64x64xi8>) -> tensor<1x64x64xi8> {
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %y = "tosa.const"() <{values = dense<3> : tensor<1x64x64xi8>}> : () -> tensor<1x64x64xi8>
  %acc = tosa.matmul %x, %y, %z8, %z8 : (tensor<1x64x64xi8>, tensor<1x64x64xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x64x64xi32>
  %r = tosa.rescale %acc, %m, %s, %z, %z8 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x64x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x64x64xi8>
  return %r : tensor<1x64x64xi8>
}
