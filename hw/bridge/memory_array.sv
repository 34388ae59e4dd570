// Part of Tenon, under the Apache License v2.0.
//
// A RAM with one write port, byte by byte, and one read port: `read_i` with the
// index, then `register_i` a cycle later or later still; the data stand there
// from the cycle after that until the next `register_i`.  What a read sees of a
// write in the same cycle is undefined.
//
// The number of words is even and need not be a power of two: there is a bank
// for each bit that is set in it, the largest first.  Within a bank every byte
// lane is a memory of its own.  So the tools make deep narrow blocks of it, none
// is half empty, and behind them stands a multiplexer of a few banks.  It comes
// after the registers: a block's output is slow, and its register stands near.
//
//   20480 words    | 16384: 0 ... 16383 | 4096: 16384 ... 20479 |

`default_nettype none

module memory_array #(
    parameter int unsigned Words = 1024,
    parameter int unsigned Lanes = 8,
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
  // One more bit: a power of two has it alone.
  localparam int unsigned Bits = IndexBits + 1;
  localparam logic [Bits-1:0] Count = Bits'(Words);

  logic [Bits-1:0] write_index, read_index;
  assign write_index = {1'b0, write_index_i};
  assign read_index = {1'b0, read_index_i};

  // What bank b gives, 0 where there is none or another was read.
  localparam int unsigned Width = 8 * Lanes;
  logic [Width*Bits-1:0] banks;

  assign banks[Width-1:0] = '0;

  for (genvar b = 1; b < Bits; b++) begin : gen_bank
    if (Count[b]) begin : gen_present
      // The bank's first word, without the bits of its index.
      localparam logic [Bits-1:b] First =
          (Bits - b)'((Count >> b) ^ Bits'(1));
      logic [Width-1:0] latch_q, word_q;
      logic read_q, here_q;

      always_ff @(posedge clk_i) begin
        if (read_i) read_q <= read_index[Bits-1:b] == First;
        if (register_i) begin
          here_q <= read_q;
          word_q <= latch_q;
        end
      end

      for (genvar l = 0; l < Lanes; l++) begin : gen_lane
        (* no_rw_check, ram_style = "block" *)
        logic [7:0] bytes_q[1 << b];

        always_ff @(posedge clk_i) begin
          if (read_i) latch_q[8*l+:8] <= bytes_q[read_index[b-1:0]];
          if (write_i[l] && write_index[Bits-1:b] == First)
            bytes_q[write_index[b-1:0]] <= data_i[8*l+:8];
        end
      end

      assign banks[Width*b+:Width] = here_q ? word_q : '0;
    end else begin : gen_absent
      assign banks[Width*b+:Width] = '0;
    end
  end

  always_comb begin
    data_o = '0;
    for (int b = 0; b < Bits; b++) data_o = data_o | banks[Width*b+:Width];
  end
endmodule

`default_nettype wire
