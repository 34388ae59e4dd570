// Part of Tenon, under the Apache License v2.0.
//
// Bytes onto a serial line: one start bit, eight data bits, least significant
// first, one stop bit of `divisor_i` >= 1 clocks each.  The next byte is taken
// in the last clock of the stop bit, so bytes follow each other without a gap.

`default_nettype none

module uart_tx (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic [15:0] divisor_i,
    input  logic        valid_i,
    input  logic [7:0]  data_i,
    output logic        ready_o,
    // nothing on the line
    output logic        idle_o,
    output logic        tx_o
);
  // Bits left, the one on the line included.
  logic [3:0] left_q;
  logic [15:0] timer_q;
  logic [8:0] bits_q;
  logic tick;

  assign tick = timer_q == 16'd0;
  assign idle_o = left_q == 4'd0;
  assign ready_o = idle_o || (left_q == 4'd1 && tick);

  always_ff @(posedge clk_i) begin
    timer_q <= tick ? divisor_i - 16'd1 : timer_q - 16'd1;
    if (tick && !idle_o) begin
      left_q <= left_q - 4'd1;
      {bits_q, tx_o} <= {1'b1, bits_q};
    end
    if (valid_i && ready_o) begin
      left_q <= 4'd10;
      timer_q <= divisor_i - 16'd1;
      {bits_q, tx_o} <= {1'b1, data_i, 1'b0};
    end
    if (rst_i) begin
      left_q <= 4'd0;
      timer_q <= 16'd0;
      tx_o <= 1'b1;
    end
  end
endmodule

`default_nettype wire
