// Part of Tenon, under the Apache License v2.0.
//
// iCEBreaker (UP5K): the bridge on the USB serial port, 12 MHz to the machine's
// clock by PLL, DRAM out of the single-port RAMs.  The button (low when pressed)
// is the reset; the LEDs, red: not ready, green: launch ended, are on when low.

`default_nettype none

module icebreaker #(
    parameter int unsigned ClockHz = 24_000_000,
    parameter int unsigned MemoryBytes = 65536,
    parameter int unsigned PllReference = 0,
    parameter int unsigned PllFeedback = 63,
    parameter int unsigned PllOutput = 5
) (
    input  logic       clk_i,
    input  logic       button_n_i,
    input  logic       uart_rx_i,
    output logic       uart_tx_o,
    output logic [1:0] led_n_o
);
  logic clk, locked, rst, miso_unused;
  logic [7:0] led;

  icebreaker_pll #(
      .Reference(PllReference),
      .Feedback(PllFeedback),
      .Output(PllOutput)
  ) u_pll (
      .clk_i(clk_i),
      .clk_o(clk),
      .locked_o(locked)
  );

  reset_sync u_reset (
      .clk_i(clk),
      .run_i(locked && button_n_i),
      .rst_o(rst)
  );

  bridge_top #(
      .ClockHz(ClockHz),
      .MemoryBytes(MemoryBytes),
      .SinglePort(1)
  ) u_bridge (
      .clk_i(clk),
      .rst_i(rst),
      .uart_rx_i(uart_rx_i),
      .uart_tx_o(uart_tx_o),
      .sck_i(1'b0),
      .csn_i(1'b1),
      .mosi_i(1'b0),
      .miso_o(miso_unused),
      .led_o(led)
  );

  assign led_n_o = {!led[1], led[0]};

  logic unused;
  assign unused = &{1'b0, led[7:2], miso_unused};
endmodule

`default_nettype wire
