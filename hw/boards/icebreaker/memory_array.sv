// Part of Tenon, under the Apache License v2.0.
//
// hw/bridge/memory_array.sv out of the UP5K's single-port RAMs, which have 16 K
// words of 16 bits: at most 16384 words, 64 KiB on a bus of 32 bits, and no
// cycle that reads and writes (SinglePort of block_memory).  A RAM loses its
// output when it writes, so what was read is kept here.

`default_nettype none

module memory_array #(
    parameter int unsigned Words = 16384,
    parameter int unsigned Lanes = 4,
    parameter int unsigned IndexBits = $clog2(Words)
) (
    input  logic                 clk_i,
    input  logic [Lanes-1:0]     write_i,
    input  logic [IndexBits-1:0] write_index_i,
    input  logic [8*Lanes-1:0]   data_i,
    input  logic                 read_i,
    input  logic [IndexBits-1:0] read_index_i,
    input  logic                 register_i,
    output logic [8*Lanes-1:0]   data_o
);
  logic writes, fresh_q;
  logic [13:0] address;
  logic [8*Lanes-1:0] word, kept_q;

  assign writes = write_i != '0;
  assign address = 14'(writes ? write_index_i : read_index_i);

  always_ff @(posedge clk_i) begin
    fresh_q <= read_i;
    if (fresh_q) kept_q <= word;
    if (register_i) data_o <= fresh_q ? word : kept_q;
  end

  for (genvar r = 0; r < Lanes / 2; r++) begin : gen_ram
    SB_SPRAM256KA u_ram (
        .ADDRESS(address),
        .DATAIN(data_i[16*r+:16]),
        .MASKWREN({{2{write_i[2*r+1]}}, {2{write_i[2*r]}}}),
        .WREN(writes),
        .CHIPSELECT(writes || read_i),
        .CLOCK(clk_i),
        .STANDBY(1'b0),
        .SLEEP(1'b0),
        .POWEROFF(1'b1),
        .DATAOUT(word[16*r+:16])
    );
  end
endmodule

`default_nettype wire
