// Part of Tenon, under the Apache License v2.0.
//
// How Yosys's techmap makes gates of sums and products for the method `sweep`:
// ripple carries and rows of partial products, the simplest there is, so that the
// same sum or product has the same gates within, wherever and however wide it is
// computed, and ABC finds them equal one by one from the operands on.

(* techmap_celltype = "$add $sub" *)
module ripple(A, B, Y);
  parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  localparam [0:0] Subtract = _TECHMAP_CELLTYPE_ == "$sub";
  input [A_WIDTH-1:0] A; input [B_WIDTH-1:0] B; output [Y_WIDTH-1:0] Y;
  localparam Signed = A_SIGNED && B_SIGNED;
  wire [Y_WIDTH-1:0] a, wide, b, c;
  \$pos #(.A_SIGNED(Signed), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_a (.A(A), .Y(a));
  \$pos #(.A_SIGNED(Signed), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_b (.A(B), .Y(wide));
  assign b = Subtract ? ~wide : wide;
  assign c = {(a & b) | (a & c) | (b & c), Subtract};
  assign Y = a ^ b ^ c;
endmodule

(* techmap_celltype = "$mul" *)
module rows(A, B, Y);
  parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
  input [A_WIDTH-1:0] A; input [B_WIDTH-1:0] B; output [Y_WIDTH-1:0] Y;
  localparam Signed = A_SIGNED && B_SIGNED;
  wire [Y_WIDTH-1:0] a;
  \$pos #(.A_SIGNED(Signed), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) extend (.A(A), .Y(a));
  wire [Y_WIDTH*(B_WIDTH+1)-1:0] sum;
  assign sum[Y_WIDTH-1:0] = 0;
  genvar j;
  generate for (j = 0; j < B_WIDTH; j = j + 1) begin : row
    wire [Y_WIDTH-1:0] term = (a << j) & {Y_WIDTH{B[j]}};
    if (j == B_WIDTH-1 && Signed)
      assign sum[(j+1)*Y_WIDTH +: Y_WIDTH] = sum[j*Y_WIDTH +: Y_WIDTH] - term;
    else
      assign sum[(j+1)*Y_WIDTH +: Y_WIDTH] = sum[j*Y_WIDTH +: Y_WIDTH] + term;
  end endgenerate
  assign Y = sum[Y_WIDTH*B_WIDTH +: Y_WIDTH];
endmodule
