// Part of Tenon, under the Apache License v2.0.
//
// A board's reset: `rst_o` is high from configuration on, and from any time at
// which `run_i` (the PLL is locked, nobody presses the button; of any clock) was
// low, until `run_i` has been high for sixteen clocks.

`default_nettype none

module reset_sync (
    input  logic clk_i,
    input  logic run_i,
    output logic rst_o
);
  logic [1:0] run_q;
  logic [3:0] count_q;
  logic out_q;

  // No reset comes before this one.
  initial begin
    run_q = 2'b00;
    count_q = 4'd0;
    out_q = 1'b0;
  end

  assign rst_o = !out_q;

  always_ff @(posedge clk_i) begin
    run_q <= {run_q[0], run_i};
    out_q <= run_q[1] && count_q == 4'd15;
    if (!run_q[1]) count_q <= 4'd0;
    else if (count_q != 4'd15) count_q <= count_q + 4'd1;
  end
endmodule

`default_nettype wire
