// Part of Tenon, under the Apache License v2.0.
//
// The ALU's read stage: one micro-op waits here until its operands are in ACC,
// the read ports of their banks are granted, the table of results has room and
// the lanes are free; then it is issued. An operand may be granted in an
// earlier cycle than the issue, the issue is the grant of the last one. A read
// goes to ACC as soon as its operand's register is free, and is repeated until
// it counts: what decides that comes late, and ACC is far.
//
// `stall_o`, while a micro-op waits: STATE_BUSY (the lanes still work on the one
// before), STATE_DRAIN (an operand or a result is in flight) or STATE_BANK.
`default_nettype none

module alu_issue (
  input  logic                                  clk_i,
  input  logic                                  rst_i,
  // the micro-op; it leaves with `issue_o`
  input  logic                                  valid_i,
  input  logic                                  quant_add_i,
  input  logic                                  multiplies_i,  // once
  // operands of the micro-op that comes with `advance_i`
  input  logic                                  advance_i,
  input  logic                                  need_first_i,
  input  logic                                  need_second_i,
  input  logic                                  write_i,       // gives a result
  input  logic                                  same_bank_i,   // both operands in one
  output logic                                  issue_o,
  output logic [2:0]                            stall_o,
  // results in flight
  input  logic                                  hit_i,         // an operand is among them
  input  logic                                  full_i,
  input  logic                                  blocked_i,     // the oldest lost its write port
  // ACC; open: GEMM leaves the operand's bank. Not every read counts.
  output logic                                  first_read_o,
  input  logic                                  first_open_i,
  output logic                                  second_read_o,
  input  logic                                  second_open_i,
  // quant_add's grid, see alu_execute.sv
  input  logic                                  quant_add_done_i,
  output logic                                  grid_a_o,
  output logic                                  grid_c_o
);
  localparam int unsigned Groups = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES;
  localparam int unsigned Multiply = tenon_pkg::ALU_MULTIPLY_CYCLES;
  localparam int unsigned Period = 3 * Multiply;
  localparam int unsigned HoldBits = $clog2(Groups * Period + 1);

  logic                want_first_q, want_second_q;  // not read yet
  logic                first_grant, second_grant;
  logic [HoldBits-1:0] hold_q;              // cycles until the lanes are free
  logic                lanes_free, apart_q;
  logic                after_quant_add_q;   // the micro-op before was one
  logic                early_q;             // and its last A has left the first operand's register
  logic [4:0]          quant_adds_q;        // in flight
  logic [6:0]          grid_q;
  logic                origin_q;            // grid_q is 0
  logic                conflict, first_free, on_grid, may_read, others;

  // what must not overlap
  assign conflict = hit_i || (!quant_add_i && apart_q);
  assign on_grid = !quant_add_i || !apart_q || origin_q;
  assign first_free = lanes_free || early_q;
  assign may_read = !conflict && !(write_i && full_i);

  assign first_read_o = valid_i && want_first_q && first_free;
  assign second_read_o = valid_i && want_second_q && lanes_free;
  assign first_grant = may_read && first_read_o && first_open_i;
  assign second_grant = may_read && second_read_o && second_open_i && !(first_read_o && same_bank_i);
  // `hit_i` comes last: what waits for the issue is far.
  assign others = valid_i && (quant_add_i || !apart_q) && !(write_i && full_i) && lanes_free && on_grid
      && (!want_first_q || first_open_i) && (!want_second_q || (second_open_i && !(want_first_q && same_bank_i)));
  assign issue_o = others && !hit_i;

  always_comb begin
    if (conflict) stall_o = tenon_pkg::STATE_DRAIN;
    else if (write_i && full_i) stall_o = blocked_i ? tenon_pkg::STATE_BANK : tenon_pkg::STATE_DRAIN;
    else if (!lanes_free || (on_grid == 1'b0)) stall_o = tenon_pkg::STATE_BUSY;
    else stall_o = tenon_pkg::STATE_BANK;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      want_first_q <= 1'b0;
      want_second_q <= 1'b0;
      hold_q <= '0;
      lanes_free <= 1'b1;
      apart_q <= 1'b0;
      after_quant_add_q <= 1'b0;
      early_q <= 1'b0;
      quant_adds_q <= 5'd0;
      grid_q <= 7'd0;
      origin_q <= 1'b1;
    end else begin
      if (advance_i) {want_first_q, want_second_q} <= {need_first_i, need_second_i};
      else {want_first_q, want_second_q} <= {want_first_q && !first_grant, want_second_q && !second_grant};
      if (issue_o) begin
        after_quant_add_q <= quant_add_i;
        hold_q <= quant_add_i ? HoldBits'(Groups * Period - 1)
                : multiplies_i ? HoldBits'(Groups * Multiply - 1) : HoldBits'(Groups - 1);
        lanes_free <= !quant_add_i && Groups == 1 && (Multiply == 1 || !multiplies_i);
        early_q <= quant_add_i && Groups == 1;
      end else if (!lanes_free) begin
        hold_q <= hold_q - 1'b1;
        lanes_free <= hold_q == HoldBits'(1);
        if (after_quant_add_q && 32'(hold_q) == Period) early_q <= 1'b1;
      end
      if ((issue_o && quant_add_i) != quant_add_done_i) begin
        quant_adds_q <= quant_adds_q + (quant_add_done_i ? '1 : 5'd1);
        apart_q <= !quant_add_done_i || quant_adds_q != 5'd1;
      end
      origin_q <= !(issue_o && quant_add_i) && 32'(grid_q) == Period - 1;
      if (issue_o && quant_add_i) grid_q <= 7'd1;
      else grid_q <= 32'(grid_q) == Period - 1 ? 7'd0 : grid_q + 7'd1;
    end
  end

  assign grid_a_o = 32'(grid_q) == 2 % Period;
  assign grid_c_o = 32'(grid_q) == (1 + 2 * Multiply) % Period;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // What is issued has its operands read, or reads them now.
      issued_with_operands : assert (!issue_o || ((!want_first_q || first_grant) && (!want_second_q || second_grant)));
      // A result finds room in the table.
      result_has_room : assert (!issue_o || !write_i || !full_i);
      // A quant_add that ends is one under way.
      quant_add_under_way : assert (!quant_add_done_i || quant_adds_q != 5'd0);
    end
  end
`endif
endmodule

`default_nettype wire
