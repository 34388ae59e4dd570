// A layer adds what is clamped to itself, and others read what the clamp reads: folded into the first addend it was
// left without a step ('tosa.clamp' is no step of a program).
// MACHINE: name: "random_faa767c7f9acab96" batch: 4 block_in: 8 block_out: 8 bus_bits: 32 burst_beats: 64 outstanding_bursts: 39 uop_entries: 32 inp_entries: 64 wgt_entries: 16 dwt_entries: 32 acc_entries: 64 prm_entries: 32 out_entries: 64 acc_banks: 4 alu_lanes: 32 alu_multiply_cycles: 4 queue_depth: 2 channel_depth: 2 instruction_bits: 128 counters: FULL clock_mhz: 100
// THREADS: 1

func.func @main(%arg0: tensor<1x113xi8> {tenon.name = "t0"}) -> (tensor<1x452xi8> {tenon.name = "o4"}, tensor<1x452x1x1xi8> {tenon.name = "o5"}) {
    %0 = tosa.concat %arg0, %arg0, %arg0, %arg0 {axis = 1 : i32, tenon.tensor = {name = "t1", shape = array<i64: 1, 452>, unsigned = false}} : (tensor<1x113xi8>, tensor<1x113xi8>, tensor<1x113xi8>, tensor<1x113xi8>) -> tensor<1x452xi8>
    %1 = tosa.clamp %0 {min_val = -82 : i8, max_val = 57 : i8, tenon.tensor = {name = "t2", shape = array<i64: 1, 452>, unsigned = false}} : (tensor<1x452xi8>) -> tensor<1x452xi8>
    %2 = tosa.cast %1 : (tensor<1x452xi8>) -> tensor<1x452xi32>
    %3 = "tosa.const"() <{values = dense<74> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %4 = tosa.sub %2, %3 : (tensor<1x452xi32>, tensor<1x1xi32>) -> tensor<1x452xi32>
    %5 = "tosa.const"() <{values = dense<1665679> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %6 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = tosa.mul %4, %5, %6 : (tensor<1x452xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x452xi32>
    %8 = tosa.cast %1 : (tensor<1x452xi8>) -> tensor<1x452xi32>
    %9 = "tosa.const"() <{values = dense<74> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %10 = tosa.sub %8, %9 : (tensor<1x452xi32>, tensor<1x1xi32>) -> tensor<1x452xi32>
    %11 = "tosa.const"() <{values = dense<1665679> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %13 = tosa.mul %10, %11, %12 : (tensor<1x452xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x452xi32>
    %14 = tosa.add %7, %13 : (tensor<1x452xi32>, tensor<1x452xi32>) -> tensor<1x452xi32>
    %15 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %16 = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
    %17 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %19 = tosa.rescale %14, %15, %16, %17, %18 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t3", shape = array<i64: 1, 452>, unsigned = false}} : (tensor<1x452xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x452xi8>
    %20 = tosa.cast %19 : (tensor<1x452xi8>) -> tensor<1x452xi32>
    %21 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %22 = tosa.sub %20, %21 : (tensor<1x452xi32>, tensor<1x1xi32>) -> tensor<1x452xi32>
    %23 = "tosa.const"() <{values = dense<1200868> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %24 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %25 = tosa.mul %22, %23, %24 : (tensor<1x452xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x452xi32>
    %26 = tosa.cast %0 : (tensor<1x452xi8>) -> tensor<1x452xi32>
    %27 = "tosa.const"() <{values = dense<74> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %28 = tosa.sub %26, %27 : (tensor<1x452xi32>, tensor<1x1xi32>) -> tensor<1x452xi32>
    %29 = "tosa.const"() <{values = dense<1907597> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %30 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %31 = tosa.mul %28, %29, %30 : (tensor<1x452xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x452xi32>
    %32 = tosa.add %25, %31 : (tensor<1x452xi32>, tensor<1x452xi32>) -> tensor<1x452xi32>
    %33 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %34 = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
    %35 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %36 = "tosa.const"() <{values = dense<62> : tensor<1xi8>}> : () -> tensor<1xi8>
    %37 = tosa.rescale %32, %33, %34, %35, %36 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x452xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x452xi8>
    %38 = tosa.clamp %37 {min_val = 41 : i8, max_val = 77 : i8, tenon.tensor = {name = "t4", shape = array<i64: 1, 452>, unsigned = false}} : (tensor<1x452xi8>) -> tensor<1x452xi8>
    %39 = tosa.const_shape {values = dense<[1, 1, 1, 452]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %40 = tosa.reshape %0, %39 {tenon.tensor = {name = "t5", shape = array<i64: 1, 1, 1, 452>, unsigned = false}} : (tensor<1x452xi8>, !tosa.shape<4>) -> tensor<1x1x1x452xi8>
    %41 = tosa.transpose %40 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x1x452xi8>) -> tensor<1x452x1x1xi8>
    return %38, %41 : tensor<1x452xi8>, tensor<1x452x1x1xi8>
}
