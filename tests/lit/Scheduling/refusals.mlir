// What shows behind placement: noted with the candidate's number, and taken by the next placement.
// RUN: split-file %s %t
// RUN: not tenon-opt %t/constants.mlir -accel-attach-machine="config=tiny" -accel-schedule -accel-lower-to-stream 2>&1 | FileCheck %t/constants.mlir
// RUN: tenon-opt %t/given.mlir -accel-attach-machine -accel-partition | FileCheck %t/given.mlir
// RUN: not tenon-opt %t/given.mlir -accel-attach-machine -accel-partition="require-accelerator=true" 2>&1 | FileCheck %t/given.mlir --check-prefix=REQUIRED

//--- constants.mlir
// An address has 28 bits, for beats of 4 bytes: 2^30 bytes, where activations end but for 4. At 2^30 lie the parameters
// (36 bytes), at the next multiple of 64 a beat of micro-ops.
module attributes {accel.dram_bytes = 1073741820 : i64} {
  func.func @main(%x: tensor<1x4x4x4xi8>) -> tensor<1x4x4x4xi8> {
    %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32, accel.dram = {offset = 0 : i64, group_bytes = 64 : i64}} : tensor<1x4x4x4xi8> -> tensor<1x4x4x4xi8>
    // CHECK: error: 'accel.window' op its constants end at byte 1073741892 of DRAM; instructions address 1073741824
    %o = accel.window max %p {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, accel.dram = {offset = 64 : i64, group_bytes = 64 : i64}} : (tensor<1x4x4x4xi8>) -> tensor<1x4x4x4xi8>
    %u = accel.unpack %o {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x4x4x4xi8> -> tensor<1x4x4x4xi8>
    return %u : tensor<1x4x4x4xi8>
  }
}

//--- given.mlir
// Of a convolution and a pool, whose results operations 7 and 8 of the function make, the pool.
// CHECK: accel.contract {{.*}} tenon.candidate = 7 : i64
// CHECK-NOT: accel.window
// CHECK: func.func private @host_0
// CHECK-SAME: tenon.reason = "placed on the accelerator, it was refused: something is too small", tenon.remedy = "something larger"
// REQUIRED: 'max_pool2d' is not on the accelerator, which is required: placed on the accelerator, it was refused: something is too small (what would change it: something larger)
module attributes {accel.refusals = [#accel.refusal<8, "something is too small", "something larger">]} {
  func.func @main(%x: tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> {
    %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %m = "tosa.const"() <{values = dense<1388776253> : tensor<1xi32>}> : () -> tensor<1xi32>
    %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
    %w = "tosa.const"() <{values = dense<3> : tensor<64x3x3x64xi8>}> : () -> tensor<64x3x3x64xi8>
    %b = "tosa.const"() <{values = dense<1> : tensor<64xi32>}> : () -> tensor<64xi32>
    %a = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x64x64x64xi8>, tensor<64x3x3x64xi8>, tensor<64xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x64x64x64xi32>
    %r = tosa.rescale %a, %m, %s, %z32, %z {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x64x64x64xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x64x64x64xi8>
    %q = tosa.max_pool2d %r {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8>
    return %q : tensor<1x64x64x64xi8>
  }
}
