// Part of Tenon, under the Apache License v2.0.
//
// control, the AXI-Lite port: each write, and each read, that is taken has exactly
// one response, after it; a response stands, data unchanged, until it is taken;
// an address of a write and its data are taken together; a write does not wait
// for anything but the response of the one before, a read for nothing but that
// or a counter. A register reads as it was last written, a cycle after its
// address was taken. What a launch depends on is locked while it runs: a write
// that comes then changes nothing and is counted, as far as the counter goes. One write of CONTROL
// starts one launch at most, none while one runs. It is over, and done rises, when
// FETCH and engines are through, or, behind a fault, when the machine has been
// halted for 2^SettleBits - 1 cycles and no burst is under way; it is halted from the fault on. A stop reaches the
// launch that runs; a reset as well, and leaves the registers as after power-up.
// Assumed: the master keeps what it offers until it is taken; a fault stands until
// the next launch starts or the registers are set back.
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
    input logic        quiet_i,
    input logic [3:0]  fault_cause_i,
    input logic [31:0] fault_where_i
);
  logic s_axil_awready_o, s_axil_wready_o, s_axil_bvalid_o, s_axil_arready_o, s_axil_rvalid_o;
  logic [1:0] s_axil_bresp_o, s_axil_rresp_o;
  logic [31:0] s_axil_rdata_o;
  localparam int PageBits = 3, SettleBits = 2, RefusedBits = 2;
  logic read_o, start_o, running_o, stop_o, halt_o, clear_o, awake_o, done_o;
  logic [27:0] program_o;
  logic [63:0] base_o;
  logic [PageBits-1:0] first_page_o;
  logic [PageBits:0] end_page_o;
  control #(.PageBits(PageBits), .SettleBits(SettleBits), .RefusedBits(RefusedBits)) dut (.*);

  // ---- requests without their responses; the registers
  logic wrote, read, answered, replied;
  logic writes_q, reads_q, asked_q, counter_q;
  logic [31:0] base_low_q, base_high_q, value_q, value;
  logic [27:0] program_q;
  logic [PageBits-1:0] window_q;
  logic [RefusedBits-1:0] refused_q;
  logic starts, starts_q, runs_q, resets_q, stops_q, locked, refused, to_control, ends, clears, ended_q;
  logic [SettleBits-1:0] halted_q;
  assign wrote = s_axil_awvalid_i && s_axil_awready_o;
  assign read = s_axil_arvalid_i && s_axil_arready_o;
  assign answered = s_axil_bvalid_o && s_axil_bready_i;
  assign replied = s_axil_rvalid_o && s_axil_rready_i;
  assign locked = runs_q || starts_q || resets_q;
  assign to_control = wrote && s_axil_awaddr_i == tenon_pkg::CONTROL_CONTROL;
  assign starts = to_control && s_axil_wdata_i[2:0] == 3'd1 && !locked;
  assign refused = locked && wrote && ((to_control && s_axil_wdata_i[0]) ||
      s_axil_awaddr_i == tenon_pkg::CONTROL_PROGRAM || s_axil_awaddr_i == tenon_pkg::CONTROL_BASE_LOW ||
      s_axil_awaddr_i == tenon_pkg::CONTROL_BASE_HIGH || s_axil_awaddr_i == tenon_pkg::CONTROL_WINDOW);
  assign ends = runs_q && (fault_cause_i == 4'd0 ? finished_i && idle_i : quiet_i && (&halted_q));
  assign clears = resets_q && !runs_q && !starts_q;

  // What a read must answer, counters aside.
  logic counter;
  always_comb begin
    counter = 1'b0;
    case (s_axil_araddr_i)
      tenon_pkg::CONTROL_CONTROL, tenon_pkg::CONTROL_PROGRAM, tenon_pkg::CONTROL_BASE_LOW,
      tenon_pkg::CONTROL_BASE_HIGH, tenon_pkg::CONTROL_ISA_VERSION, tenon_pkg::CONTROL_CONFIGURATION,
      tenon_pkg::CONTROL_FAULT, tenon_pkg::CONTROL_STATUS, tenon_pkg::CONTROL_WINDOW,
      tenon_pkg::CONTROL_REFUSED: ;
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
      tenon_pkg::CONTROL_STATUS: value = {24'd0, fault_cause_i, 1'b0, fault_cause_i != 4'd0, locked, done_o};
      tenon_pkg::CONTROL_WINDOW: value = 32'(window_q);
      tenon_pkg::CONTROL_REFUSED: value = 32'(refused_q);
      default: ;
    endcase
  end

  logic started_q = 1'b0, b_held_q, r_held_q, aw_held_q, w_held_q, ar_held_q;
  logic [31:0] rdata_q, wdata_q;
  logic [11:0] awaddr_q, araddr_q;
  logic [3:0] cause_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    writes_q <= wrote || (writes_q && !answered);
    reads_q <= read || (reads_q && !replied);
    starts_q <= starts;
    cause_q <= (starts_q || clears || rst_i) ? 4'd0 : fault_cause_i;
    halted_q <= !runs_q || fault_cause_i == 4'd0 ? '0 : halted_q + SettleBits'(!(&halted_q));
    stops_q <= to_control && s_axil_wdata_i[2:1] != 2'd0;
    resets_q <= !clears && (resets_q || (to_control && s_axil_wdata_i[2]));
    runs_q <= starts_q || (runs_q && !ends);
    ended_q <= ends || (ended_q && !starts_q && !clears);
    if (refused && !(&refused_q)) refused_q <= refused_q + 1'b1;
    if (wrote && !locked) begin
      case (s_axil_awaddr_i)
        tenon_pkg::CONTROL_PROGRAM: program_q <= s_axil_wdata_i[27:0];
        tenon_pkg::CONTROL_BASE_LOW: base_low_q <= s_axil_wdata_i;
        tenon_pkg::CONTROL_BASE_HIGH: base_high_q <= s_axil_wdata_i;
        tenon_pkg::CONTROL_WINDOW: window_q <= s_axil_wdata_i[PageBits-1:0];
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
    if (rst_i || clears) {program_q, base_low_q, base_high_q, window_q, refused_q} <= '0;
    if (rst_i) begin
      {writes_q, reads_q, asked_q, starts_q, stops_q, resets_q, runs_q, ended_q, halted_q} <= '0;
    end
  end

  // The end of the window follows base and length a cycle later.
  logic window_stands_q;
  always_ff @(posedge clk_i) window_stands_q <= !rst_i && !clears && !(wrote && !locked);

  always_comb begin
    if (!started_q) reset_first : assume (rst_i);
    else if (!rst_i) begin
      if (aw_held_q) write_address_stands : assume (s_axil_awvalid_i && s_axil_awaddr_i == awaddr_q);
      if (w_held_q) write_data_stand : assume (s_axil_wvalid_i && s_axil_wdata_i == wdata_q);
      if (ar_held_q) read_address_stands : assume (s_axil_arvalid_i && s_axil_araddr_i == araddr_q);
      if (cause_q != 4'd0) cause_stands : assume (fault_cause_i == cause_q);

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
      assert (first_page_o == PageBits'(base_low_q[31:12]));
      if (window_stands_q) assert (end_page_o == {1'b0, first_page_o} + {1'b0, window_q});
      assert (done_o == (ended_q && !starts_q));
      assert (stop_o == (stops_q && runs_q && !ends));
      assert (halt_o == (runs_q && fault_cause_i != 4'd0));
      assert (clear_o == clears);
      cover (done_o && replied);
      cover (s_axil_rvalid_o && counter_q && s_axil_rdata_o == 32'd5);
      cover (starts && done_o);
      cover (refused && refused_q == 1);
      cover (stop_o && resets_q);
    end
  end
endmodule

`default_nettype wire
