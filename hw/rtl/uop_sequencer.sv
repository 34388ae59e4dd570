// Part of Tenon, under the Apache License v2.0.
//
// The two affine loops of GEMM and ALU around a range of micro-ops: one
// iteration for each cycle in which `step_i` is high.
//
// `load_i` reads an instruction, `go_i` takes it (also in the cycle of the last
// step of the one before: no bubble); what is read and not taken does not matter,
// so that the many registers need not wait for the decision. While `valid_o` is high the outputs name the iteration:
// the micro-op's number and what is to be added to each of its three fields,
// the base register included. Counts are at least 1.
`default_nettype none

module uop_sequencer #(
  parameter int unsigned DstBits = 11,
  parameter int unsigned SrcBits = 11,
  parameter int unsigned ThirdBits = 10
) (
  input  logic                                  clk_i,
  input  logic                                  rst_i,
  // the instruction
  input  logic                                  load_i,
  input  logic                                  go_i,
  input  logic [tenon_pkg::UOP_INDEX_BITS-1:0]  begin_i,
  input  logic [tenon_pkg::UOP_INDEX_BITS-1:0]  count_i,
  input  logic [11:0]                           outer_i,
  input  logic [11:0]                           inner_i,
  input  logic [DstBits-1:0]                    dst_base_i, dst_outer_i, dst_inner_i,
  input  logic [SrcBits-1:0]                    src_base_i, src_outer_i, src_inner_i,
  input  logic [ThirdBits-1:0]                  third_base_i, third_outer_i, third_inner_i,
  // the iteration
  input  logic                                  step_i,
  output      logic                                  valid_o,
  output      logic                                  first_o,
  output      logic                                  last_o,
  output      logic [tenon_pkg::UOP_INDEX_BITS-1:0]  uop_o,
  output      logic [DstBits-1:0]                    dst_o,
  output      logic [SrcBits-1:0]                    src_o,
  output      logic [ThirdBits-1:0]                  third_o
);
  localparam int unsigned U = tenon_pkg::UOP_INDEX_BITS;

  logic [U-1:0]         begin_q, count_q, left_q;
  logic [11:0]          inner_q, inner_left_q, outer_left_q;
  logic [DstBits-1:0]   dst_outer_q, dst_inner_q, dst_row_q, dst_row;
  logic [SrcBits-1:0]   src_outer_q, src_inner_q, src_row_q, src_row;
  logic [ThirdBits-1:0] third_outer_q, third_inner_q, third_row_q, third_row;
  // whether a count stands at its last, and whether it will after a reload
  logic                 last_uop, last_inner, last_outer, one_uop_q, one_inner_q;
  logic                 inner_ends, outer_ends, next_last;  // with the next iteration

  assign inner_ends = last_inner ? one_inner_q : inner_left_q == 12'd2;
  assign outer_ends = last_inner ? outer_left_q == 12'd2 : last_outer;
  assign next_last = last_uop ? one_uop_q && inner_ends && outer_ends
                              : left_q == U'(2) && last_inner && last_outer;
  assign dst_row = dst_row_q + dst_outer_q;
  assign src_row = src_row_q + src_outer_q;
  assign third_row = third_row_q + third_outer_q;

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      valid_o <= go_i;
      first_o <= 1'b1;
      begin_q <= begin_i;
      count_q <= count_i;
      left_q <= count_i;
      last_uop <= count_i == U'(1);
      one_uop_q <= count_i == U'(1);
      uop_o <= begin_i;
      inner_q <= inner_i;
      inner_left_q <= inner_i;
      last_inner <= inner_i == 12'd1;
      one_inner_q <= inner_i == 12'd1;
      outer_left_q <= outer_i;
      last_outer <= outer_i == 12'd1;
      last_o <= count_i == U'(1) && inner_i == 12'd1 && outer_i == 12'd1;
      dst_outer_q <= dst_outer_i;
      dst_inner_q <= dst_inner_i;
      dst_row_q <= dst_base_i;
      dst_o <= dst_base_i;
      src_outer_q <= src_outer_i;
      src_inner_q <= src_inner_i;
      src_row_q <= src_base_i;
      src_o <= src_base_i;
      third_outer_q <= third_outer_i;
      third_inner_q <= third_inner_i;
      third_row_q <= third_base_i;
      third_o <= third_base_i;
    end else if (valid_o && step_i) begin
      first_o <= 1'b0;
      last_o <= next_last;
      if (!last_uop) begin
        left_q <= left_q - U'(1);
        last_uop <= left_q == U'(2);
        uop_o <= uop_o + U'(1);
      end else begin
        left_q <= count_q;
        last_uop <= one_uop_q;
        uop_o <= begin_q;
        if (!last_inner) begin
          inner_left_q <= inner_left_q - 12'd1;
          last_inner <= inner_left_q == 12'd2;
          dst_o <= dst_o + dst_inner_q;
          src_o <= src_o + src_inner_q;
          third_o <= third_o + third_inner_q;
        end else begin
          inner_left_q <= inner_q;
          last_inner <= one_inner_q;
          outer_left_q <= outer_left_q - 12'd1;
          last_outer <= outer_left_q == 12'd2;
          dst_row_q <= dst_row;
          src_row_q <= src_row;
          third_row_q <= third_row;
          dst_o <= dst_row;
          src_o <= src_row;
          third_o <= third_row;
          valid_o <= !last_outer;
        end
      end
    end
    if (rst_i) valid_o <= 1'b0;                // alone: enables must not wait for it
  end
endmodule

`default_nettype wire
