// Part of Tenon, under the Apache License v2.0.
//
// A small design that never changes, with what makes a simulator's time: a vector
// of products, registers that shift, a memory as wide as a vector, a xorshift
// generator (Marsaglia, 2003). Simulated speeds are stated as multiples of its
// speed on the same machine in the same run. Both edges count, as in the simulators
// of the RTL (docs/decisions.md).

`default_nettype none

module yardstick (
    input  logic        clk_i,
    input  logic        rst_i,
    output logic [31:0] sum_o
);
  localparam int Lanes = 32, Rows = 256;

  logic [31:0] random_q, step1, step2, random;
  assign step1 = random_q ^ (random_q << 13);
  assign step2 = step1 ^ (step1 >> 17);
  assign random = step2 ^ (step2 << 5);

  logic signed [7:0] factor_q[Lanes];
  logic signed [31:0] acc_q[Lanes];
  logic [32*Lanes-1:0] rows[Rows];
  logic [32*Lanes-1:0] row;
  assign row = rows[random_q[7:0]];

  always @(edge clk_i) begin
    random_q <= rst_i ? 32'd1 : random;
    for (int i = 0; i < Lanes; i++) begin
      factor_q[i] <= rst_i ? 8'sd0 : i == 0 ? random_q[15:8] : factor_q[(i+Lanes-1)%Lanes];
      acc_q[i] <= rst_i ? 32'sd0 : acc_q[i] + 32'(factor_q[i]) * 32'($signed(row[32*i+:8]));
    end
  end

  always @(edge clk_i) begin
    for (int i = 0; i < Lanes; i++)
      if (!rst_i) rows[random_q[23:16]][32*i+:32] <= acc_q[i] ^ random_q;
  end

  always_comb begin
    sum_o = random_q;
    for (int i = 0; i < Lanes; i++) sum_o ^= acc_q[i];
  end

  initial begin
    for (int i = 0; i < Rows; i++) rows[i] = '0;
  end
endmodule

`default_nettype wire
