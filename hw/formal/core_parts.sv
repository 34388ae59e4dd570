// Part of Tenon, under the Apache License v2.0.
//
// Stand-ins for what core.sv has beside the forwarding, each of which does more
// than the module it stands for: instructions come at any time, iterations as
// `uop_sequencer.sv` is proved to give them (an instruction's without a gap,
// each until it is taken) but with any indices, operands are anything, sums and
// results too, and results come at any time behind their issue, in order.
`default_nettype none

module core_order (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic       valid_i,
  input  logic [2:0] wait_i,
  input  logic [2:0] signal_i,
  input  logic       set_i,
  input  logic       ready_i,
  output logic       could_o,
  output logic       go_o,
  input  logic [2:0] token_i,
  output logic [2:0] take_o,
  input  logic [2:0] room_i,
  output logic [2:0] give_o,
  output logic [2:0] token_wait_o,
  output logic [2:0] room_wait_o,
  input  logic       complete_i,
  output logic       retired_o,
  output logic       idle_o
);
  (* anyseq *) logic [15:0] any;
  assign {could_o, go_o, take_o, give_o, token_wait_o, room_wait_o, retired_o, idle_o} = any;
endmodule

module uop_sequencer #(
  parameter int unsigned DstBits = 11,
  parameter int unsigned SrcBits = 11,
  parameter int unsigned ThirdBits = 10,
  parameter int unsigned AlongBits = 1
) (
  input  logic                                 clk_i,
  input  logic                                 rst_i,
  output logic                                 free_o,
  input  logic                                 load_i,
  input  logic                                 go_i,
  input  logic [tenon_pkg::UOP_INDEX_BITS-1:0] begin_i,
  input  logic [tenon_pkg::UOP_INDEX_BITS-1:0] count_i,
  input  logic [11:0]                          outer_i,
  input  logic [11:0]                          inner_i,
  input  logic [DstBits-1:0]                   dst_base_i, dst_outer_i, dst_inner_i,
  input  logic [SrcBits-1:0]                   src_base_i, src_outer_i, src_inner_i,
  input  logic [ThirdBits-1:0]                 third_base_i, third_outer_i, third_inner_i,
  input  logic [AlongBits-1:0]                 along_i,
  input  logic                                 step_i,
  output logic                                 valid_o,
  output logic                                 first_o,
  output logic                                 last_o,
  output logic [tenon_pkg::UOP_INDEX_BITS-1:0] uop_o,
  output logic [DstBits-1:0]                   dst_o,
  output logic [SrcBits-1:0]                   src_o,
  output logic [ThirdBits-1:0]                 third_o,
  output logic [AlongBits-1:0]                 along_o
);
  localparam int unsigned Bits = 1 + tenon_pkg::UOP_INDEX_BITS + DstBits + SrcBits + ThirdBits;

  (* anyseq *) logic                 comes;
  (* anyseq *) logic                 free;
  (* anyseq *) logic [Bits-1:0]      any;
  (* anyseq *) logic [AlongBits-1:0] along;
  logic                 stands_q, inside_q;  // not taken yet; behind an instruction's first
  logic [Bits-1:0]      stood_q;
  logic [AlongBits-1:0] along_q;

  assign free_o = free;
  assign valid_o = stands_q || inside_q || comes;
  assign first_o = !inside_q;
  assign {last_o, uop_o, dst_o, src_o, third_o} = stands_q ? stood_q : any;
  assign along_o = stands_q || inside_q ? along_q : along;

  always_ff @(posedge clk_i) begin
    stands_q <= valid_o && !step_i && !rst_i;
    if (valid_o && step_i) inside_q <= !last_o;
    if (rst_i) inside_q <= 1'b0;
    stood_q <= {last_o, uop_o, dst_o, src_o, third_o};
    along_q <= along_o;
  end
endmodule

// The lowest bit of each sum: the others differ from it in their carry alone.
module gemm_dot (
  input  logic                              clk_i,
  input  logic                              advance_i,
  input  logic [2:0]                        valid_i,
  input  logic [tenon_pkg::INP_BYTES*8-1:0] input_i,
  input  logic [tenon_pkg::WGT_BYTES*8-1:0] weight_i,
  input  logic [8:0]                        zero_point_i,
  output logic [tenon_pkg::ACC_BYTES*8-1:0] sums_o
);
  localparam int Lanes = tenon_pkg::ACC_BYTES / 4;

  (* anyseq *) logic [Lanes-1:0] any;
  always_ff @(posedge clk_i)
    for (int l = 0; l < Lanes; l++) sums_o[l*32 +: 32] <= {31'd0, advance_i ? any[l] : sums_o[l*32]};
endmodule

module alu_execute (
  input  logic                               clk_i,
  input  logic                               rst_i,
  input  logic                               issue_i,
  input  logic [3:0]                         op_i,
  input  logic                               operand_i,
  input  logic                               start_i,
  input  logic                               zero_i,
  input  logic                               write_i,
  input  logic                               grid_a_i,
  input  logic                               grid_c_i,
  output logic                               busy_o,
  output logic                               quant_add_done_o,
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]  first_i,
  input  logic [tenon_pkg::ACC_BYTES*8-1:0]  second_i,
  input  logic [tenon_pkg::PRM_BYTES*8-1:0]  parameter_i,
  input  logic [tenon_pkg::BLOCK_OUT*8-1:0]  tap_i,
  input  logic [31:0]                        immediate_i,
  input  logic [8:0]                         tap_zero_point_i,
  input  logic [8:0]                         addend_min_i,
  input  logic [8:0]                         addend_max_i,
  input  logic [21:0]                        addend_scale_i,
  input  logic [21:0]                        operand_scale_i,
  input  logic [5:0]                         add_shift_i,
  input  logic [31:0]                        zero_point_i,
  input  logic [31:0]                        clamp_min_i,
  input  logic [31:0]                        clamp_max_i,
  output logic                               result_o,
  output logic                               addend_o,
  output logic [$clog2(tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES + 1)-1:0] group_o,
  output logic [tenon_pkg::ALU_LANES*32-1:0] lanes_o,
  output logic [tenon_pkg::ALU_LANES*32-1:0] round_o,
  output logic [31:0]                        zero_point_o,
  output logic [31:0]                        low_o,
  output logic [31:0]                        high_o,
  input  logic [tenon_pkg::ALU_LANES*9-1:0]  addend_i
);
  localparam int Groups = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES;
  localparam int GroupBits = $clog2(Groups + 1);

  (* anyseq *) logic                               comes, adds, done, busy;
  (* anyseq *) logic [tenon_pkg::ALU_LANES*32-1:0] any;
  logic [4:0]           results_q, quant_adds_q;  // owed
  logic [GroupBits-1:0] group_q;
  logic                 last;

  assign busy_o = busy;
  assign result_o = comes && results_q != 5'd0;
  assign addend_o = adds && !result_o;
  assign quant_add_done_o = done && quant_adds_q != 5'd0;
  assign group_o = group_q;
  assign lanes_o = any;
  assign round_o = '0;
  assign zero_point_o = 32'd0;
  assign {low_o, high_o} = {32'h80000000, 32'h7fffffff};
  assign last = result_o && 32'(group_q) == Groups - 1;

  always_ff @(posedge clk_i) begin
    results_q <= results_q + 5'(issue_i && write_i) - 5'(last);
    quant_adds_q <= quant_adds_q + 5'(issue_i && op_i == tenon_pkg::ALU_OP_QUANT_ADD) - 5'(quant_add_done_o);
    if (result_o) group_q <= last ? '0 : group_q + 1'b1;
    if (rst_i) {results_q, quant_adds_q, group_q} <= '0;
  end
endmodule

module scratchpad #(
  parameter int unsigned Depth = 512,
  parameter int unsigned Width = 64,
  parameter int unsigned Lanes = 1,
  parameter int unsigned IndexBits = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  logic [Lanes-1:0]     lanes_i,
  input  logic [IndexBits-1:0] write_index_i,
  input  logic [Width-1:0]     data_i,
  input  logic                 read_i,
  input  logic [IndexBits-1:0] read_index_i,
  input  logic                 register_i,
  output logic [Width-1:0]     data_o
);
  (* anyseq *) logic [Width-1:0] any;
  assign data_o = any;
endmodule

module scratchpad_beats #(
  parameter int unsigned Depth = 512,
  parameter int unsigned Width = 64,
  parameter int unsigned Lanes = 1,
  parameter int unsigned IndexBits = $clog2(Depth)
) (
  input  logic                   clk_i,
  input  logic                   write_i,
  input  logic [IndexBits-1:0]   write_index_i,
  input  logic [7:0]             beat_i,
  input  logic [Width/Lanes-1:0] data_i,
  input  logic                   read_i,
  input  logic [IndexBits-1:0]   read_index_i,
  input  logic                   register_i,
  output logic [Width-1:0]       data_o
);
  (* anyseq *) logic [Width-1:0] any;
  assign data_o = any;
endmodule

`default_nettype wire
