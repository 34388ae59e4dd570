// Part of Tenon, under the Apache License v2.0.
//
// Checks a queue from outside: what is pushed is popped, in that order, each
// word once. One word, any, is followed: when it enters, so many others are
// before it; when as many have left, the next one must be it. Never is anything
// popped from an empty queue, nor are there more than `Most` words in it.
`default_nettype none

module tracked #(
    parameter int Width = 1,
    parameter int Most = 4,
    parameter int CountBits = $clog2(Most + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_i,
    input  logic                 push_i,
    input  logic [Width-1:0]     pushed_i,
    input  logic                 pop_i,
    input  logic [Width-1:0]     popped_i,
    // words inside
    output logic [CountBits-1:0] count_o
);
  (* anyseq *) logic pick;
  logic inside_q;
  logic [CountBits-1:0] ahead_q;
  logic [Width-1:0] word_q;

  always_ff @(posedge clk_i) begin
    count_o <= count_o + CountBits'(push_i) - CountBits'(pop_i);
    if (inside_q && pop_i) begin
      ahead_q <= ahead_q - CountBits'(1);
      inside_q <= ahead_q != '0;
    end
    if (!inside_q && push_i && pick) begin
      inside_q <= 1'b1;
      ahead_q <= count_o - CountBits'(pop_i);
      word_q <= pushed_i;
    end
    if (rst_i) begin
      count_o <= '0;
      inside_q <= 1'b0;
    end
  end

  always_comb begin
    if (!rst_i) begin
      if (pop_i) assert (count_o != '0);
      if (push_i) assert (count_o != CountBits'(Most) || pop_i);
      if (pop_i && inside_q && ahead_q == '0) assert (popped_i == word_q);
      cover (pop_i && inside_q && ahead_q == '0);
    end
  end
endmodule

`default_nettype wire
