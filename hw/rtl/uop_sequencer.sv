// Part of Tenon, under the Apache License v2.0.
//
// The two affine loops of GEMM and ALU around a range of micro-ops: one
// iteration for each cycle in which `step_i` is high.
//
// `load_i` reads an instruction, `go_i` takes it; what is read and not taken does
// not matter, so that the many registers need not wait for the decision. One
// instruction waits behind the one at work, and follows it without a bubble if it
// came a cycle before the last step; `free_o`, that none waits, is a register, so
// that no path runs from `step_i` to whoever gives instructions. While `valid_o`
// is high the outputs name the iteration: the micro-op's number and what is to be
// added to each of its three fields, the base register included, and what came
// along with the instruction. Counts are at least 1.
`default_nettype none

module uop_sequencer #(
  parameter int unsigned DstBits = 11,
  parameter int unsigned SrcBits = 11,
  parameter int unsigned ThirdBits = 10,
  parameter int unsigned AlongBits = 1
) (
  input  logic                                  clk_i,
  input  logic                                  rst_i,
  // the instruction
  output      logic                                  free_o,
  input  logic                                  load_i,
  input  logic                                  go_i,
  input  logic [tenon_pkg::UOP_INDEX_BITS-1:0]  begin_i,
  input  logic [tenon_pkg::UOP_INDEX_BITS-1:0]  count_i,
  input  logic [11:0]                           outer_i,
  input  logic [11:0]                           inner_i,
  input  logic [DstBits-1:0]                    dst_base_i, dst_outer_i, dst_inner_i,
  input  logic [SrcBits-1:0]                    src_base_i, src_outer_i, src_inner_i,
  input  logic [ThirdBits-1:0]                  third_base_i, third_outer_i, third_inner_i,
  input  logic [AlongBits-1:0]                  along_i,
  // the iteration
  input  logic                                  step_i,
  output      logic                                  valid_o,
  output      logic                                  first_o,
  output      logic                                  last_o,
  output      logic [tenon_pkg::UOP_INDEX_BITS-1:0]  uop_o,
  output      logic [DstBits-1:0]                    dst_o,
  output      logic [SrcBits-1:0]                    src_o,
  output      logic [ThirdBits-1:0]                  third_o,
  output      logic [AlongBits-1:0]                  along_o
);
  localparam int unsigned U = tenon_pkg::UOP_INDEX_BITS;

  // an instruction
  typedef struct packed {
    logic [U-1:0]         start, count;
    logic [11:0]          outer, inner;
    logic [DstBits-1:0]   dst_base, dst_outer, dst_inner;
    logic [SrcBits-1:0]   src_base, src_outer, src_inner;
    logic [ThirdBits-1:0] third_base, third_outer, third_inner;
    logic [AlongBits-1:0] along;
  } loops_t;

  loops_t               given, waiting_q, loops;
  logic                 waits_q, enters;

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

  // One that waits enters behind the last step, what is given to a sequencer
  // without work at once; else it waits.
  assign given = {
    begin_i, count_i, outer_i, inner_i, dst_base_i, dst_outer_i, dst_inner_i,
    src_base_i, src_outer_i, src_inner_i, third_base_i, third_outer_i, third_inner_i, along_i
  };
  assign loops = waits_q ? waiting_q : given;
  assign enters = waits_q ? !valid_o || (last_o && step_i) : load_i && !valid_o;
  assign free_o = !waits_q;

  always_ff @(posedge clk_i) begin
    if (load_i && !waits_q && valid_o) begin
      waiting_q <= given;
      waits_q <= go_i;
    end
    if (enters) begin
      waits_q <= 1'b0;
      valid_o <= waits_q || go_i;
      first_o <= 1'b1;
      along_o <= loops.along;
      begin_q <= loops.start;
      count_q <= loops.count;
      left_q <= loops.count;
      last_uop <= loops.count == U'(1);
      one_uop_q <= loops.count == U'(1);
      uop_o <= loops.start;
      inner_q <= loops.inner;
      inner_left_q <= loops.inner;
      last_inner <= loops.inner == 12'd1;
      one_inner_q <= loops.inner == 12'd1;
      outer_left_q <= loops.outer;
      last_outer <= loops.outer == 12'd1;
      last_o <= loops.count == U'(1) && loops.inner == 12'd1 && loops.outer == 12'd1;
      {dst_row_q, dst_outer_q, dst_inner_q} <= {loops.dst_base, loops.dst_outer, loops.dst_inner};
      {src_row_q, src_outer_q, src_inner_q} <= {loops.src_base, loops.src_outer, loops.src_inner};
      {third_row_q, third_outer_q, third_inner_q} <= {loops.third_base, loops.third_outer, loops.third_inner};
      dst_o <= loops.dst_base;
      src_o <= loops.src_base;
      third_o <= loops.third_base;
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
    if (rst_i) {valid_o, waits_q} <= 2'b0;     // alone: enables must not wait for it
  end

`ifndef SYNTHESIS
  logic inside_q;  // behind an iteration that is not the last

  always_ff @(posedge clk_i) begin : assertions
    inside_q <= !rst_i && valid_o && !(last_o && step_i);
    if (!rst_i) begin
      // An instruction is taken only as it is read.
      taken_as_read : assert (!go_i || load_i);
      // An instruction comes only where none waits.
      comes_when_free : assert (!load_i || free_o);
      // What is taken has iterations.
      counts_not_zero : assert (!(load_i && go_i) || (count_i != '0 && inner_i != 12'd0 && outer_i != 12'd0));
      // Between an instruction's first iteration and its last there is no gap.
      no_gap : assert (!inside_q || valid_o);
    end
  end
`endif
endmodule

`default_nettype wire
