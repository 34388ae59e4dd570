// BLOCK_IN of four BLOCK_OUT: the second layer and the host read whole blocks, of which
// the first layer stores one piece; DRAM was undefined behind it.
// MACHINE: name: "random_b273a67d5567227b" batch: 1 block_in: 16 block_out: 4 bus_bits: 32 burst_beats: 128 outstanding_bursts: 54 uop_entries: 32 inp_entries: 256 wgt_entries: 64 dwt_entries: 32 acc_entries: 256 prm_entries: 16 out_entries: 256 acc_banks: 8 alu_lanes: 4 alu_multiply_cycles: 32 queue_depth: 1 channel_depth: 3 instruction_bits: 128 counters: FULL clock_mhz: 100
// THREADS: 1

func.func @main(%arg0: tensor<1x1x1x1xi8> {tenon.name = "t0"}) -> (tensor<1x1x1x1xi8> {tenon.name = "o1"}) {
  %0 = "tosa.const"() <{values = dense<-62> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
  %1 = "tosa.const"() <{values = dense<-11> : tensor<1xi32>}> : () -> tensor<1xi32>
  %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %4 = tosa.conv2d %arg0, %0, %1, %2, %3 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x1xi8>, tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  %5 = "tosa.const"() <{values = dense<1263967573> : tensor<1xi32>}> : () -> tensor<1xi32>
  %6 = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %9 = tosa.rescale %4, %5, %6, %7, %8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t1", shape = array<i64: 1, 1, 1, 1>, unsigned = false}} : (tensor<1x1x1x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
  %20 = "tosa.const"() <{values = dense<-62> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
  %21 = "tosa.const"() <{values = dense<-11> : tensor<1xi32>}> : () -> tensor<1xi32>
  %22 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %23 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %24 = tosa.conv2d %9, %20, %21, %22, %23 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x1xi8>, tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
  %25 = "tosa.const"() <{values = dense<1263967573> : tensor<1xi32>}> : () -> tensor<1xi32>
  %26 = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %27 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %28 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %29 = tosa.rescale %24, %25, %26, %27, %28 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t2", shape = array<i64: 1, 1, 1, 1>, unsigned = false}} : (tensor<1x1x1x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
  return %29 : tensor<1x1x1x1xi8>
}
