// Part of Tenon, under the Apache License v2.0.
//
// Two registers in a stream, so that neither valid, data nor ready passes
// through in the same cycle: no path leads from one AXI port to another.  One
// word a cycle, one cycle of latency.

`default_nettype none

module axi_slice #(
    parameter int Width = 1
) (
    input  logic             clk_i,
    input  logic             rst_i,
    // producer
    input  logic             valid_i,
    input  logic [Width-1:0] data_i,
    output logic             ready_o,
    // consumer
    output logic             valid_o,
    output logic [Width-1:0] data_o,
    input  logic             ready_i
);
  // `spare_q` holds what arrived while the consumer was not ready.
  logic spare_valid_q;
  logic [Width-1:0] spare_q;

  assign ready_o = !spare_valid_q;

  always_ff @(posedge clk_i) begin
    if (!valid_o || ready_i) begin
      valid_o <= valid_i || spare_valid_q;
      if (spare_valid_q) data_o <= spare_q;
      else if (valid_i) data_o <= data_i;
      spare_valid_q <= 1'b0;
    end else if (valid_i && !spare_valid_q) begin
      spare_valid_q <= 1'b1;
      spare_q <= data_i;
    end
    if (rst_i) begin
      valid_o <= 1'b0;
      spare_valid_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // The spare word is behind one that stands at the output.
      spare_behind_word : assert (!spare_valid_q || valid_o);
    end
  end
`endif
endmodule

`default_nettype wire
