// Part of Tenon, under the Apache License v2.0.
//
// uop_sequencer: an instruction's iterations are, one a step, for each outer o,
// for each inner i, for each micro-op u of its range, with the micro-op u and, of
// each field, base + o*outer + i*inner (modulo its memory): the formula of isa.md,
// multiplied out here. `first_o` and `last_o` stand with the first and the last
// one only. Without a step nothing moves.
// Assumed: counts are at least 1 (validate.cpp); an instruction is given only
// where none is at work or the last step is made, as alu.sv and gemm.sv do.
// Proved with fields of `Bits` bits, for all counts.
`default_nettype none

module uop_sequencer_formal #(
    parameter int Bits = 4
) (
    input logic                                 clk_i,
    input logic                                 rst_i,
    input logic                                 load_i,
    input logic                                 go_i,
    input logic [tenon_pkg::UOP_INDEX_BITS-1:0] begin_i,
    input logic [tenon_pkg::UOP_INDEX_BITS-1:0] count_i,
    input logic [11:0]                          outer_i,
    input logic [11:0]                          inner_i,
    input logic [Bits-1:0]                      dst_base_i, dst_outer_i, dst_inner_i,
    input logic [Bits-1:0]                      src_base_i, src_outer_i, src_inner_i,
    input logic [Bits-1:0]                      third_base_i, third_outer_i, third_inner_i,
    input logic                                 step_i
);
  localparam int U = tenon_pkg::UOP_INDEX_BITS;

  logic valid_o, first_o, last_o;
  logic [U-1:0] uop_o;
  logic [Bits-1:0] dst_o, src_o, third_o;
  uop_sequencer #(.DstBits(Bits), .SrcBits(Bits), .ThirdBits(Bits)) dut (.*);

  // ---- the instruction at work, and the iteration: o, i, u
  logic started_q = 1'b0, works_q, take, last;
  logic [U-1:0] begin_q, count_q, u_q;
  logic [11:0] outer_q, inner_q, o_q, i_q;
  logic [Bits-1:0] base_q[3], along_outer_q[3], along_inner_q[3], field[3];
  logic last_u, last_i;
  assign last_u = u_q + U'(1) == count_q;
  assign last_i = i_q + 12'd1 == inner_q;
  assign last = last_u && last_i && o_q + 12'd1 == outer_q;
  assign take = load_i && go_i;
  always_comb
    for (int f = 0; f < 3; f++)
      field[f] = base_q[f] + o_q[Bits-1:0] * along_outer_q[f] + i_q[Bits-1:0] * along_inner_q[f];

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (works_q && step_i) begin
      u_q <= last_u ? '0 : u_q + U'(1);
      if (last_u) i_q <= last_i ? 12'd0 : i_q + 12'd1;
      if (last_u && last_i) o_q <= o_q + 12'd1;
      if (last) works_q <= 1'b0;
    end
    if (take) begin
      works_q <= 1'b1;
      {u_q, i_q, o_q} <= '0;
      {begin_q, count_q, outer_q, inner_q} <= {begin_i, count_i, outer_i, inner_i};
      {base_q[0], base_q[1], base_q[2]} <= {dst_base_i, src_base_i, third_base_i};
      {along_outer_q[0], along_outer_q[1], along_outer_q[2]} <= {dst_outer_i, src_outer_i, third_outer_i};
      {along_inner_q[0], along_inner_q[1], along_inner_q[2]} <= {dst_inner_i, src_inner_i, third_inner_i};
    end
    if (rst_i) works_q <= 1'b0;
  end

  // ---- invariants: what dut's registers are to these
  (* hierconn *) wire [U-1:0] \dut.begin_q , \dut.count_q , \dut.left_q ;
  (* hierconn *) wire [11:0] \dut.inner_q , \dut.inner_left_q , \dut.outer_left_q ;
  (* hierconn *) wire \dut.last_uop , \dut.last_inner , \dut.last_outer ;
  (* hierconn *) wire \dut.one_uop_q , \dut.one_inner_q ;
  (* hierconn *) wire [Bits-1:0] \dut.dst_row_q , \dut.src_row_q , \dut.third_row_q ;
  (* hierconn *) wire [Bits-1:0] \dut.dst_outer_q , \dut.src_outer_q , \dut.third_outer_q ;
  (* hierconn *) wire [Bits-1:0] \dut.dst_inner_q , \dut.src_inner_q , \dut.third_inner_q ;
  logic [3*Bits-1:0] row;
  always_comb begin
    for (int f = 0; f < 3; f++)
      row[f*Bits+:Bits] = base_q[f] + o_q[Bits-1:0] * along_outer_q[f];
    if (started_q && works_q) begin
      assert (u_q < count_q && i_q < inner_q && o_q < outer_q);
      assert (\dut.begin_q == begin_q && \dut.count_q == count_q && \dut.inner_q == inner_q);
      assert (\dut.left_q == U'(count_q - u_q));
      assert (\dut.inner_left_q == inner_q - i_q && \dut.outer_left_q == outer_q - o_q);
      assert (\dut.last_uop == last_u && \dut.last_inner == last_i);
      assert (\dut.last_outer == (o_q + 12'd1 == outer_q));
      assert (\dut.one_uop_q == (count_q == U'(1)) && \dut.one_inner_q == (inner_q == 12'd1));
      assert ({\dut.third_row_q , \dut.src_row_q , \dut.dst_row_q } == row);
      assert (\dut.dst_outer_q == along_outer_q[0] && \dut.dst_inner_q == along_inner_q[0]);
      assert (\dut.src_outer_q == along_outer_q[1] && \dut.src_inner_q == along_inner_q[1]);
      assert (\dut.third_outer_q == along_outer_q[2] && \dut.third_inner_q == along_inner_q[2]);
    end
  end

  always_comb begin
    if (!started_q) assume (rst_i);
    else if (!rst_i) begin
      if (load_i) assume (!works_q || (last && step_i));
      if (load_i) assume (count_i != '0 && inner_i != 12'd0 && outer_i != 12'd0);

      assert (valid_o == works_q);
      if (valid_o) begin
        assert (first_o == (u_q == '0 && i_q == 12'd0 && o_q == 12'd0));
        assert (last_o == last);
        assert (uop_o == U'(begin_q + u_q));
        assert (dst_o == field[0] && src_o == field[1] && third_o == field[2]);
      end
      cover (valid_o && last_o && step_i && o_q == 12'd1 && i_q == 12'd1 && u_q == U'(1));
      cover (valid_o && last_o && step_i && take);
    end
  end
endmodule

`default_nettype wire
