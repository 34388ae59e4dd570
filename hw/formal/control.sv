// Part of Tenon, under the Apache License v2.0.
//
// control, the AXI-Lite port: each write, and each read, that is taken has exactly
// one response, after it; a response stands, data unchanged, until it is taken;
// an address of a write and its data are taken together; a write does not wait
// for anything but the response of the one before, a read for nothing but that
// or a counter. A register reads as it was last written, a cycle after its
// address was taken; one write of CONTROL
// starts one launch at most, none while one runs; the launch ends: done rises
// when FETCH and engines are through, or have been given up: after a fault, when
// FETCH has finished and nothing but waiting was seen for 2^12 cycles, of which two
// are looked at.
// Assumed: the master keeps what it offers until it is taken; a fault stands until
// the next launch starts.
`default_nettype none

module control_formal (
    input logic        clk_i,
    input logic        rst_i,
    input logic [11:0] s_axil_awaddr_i,
    input logic        s_axil_awvalid_i,
    input logic [31:0] s_axil_wdata_i,
    input logic        s_axil_wvalid_i,
    input logic        s_axil_bready_i,
    input logic [11:0] s_axil_araddr_i,
    input logic        s_axil_arvalid_i,
    input logic        s_axil_rready_i,
    input logic        counter_valid_i,
    input logic [31:0] counter_i,
    input logic        finished_i,
    input logic        idle_i,
    input logic        waiting_i,
    input logic [2:0]  fault_cause_i,
    input logic [31:0] fault_where_i
);
  logic s_axil_awready_o, s_axil_wready_o, s_axil_bvalid_o, s_axil_arready_o, s_axil_rvalid_o;
  logic [1:0] s_axil_bresp_o, s_axil_rresp_o;
  logic [31:0] s_axil_rdata_o;
  logic read_o, start_o, running_o, abort_o, awake_o, done_o;
  logic [27:0] program_o;
  logic [63:0] base_o;
  control dut (.*);

  // ---- requests without their responses; the registers
  logic wrote, read, answered, replied;
  logic writes_q, reads_q, asked_q, counter_q;
  logic [31:0] base_low_q, base_high_q, value_q, value;
  logic [27:0] program_q;
  logic starts, starts_q, runs_q;
  assign wrote = s_axil_awvalid_i && s_axil_awready_o;
  assign read = s_axil_arvalid_i && s_axil_arready_o;
  assign answered = s_axil_bvalid_o && s_axil_bready_i;
  assign replied = s_axil_rvalid_o && s_axil_rready_i;
  assign starts = wrote && s_axil_awaddr_i == tenon_pkg::CONTROL_CONTROL && s_axil_wdata_i[0] && !runs_q;

  // What a read must answer, counters aside.
  logic counter;
  always_comb begin
    counter = 1'b0;
    case (s_axil_araddr_i)
      tenon_pkg::CONTROL_CONTROL, tenon_pkg::CONTROL_PROGRAM, tenon_pkg::CONTROL_BASE_LOW,
      tenon_pkg::CONTROL_BASE_HIGH, tenon_pkg::CONTROL_ISA_VERSION, tenon_pkg::CONTROL_CONFIGURATION,
      tenon_pkg::CONTROL_FAULT, tenon_pkg::CONTROL_STATUS: ;
      default: counter = 1'b1;
    endcase
    value = 32'd0;
    case (araddr_q)
      tenon_pkg::CONTROL_CONTROL: value = 32'd0;
      tenon_pkg::CONTROL_PROGRAM: value = {4'd0, program_q};
      tenon_pkg::CONTROL_BASE_LOW: value = base_low_q;
      tenon_pkg::CONTROL_BASE_HIGH: value = base_high_q;
      tenon_pkg::CONTROL_ISA_VERSION: value = tenon_pkg::ISA_VERSION;
      tenon_pkg::CONTROL_CONFIGURATION: value = tenon_pkg::CONFIGURATION_HASH;
      tenon_pkg::CONTROL_FAULT: value = fault_where_i;
      tenon_pkg::CONTROL_STATUS: value = {25'd0, fault_cause_i, 1'b0, fault_cause_i != 3'd0, runs_q || starts_q, done_o};
      default: ;
    endcase
  end

  logic started_q = 1'b0, stuck_q, stuck_before_q, b_held_q, r_held_q, aw_held_q, w_held_q, ar_held_q;
  logic [31:0] rdata_q, wdata_q;
  logic [11:0] awaddr_q, araddr_q;
  logic [2:0] cause_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    writes_q <= wrote || (writes_q && !answered);
    reads_q <= read || (reads_q && !replied);
    starts_q <= starts;
    cause_q <= (starts_q || rst_i) ? 3'd0 : fault_cause_i;
    stuck_q <= fault_cause_i != 3'd0 && finished_i && waiting_i;
    stuck_before_q <= stuck_q;
    runs_q <= starts_q || (runs_q && !((finished_i && idle_i) || abort_o));
    if (wrote) begin
      case (s_axil_awaddr_i)
        tenon_pkg::CONTROL_PROGRAM: program_q <= s_axil_wdata_i[27:0];
        tenon_pkg::CONTROL_BASE_LOW: base_low_q <= s_axil_wdata_i;
        tenon_pkg::CONTROL_BASE_HIGH: base_high_q <= s_axil_wdata_i;
        default: ;
      endcase
    end
    asked_q <= read;
    if (read) counter_q <= counter;
    if (asked_q) value_q <= value;
    if (counter_q && reads_q && !s_axil_rvalid_o && counter_valid_i) value_q <= counter_i;
    b_held_q <= s_axil_bvalid_o && !s_axil_bready_i && !rst_i;
    r_held_q <= s_axil_rvalid_o && !s_axil_rready_i && !rst_i;
    rdata_q <= s_axil_rdata_o;
    aw_held_q <= s_axil_awvalid_i && !s_axil_awready_o && !rst_i;
    w_held_q <= s_axil_wvalid_i && !s_axil_wready_o && !rst_i;
    ar_held_q <= s_axil_arvalid_i && !s_axil_arready_o && !rst_i;
    {awaddr_q, wdata_q, araddr_q} <= {s_axil_awaddr_i, s_axil_wdata_i, s_axil_araddr_i};
    if (rst_i) begin
      {writes_q, reads_q, asked_q, starts_q, runs_q} <= '0;
      {program_q, base_low_q, base_high_q} <= '0;
    end
  end

  always_comb begin
    if (!started_q) assume (rst_i);
    else if (!rst_i) begin
      if (aw_held_q) assume (s_axil_awvalid_i && s_axil_awaddr_i == awaddr_q);
      if (w_held_q) assume (s_axil_wvalid_i && s_axil_wdata_i == wdata_q);
      if (ar_held_q) assume (s_axil_arvalid_i && s_axil_araddr_i == araddr_q);
      if (cause_q != 3'd0) assume (fault_cause_i == cause_q);

      assert (wrote == (s_axil_wvalid_i && s_axil_wready_o));
      assert (wrote == (s_axil_awvalid_i && s_axil_wvalid_i && !writes_q));
      assert (s_axil_bvalid_o == writes_q);
      assert (s_axil_bresp_o == 2'd0 && s_axil_rresp_o == 2'd0);
      if (b_held_q) assert (s_axil_bvalid_o);
      if (r_held_q) assert (s_axil_rvalid_o && s_axil_rdata_o == rdata_q);
      assert (s_axil_arready_o == !reads_q);
      assert (!s_axil_rvalid_o || reads_q);
      assert (s_axil_rvalid_o || !reads_q || asked_q || counter_q);
      if (s_axil_rvalid_o) assert (s_axil_rdata_o == value_q);
      assert (read_o == (read && counter));

      assert (program_o == program_q && base_o == {base_high_q, base_low_q});
      assert (start_o == starts_q && running_o == runs_q);
      assert (!done_o || !(runs_q || starts_q));
      assert (!abort_o || (runs_q && fault_cause_i != 3'd0 && stuck_before_q));
      cover (done_o && replied);
      cover (s_axil_rvalid_o && counter_q && s_axil_rdata_o == 32'd5);
      cover (starts && done_o);
    end
  end
endmodule

`default_nettype wire
