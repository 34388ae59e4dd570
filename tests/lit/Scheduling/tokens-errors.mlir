// RUN: tenon-opt %s -split-input-file -accel-insert-tokens -verify-diagnostics

module attributes {accel.machine = #accel.machine<"name: \"p\" batch: 1 block_in: 16 block_out: 16 bus_bits: 64 burst_beats: 256 outstanding_bursts: 64 uop_entries: 2048 inp_entries: 2048 wgt_entries: 1024 dwt_entries: 1024 acc_entries: 2048 prm_entries: 512 out_entries: 2048 acc_banks: 4 alu_lanes: 16 alu_multiply_cycles: 1 queue_depth: 32 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100", virtual_threads = 2>} {
  func.func @main() {
    // expected-error @+1 {{outside the memory of 2048 entries}}
    accel.stream 0() attributes {layers = [{}], segments = []} {
      accel.load inp at 2047 dram 0 size 1, 8 stride 0, 2 pad zero 0, 0, 0, 0 gather 0 layer 0 tile 0
      accel.finish layer 0 tile 0
    } : () -> ()
    return
  }
}

// -----

func.func @main() {
  // expected-error @+1 {{expected accel.finish as the last instruction}}
  accel.stream 0() attributes {layers = [{}], segments = []} {
    accel.set gemm register 0 = 0 layer 0 tile 0
  } : () -> ()
  return
}
