// A pad on the host between two layers, of which the second one also reads the first:
// it read the tensor of the earlier launch at the beginning of DRAM.
// MACHINE: name: "tiny" batch: 1 block_in: 4 block_out: 4 bus_bits: 32 burst_beats: 256 outstanding_bursts: 16 uop_entries: 512 inp_entries: 512 wgt_entries: 512 dwt_entries: 256 acc_entries: 512 prm_entries: 128 out_entries: 512 acc_banks: 2 alu_lanes: 2 alu_multiply_cycles: 1 queue_depth: 16 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100
// THREADS: 1

func.func @main(%arg0: tensor<1x2x1x2xi8> {tenon.name = "t0"}) -> (tensor<1x2x2x2xi8> {tenon.name = "o4"}) {
    %0 = tosa.max_pool2d %arg0 {kernel = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, tenon.tensor = {name = "t1", shape = array<i64: 1, 2, 1, 2>, unsigned = false}} : (tensor<1x2x1x2xi8>) -> tensor<1x2x1x2xi8>
    %1 = tosa.const_shape {values = dense<[0, 0, 0, 0, 0, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
    %2 = "tosa.const"() <{values = dense<28> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = tosa.pad %0, %1, %2 {tenon.tensor = {name = "t2", shape = array<i64: 1, 2, 2, 2>, unsigned = false}} : (tensor<1x2x1x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
    %4 = "tosa.const"() <{values = dense<"0x708264ade6216accd039621174ee5c399434fd956caa23cca346fcf0c86cc7d11716817a"> : tensor<2x3x3x2xi8>}> : () -> tensor<2x3x3x2xi8>
    %5 = "tosa.const"() <{values = dense<"0xf2ffffff0c000000"> : tensor<2xi32>}> : () -> tensor<2xi32>
    %6 = "tosa.const"() <{values = dense<28> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %8 = tosa.conv2d %3, %4, %5, %6, %7 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x2x2x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
    %9 = "tosa.const"() <{values = dense<1086051338> : tensor<1xi32>}> : () -> tensor<1xi32>
    %10 = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = tosa.rescale %8, %9, %10, %11, %12 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t3", shape = array<i64: 1, 2, 2, 2>, unsigned = false}} : (tensor<1x2x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
    %14 = tosa.cast %3 : (tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi32>
    %15 = "tosa.const"() <{values = dense<28> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %16 = tosa.sub %14, %15 : (tensor<1x2x2x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x2x2x2xi32>
    %17 = "tosa.const"() <{values = dense<129744> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %19 = tosa.mul %16, %17, %18 : (tensor<1x2x2x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
    %20 = tosa.cast %13 : (tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi32>
    %21 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %22 = tosa.sub %20, %21 : (tensor<1x2x2x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x2x2x2xi32>
    %23 = "tosa.const"() <{values = dense<1364854> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %24 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %25 = tosa.mul %22, %23, %24 : (tensor<1x2x2x2xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
    %26 = tosa.add %19, %25 : (tensor<1x2x2x2xi32>, tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
    %27 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %28 = "tosa.const"() <{values = dense<21> : tensor<1xi8>}> : () -> tensor<1xi8>
    %29 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %30 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %31 = tosa.rescale %26, %27, %28, %29, %30 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t4", shape = array<i64: 1, 2, 2, 2>, unsigned = false}} : (tensor<1x2x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
    return %31 : tensor<1x2x2x2xi8>
}
