// Part of Tenon, under the Apache License v2.0.
//
// uop_sequencer: an instruction's iterations are, one a step, for each outer o,
// for each inner i, for each micro-op u of its range, with the micro-op u and, of
// each field, base + o*outer + i*inner (modulo its memory): the formula of isa.md,
// multiplied out here. `first_o` and `last_o` stand with the first and the last
// one only, and what came along with the instruction. Without a step nothing
// moves. Instructions are worked on in order, each once; one that waits begins
// behind the last step of the one before, without a cycle between.
// Assumed: counts are at least 1 (validate.cpp); an instruction is given only
// where none waits, as alu.sv and gemm.sv do.
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
    input logic [1:0]                           along_i,
    input logic                                 step_i
);
  localparam int U = tenon_pkg::UOP_INDEX_BITS;

  logic free_o, valid_o, first_o, last_o;
  logic [1:0] along_o;
  logic [U-1:0] uop_o;
  logic [Bits-1:0] dst_o, src_o, third_o;
  uop_sequencer #(.DstBits(Bits), .SrcBits(Bits), .ThirdBits(Bits), .AlongBits(2)) dut (.*);

  // ---- the instruction at work, the one that waits; the iteration: o, i, u
  typedef struct packed {
    logic [U-1:0]    start, count;
    logic [11:0]     outer, inner;
    logic [Bits-1:0] dst_base, dst_outer, dst_inner;
    logic [Bits-1:0] src_base, src_outer, src_inner;
    logic [Bits-1:0] third_base, third_outer, third_inner;
    logic [1:0]      along;
  } loops_t;
  loops_t given, now_q, next_q;
  logic started_q = 1'b0, works_q, waits_q, take, ends, last_u, last_i, last;
  logic [U-1:0] u_q, u_next;
  logic [11:0] o_q, i_q, o_next, i_next;
  assign given = {
    begin_i, count_i, outer_i, inner_i, dst_base_i, dst_outer_i, dst_inner_i,
    src_base_i, src_outer_i, src_inner_i, third_base_i, third_outer_i, third_inner_i, along_i
  };
  assign {u_next, i_next, o_next} = {u_q + U'(1), i_q + 12'd1, o_q + 12'd1};
  assign last_u = u_next == now_q.count;
  assign last_i = i_next == now_q.inner;
  assign last = last_u && last_i && o_next == now_q.outer;
  assign take = load_i && go_i;
  assign ends = works_q && step_i && last;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (works_q && step_i) begin
      u_q <= last_u ? '0 : u_next;
      if (last_u) i_q <= last_i ? 12'd0 : i_next;
      if (last_u && last_i) o_q <= o_next;
      if (last) works_q <= 1'b0;
    end
    if (take && works_q) {waits_q, next_q} <= {1'b1, given};
    if (take && !works_q) {works_q, now_q} <= {1'b1, given};
    if (waits_q && (ends || !works_q)) {waits_q, works_q, now_q} <= {2'b01, next_q};
    if (ends || !works_q) {u_q, i_q, o_q} <= '0;
    if (rst_i) {works_q, waits_q} <= 2'b00;
  end

  // The formula, and its part without the inner loop.
  logic [Bits-1:0] o, i, dst_row, src_row, third_row;
  assign {o, i} = {o_q[Bits-1:0], i_q[Bits-1:0]};
  assign dst_row = now_q.dst_base + o * now_q.dst_outer;
  assign src_row = now_q.src_base + o * now_q.src_outer;
  assign third_row = now_q.third_base + o * now_q.third_outer;

  // ---- invariants: what dut's registers are to these
  (* hierconn *) wire [U-1:0] \dut.begin_q , \dut.count_q , \dut.left_q ;
  (* hierconn *) wire [11:0] \dut.inner_q , \dut.inner_left_q , \dut.outer_left_q ;
  (* hierconn *) wire \dut.last_uop , \dut.last_inner , \dut.last_outer ;
  (* hierconn *) wire \dut.one_uop_q , \dut.one_inner_q ;
  (* hierconn *) wire [Bits-1:0] \dut.dst_row_q , \dut.src_row_q , \dut.third_row_q ;
  (* hierconn *) wire [Bits-1:0] \dut.dst_outer_q , \dut.src_outer_q , \dut.third_outer_q ;
  (* hierconn *) wire [Bits-1:0] \dut.dst_inner_q , \dut.src_inner_q , \dut.third_inner_q ;
  (* hierconn *) wire [2*U+24+9*Bits+1:0] \dut.waiting_q ;
  always_comb begin
    if (started_q && waits_q) begin
      assert (\dut.waiting_q == next_q);
      assert (next_q.count != '0 && next_q.inner != 12'd0 && next_q.outer != 12'd0);
    end
    if (started_q && works_q) begin
      assert (u_q < now_q.count && i_q < now_q.inner && o_q < now_q.outer);
      assert (\dut.begin_q == now_q.start && \dut.count_q == now_q.count);
      assert (\dut.inner_q == now_q.inner && \dut.left_q == now_q.count - u_q);
      assert (\dut.inner_left_q == now_q.inner - i_q && \dut.outer_left_q == now_q.outer - o_q);
      assert (\dut.last_uop == last_u && \dut.last_inner == last_i);
      assert (\dut.last_outer == (o_next == now_q.outer));
      assert (\dut.one_uop_q == (now_q.count == U'(1)) && \dut.one_inner_q == (now_q.inner == 12'd1));
      assert (\dut.dst_row_q == dst_row && \dut.src_row_q == src_row && \dut.third_row_q == third_row);
      assert (\dut.dst_outer_q == now_q.dst_outer && \dut.dst_inner_q == now_q.dst_inner);
      assert (\dut.src_outer_q == now_q.src_outer && \dut.src_inner_q == now_q.src_inner);
      assert (\dut.third_outer_q == now_q.third_outer && \dut.third_inner_q == now_q.third_inner);
    end
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!rst_i) begin
      if (go_i) taken_as_read : assume (load_i);
      if (load_i) comes_when_free : assume (free_o);
      if (load_i && go_i) counts_not_zero : assume (count_i != '0 && inner_i != 12'd0 && outer_i != 12'd0);

      assert (valid_o == works_q && free_o == !waits_q);
      if (valid_o) begin
        assert (first_o == ({u_q, i_q, o_q} == '0));
        assert (last_o == last);
        assert (uop_o == U'(now_q.start + u_q));
        assert (dst_o == Bits'(dst_row + i * now_q.dst_inner));
        assert (src_o == Bits'(src_row + i * now_q.src_inner));
        assert (third_o == Bits'(third_row + i * now_q.third_inner));
        assert (along_o == now_q.along);
      end
      cover (valid_o && last_o && step_i && o_q == 12'd1 && i_q == 12'd1 && u_q == U'(1));
      cover (ends && waits_q);
    end
  end
endmodule

`default_nettype wire
