// Part of Tenon, under the Apache License v2.0.
//
// A machine of one multiplier behind the bridge: what is written to any register
// is multiplied by what was written before, halves signed, and read back.  The
// memory's port stays silent.  It keeps a build through the flow short.

`default_nettype none

/* verilator lint_off UNUSEDSIGNAL */
module tenon_top (
    input  logic                             clk_i,
    input  logic                             rst_i,
    input  logic [11:0]                      s_axil_awaddr_i,
    input  logic                             s_axil_awvalid_i,
    output logic                             s_axil_awready_o,
    input  logic [31:0]                      s_axil_wdata_i,
    input  logic                             s_axil_wvalid_i,
    output logic                             s_axil_wready_o,
    output logic [1:0]                       s_axil_bresp_o,
    output logic                             s_axil_bvalid_o,
    input  logic                             s_axil_bready_i,
    input  logic [11:0]                      s_axil_araddr_i,
    input  logic                             s_axil_arvalid_i,
    output logic                             s_axil_arready_o,
    output logic [31:0]                      s_axil_rdata_o,
    output logic [1:0]                       s_axil_rresp_o,
    output logic                             s_axil_rvalid_o,
    input  logic                             s_axil_rready_i,
    output logic [0:0]                       m_axi_arid_o,
    output logic [63:0]                      m_axi_araddr_o,
    output logic [7:0]                       m_axi_arlen_o,
    output logic [2:0]                       m_axi_arsize_o,
    output logic [1:0]                       m_axi_arburst_o,
    output logic                             m_axi_arvalid_o,
    input  logic                             m_axi_arready_i,
    input  logic [0:0]                       m_axi_rid_i,
    input  logic [tenon_pkg::BUS_BITS-1:0]   m_axi_rdata_i,
    input  logic [1:0]                       m_axi_rresp_i,
    input  logic                             m_axi_rlast_i,
    input  logic                             m_axi_rvalid_i,
    output logic                             m_axi_rready_o,
    output logic [63:0]                      m_axi_awaddr_o,
    output logic [7:0]                       m_axi_awlen_o,
    output logic [2:0]                       m_axi_awsize_o,
    output logic [1:0]                       m_axi_awburst_o,
    output logic                             m_axi_awvalid_o,
    input  logic                             m_axi_awready_i,
    output logic [tenon_pkg::BUS_BITS-1:0]   m_axi_wdata_o,
    output logic [tenon_pkg::BUS_BITS/8-1:0] m_axi_wstrb_o,
    output logic                             m_axi_wlast_o,
    output logic                             m_axi_wvalid_o,
    input  logic                             m_axi_wready_i,
    input  logic [1:0]                       m_axi_bresp_i,
    input  logic                             m_axi_bvalid_i,
    output logic                             m_axi_bready_o,
    output logic                             done_o,
    output logic [3:0]                       retired_o,
    output logic [11:0]                      state_o,
    output logic [11:0]                      token_wait_o,
    output logic [11:0]                      room_wait_o
);
  logic signed [8:0] first_q, second_q;
  logic signed [17:0] product_q;
  logic write_ready, read_ready;

  assign write_ready = s_axil_awvalid_i && s_axil_wvalid_i && !s_axil_bvalid_o;
  assign read_ready = s_axil_arvalid_i && !s_axil_rvalid_o;
  assign s_axil_awready_o = write_ready;
  assign s_axil_wready_o = write_ready;
  assign s_axil_arready_o = read_ready;
  assign s_axil_bresp_o = 2'b00;
  assign s_axil_rresp_o = 2'b00;

  always_ff @(posedge clk_i) begin
    product_q <= first_q * second_q;
    if (write_ready) begin
      first_q <= signed'(s_axil_wdata_i[8:0]);
      second_q <= first_q;
      s_axil_bvalid_o <= 1'b1;
    end else if (s_axil_bready_i) s_axil_bvalid_o <= 1'b0;
    if (read_ready) begin
      s_axil_rdata_o <= {14'd0, product_q};
      s_axil_rvalid_o <= 1'b1;
    end else if (s_axil_rready_i) s_axil_rvalid_o <= 1'b0;
    if (rst_i) begin
      s_axil_bvalid_o <= 1'b0;
      s_axil_rvalid_o <= 1'b0;
    end
  end

  assign m_axi_arid_o = '0;
  assign m_axi_araddr_o = '0;
  assign m_axi_arlen_o = '0;
  assign m_axi_arsize_o = '0;
  assign m_axi_arburst_o = '0;
  assign m_axi_arvalid_o = '0;
  assign m_axi_rready_o = '0;
  assign m_axi_awaddr_o = '0;
  assign m_axi_awlen_o = '0;
  assign m_axi_awsize_o = '0;
  assign m_axi_awburst_o = '0;
  assign m_axi_awvalid_o = '0;
  assign m_axi_wdata_o = '0;
  assign m_axi_wstrb_o = '0;
  assign m_axi_wlast_o = '0;
  assign m_axi_wvalid_o = '0;
  assign m_axi_bready_o = '0;
  assign done_o = 1'b0;
  assign retired_o = '0;
  assign state_o = '0;
  assign token_wait_o = '0;
  assign room_wait_o = '0;
endmodule
/* verilator lint_on UNUSEDSIGNAL */

`default_nettype wire
