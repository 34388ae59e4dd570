// Part of Tenon, under the Apache License v2.0.
//
// The sum of one row and one output, what `gemm_dot.sv` compares with, in the form
// that `Form` says. Form 0 is what is meant: the sum of the products less the zero
// point times the sum of the inputs. The others lead from there, one step each, to
// what the body with two products in a multiplier computes, Even and Odd:
//   Even     pairs of products, of 17 bits, each weight made positive by 128 and
//            their sum by Offset; less what that adds, with the zero point's share
//   Apart    128 times the input apart from the product
//   Paired   pairs of products apart from all that is added to them
//   Summed   the sum of the pairs apart from the sum of all that is added to them
//   Joined   the sum of the products and, as one number, what is added
//   Odd      pairs of products, of 17 bits
// `gemm_forms.sv` compares two of them.
`default_nettype none

module gemm_sum #(
    parameter int Form = 0
) (
    input  logic [tenon_pkg::BLOCK_IN*8-1:0] weights_i,
    input  logic [tenon_pkg::BLOCK_IN*8-1:0] inputs_i,
    input  logic [8:0]                       zero_point_i,
    output logic signed [31:0]               sum_o
);
  localparam int Even = 1, Apart = 2, Paired = 3, Summed = 4, Joined = 5, Odd = 6;
  localparam int In = tenon_pkg::BLOCK_IN;
  localparam int Piece = tenon_pkg::BLOCK_MIN;
  localparam bit signed [31:0] Offset = 32'sd2 * 32'sd255 * 32'sd128;
  localparam bit signed [31:0] Offsets = Offset * (In / 2);

  logic signed [31:0] products, inputs, piece_products, piece_inputs, excess, added;
  always_comb begin
    {products, inputs} = '0;
    for (int piece = 0; piece < In / Piece; piece++) begin
      {piece_products, piece_inputs} = '0;
      for (int c = piece * Piece; c < (piece + 1) * Piece; c++) begin
        piece_products += 32'($signed(weights_i[c*8 +: 8])) * 32'($signed(inputs_i[c*8 +: 8]));
        piece_inputs += 32'($signed(inputs_i[c*8 +: 8]));
      end
      products += piece_products;
      inputs += piece_inputs;
    end
    excess = inputs * 32'($signed(zero_point_i));
    added = (inputs <<< 7) + Offsets;
  end

  // ---- columns c and c + 1: weights, weights as they are made positive, inputs, 128 times these, products
  logic signed [31:0] w_0, w_1, u_0, u_1, x_0, x_1, s_0, s_1, p_0, p_1;
  logic [16:0] field;
  logic signed [31:0] pairs, shares;
  always_comb begin
    {pairs, shares} = '0;
    for (int c = 0; c < In; c += 2) begin
      {w_1, w_0} = {32'($signed(weights_i[(c + 1)*8 +: 8])), 32'($signed(weights_i[c*8 +: 8]))};
      {u_1, u_0} = {{24'd0, weights_i[(c + 1)*8 +: 8] ^ 8'h80}, {24'd0, weights_i[c*8 +: 8] ^ 8'h80}};
      {x_1, x_0} = {32'($signed(inputs_i[(c + 1)*8 +: 8])), 32'($signed(inputs_i[c*8 +: 8]))};
      {s_1, s_0} = {x_1 <<< 7, x_0 <<< 7};
      {p_1, p_0} = {w_1 * x_1, w_0 * x_0};
      field = (Form == Even) ? 17'(u_0 * x_0 + Offset + u_1 * x_1) : 17'(p_0 + p_1);
      if (Form == Even) pairs += {15'd0, field};
      else if (Form == Odd) pairs += 32'($signed(field));
      else if (Form == Apart) pairs += (p_0 + s_0 + Offset) + (p_1 + s_1);
      else if (Form == Paired) pairs += (p_0 + p_1) + (s_0 + s_1 + Offset);
      else if (Form == Summed) pairs += p_0 + p_1;
      shares += s_0 + s_1 + Offset;
    end
    case (Form)
      Even: sum_o = pairs - (inputs * (32'($signed(zero_point_i)) + 32'sd128) + Offsets);
      Apart, Paired: sum_o = pairs - (excess + added);
      Summed: sum_o = pairs + shares - (excess + added);
      Joined: sum_o = products + added - (excess + added);
      Odd: sum_o = pairs - excess;
      default: sum_o = products - excess;
    endcase
  end
endmodule

`default_nettype wire
