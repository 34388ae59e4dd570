// A layer that stands behind host code, of which it reads nothing, runs in an earlier launch:
// what the host packed for the later one was put where its result still lay.
// MACHINE: name: "tiny" batch: 1 block_in: 4 block_out: 4 bus_bits: 32 burst_beats: 256 outstanding_bursts: 16 uop_entries: 512 inp_entries: 512 wgt_entries: 512 dwt_entries: 256 acc_entries: 512 prm_entries: 128 out_entries: 512 acc_banks: 2 alu_lanes: 2 alu_multiply_cycles: 1 queue_depth: 16 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100
// THREADS: 1

func.func @main(%arg0: tensor<1x200xui8> {tenon.name = "t0"}, %arg1: tensor<1x1xi8> {tenon.name = "t4"}) -> (tensor<1x1xui8> {tenon.name = "o1"}, tensor<1x2xi8> {tenon.name = "o6"}) {
    %0 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %1 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<128> : tensor<1xui8>}> : () -> tensor<1xui8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = tosa.rescale %arg0, %0, %1, %2, %3 {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x200xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<1x200xi8>
    %5 = tosa.const_shape {values = dense<[1, 1, 1, 200]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %6 = tosa.reshape %4, %5 : (tensor<1x200xi8>, !tosa.shape<4>) -> tensor<1x1x1x200xi8>
    %7 = "tosa.const"() <{values = dense<"0xbfbf079140df57d0074452c317f0b53cc45114251322bc8c63cbe0f5a31a0c5fb79c4f6d4651ed251bec4846d89f8c25ce556458dc21efd7ec3226711d9406c9892712ca33363b38dce5a7f1aa34aaac1f9ae626076e88f321e562031f61196a402c469f240f846da61abaf776fa1dee762222bebc3f19e399dc623fa01e11d2cad26224fed008cf44b2795a22088c366bb190c876128d5a335ab7385bea6ce0cc55c5a712d1d19202803265992e165f4c32debb3b72a7f9facbc9ac1ee25f6deeaee88e4d01b624"> : tensor<1x1x1x200xi8>}> : () -> tensor<1x1x1x200xi8>
    %8 = "tosa.const"() <{values = dense<23> : tensor<1xi32>}> : () -> tensor<1xi32>
    %9 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = tosa.conv2d %6, %7, %8, %9, %10 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x200xi8>, tensor<1x1x1x200xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
    %12 = "tosa.const"() <{values = dense<1309779350> : tensor<1xi32>}> : () -> tensor<1xi32>
    %13 = "tosa.const"() <{values = dense<41> : tensor<1xi8>}> : () -> tensor<1xi8>
    %14 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %16 = tosa.rescale %11, %12, %13, %14, %15 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x1x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
    %17 = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %18 = tosa.reshape %16, %17 {tenon.tensor = {name = "t1", shape = array<i64: 1, 1>, unsigned = false}} : (tensor<1x1x1x1xi8>, !tosa.shape<2>) -> tensor<1x1xi8>
    %19 = tosa.const_shape {values = dense<[0, 106]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %20 = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %21 = tosa.slice %4, %19, %20 {tenon.tensor = {name = "t2", shape = array<i64: 1, 1>, unsigned = false}} : (tensor<1x200xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x1xi8>
    %22 = "tosa.const"() <{values = dense<1687730559> : tensor<1xi32>}> : () -> tensor<1xi32>
    %23 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %24 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %25 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %26 = tosa.rescale %21, %22, %23, %24, %25 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t3", shape = array<i64: 1, 1>, unsigned = false}} : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1xi8>
    %27 = tosa.concat %arg1, %26 {axis = 1 : i32, tenon.tensor = {name = "t5", shape = array<i64: 1, 2>, unsigned = false}} : (tensor<1x1xi8>, tensor<1x1xi8>) -> tensor<1x2xi8>
    %28 = "tosa.const"() <{values = dense<2010104548> : tensor<1xi32>}> : () -> tensor<1xi32>
    %29 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %30 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %31 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %32 = tosa.rescale %27, %28, %29, %30, %31 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t6", shape = array<i64: 1, 2>, unsigned = false}} : (tensor<1x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2xi8>
    %33 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %34 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %35 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %36 = "tosa.const"() <{values = dense<128> : tensor<1xui8>}> : () -> tensor<1xui8>
    %37 = tosa.rescale %18, %33, %34, %35, %36 {input_unsigned = false, output_unsigned = true, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xui8>) -> tensor<1x1xui8>
    return %37, %32 : tensor<1x1xui8>, tensor<1x2xi8>
}
