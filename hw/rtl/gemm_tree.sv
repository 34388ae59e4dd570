// Part of Tenon, under the Apache License v2.0.
//
// The sum of Count numbers of Bits bits, as a binary tree of adders of two
// operands: one LUT a bit on FPGAs with carry chains, where Yosys would
// otherwise build carry-save adders of twice the size. No clock.
`default_nettype none

module gemm_tree #(
  parameter int unsigned Count = 2,
  parameter int unsigned Bits = 17,
  parameter bit          Signed = 1'b1,
  parameter int unsigned SumBits = Bits + $clog2(Count)
) (
  input  logic [Count*Bits-1:0] terms_i,
  output logic [SumBits-1:0]    sum_o
);
  // Node i has the children 2i + 1 and 2i + 2; the terms are the last nodes.
  logic [(2*Count-1)*SumBits-1:0] node;

  for (genvar i = 0; i < 2*Count - 1; i++) begin : gen_node
    if (i >= Count - 1) begin : gen_term
      if (Signed) begin : gen_signed
        assign node[i*SumBits +: SumBits] = SumBits'($signed(terms_i[(i - Count + 1)*Bits +: Bits]));
      end else begin : gen_unsigned
        assign node[i*SumBits +: SumBits] = SumBits'(terms_i[(i - Count + 1)*Bits +: Bits]);
      end
    end else begin : gen_sum
      gemm_adder #(.Bits(SumBits)) adder (
        .a_i(node[(2*i + 1)*SumBits +: SumBits]), .b_i(node[(2*i + 2)*SumBits +: SumBits]),
        .sum_o(node[i*SumBits +: SumBits])
      );
    end
  end
  assign sum_o = node[SumBits-1:0];
endmodule

`default_nettype wire
