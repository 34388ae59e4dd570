// Part of Tenon, under the Apache License v2.0.
//
// The ALU's read stage: one micro-op waits here until its operands are in ACC,
// the read ports of their banks are granted, the table of results has room and
// the lanes are free; then it is issued. An operand may be granted in an
// earlier cycle than the issue, the issue is the grant of the last one.
//
// `stall_o`, while a micro-op waits: STATE_BUSY (the lanes still work on the one
// before), STATE_DRAIN (an operand or a result is in flight) or STATE_BANK.
`default_nettype none

module alu_issue (
  input  logic                                  clk_i,
  input  logic                                  rst_i,
  // the micro-op; it leaves with `issue_o`
  input  logic                                  valid_i,
  input  logic [3:0]                            op_i,
  input  logic                                  operand_i,
  input  logic                                  start_i,
  input  logic                                  zero_i,
  input  logic                                  end_i,
  output logic                                  issue_o,
  output logic                                  write_o,       // gives a result
  output logic [2:0]                            stall_o,
  // results in flight
  input  logic                                  first_hit_i,
  input  logic                                  second_hit_i,
  input  logic                                  full_i,
  input  logic                                  blocked_i,     // the oldest lost its write port
  // ACC
  output logic                                  first_read_o,
  input  logic                                  first_grant_i,
  output logic                                  second_read_o,
  input  logic                                  second_grant_i,
  // quant_add's grid, see alu_execute.sv
  input  logic                                  quant_add_done_i,
  output logic                                  grid_a_o,
  output logic                                  grid_c_o
);
  localparam int unsigned Groups = tenon_pkg::BATCH * tenon_pkg::BLOCK_OUT / tenon_pkg::ALU_LANES;
  localparam int unsigned Multiply = tenon_pkg::ALU_MULTIPLY_CYCLES;
  localparam int unsigned Period = 3 * Multiply;
  localparam int unsigned HoldBits = $clog2(Groups * Period + 1);

  logic                quant_add, reduces, multiplies, need_first, need_second;
  logic                got_first_q, got_second_q, have_first, have_second;
  logic [HoldBits-1:0] hold_q;              // cycles until the lanes are free
  logic                after_quant_add_q;   // the micro-op before was one
  logic [4:0]          quant_adds_q;        // in flight
  logic [6:0]          grid_q;
  logic                conflict, lanes_free, first_free, on_grid, may_read, apart;

  assign quant_add = op_i == tenon_pkg::ALU_OP_QUANT_ADD;
  assign reduces = op_i == tenon_pkg::ALU_OP_MAC
      || (operand_i && (op_i == tenon_pkg::ALU_OP_ADD || op_i == tenon_pkg::ALU_OP_MIN || op_i == tenon_pkg::ALU_OP_MAX));
  assign multiplies = op_i == tenon_pkg::ALU_OP_MUL || op_i == tenon_pkg::ALU_OP_MAC || op_i == tenon_pkg::ALU_OP_QUANT;
  assign need_first = op_i != tenon_pkg::ALU_OP_MOV || operand_i;
  assign need_second = quant_add || (reduces && start_i && !zero_i)
      || (operand_i && (op_i == tenon_pkg::ALU_OP_SUB || op_i == tenon_pkg::ALU_OP_MUL));
  assign write_o = !reduces || end_i;

  // what must not overlap
  assign apart = !quant_add && quant_adds_q != 5'd0;
  assign conflict = (need_first && first_hit_i) || (need_second && second_hit_i) || apart;
  assign lanes_free = hold_q == '0;
  assign on_grid = !quant_add || quant_adds_q == 5'd0 || grid_q == 7'd0;
  // The first operand's register is free once the last A of the one before has left it.
  assign first_free = lanes_free || (after_quant_add_q && 32'(hold_q) <= Period - 1);
  assign may_read = valid_i && !conflict && !(write_o && full_i);

  assign first_read_o = may_read && need_first && !got_first_q && first_free;
  assign second_read_o = may_read && need_second && !got_second_q && lanes_free;
  assign have_first = !need_first || got_first_q || first_grant_i;
  assign have_second = !need_second || got_second_q || second_grant_i;
  assign issue_o = may_read && lanes_free && on_grid && have_first && have_second;

  always_comb begin
    if (conflict) stall_o = tenon_pkg::STATE_DRAIN;
    else if (write_o && full_i) stall_o = blocked_i ? tenon_pkg::STATE_BANK : tenon_pkg::STATE_DRAIN;
    else if (!lanes_free || (on_grid == 1'b0)) stall_o = tenon_pkg::STATE_BUSY;
    else stall_o = tenon_pkg::STATE_BANK;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      got_first_q <= 1'b0;
      got_second_q <= 1'b0;
      hold_q <= '0;
      after_quant_add_q <= 1'b0;
      quant_adds_q <= 5'd0;
      grid_q <= 7'd0;
    end else begin
      got_first_q <= !issue_o && (got_first_q || first_grant_i);
      got_second_q <= !issue_o && (got_second_q || second_grant_i);
      if (issue_o) begin
        after_quant_add_q <= quant_add;
        hold_q <= quant_add ? HoldBits'(Groups * Period - 1)
                : multiplies ? HoldBits'(Groups * Multiply - 1) : HoldBits'(Groups - 1);
      end else if (!lanes_free) hold_q <= hold_q - 1'b1;
      quant_adds_q <= quant_adds_q + 5'(issue_o && quant_add) - 5'(quant_add_done_i);
      if (issue_o && quant_add) grid_q <= 7'd1;
      else grid_q <= 32'(grid_q) == Period - 1 ? 7'd0 : grid_q + 7'd1;
    end
  end

  assign grid_a_o = 32'(grid_q) == 2 % Period;
  assign grid_c_o = 32'(grid_q) == (2 + 2 * Multiply) % Period;
endmodule

`default_nettype wire
