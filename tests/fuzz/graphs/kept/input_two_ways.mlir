// One layer reads the input as it is, another one reshaped: refused with
// 'an operand of the layer is no permutation of an array'.
// MACHINE: name: "tiny" batch: 1 block_in: 4 block_out: 4 bus_bits: 32 burst_beats: 256 outstanding_bursts: 16 uop_entries: 512 inp_entries: 512 wgt_entries: 512 dwt_entries: 256 acc_entries: 512 prm_entries: 128 out_entries: 512 acc_banks: 2 alu_lanes: 2 alu_multiply_cycles: 1 queue_depth: 16 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100
// THREADS: 1

func.func @main(%arg0: tensor<1x1x1x10xi8> {tenon.name = "t0"}) -> (tensor<1x1xi8> {tenon.name = "o2"}, tensor<1x1x1x1xi8> {tenon.name = "o3"}) {
  %0 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x1x1x10xi8>) -> tensor<1x1x10x1xi8>
  %1 = tosa.transpose %0 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x10x1xi8>) -> tensor<1x1x1x10xi8>
  %2 = tosa.const_shape {values = dense<[1, 10]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %3 = tosa.reshape %1, %2 {tenon.tensor = {name = "t1", shape = array<i64: 1, 10>, unsigned = false}} : (tensor<1x1x1x10xi8>, !tosa.shape<2>) -> tensor<1x10xi8>
  %4 = tosa.const_shape {values = dense<[1, 1, 1, 10]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %5 = tosa.reshape %3, %4 : (tensor<1x10xi8>, !tosa.shape<4>) -> tensor<1x1x1x10xi8>
  %6 = "tosa.const"() <{values = dense<"0x894db3b867d6586d380e"> : tensor<1x1x1x10xi8>}> : () -> tensor<1x1x1x10xi8>
  %7 = "tosa.const"() <{values = dense<1181> : tensor<1xi32>}> : () -> tensor<1xi32>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %9 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %10 = tosa.conv2d %5, %6, %7, %8, %9 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x10xi8>, tensor<1x1x1x10xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  %11 = "tosa.const"() <{values = dense<1342858537> : tensor<1xi32>}> : () -> tensor<1xi32>
  %12 = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
  %13 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %14 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %15 = tosa.rescale %10, %11, %12, %13, %14 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1x1x1x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
  %16 = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %17 = tosa.reshape %15, %16 {tenon.tensor = {name = "t2", shape = array<i64: 1, 1>, unsigned = false}} : (tensor<1x1x1x1xi8>, !tosa.shape<2>) -> tensor<1x1xi8>
  %18 = "tosa.const"() <{values = dense<"0x01010101010101010101"> : tensor<1x10x1x1xi8>}> : () -> tensor<1x10x1x1xi8>
  %19 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %20 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %21 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %22 = tosa.depthwise_conv2d %0, %18, %19, %20, %21 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x10x1xi8>, tensor<1x10x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  %23 = "tosa.const"() <{values = dense<1254972295> : tensor<1xi32>}> : () -> tensor<1xi32>
  %24 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
  %25 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %26 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %27 = tosa.rescale %22, %23, %24, %25, %26 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t3", shape = array<i64: 1, 1, 1, 1>, unsigned = false}} : (tensor<1x1x1x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
  %28 = tosa.transpose %27 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x1x1x1xi8>) -> tensor<1x1x1x1xi8>
  return %17, %28 : tensor<1x1xi8>, tensor<1x1x1x1xi8>
}
