// Part of Tenon, under the Apache License v2.0.
//
// Bytes of an SPI bus in mode 0, most significant bit first: what the master
// sends comes out, and the answer's bytes go back, 00 where there is none.  The
// pins are sampled by this clock, which must be at least eight times SCK; CSN
// high ends a byte where it is.
//
// An answer's byte is on the wire from the last falling edge before it and
// counts as taken with its first rising edge: a transfer that ends at a byte's
// border loses nothing.  `silent_o` is high from 4096 times `divisor_i` clocks
// after the last bit on.

`default_nettype none

module spi_bytes (
    input  logic        clk_i,
    input  logic        rst_i,
    input  logic [15:0] divisor_i,
    // pins
    input  logic        sck_i,
    input  logic        csn_i,
    input  logic        mosi_i,
    output logic        miso_o,
    // from the master
    output logic        rx_valid_o,
    output logic [7:0]  rx_data_o,
    output logic        silent_o,
    // to the master
    input  logic        tx_valid_i,
    input  logic [7:0]  tx_data_i,
    output logic        tx_ready_o,
    output logic        tx_idle_o
);
  logic [2:0] sck_q, csn_q;
  logic [1:0] mosi_q;
  logic selected, rises, falls, begins;

  assign selected = !csn_q[1];
  assign rises = selected && sck_q[1] && !sck_q[2];
  assign falls = selected && !sck_q[1] && sck_q[2];
  assign begins = selected && csn_q[2];

  // ---- bits; `held_q`: the byte on the wire is the answer's
  logic [2:0] bit_q;
  logic [7:0] shift_q;
  logic held_q, load;

  assign load = begins || (falls && bit_q == 3'd0);
  assign miso_o = shift_q[7];
  assign tx_ready_o = held_q && rises && bit_q == 3'd0;
  assign tx_idle_o = !selected || (bit_q == 3'd0 && !held_q);

  always_ff @(posedge clk_i) begin
    sck_q <= {sck_q[1:0], sck_i};
    csn_q <= {csn_q[1:0], csn_i};
    mosi_q <= {mosi_q[0], mosi_i};
    rx_valid_o <= 1'b0;
    if (rises) begin
      rx_data_o <= {rx_data_o[6:0], mosi_q[1]};
      rx_valid_o <= bit_q == 3'd7;
      bit_q <= bit_q + 3'd1;
      held_q <= 1'b0;
    end
    if (falls) shift_q <= {shift_q[6:0], 1'b0};
    if (load) begin
      shift_q <= tx_valid_i ? tx_data_i : 8'd0;
      held_q <= tx_valid_i;
    end
    if (!selected || rst_i) begin
      bit_q <= 3'd0;
      held_q <= 1'b0;
    end
    if (rst_i) begin
      sck_q <= 3'd0;
      csn_q <= 3'b111;
      rx_valid_o <= 1'b0;
    end
  end

  // ---- silence
  logic [15:0] timer_q;
  logic [12:0] quiet_q;
  logic tick;

  assign tick = timer_q == 16'd0;
  assign silent_o = quiet_q[12];

  always_ff @(posedge clk_i) begin
    timer_q <= tick ? divisor_i - 16'd1 : timer_q - 16'd1;
    if (tick && !silent_o) quiet_q <= quiet_q + 13'd1;
    if (rises || rst_i) quiet_q <= 13'd0;
    if (rst_i) timer_q <= 16'd0;
  end
endmodule

`default_nettype wire
