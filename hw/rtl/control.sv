// Part of Tenon, under the Apache License v2.0.
//
// The AXI4-Lite control port and the life of a launch.  Registers as the
// specification lists them; a write takes effect in the cycle after both its
// address and its data were there.  Writing 1 to CONTROL starts a launch unless
// one runs; `done_o` rises when FINISH was fetched and all engines are idle.
// A fault (fault.sv) stops FETCH; what the engines hold is finished.  If after
// that they only wait for tokens that nobody will give, and no burst is under
// way, `abort_o` resets them, so that done rises in any case and the next launch
// finds machine and port empty.

`default_nettype none

module control (
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
    // launch; running_o: the cycles that count
    output logic        start_o,
    output logic        running_o,
    output logic        abort_o,
    output logic        awake_o,
    output logic        done_o,
    output logic [27:0] program_o,
    output logic [63:0] base_o,
    // engines and FETCH; waiting: none is doing anything, no burst is under way
    input  logic        finished_i,
    input  logic        idle_i,
    input  logic        waiting_i,
    // the first fault, from the cycle behind it on
    input  logic [2:0]  fault_cause_i,
    input  logic [31:0] fault_where_i
);
  // Cycles of waiting after a fault: more than anything takes within the machine.
  localparam int PatienceBits = 12;

  logic start_q, running_q, done_q, waiting_q, error;
  logic [27:0] program_q;
  logic [31:0] base_low_q, base_high_q;
  logic [PatienceBits-1:0] patience_q;
  logic ends;

  // ---- writes
  logic write;
  assign write = s_axil_awvalid_i && s_axil_wvalid_i && !s_axil_bvalid_o;
  assign s_axil_awready_o = write;
  assign s_axil_wready_o = write;
  assign s_axil_bresp_o = 2'b00;

  always_ff @(posedge clk_i) begin
    start_q <= 1'b0;
    if (write) begin
      s_axil_bvalid_o <= 1'b1;
      case (s_axil_awaddr_i)
        tenon_pkg::CONTROL_CONTROL: start_q <= s_axil_wdata_i[0] && !running_q;
        tenon_pkg::CONTROL_PROGRAM: program_q <= s_axil_wdata_i[27:0];
        tenon_pkg::CONTROL_BASE_LOW: base_low_q <= s_axil_wdata_i;
        tenon_pkg::CONTROL_BASE_HIGH: base_high_q <= s_axil_wdata_i;
        default: ;
      endcase
    end else if (s_axil_bready_i) begin
      s_axil_bvalid_o <= 1'b0;
    end
    if (rst_i) begin
      start_q <= 1'b0;
      s_axil_bvalid_o <= 1'b0;
      program_q <= 28'd0;
      base_low_q <= 32'd0;
      base_high_q <= 32'd0;
    end
  end

  // ---- reads; all but the registers here are counters.  What an address names
  // is decided in one cycle and read in the next: in one, Yosys would decide for
  // each bit.
  logic accept, is_counter, reading_q, counting_q;
  logic [6:0] names, names_q;
  logic [31:0] value;

  assign accept = s_axil_arvalid_i && s_axil_arready_o;
  assign read_o = accept && is_counter;
  assign s_axil_arready_o = !s_axil_rvalid_o && !reading_q;
  assign s_axil_rresp_o = 2'b00;

  always_comb begin
    is_counter = 1'b0;
    names = 7'd0;
    case (s_axil_araddr_i)
      tenon_pkg::CONTROL_CONTROL: ;
      tenon_pkg::CONTROL_STATUS: names[0] = 1'b1;
      tenon_pkg::CONTROL_PROGRAM: names[1] = 1'b1;
      tenon_pkg::CONTROL_FAULT: names[2] = 1'b1;
      tenon_pkg::CONTROL_BASE_LOW: names[3] = 1'b1;
      tenon_pkg::CONTROL_BASE_HIGH: names[4] = 1'b1;
      tenon_pkg::CONTROL_ISA_VERSION: names[5] = 1'b1;
      tenon_pkg::CONTROL_CONFIGURATION: names[6] = 1'b1;
      default: is_counter = 1'b1;
    endcase
  end

  assign value = ({25'd0, fault_cause_i, 1'b0, error, running_q || start_q,
                   done_o} & {32{names_q[0]}}) |
      ({4'd0, program_q} & {32{names_q[1]}}) |
      (fault_where_i & {32{names_q[2]}}) |
      (base_low_q & {32{names_q[3]}}) |
      (base_high_q & {32{names_q[4]}}) |
      (tenon_pkg::ISA_VERSION & {32{names_q[5]}}) |
      (tenon_pkg::CONFIGURATION_HASH & {32{names_q[6]}});

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
  assign done_o = done_q && !start_q;
  assign program_o = program_q;
  assign base_o = {base_high_q, base_low_q};
  assign abort_o = running_q && (&patience_q);
  assign ends = running_q && ((finished_i && idle_i) || abort_o);
  assign awake_o = s_axil_bvalid_o || s_axil_rvalid_o || reading_q ||
      start_q || ends || (running_q && error);

  always_ff @(posedge clk_i) begin
    if (running_q && error) begin
      waiting_q <= finished_i && waiting_i;
      patience_q <= waiting_q ? patience_q + 1'b1 : '0;
    end
    if (ends) begin
      running_q <= 1'b0;
      done_q <= 1'b1;
    end
    if (start_q) begin
      running_q <= 1'b1;
      done_q <= 1'b0;
    end
    if (start_q || rst_i) begin
      waiting_q <= 1'b0;
      patience_q <= '0;
    end
    if (rst_i) begin
      running_q <= 1'b0;
      done_q <= 1'b0;
    end
  end
endmodule

`default_nettype wire
