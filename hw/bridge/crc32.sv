// Part of Tenon, under the Apache License v2.0.
//
// CRC-32/IEEE (zlib's crc32), a byte a cycle: polynomial 0x04C11DB7 reflected,
// starts from all ones, inverted at the end.  `crc_o` is the lowest byte of the
// value, `shift_i` brings the next one there.  One of `clear_i`, `valid_i` and
// `shift_i` at a time.

`default_nettype none

module crc32 (
    input  logic        clk_i,
    input  logic        clear_i,
    input  logic        valid_i,
    input  logic [7:0]  data_i,
    input  logic        shift_i,
    output logic [7:0]  crc_o
);
  // A low byte of zeros makes the step a shift.
  logic [31:0] crc_q, next;
  logic [7:0] low;
  assign low = shift_i ? 8'd0 : crc_q[7:0] ^ data_i;
  assign crc_o = ~crc_q[7:0];

  always_comb begin
    next = {crc_q[31:8], low};
    for (int i = 0; i < 8; i++)
      next = {1'b0, next[31:1]} ^ (next[0] ? 32'hEDB8_8320 : 32'd0);
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) crc_q <= '1;
    else if (valid_i || shift_i) crc_q <= next;
  end
endmodule

`default_nettype wire
