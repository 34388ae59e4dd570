// Part of Tenon, under the Apache License v2.0.
//
// hw/rtl/multiplier.sv with the registers of the GW2A's multipliers, which Yosys
// does not infer: a flip-flop beside it takes a logic site. Up to 18 by 18 bits.
// It stays a module until all is mapped, as on the ULX3S.
`default_nettype none

(* keep_hierarchy *)
module multiplier #(
  parameter int unsigned LeftBits = 18,
  parameter int unsigned RightBits = 18,
  parameter bit          Operands = 1'b0
) (
  input  logic                               clk_i,
  input  logic                               advance_i,
  input  logic signed [LeftBits-1:0]         left_i,
  input  logic signed [RightBits-1:0]        right_i,
  output logic signed [LeftBits+RightBits-1:0] product_o
);
  if (LeftBits <= 9 && RightBits <= 9) begin : gen_small
    logic [17:0] product;
    MULT9X9 #(.AREG(Operands), .BREG(Operands), .OUT_REG(1'b1)) block (
      .A(9'(left_i)), .B(9'(right_i)), .SIA(9'd0), .SIB(9'd0), .ASIGN(1'b1), .BSIGN(1'b1), .ASEL(1'b0), .BSEL(1'b0),
      .CE(advance_i), .CLK(clk_i), .RESET(1'b0), .DOUT(product), .SOA(), .SOB()
    );
    assign product_o = product[LeftBits+RightBits-1:0];
  end else begin : gen_large
    logic [35:0] product;
    MULT18X18 #(.AREG(Operands), .BREG(Operands), .OUT_REG(1'b1)) block (
      .A(18'(left_i)), .B(18'(right_i)), .SIA(18'd0), .SIB(18'd0), .ASIGN(1'b1), .BSIGN(1'b1), .ASEL(1'b0),
      .BSEL(1'b0), .CE(advance_i), .CLK(clk_i), .RESET(1'b0), .DOUT(product), .SOA(), .SOB()
    );
    assign product_o = product[LeftBits+RightBits-1:0];
  end
endmodule

`default_nettype wire
