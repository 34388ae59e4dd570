// Part of Tenon, under the Apache License v2.0.
//
// Whether a burst lies in the window: pages of 4 KiB [first_page_i, end_page_i).
// Its first beat tells, as a burst never leaves its page (axi_bursts.sv,
// fetch.sv).

`default_nettype none

module axi_window #(
    parameter int AddressBits = 1,
    parameter int PageBits = 1
) (
    input  logic [AddressBits-1:0] beat_i,
    input  logic [PageBits-1:0]    first_page_i,
    input  logic [PageBits:0]      end_page_i,
    output logic                   in_window_o
);
  logic [PageBits-1:0] page;

  assign page = beat_i[AddressBits-1-:PageBits];
  assign in_window_o = page >= first_page_i && {1'b0, page} < end_page_i;

  if (AddressBits > PageBits) begin : gen_page
    // Beats of a page.
    logic unused;
    assign unused = &{1'b0, beat_i[AddressBits-PageBits-1:0]};
  end
endmodule

`default_nettype wire
