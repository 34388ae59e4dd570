// Schedules from a file are taken instead of searched; what is taken prints the same again.
// RUN: split-file %s %t
// RUN: tenon-opt %t/network.mlir -accel-attach-machine="config=tiny" -accel-schedule -accel-extract-schedules > %t/found.mlir
// RUN: FileCheck %s --check-prefix=FOUND < %t/found.mlir
// RUN: tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/found.mlir" -accel-schedule -accel-extract-schedules | diff - %t/found.mlir
// RUN: sed s/WHAT/contract/ %t/given.mlir > %t/fits.mlir
// RUN: tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/fits.mlir" -accel-schedule | FileCheck %s --check-prefix=GIVEN
// RUN: sed s/WHAT/mac/ %t/given.mlir > %t/unused.mlir
// RUN: tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/unused.mlir" -accel-schedule 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: sed -e s/WHAT/contract/ -e "s/rows = 1/rows = 60/" -e "s/cols = 2/cols = 60/" %t/given.mlir > %t/large.mlir
// RUN: not tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/large.mlir" -accel-schedule 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tenon-opt %t/network.mlir -accel-attach-machine="config=small schedules=%t/fits.mlir" 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/twice.mlir" -accel-schedule 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/layers.mlir" 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: not tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/count.mlir" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/shape.mlir" 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/groups.mlir" 2>&1 | FileCheck %s --check-prefix=GROUPS
// RUN: not tenon-opt %t/network.mlir -accel-attach-machine="config=tiny schedules=%t/missing.mlir" 2>&1 | FileCheck %s --check-prefix=MISSING

// FOUND: accel.machine = #accel.machine<"name: \22tiny\22
// FOUND-NEXT: accel.problem "conv2d_0" [#accel.layer<contract[1, 64, 64, 4] -> [1, 64, 64, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = false>] schedule [#accel.schedule<
// FOUND-NOT: accel.problem
// GIVEN: schedule = #accel.schedule<rows = 1, cols = 2, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>
// UNUSED: warning: no layer of the network has the schedule of 'by hand'
// LARGE: large.mlir:2:3: error: layer 'by hand': its schedule does not fit: OUT: a tile of 60x60 pixels and 1 blocks needs 3600 entries in 1 contexts, there are 512
// OTHER: error: expected schedules for the configuration name: "small" {{.*}}; found name: "tiny"
// TWICE: twice.mlir:3:3: error: a second schedule for the layers of 'b'
// LAYERS: layers.mlir:1:1: 'accel.problem' op expected one or two layers, found 0
// COUNT: count.mlir:1:1: 'accel.problem' op expected a schedule for each of 1 layers or none, found 2
// SHAPE: shape.mlir:1:{{[0-9]+}}: layer: expected 4 numbers of at least 1 as input, found [1, 64, 64]
// GROUPS: layer: expected a contraction's groups to divide 4 input and 6 output channels, found 4
// MISSING: error: {{.*}}missing.mlir

//--- network.mlir
func.func @main(%x: tensor<1x64x64x4xi8>) -> tensor<1x64x64x4xi8> {
  %w = "tosa.const"() <{values = dense<3> : tensor<4x1x1x4xi8>}> : () -> tensor<4x1x1x4xi8>
  %b = "tosa.const"() <{values = dense<5> : tensor<4xi32>}> : () -> tensor<4xi32>
  %m = "tosa.const"() <{values = dense<1388776253> : tensor<4xi32>}> : () -> tensor<4xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<4xi8>}> : () -> tensor<4xi8>
  %p = accel.pack %x {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x64x64x4xi8> -> tensor<1x64x64x4xi8>
  %c = accel.contract %p weights %w scale %b, %m, %s {stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, input_zp = 4 : i32, weight_zp = 0 : i32, quant = #accel.quant<zp = -5, min = -128, max = 127>, tenon.layer = "conv2d_0"} : (tensor<1x64x64x4xi8>, tensor<4x1x1x4xi8>, tensor<4xi32>, tensor<4xi32>, tensor<4xi8>) -> tensor<1x64x64x4xi8>
  %u = accel.unpack %c {permutation = array<i64: 0, 1, 2, 3>, offset = 0 : i32} : tensor<1x64x64x4xi8> -> tensor<1x64x64x4xi8>
  return %u : tensor<1x64x64x4xi8>
}

//--- given.mlir
module attributes {accel.machine = #accel.machine<"name: \22tiny\22 batch: 1 block_in: 4 block_out: 4 bus_bits: 32 burst_beats: 256 outstanding_bursts: 16 uop_entries: 512 inp_entries: 512 wgt_entries: 512 dwt_entries: 256 acc_entries: 512 prm_entries: 128 out_entries: 512 acc_banks: 2 alu_lanes: 2 alu_multiply_cycles: 1 queue_depth: 16 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100", virtual_threads = 2>} {
  accel.problem "by hand" [#accel.layer<WHAT[1, 64, 64, 4] -> [1, 64, 64, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = false>] schedule [#accel.schedule<rows = 1, cols = 2, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>]
}

//--- twice.mlir
module attributes {accel.machine = #accel.machine<"name: \22tiny\22 batch: 1 block_in: 4 block_out: 4 bus_bits: 32 burst_beats: 256 outstanding_bursts: 16 uop_entries: 512 inp_entries: 512 wgt_entries: 512 dwt_entries: 256 acc_entries: 512 prm_entries: 128 out_entries: 512 acc_banks: 2 alu_lanes: 2 alu_multiply_cycles: 1 queue_depth: 16 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100", virtual_threads = 2>} {
  accel.problem "a" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 1, cols = 2, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>]
  accel.problem "b" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 2, cols = 2, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>]
}

//--- layers.mlir
accel.problem "none" [] schedule []

//--- count.mlir
accel.problem "two" [#accel.layer<max[1, 2, 2, 4] -> [1, 2, 2, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule [#accel.schedule<rows = 1, cols = 2, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>, #accel.schedule<rows = 1, cols = 2, blocks = 1, reduction = 1, kernel_rows = 1, channels_outer = true, threads = 1 along pixels>]

//--- shape.mlir
accel.problem "flat" [#accel.layer<max[1, 64, 64] -> [1, 64, 64, 4], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = true>] schedule []

//--- groups.mlir
accel.problem "grouped" [#accel.layer<contract[1, 64, 64, 4] -> [1, 64, 64, 6], kernel = [1, 1], stride = [1, 1], dilation = [1, 1], pad = [0, 0, 0, 0], residual = false, uniform = false, groups = 4>] schedule []
