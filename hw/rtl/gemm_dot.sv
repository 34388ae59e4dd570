// Part of Tenon, under the Apache License v2.0.
//
// The products of one micro-op: sums_o[n][o] = sum over c of
// (weight[o][c] - zero_point) * input[n][c]. Operands in cycle t, products
// registered for t+1, their sums and the zero point's share for t+2, the
// difference for t+3; `valid_i` has a bit for each of these steps, in its cycle.
// `advance_i` low freezes all of it. Multipliers stand far apart on an FPGA and
// far from everything else, so there is nothing but wire between them and
// registers on both sides.
//
// Two bodies of equal function and latency: the pipeline for synthesis (one for
// many products, one for few), and one that does all arithmetic in the first
// stage, which Verilator turns into code several times as fast. tests/rtl runs
// both.
`default_nettype none

module gemm_dot (
  input  logic                                                    clk_i,
  input  logic                                                    advance_i,
  input  logic [2:0]                                              valid_i,
  input  logic [tenon_pkg::INP_BYTES*8-1:0]                       input_i,   // [BLOCK_IN/B][BATCH][B]
  input  logic [tenon_pkg::WGT_BYTES*8-1:0]                       weight_i,  // [BLOCK_OUT][BLOCK_IN]
  input  logic [8:0]                                              zero_point_i,
  output logic [tenon_pkg::ACC_BYTES*8-1:0]                       sums_o     // [BATCH][BLOCK_OUT]
);
  localparam int unsigned N = tenon_pkg::BATCH;
  localparam int unsigned In = tenon_pkg::BLOCK_IN;
  localparam int unsigned Out = tenon_pkg::BLOCK_OUT;
  localparam int unsigned Piece = tenon_pkg::BLOCK_MIN;
  // Where multipliers are many they are made to do two products each.
  localparam bit Packed = N * In * Out > 64;

`ifdef SYNTHESIS
  localparam int unsigned RowBits = 8 + $clog2(In);
  localparam int unsigned ExcessBits = RowBits + 9;

  logic [N*In*8-1:0]     row;                   // [BATCH][BLOCK_IN]
  logic [N*RowBits-1:0]  row_sums, row_sums_q;
  logic signed [8:0]     odd_factor_q;

  always_comb begin
    for (int n = 0; n < N; n++)
      for (int c = 0; c < In; c++)
        row[(n*In + c)*8 +: 8] = input_i[((c / Piece * N + n) * Piece + c % Piece)*8 +: 8];
  end

  always_ff @(posedge clk_i) begin
    if (advance_i && valid_i[0]) begin
      row_sums_q <= row_sums;
      odd_factor_q <= zero_point_i;
    end
  end

  if (Packed) begin : gen_packed
    // Two outputs (o, o+1) and two columns (c, c+1) are one sum of two products
    // of 25 by 8 bits, which is two DSP48: (w[o+1] << 17) + w[o] + 128 times x. Its
    // low 17 bits are the even output's sum, made positive by Offset; what 128 and
    // Offset add is the same for every output and leaves with the zero point.
    localparam int unsigned Columns = (In + 1) / 2;
    localparam int unsigned FieldBits = 17;
    localparam int unsigned SumBits = FieldBits + $clog2(Columns);
    localparam int unsigned Pairs = (Out + 1) / 2;
    localparam int unsigned Bits = 2 * FieldBits;
    localparam logic signed [Bits-1:0] Offset = 34'sd2 * 34'sd255 * 34'sd128;
    localparam logic signed [ExcessBits:0] Offsets = (ExcessBits+1)'(Offset * $signed(Bits'(Columns)));

    logic [Pairs*In*25-1:0]           weights;
    logic [N*Pairs*Columns*Bits-1:0]  products_q;
    logic signed [9:0]                even_factor_q;

    always_comb begin
      for (int p = 0; p < Pairs; p++) begin
        for (int c = 0; c < In; c++) begin
          weights[(p*In + c)*25 +: 25] = {17'd0, weight_i[(2*p*In + c)*8 +: 8] ^ 8'h80};
          if (2*p + 1 < Out) weights[(p*In + c)*25 + 17 +: 8] = weight_i[((2*p + 1)*In + c)*8 +: 8];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (advance_i && valid_i[0]) begin
        even_factor_q <= 10'($signed(zero_point_i)) + 10'd128;
      end
    end

    for (genvar n = 0; n < N; n++) begin : gen_row
      // A tree also because Yosys 0.23 would take the last of a chain of additions
      // into the DSP48 below, without its sign.
      gemm_tree #(.Count(In), .Bits(8)) row_tree (
        .terms_i(row[n*In*8 +: In*8]), .sum_o(row_sums[n*RowBits +: RowBits])
      );

      // Every operand signed, or Yosys sees wider multiplications.
      for (genvar k = 0; k < Pairs*Columns; k++) begin : gen_product
        localparam int unsigned At = k / Columns * In + k % Columns * 2;
        logic signed [32:0] left, right;
        logic signed [33:0] left_offset;
        assign left = $signed(weights[At*25 +: 25]) * $signed(row[(n*In + k % Columns * 2)*8 +: 8]);
        assign left_offset = left + Offset;
        if (k % Columns * 2 + 1 < In) begin : gen_right
          assign right = $signed(weights[(At + 1)*25 +: 25]) * $signed(row[(n*In + k % Columns * 2 + 1)*8 +: 8]);
        end else begin : gen_right
          assign right = 33'sd0;
        end
        always_ff @(posedge clk_i)
          if (advance_i && valid_i[0]) products_q[(n*Pairs*Columns + k)*Bits +: Bits] <= left_offset + right;
      end

      // The same of an addition here; of a register wider than its product it
      // would leave the sign undriven.
      logic signed [ExcessBits-1:0] odd_excess_q;
      logic signed [ExcessBits:0]   even_product, even_excess, even_excess_q;
      assign even_product = $signed(row_sums_q[n*RowBits +: RowBits]) * even_factor_q;
      gemm_adder #(.Bits(ExcessBits + 1)) even_adder (.a_i(even_product), .b_i(Offsets), .sum_o(even_excess));
      always_ff @(posedge clk_i) begin
        if (advance_i && valid_i[1]) begin
          odd_excess_q <= $signed(row_sums_q[n*RowBits +: RowBits]) * odd_factor_q;
          even_excess_q <= even_excess;
        end
      end
      for (genvar o = 0; o < Out; o++) begin : gen_output
        logic [Columns*FieldBits-1:0] fields;
        logic [SumBits-1:0]           sum, sum_q;
        always_comb begin
          for (int q = 0; q < Columns; q++)
            fields[q*FieldBits +: FieldBits] =
                products_q[((n*Pairs + o/2)*Columns + q)*Bits + (o % 2)*FieldBits +: FieldBits];
        end
        gemm_tree #(.Count(Columns), .Bits(FieldBits), .Signed(o % 2 == 1)) tree (.terms_i(fields), .sum_o(sum));
        always_ff @(posedge clk_i) begin
          if (advance_i && valid_i[1]) sum_q <= sum;
          if (advance_i && valid_i[2]) begin
            if (o % 2 == 1) sums_o[(n*Out + o)*32 +: 32] <= 32'($signed(sum_q)) - 32'(odd_excess_q);
            else sums_o[(n*Out + o)*32 +: 32] <= 32'(sum_q) - 32'(even_excess_q);
          end
        end
      end
    end
  end else begin : gen_plain
    // A multiplier each.
    localparam int unsigned SumBits = 16 + $clog2(In);

    for (genvar n = 0; n < N; n++) begin : gen_row
      gemm_tree #(.Count(In), .Bits(8)) row_tree (
        .terms_i(row[n*In*8 +: In*8]), .sum_o(row_sums[n*RowBits +: RowBits])
      );

      logic signed [ExcessBits-1:0] excess_q;
      always_ff @(posedge clk_i)
        if (advance_i && valid_i[1]) excess_q <= $signed(row_sums_q[n*RowBits +: RowBits]) * odd_factor_q;

      for (genvar o = 0; o < Out; o++) begin : gen_output
        logic [In*16-1:0]   products_q;
        logic [SumBits-1:0] sum, sum_q;
        for (genvar c = 0; c < In; c++) begin : gen_product
          multiplier #(.LeftBits(8), .RightBits(8)) product (
            .clk_i, .advance_i(advance_i && valid_i[0]),
            .left_i(weight_i[(o*In + c)*8 +: 8]), .right_i(row[(n*In + c)*8 +: 8]),
            .product_o(products_q[c*16 +: 16])
          );
        end
        gemm_tree #(.Count(In), .Bits(16)) tree (.terms_i(products_q), .sum_o(sum));
        always_ff @(posedge clk_i) begin
          if (advance_i && valid_i[1]) sum_q <= sum;
          if (advance_i && valid_i[2]) sums_o[(n*Out + o)*32 +: 32] <= 32'($signed(sum_q)) - 32'(excess_q);
        end
      end
    end
  end
`else
  logic [N*Out*32-1:0] early_q, sums_q;

  always_ff @(posedge clk_i) begin
    if (advance_i && valid_i[2]) sums_o <= sums_q;
    if (advance_i && valid_i[1]) sums_q <= early_q;
    if (advance_i && valid_i[0]) begin
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
          early_q[(n*Out + o)*32 +: 32] <= sum - correction;
        end
      end
    end
  end
`endif
endmodule

`default_nettype wire
