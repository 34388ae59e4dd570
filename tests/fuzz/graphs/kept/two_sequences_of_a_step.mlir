// Two averages: the second one's requantisation was loaded over the micro-ops of its sum,
// which the first one had left.
// MACHINE: name: "random_d89678c98a5e52ff" batch: 4 block_in: 16 block_out: 16 bus_bits: 128 burst_beats: 64 outstanding_bursts: 61 uop_entries: 16 inp_entries: 32 wgt_entries: 16 dwt_entries: 32 acc_entries: 64 prm_entries: 32 out_entries: 32 acc_banks: 8 alu_lanes: 32 alu_multiply_cycles: 2 queue_depth: 1 channel_depth: 2 instruction_bits: 128 counters: FULL clock_mhz: 100 
// THREADS: 1

func.func @main(%arg0: tensor<1x3x1x17xi8> {tenon.name = "t0"}) -> (tensor<1x1x1x17xi8> {tenon.name = "o4"}) {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.avg_pool2d %arg0, %0, %0 {acc_type = i32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, tenon.tensor = {name = "t3", shape = array<i64: 1, 3, 1, 17>, unsigned = false}} : (tensor<1x3x1x17xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x1x17xi8>
    %2 = tosa.avg_pool2d %1, %0, %0 {acc_type = i32, kernel = array<i64: 3, 2>, pad = array<i64: 0, 0, 1, 0>, stride = array<i64: 1, 1>, tenon.tensor = {name = "t4", shape = array<i64: 1, 1, 1, 17>, unsigned = false}} : (tensor<1x3x1x17xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x17xi8>
    return %2 : tensor<1x1x1x17xi8>
}
