// The output is the input, reshaped: 'nothing to compare', as the program has it by the name of the input and the
// reference by its own.
// MACHINE: name: "tiny" batch: 1 block_in: 4 block_out: 4 bus_bits: 32 burst_beats: 256 outstanding_bursts: 16 uop_entries: 512 inp_entries: 512 wgt_entries: 512 dwt_entries: 256 acc_entries: 512 prm_entries: 128 out_entries: 512 acc_banks: 2 alu_lanes: 2 alu_multiply_cycles: 1 queue_depth: 16 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100
// THREADS: 1

func.func @main(%arg0: tensor<1x152xi8> {tenon.name = "t0"}) -> (tensor<1x152xi8> {tenon.name = "o1"}) {
    %0 = tosa.const_shape {values = dense<[1, 152]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = tosa.reshape %arg0, %0 {tenon.tensor = {name = "t1", shape = array<i64: 1, 152>, unsigned = false}} : (tensor<1x152xi8>, !tosa.shape<2>) -> tensor<1x152xi8>
    return %1 : tensor<1x152xi8>
}
