// Part of Tenon, under the Apache License v2.0.
//
// The products of one micro-op: sums_o[n][o] = sum over c of
// (weight[o][c] - zero_point) * input[n][c]. Operands in cycle t with
// `valid_i`, products registered for t+1 (`middle_i`), sums for t+2.
// `advance_i` low freezes all of it.
//
// Two bodies of equal function and latency: the pipeline for synthesis, and
// one that does all arithmetic in the first stage, which Verilator turns into
// code several times as fast. tests/rtl runs both.
`default_nettype none

module gemm_dot (
  input  logic                                                    clk_i,
  input  logic                                                    advance_i,
  input  logic                                                    valid_i,
  input  logic                                                    middle_i,
  input  logic [tenon_pkg::INP_BYTES*8-1:0]                       input_i,   // [BLOCK_IN/B][BATCH][B]
  input  logic [tenon_pkg::WGT_BYTES*8-1:0]                       weight_i,  // [BLOCK_OUT][BLOCK_IN]
  input  logic [8:0]                                              zero_point_i,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]                       sums_o     // [BATCH][BLOCK_OUT]
);
  localparam int unsigned N = tenon_pkg::BATCH;
  localparam int unsigned In = tenon_pkg::BLOCK_IN;
  localparam int unsigned Out = tenon_pkg::BLOCK_OUT;
  localparam int unsigned Piece = tenon_pkg::BLOCK_MIN;

`ifdef SYNTHESIS
  logic [N*Out*In*16-1:0] products_q;
  logic [N*32-1:0]        row_sums_q;
  logic [8:0]             zero_point_q;
  logic [N*Out*32-1:0]    sums;

  always_comb begin
    for (int n = 0; n < N; n++) begin
      for (int o = 0; o < Out; o++) begin
        sums[(n*Out + o)*32 +: 32] = 32'd0 - 32'($signed(row_sums_q[n*32 +: 32]) * 32'($signed(zero_point_q)));
        for (int c = 0; c < In; c++)
          sums[(n*Out + o)*32 +: 32] = sums[(n*Out + o)*32 +: 32]
              + 32'($signed(products_q[((n*Out + o)*In + c)*16 +: 16]));
      end
    end
  end

  logic [N*32-1:0] row_sums;
  always_comb begin
    row_sums = '0;
    for (int n = 0; n < N; n++)
      for (int c = 0; c < In; c++)
        row_sums[n*32 +: 32] = row_sums[n*32 +: 32]
            + 32'($signed(input_i[((c / Piece * N + n) * Piece + c % Piece)*8 +: 8]));
  end

  always_ff @(posedge clk_i) begin
    if (advance_i && valid_i) begin
      for (int n = 0; n < N; n++)
        for (int o = 0; o < Out; o++)
          for (int c = 0; c < In; c++)
            products_q[((n*Out + o)*In + c)*16 +: 16] <=
                16'($signed(input_i[((c / Piece * N + n) * Piece + c % Piece)*8 +: 8]))
                * 16'($signed(weight_i[(o*In + c)*8 +: 8]));
      row_sums_q <= row_sums;
      zero_point_q <= zero_point_i;
    end
    if (advance_i && middle_i) sums_o <= sums;
  end
`else
  logic [N*Out*32-1:0] sums_q;

  always_ff @(posedge clk_i) begin
    if (advance_i && middle_i) sums_o <= sums_q;
    if (advance_i && valid_i) begin
      for (int n = 0; n < N; n++) begin : row
        int correction;
        correction = 0;
        if (zero_point_i != 9'd0) begin
          for (int c = 0; c < In; c++)
            correction += 32'($signed(input_i[((c / Piece * N + n) * Piece + c % Piece)*8 +: 8]));
          correction *= 32'($signed(zero_point_i));
        end
        for (int o = 0; o < Out; o++) begin : lane
          int sum;
          sum = 0;
          for (int c = 0; c < In; c++)
            sum += 32'($signed(input_i[((c / Piece * N + n) * Piece + c % Piece)*8 +: 8]))
                   * 32'($signed(weight_i[(o*In + c)*8 +: 8]));
          sums_q[(n*Out + o)*32 +: 32] <= sum - correction;
        end
      end
    end
  end
`endif
endmodule

`default_nettype wire
