// Part of Tenon, under the Apache License v2.0.
//
// The first fault of a launch, for the host: who met it, and where.  Bursts of
// LOAD and of STORE are under way from the cycle in which the port takes them
// until their last beat, or their response, has come; both ports answer in
// order, so the oldest address of a queue is that of the answer.  A burst that
// the port does not take, as it is outside of the window, stands at the port.
// FETCH knows by itself which instruction it could not read.  `cause_o` and
// `where_o` stand from the cycle behind the fault until the next launch; what
// comes after the first is not seen.  `cause_o` ends the launch (control.sv).

`default_nettype none

module fault #(
    parameter int AddressBits = ($clog2(tenon_pkg::BEAT_BYTES) > 4) ? 29 :
        33 - $clog2(tenon_pkg::BEAT_BYTES)
) (
    input  logic                   clk_i,
    // the engines are reset: what they still say is nothing; a launch starts
    input  logic                   rst_i,
    input  logic                   clear_i,
    // the host stops the launch
    input  logic                   stop_i,
    // the instruction that FETCH could not read, may not, or does not know
    input  logic                   fetch_unread_i,
    input  logic                   fetch_outside_i,
    input  logic                   fetch_undefined_i,
    input  logic [27:0]            fetch_number_i,
    // LOAD: a burst that the port takes, or will not; a beat, the last of its
    // burst
    input  logic                   load_issue_i,
    input  logic                   load_outside_i,
    input  logic [AddressBits-1:0] load_beat_i,
    input  logic                   load_data_i,
    input  logic                   load_last_i,
    input  logic                   load_error_i,
    // STORE: a burst that the port takes, or will not; its response
    input  logic                   store_issue_i,
    input  logic                   store_outside_i,
    input  logic [AddressBits-1:0] store_beat_i,
    input  logic                   store_response_i,
    input  logic                   store_error_i,
    // for the host
    output logic [3:0]             cause_o,
    output logic [31:0]            where_o
);
  logic load_room, load_flying, store_room, store_flying;
  logic [AddressBits-1:0] load_oldest, store_oldest, where, where_q;
  logic [3:0] cause;

  fifo #(
      .Width(AddressBits),
      .Depth(tenon_pkg::OUTSTANDING_BURSTS)
  ) u_loads (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(load_issue_i),
      .data_i(load_beat_i),
      .ready_o(load_room),
      .valid_o(load_flying),
      .data_o(load_oldest),
      .ready_i(load_data_i && load_last_i)
  );

  fifo #(
      .Width(AddressBits),
      .Depth(tenon_pkg::OUTSTANDING_BURSTS)
  ) u_stores (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .valid_i(store_issue_i),
      .data_i(store_beat_i),
      .ready_o(store_room),
      .valid_o(store_flying),
      .data_o(store_oldest),
      .ready_i(store_response_i)
  );

  assign where_o = 32'(where_q);

  always_comb begin
    cause = tenon_pkg::FAULT_NONE;
    where = AddressBits'(fetch_number_i);
    if (stop_i) cause = tenon_pkg::FAULT_STOPPED;
    if (fetch_undefined_i) cause = tenon_pkg::FAULT_UNDEFINED;
    if (fetch_outside_i) cause = tenon_pkg::FAULT_OUTSIDE_FETCH;
    if (fetch_unread_i) cause = tenon_pkg::FAULT_FETCH;
    if (store_outside_i) begin
      cause = tenon_pkg::FAULT_OUTSIDE_STORE;
      where = store_beat_i;
    end
    if (load_outside_i) begin
      cause = tenon_pkg::FAULT_OUTSIDE_LOAD;
      where = load_beat_i;
    end
    if (store_response_i && store_error_i) begin
      cause = tenon_pkg::FAULT_STORE;
      where = store_oldest;
    end
    if (load_data_i && load_error_i) begin
      cause = tenon_pkg::FAULT_LOAD;
      where = load_oldest;
    end
  end

  always_ff @(posedge clk_i) begin
    if (cause_o == tenon_pkg::FAULT_NONE &&
        cause != tenon_pkg::FAULT_NONE && !rst_i) begin
      cause_o <= cause;
      where_q <= where;
    end
    if (clear_i) cause_o <= tenon_pkg::FAULT_NONE;
  end

  // The engines keep to OUTSTANDING_BURSTS.
  logic unused;
  assign unused = &{1'b0, load_room, load_flying, store_room, store_flying};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin : assertions
    if (!rst_i) begin
      // LOAD has no more bursts under way than there is room for.
      loads_have_room : assert (!load_issue_i || load_room);
      // STORE has no more bursts under way than there is room for.
      stores_have_room : assert (!store_issue_i || store_room);
      // A beat comes of a burst that is under way.
      beat_of_burst : assert (!load_data_i || load_flying);
      // A response comes to a burst that is under way.
      response_to_burst : assert (!store_response_i || store_flying);
    end
  end
`endif
endmodule

`default_nettype wire
