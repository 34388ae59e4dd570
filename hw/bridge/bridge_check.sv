// Part of Tenon, under the Apache License v2.0.
//
// What of a request's operation, address and length is out of order: 0 nothing,
// 2 the operation, 3 the others.  `left_i` bytes from `address_i` on must lie
// within the registers' 4 KiB or the memory.  The answer belongs to inputs that
// have stood still for two cycles.

`default_nettype none

module bridge_check #(
    parameter int unsigned MemoryBytes = 65536,
    parameter int unsigned AddressBits = 16
) (
    input  logic                   clk_i,
    input  logic [7:0]             op_i,
    input  logic [15:0]            length_i,
    input  logic [AddressBits-1:0] address_i,
    input  logic [AddressBits:0]   left_i,
    // one of the two has bits beyond these
    input  logic                   beyond_i,
    // a CHECKSUM whose number of bytes is not known yet
    input  logic                   open_i,
    output logic [1:0]             status_o
);
  localparam int unsigned EndBits = AddressBits + 2;
  localparam logic [EndBits-1:0] MemoryEnd = EndBits'(MemoryBytes);
  localparam logic [EndBits-1:0] RegisterEnd = EndBits'(4096);

  logic [EndBits-1:0] end_q;
  logic past_memory, past_registers, odd_words, odd_beats, not_word, not_block;
  logic wrong;

  always_ff @(posedge clk_i) end_q <= EndBits'(address_i) + EndBits'(left_i);

  assign past_memory = beyond_i || end_q > MemoryEnd;
  assign past_registers = beyond_i || end_q > RegisterEnd;
  assign odd_words = address_i[1:0] != 2'd0;
  assign odd_beats = address_i[2:0] != 3'd0;
  assign not_word = length_i != 16'd4;
  assign not_block = length_i == 16'd0 || length_i > 16'd1024;

  always_comb begin
    case (op_i[2:0])
      3'd0: wrong = length_i != 16'd0;
      3'd1:
      wrong = not_block || length_i[1:0] != 2'd0 || odd_words || past_registers;
      3'd2: wrong = not_word || odd_words || past_registers;
      3'd3, 3'd4:
      wrong = not_block || length_i[2:0] != 3'd0 || odd_beats || past_memory;
      3'd5: wrong = not_word;
      default: wrong = not_word || odd_beats || (past_memory && !open_i);
    endcase
  end

  always_ff @(posedge clk_i)
    status_o <= (op_i > 8'd6) ? 2'd2 : wrong ? 2'd3 : 2'd0;
endmodule

`default_nettype wire
