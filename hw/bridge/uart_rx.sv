// Part of Tenon, under the Apache License v2.0.
//
// Bytes of a serial line: one start bit, eight data bits, least significant
// first, one stop bit of `divisor_i` >= 1 clocks each, sampled in the middle.
// A byte comes out in the middle of its stop bit; one without stop bit is
// dropped.  With divisor 1 the sender must use this clock.
//
//   line    ‾‾\_start_/‾0‾X‾1‾ ... ‾7‾X‾stop‾‾
//   sample        ^     ^   ^       ^     ^ valid_o
//
// `silent_o` is high from 4096 bit times after the last byte on, `break_o` in
// the cycle in which the line has been low for 32 bit times on top of a byte.

`default_nettype none

module uart_rx (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic [15:0] divisor_i,
    input  logic        rx_i,
    output logic        valid_o,
    output logic [7:0]  data_o,
    output logic        silent_o,
    output logic        break_o
);
  localparam logic [3:0] StopBit = 4'd9;

  // The edge is looked for one register before the samples are taken, so that
  // a start bit one clock long is sampled too.
  logic [2:0] line_q;
  logic falling, level;
  assign level = line_q[2];
  assign falling = line_q[2] && !line_q[1];

  logic busy_q;
  logic [3:0] bit_q;
  logic [15:0] timer_q;
  logic [12:0] quiet_q;
  logic tick, ends, starts;

  // Bit 0 is the start bit: high in its middle, it was a glitch.
  assign tick = timer_q == 16'd0;
  assign ends = busy_q && tick && (bit_q == StopBit || (bit_q == 4'd0 && level));
  assign starts = falling && (!busy_q || ends);

  assign silent_o = quiet_q[12];
  assign break_o = !busy_q && !level && tick && quiet_q == 13'd31;

  always_ff @(posedge clk_i) begin
    line_q <= {line_q[1:0], rx_i};
    timer_q <= tick ? divisor_i - 16'd1 : timer_q - 16'd1;
    valid_o <= 1'b0;
    if (busy_q && tick) begin
      bit_q <= bit_q + 4'd1;
      if (bit_q == StopBit) valid_o <= level;
      else data_o <= {level, data_o[7:1]};
    end
    if (!busy_q && tick && !silent_o) quiet_q <= quiet_q + 13'd1;
    if (ends) busy_q <= 1'b0;
    if (starts) begin
      busy_q <= 1'b1;
      bit_q <= 4'd0;
      timer_q <= {1'b0, divisor_i[15:1]};
      quiet_q <= 13'd0;
    end
    if (rst_i) begin
      line_q <= 3'b111;
      busy_q <= 1'b0;
      valid_o <= 1'b0;
      quiet_q <= 13'd0;
      timer_q <= 16'd0;
    end
  end
endmodule

`default_nettype wire
