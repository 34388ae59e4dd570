// Part of Tenon, under the Apache License v2.0.
//
// fault: one burst of LOAD and one of STORE, any, are followed from outside. When
// the answer of the one followed is the first error since `clear_i`, cause and
// address are its own, from the next cycle on; they stand until `clear_i`, also
// while the engines are reset, when nothing they say counts. A burst that may not
// go out is named by its address, an instruction of FETCH that is the first by its
// number, and a stop by that of the next one. Without an error or a stop there is
// no cause, and a cause needs one.
// Assumed: no more than OUTSTANDING_BURSTS bursts of an engine are under way,
// nothing is answered that was not issued (load.sv, store.sv; the memory).
`default_nettype none

module fault_formal #(
    parameter int AddressBits = 4
) (
    input logic                   clk_i,
    input logic                   rst_i,
    input logic                   clear_i,
    input logic                   stop_i,
    input logic                   fetch_unread_i,
    input logic                   fetch_outside_i,
    input logic                   fetch_undefined_i,
    input logic [27:0]            fetch_number_i,
    input logic                   load_issue_i,
    input logic                   load_outside_i,
    input logic [AddressBits-1:0] load_beat_i,
    input logic                   load_data_i,
    input logic                   load_last_i,
    input logic                   load_error_i,
    input logic                   store_issue_i,
    input logic                   store_outside_i,
    input logic [AddressBits-1:0] store_beat_i,
    input logic                   store_response_i,
    input logic                   store_error_i
);
  localparam int Most = tenon_pkg::OUTSTANDING_BURSTS;
  localparam int CountBits = $clog2(Most + 1);

  logic [3:0] cause_o;
  logic [31:0] where_o;
  fault #(.AddressBits(AddressBits)) dut (.*);

  // ---- one burst of each, any: its address, how many are ahead of it
  (* anyseq *) logic load_pick, store_pick;
  logic [CountBits-1:0] loads_q, stores_q, load_ahead_q, store_ahead_q;
  logic load_follows_q, store_follows_q, load_pop, store_pop, load_mine, store_mine;
  logic [AddressBits-1:0] load_where_q, store_where_q;
  assign load_pop = load_data_i && load_last_i;
  assign store_pop = store_response_i;
  assign load_mine = load_follows_q && load_ahead_q == '0 && load_data_i;
  assign store_mine = store_follows_q && store_ahead_q == '0 && store_response_i;

  logic started_q = 1'b0, faulted_q, faults;
  logic load_first_q, store_first_q, named_first_q;
  logic [3:0] named_q;
  logic [31:0] expected_q;
  // LOAD goes before STORE before FETCH before the host where they come together,
  // what is not sent before what is answered but for an answer of LOAD.
  logic by_load, by_store, answer_store, by_fetch;
  assign by_load = load_data_i && load_error_i;
  assign answer_store = store_response_i && store_error_i;
  assign by_store = answer_store || load_outside_i || store_outside_i;
  assign by_fetch = fetch_unread_i || fetch_outside_i || fetch_undefined_i;
  assign faults = by_load || by_store || by_fetch || stop_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    loads_q <= loads_q + CountBits'(load_issue_i) - CountBits'(load_pop);
    stores_q <= stores_q + CountBits'(store_issue_i) - CountBits'(store_pop);
    if (load_follows_q && load_pop) begin
      load_ahead_q <= load_ahead_q - CountBits'(1);
      load_follows_q <= load_ahead_q != '0;
    end
    if (!load_follows_q && load_issue_i && load_pick) begin
      load_follows_q <= 1'b1;
      load_ahead_q <= loads_q - CountBits'(load_pop);
      load_where_q <= load_beat_i;
    end
    if (store_follows_q && store_pop) begin
      store_ahead_q <= store_ahead_q - CountBits'(1);
      store_follows_q <= store_ahead_q != '0;
    end
    if (!store_follows_q && store_issue_i && store_pick) begin
      store_follows_q <= 1'b1;
      store_ahead_q <= stores_q - CountBits'(store_pop);
      store_where_q <= store_beat_i;
    end
    // Who the first fault was of, where it was an answer one that is followed.
    if (faults && !faulted_q && !rst_i) begin
      faulted_q <= 1'b1;
      load_first_q <= by_load && load_mine;
      store_first_q <= answer_store && store_mine && !by_load;
      named_first_q <= !by_load && !answer_store;
      named_q <= load_outside_i ? tenon_pkg::FAULT_OUTSIDE_LOAD : store_outside_i ? tenon_pkg::FAULT_OUTSIDE_STORE :
          fetch_unread_i ? tenon_pkg::FAULT_FETCH : fetch_outside_i ? tenon_pkg::FAULT_OUTSIDE_FETCH :
          fetch_undefined_i ? tenon_pkg::FAULT_UNDEFINED : tenon_pkg::FAULT_STOPPED;
      expected_q <= by_load ? 32'(load_where_q) : answer_store ? 32'(store_where_q) :
          load_outside_i ? 32'(load_beat_i) : store_outside_i ? 32'(store_beat_i) :
          32'(fetch_number_i[AddressBits-1:0]);
    end
    if (clear_i) {faulted_q, load_first_q, store_first_q, named_first_q} <= '0;
    if (rst_i) {loads_q, stores_q, load_follows_q, store_follows_q} <= '0;
  end

  always_comb begin
    if (!started_q) reset_first : assume (rst_i && clear_i);
    else if (!rst_i) begin
      loads_have_room : assume (!load_issue_i || loads_q != CountBits'(Most));
      stores_have_room : assume (!store_issue_i || stores_q != CountBits'(Most));
      beat_of_burst : assume (!load_data_i || loads_q != '0);
      response_to_burst : assume (!store_response_i || stores_q != '0);

      assert ((cause_o != tenon_pkg::FAULT_NONE) == faulted_q);
      if (load_first_q) assert (cause_o == tenon_pkg::FAULT_LOAD);
      if (store_first_q) assert (cause_o == tenon_pkg::FAULT_STORE);
      if (named_first_q) assert (cause_o == named_q);
      if (load_first_q || store_first_q || named_first_q) assert (where_o == expected_q);

      cover (load_first_q && load_follows_q && load_ahead_q == '0);
      cover (store_first_q && loads_q == CountBits'(Most));
      cover (named_first_q && cause_o == tenon_pkg::FAULT_OUTSIDE_STORE && loads_q != '0);
      cover (named_first_q && cause_o == tenon_pkg::FAULT_STOPPED);
    end
  end
endmodule

`default_nettype wire
