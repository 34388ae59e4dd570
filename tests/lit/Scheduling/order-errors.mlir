// Passes without those before them, or without a network.
// RUN: split-file %s %t
// RUN: not tenon-opt %t/layer.mlir -accel-attach-machine="config=tiny" -accel-schedule -accel-lower-to-stream 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: not tenon-opt %t/unscheduled.mlir -accel-lower-to-stream 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not tenon-opt %t/none.mlir -accel-plan-dram 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: not tenon-opt %t/none.mlir -accel-lower-to-stream 2>&1 | FileCheck %s --check-prefix=LOWER
// RUN: not tenon-opt %t/twice.mlir -accel-attach-machine="config=tiny" -accel-schedule -accel-plan-dram 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tenon-opt %t/slice.mlir -accel-attach-machine="config=tiny" -accel-schedule -accel-plan-dram 2>&1 | FileCheck %s --check-prefix=SLICE

// PLACES: error: expected activations with places in DRAM, run accel-plan-dram first
// SCHEDULE: error: {{.*}}expected a schedule and a place in DRAM, run accel-schedule and accel-plan-dram first
// PLAN: error: expected a function @main, found none
// LOWER: error: expected a function @main, found none
// TWICE: error: {{.*}}an input is concatenated twice
// SLICE: error: {{.*}}an input has 6 channels, expected a multiple of 4

//--- layer.mlir
func.func @main(%x: tensor<1x4x4x4xi8>) -> tensor<1x2x2x4xi8> {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x4x4x4xi8> -> tensor<1x4x4x4xi8>
  %o = accel.window max %p {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x4xi8>) -> tensor<1x2x2x4xi8>
  %u = accel.unpack %o {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x2x4xi8> -> tensor<1x2x2x4xi8>
  return %u : tensor<1x2x2x4xi8>
}

//--- unscheduled.mlir
module attributes {accel.dram_bytes = 4096 : i64, accel.machine = #accel.machine<"name: \"p\" batch: 1 block_in: 16 block_out: 16 bus_bits: 64 burst_beats: 256 outstanding_bursts: 64 uop_entries: 2048 inp_entries: 2048 wgt_entries: 1024 dwt_entries: 1024 acc_entries: 2048 prm_entries: 512 out_entries: 2048 acc_banks: 4 alu_lanes: 16 alu_multiply_cycles: 1 queue_depth: 32 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100", virtual_threads = 2>} {
  func.func @main(%x: tensor<1x4x4x4xi8>) -> tensor<1x2x2x4xi8> {
    %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x4x4x4xi8> -> tensor<1x4x4x4xi8>
    %o = accel.window max %p {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x4xi8>) -> tensor<1x2x2x4xi8>
    %u = accel.unpack %o {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x2x4xi8> -> tensor<1x2x2x4xi8>
    return %u : tensor<1x2x2x4xi8>
  }
}

//--- none.mlir
module attributes {accel.machine = #accel.machine<"name: \"p\" batch: 1 block_in: 16 block_out: 16 bus_bits: 64 burst_beats: 256 outstanding_bursts: 64 uop_entries: 2048 inp_entries: 2048 wgt_entries: 1024 dwt_entries: 1024 acc_entries: 2048 prm_entries: 512 out_entries: 2048 acc_banks: 4 alu_lanes: 16 alu_multiply_cycles: 1 queue_depth: 32 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100", virtual_threads = 2>} {
}

//--- twice.mlir
func.func @main(%x: tensor<1x4x4x4xi8>) -> tensor<1x2x2x8xi8> {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x4x4x4xi8> -> tensor<1x4x4x4xi8>
  %o = accel.window max %p {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x4xi8>) -> tensor<1x2x2x4xi8>
  %c = accel.concat %o, %o : (tensor<1x2x2x4xi8>, tensor<1x2x2x4xi8>) -> tensor<1x2x2x8xi8>
  %u = accel.unpack %c {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x2x8xi8> -> tensor<1x2x2x8xi8>
  return %u : tensor<1x2x2x8xi8>
}

//--- slice.mlir
func.func @main(%x: tensor<1x4x4x6xi8>, %y: tensor<1x4x4x6xi8>) -> tensor<1x2x2x12xi8> {
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x4x4x6xi8> -> tensor<1x4x4x6xi8>
  %q = accel.pack %y {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x4x4x6xi8> -> tensor<1x4x4x6xi8>
  %o = accel.window max %p {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x6xi8>) -> tensor<1x2x2x6xi8>
  %n = accel.window max %q {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 0 : i32, tap_zp = 0 : i32, quant = #accel.quant<zp = 0, min = -128, max = 127>} : (tensor<1x4x4x6xi8>) -> tensor<1x2x2x6xi8>
  %c = accel.concat %o, %n : (tensor<1x2x2x6xi8>, tensor<1x2x2x6xi8>) -> tensor<1x2x2x12xi8>
  %u = accel.unpack %c {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x2x2x12xi8> -> tensor<1x2x2x12xi8>
  return %u : tensor<1x2x2x12xi8>
}
