// Part of Tenon, under the Apache License v2.0.
//
// Tang Nano 20K: the bridge on the USB serial port, 27 MHz to the machine's
// clock by PLL.  Button S1 (high when pressed) is the reset; the LEDs are on
// when low.

`default_nettype none

module tang_nano_20k #(
    parameter int unsigned ClockHz = 54_000_000,
    parameter int unsigned MemoryBytes = 40960,
    parameter int unsigned PllReference = 0,
    parameter int unsigned PllFeedback = 1,
    parameter int unsigned PllOutput = 16
) (
    input  logic       clk_i,
    input  logic       button_i,
    input  logic       uart_rx_i,
    output logic       uart_tx_o,
    output logic [5:0] led_n_o
);
  logic clk, locked, rst, miso_unused;
  logic [7:0] led;

  tang_nano_20k_pll #(
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
      .run_i(locked && !button_i),
      .rst_o(rst)
  );

  bridge_top #(
      .ClockHz(ClockHz),
      .MemoryBytes(MemoryBytes)
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

  // The bytes' LEDs have no room.
  assign led_n_o = ~{led[7:4], led[1:0]};

  logic unused;
  assign unused = &{1'b0, led[3:2], miso_unused};
endmodule

`default_nettype wire
