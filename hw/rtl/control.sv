// Part of Tenon, under the Apache License v2.0.
//
// The AXI4-Lite control port and the life of a launch.  Registers as the
// specification lists them; a write takes effect in the cycle after both its
// address and its data were there.  Bit 0 of CONTROL starts a launch; `done_o`
// rises when FINISH was fetched and all engines are idle.  A fault (fault.sv),
// and the host by bits 1 and 2, end it early: `halt_o` resets the engines and
// keeps new bursts from the ports, until those under way have been answered and
// nothing of the launch is left in a pipeline.  So done rises in any case, if
// the memory answers, and the next launch finds machine and port empty.
// What a launch depends on is locked while it runs: a write that comes then is
// counted.  It is answered with OKAY, as processors take a bus error badly.

`default_nettype none

module control #(
    // of an address of the window in pages of 4 KiB
    parameter int PageBits = 21,
    // a halt takes 2 to this power cycles at least: more than any pipeline has
    // stages
    parameter int SettleBits = 5,
    // refused writes are counted so far
    parameter int RefusedBits = 8
) (
    input  logic        clk_i,
    input  logic        rst_i,
    // AXI4-Lite
    input  logic [11:0] s_axil_awaddr_i,
    input  logic        s_axil_awvalid_i,
    output logic        s_axil_awready_o,
    input  logic [31:0] s_axil_wdata_i,
    input  logic        s_axil_wvalid_i,
    output logic        s_axil_wready_o,
    output logic [1:0]  s_axil_bresp_o,
    output logic        s_axil_bvalid_o,
    input  logic        s_axil_bready_i,
    input  logic [11:0] s_axil_araddr_i,
    input  logic        s_axil_arvalid_i,
    output logic        s_axil_arready_o,
    output logic [31:0] s_axil_rdata_o,
    output logic [1:0]  s_axil_rresp_o,
    output logic        s_axil_rvalid_o,
    input  logic        s_axil_rready_i,
    // counters: what stands there when valid answers the read
    output logic        read_o,
    input  logic        counter_valid_i,
    input  logic [31:0] counter_i,
    // launch; running_o: the cycles that count; clear_o: as after power-up
    output logic        start_o,
    output logic        running_o,
    output logic        stop_o,
    output logic        halt_o,
    output logic        clear_o,
    output logic        awake_o,
    output logic        done_o,
    output logic [27:0] program_o,
    output logic [63:0] base_o,
    // pages of the window, from the high word of the base on
    output logic [PageBits-1:0] first_page_o,
    output logic [PageBits:0]   end_page_o,
    // FETCH, engines, ports; quiet: no burst is under way
    input  logic        finished_i,
    input  logic        idle_i,
    input  logic        quiet_i,
    // the first fault, from the cycle behind it on
    input  logic [3:0]  fault_cause_i,
    input  logic [31:0] fault_where_i
);
  logic start_q, stop_q, reset_q, cleared_q, running_q, done_q, error;
  logic [27:0] program_q;
  logic [31:0] base_low_q, base_high_q;
  logic [PageBits-1:0] window_q;
  logic [RefusedBits-1:0] refused_q;
  logic [SettleBits-1:0] settle_q;
  logic ends;

  // ---- writes
  logic write, locked, locks, refuse;
  assign write = s_axil_awvalid_i && s_axil_wvalid_i && !s_axil_bvalid_o;
  assign s_axil_awready_o = write;
  assign s_axil_wready_o = write;
  assign s_axil_bresp_o = 2'b00;
  assign locked = running_q || start_q || reset_q;
  assign refuse = write && locked && locks;

  always_comb begin
    locks = 1'b0;
    case (s_axil_awaddr_i)
      tenon_pkg::CONTROL_CONTROL: locks = s_axil_wdata_i[0];
      tenon_pkg::CONTROL_PROGRAM, tenon_pkg::CONTROL_BASE_LOW,
      tenon_pkg::CONTROL_BASE_HIGH, tenon_pkg::CONTROL_WINDOW: locks = 1'b1;
      default: ;
    endcase
  end

  always_ff @(posedge clk_i) begin
    {start_q, stop_q} <= 2'b0;
    if (write && s_axil_awaddr_i == tenon_pkg::CONTROL_CONTROL) begin
      start_q <= s_axil_wdata_i[2:0] == 3'b001 && !locked;
      stop_q <= s_axil_wdata_i[2:1] != 2'b0;
      if (s_axil_wdata_i[2]) reset_q <= 1'b1;
    end
    if (write && !locked) begin
      case (s_axil_awaddr_i)
        tenon_pkg::CONTROL_PROGRAM: program_q <= s_axil_wdata_i[27:0];
        tenon_pkg::CONTROL_BASE_LOW: base_low_q <= s_axil_wdata_i;
        tenon_pkg::CONTROL_BASE_HIGH: base_high_q <= s_axil_wdata_i;
        tenon_pkg::CONTROL_WINDOW: window_q <= s_axil_wdata_i[PageBits-1:0];
        default: ;
      endcase
    end
    if (refuse && !(&refused_q)) refused_q <= refused_q + 1'b1;
    if (write) s_axil_bvalid_o <= 1'b1;
    else if (s_axil_bready_i) s_axil_bvalid_o <= 1'b0;
    if (clear_o) begin
      reset_q <= 1'b0;
      program_q <= 28'd0;
      base_low_q <= 32'd0;
      base_high_q <= 32'd0;
      window_q <= '0;
      refused_q <= '0;
    end
    if (rst_i) {start_q, stop_q, s_axil_bvalid_o} <= 3'b0;
  end

  // The window: a page within 4 GiB, and as many as the machine has addresses
  // for.
  assign first_page_o = PageBits'(base_low_q[31:12]);
  always_ff @(posedge clk_i)
    end_page_o <= {1'b0, first_page_o} + {1'b0, window_q};

  // ---- reads; all but the registers here are counters.  What an address names
  // is decided in one cycle and read in the next: in one, Yosys would decide for
  // each bit.
  logic accept, is_counter, reading_q, counting_q;
  logic [8:0] names, names_q;
  logic [31:0] value;

  assign accept = s_axil_arvalid_i && s_axil_arready_o;
  assign read_o = accept && is_counter;
  assign s_axil_arready_o = !s_axil_rvalid_o && !reading_q;
  assign s_axil_rresp_o = 2'b00;

  always_comb begin
    is_counter = 1'b0;
    names = 9'd0;
    case (s_axil_araddr_i)
      tenon_pkg::CONTROL_CONTROL: ;
      tenon_pkg::CONTROL_STATUS: names[0] = 1'b1;
      tenon_pkg::CONTROL_PROGRAM: names[1] = 1'b1;
      tenon_pkg::CONTROL_FAULT: names[2] = 1'b1;
      tenon_pkg::CONTROL_BASE_LOW: names[3] = 1'b1;
      tenon_pkg::CONTROL_BASE_HIGH: names[4] = 1'b1;
      tenon_pkg::CONTROL_ISA_VERSION: names[5] = 1'b1;
      tenon_pkg::CONTROL_CONFIGURATION: names[6] = 1'b1;
      tenon_pkg::CONTROL_WINDOW: names[7] = 1'b1;
      tenon_pkg::CONTROL_REFUSED: names[8] = 1'b1;
      default: is_counter = 1'b1;
    endcase
  end

  assign value = ({24'd0, fault_cause_i, 1'b0, error, locked, done_o} &
                  {32{names_q[0]}}) |
      ({4'd0, program_q} & {32{names_q[1]}}) |
      (fault_where_i & {32{names_q[2]}}) |
      (base_low_q & {32{names_q[3]}}) |
      (base_high_q & {32{names_q[4]}}) |
      (tenon_pkg::ISA_VERSION & {32{names_q[5]}}) |
      (tenon_pkg::CONFIGURATION_HASH & {32{names_q[6]}}) |
      (32'(window_q) & {32{names_q[7]}}) |
      (32'(refused_q) & {32{names_q[8]}});

  always_ff @(posedge clk_i) begin
    if (accept) begin
      reading_q <= 1'b1;
      counting_q <= is_counter;
      names_q <= names;
    end else if (reading_q && (!counting_q || counter_valid_i)) begin
      reading_q <= 1'b0;
      s_axil_rvalid_o <= 1'b1;
      s_axil_rdata_o <= counting_q ? counter_i : value;
    end else if (s_axil_rready_i) begin
      s_axil_rvalid_o <= 1'b0;
    end
    if (rst_i) begin
      reading_q <= 1'b0;
      s_axil_rvalid_o <= 1'b0;
    end
  end

  // ---- launch
  assign error = fault_cause_i != tenon_pkg::FAULT_NONE;
  assign start_o = start_q;
  assign running_o = running_q;
  assign stop_o = stop_q && running_q && !ends;
  assign done_o = done_q && !start_q;
  assign program_o = program_q;
  assign base_o = {base_high_q, base_low_q};
  assign halt_o = running_q && error;
  assign ends = running_q &&
      (error ? quiet_i && (&settle_q) : finished_i && idle_i);
  // As after power-up, once no launch runs.
  assign clear_o = rst_i || (reset_q && !running_q && !start_q);
  assign awake_o = s_axil_bvalid_o || s_axil_rvalid_o || reading_q ||
      start_q || stop_q || reset_q || cleared_q || ends || halt_o ||
      settle_q != '0;

  always_ff @(posedge clk_i) begin
    if (!halt_o) settle_q <= '0;
    else if (!(&settle_q)) settle_q <= settle_q + 1'b1;
    cleared_q <= clear_o;
    if (ends) begin
      running_q <= 1'b0;
      done_q <= 1'b1;
    end
    if (start_q) begin
      running_q <= 1'b1;
      done_q <= 1'b0;
    end
    if (clear_o) done_q <= 1'b0;
    if (rst_i) running_q <= 1'b0;
  end

`ifndef SYNTHESIS
  logic aw_held_q, w_held_q, ar_held_q;
  logic [11:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic [3:0] fault_q;

  always_ff @(posedge clk_i) begin : assertions
    aw_held_q <= s_axil_awvalid_i && !s_axil_awready_o && !rst_i;
    w_held_q <= s_axil_wvalid_i && !s_axil_wready_o && !rst_i;
    ar_held_q <= s_axil_arvalid_i && !s_axil_arready_o && !rst_i;
    {awaddr_q, wdata_q, araddr_q} <= {s_axil_awaddr_i, s_axil_wdata_i, s_axil_araddr_i};
    fault_q <= rst_i || start_o || clear_o ? tenon_pkg::FAULT_NONE : fault_cause_i;
    if (!rst_i) begin
      // The host's write address stands until it is taken.
      write_address_stands : assert (!aw_held_q || (s_axil_awvalid_i && s_axil_awaddr_i == awaddr_q));
      // The host's write data stand until they are taken.
      write_data_stand : assert (!w_held_q || (s_axil_wvalid_i && s_axil_wdata_i == wdata_q));
      // The host's read address stands until it is taken.
      read_address_stands : assert (!ar_held_q || (s_axil_arvalid_i && s_axil_araddr_i == araddr_q));
      // A fault's cause stands until the next launch.
      cause_stands : assert (fault_q == tenon_pkg::FAULT_NONE || fault_cause_i == fault_q);
    end
  end
`endif
endmodule

`default_nettype wire
