// Part of Tenon, under the Apache License v2.0.
//
// CRC-16/CCITT-FALSE, a byte a cycle: polynomial 0x1021, starts from 0xFFFF,
// nothing reflected, nothing inverted at the end.  `clear_i` goes first.

`default_nettype none

module crc16 (
    input  logic        clk_i,
    input  logic        clear_i,
    input  logic        valid_i,
    input  logic [7:0]  data_i,
    output logic [15:0] crc_o
);
  // The polynomial has so few terms that eight steps are four exclusive ors.
  logic [7:0] top, mixed;
  assign top = crc_o[15:8] ^ data_i;
  assign mixed = top ^ (top >> 4);

  always_ff @(posedge clk_i) begin
    if (clear_i) crc_o <= 16'hFFFF;
    else if (valid_i)
      crc_o <= {crc_o[7:0], 8'd0} ^ {mixed, 8'd0} << 4 ^ {8'd0, mixed} << 5 ^
          {8'd0, mixed};
  end
endmodule

`default_nettype wire
