// Part of Tenon, under the Apache License v2.0.
//
// Boards with an ECP5 and a serial port: oscillator to the machine's clock by
// PLL, the bridge on the serial port.  A button that is low when pressed is the
// reset.

`default_nettype none

module ecp5 #(
    parameter int unsigned ClockHz = 80_000_000,
    parameter int unsigned MemoryBytes = 163840,
    parameter int unsigned PllReference = 5,
    parameter int unsigned PllFeedback = 16,
    parameter int unsigned PllOutput = 7,
    parameter bit LedsLow = 0  // an LED shines at 0
) (
    input  logic       clk_i,
    input  logic       button_n_i,
    input  logic       uart_rx_i,
    output logic       uart_tx_o,
    output logic [7:0] led_o
);
  logic clk, locked, rst, miso_unused;
  logic [7:0] led;
  assign led_o = LedsLow ? ~led : led;

  ecp5_pll #(
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

  logic unused;
  assign unused = miso_unused;
endmodule

`default_nettype wire
