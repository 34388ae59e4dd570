// RUN: tenon-opt %s -accel-insert-tokens | FileCheck %s

// The second load overwrites nothing that GEMM reads; the third does.
// CHECK: accel.load inp at 0 {{.*}}signal = 1 : i32
// CHECK: accel.load inp at 8
// CHECK-NOT: wait
// CHECK: accel.gemm {{.*}}signal = 1 : i32{{.*}}wait = 1 : i32
// CHECK: accel.load inp at 4 {{.*}}wait = 1 : i32
module attributes {accel.machine = #accel.machine<"name: \"p\" batch: 1 block_in: 16 block_out: 16 bus_bits: 64 burst_beats: 256 outstanding_bursts: 64 uop_entries: 2048 inp_entries: 2048 wgt_entries: 1024 dwt_entries: 1024 acc_entries: 2048 prm_entries: 512 out_entries: 2048 acc_banks: 4 alu_lanes: 16 alu_multiply_cycles: 1 queue_depth: 32 channel_depth: 8 instruction_bits: 128 counters: FULL clock_mhz: 100", virtual_threads = 2>} {
  func.func @main() {
    accel.stream 0() attributes {layers = [{}], segments = []} {
      accel.load inp at 0 dram 0 size 1, 8 stride 0, 2 pad zero 0, 0, 0, 0 gather 0 layer 0 tile 0
      accel.load inp at 8 dram 0 size 1, 8 stride 0, 2 pad zero 0, 0, 0, 0 gather 0 layer 0 tile 0
      accel.gemm first 1 uops 0, 1 loops 1, 8 dst 0, 1 src 0, 1 third 0, 0 layer 0 tile 0
      accel.load inp at 4 dram 0 size 1, 8 stride 0, 2 pad zero 0, 0, 0, 0 gather 0 layer 0 tile 1
      accel.finish layer 0 tile 1
    } : () -> ()
    return
  }
}
