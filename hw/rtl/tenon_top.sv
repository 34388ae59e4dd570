// Part of Tenon, under the Apache License v2.0.
//
// The accelerator as hardware has it: the machine with one clock.

`default_nettype none

module tenon_top (
    input  logic                             clk_i,
    input  logic                             rst_i,
    // control, AXI4-Lite
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
    // memory, AXI4: reads
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
    // memory, AXI4: writes
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
    // interrupt
    output logic                             done_o,
    // trace: one bit and three bits an engine
    output logic [3:0]                       retired_o,
    output logic [11:0]                      state_o,
    output logic [11:0]                      token_wait_o,
    output logic [11:0]                      room_wait_o
);
  // Only a simulator asks who has something to do.
  logic [5:0] awake_unused;

  tenon_machine u_machine (
      .clk_i(clk_i),
      .clk_front_i(clk_i),
      .clk_core_i(clk_i),
      .clk_gemm_i(clk_i),
      .clk_alu_i(clk_i),
      .clk_load_i(clk_i),
      .clk_store_i(clk_i),
      .awake_o(awake_unused),
      .rst_i(rst_i),
      .s_axil_awaddr_i(s_axil_awaddr_i),
      .s_axil_awvalid_i(s_axil_awvalid_i),
      .s_axil_awready_o(s_axil_awready_o),
      .s_axil_wdata_i(s_axil_wdata_i),
      .s_axil_wvalid_i(s_axil_wvalid_i),
      .s_axil_wready_o(s_axil_wready_o),
      .s_axil_bresp_o(s_axil_bresp_o),
      .s_axil_bvalid_o(s_axil_bvalid_o),
      .s_axil_bready_i(s_axil_bready_i),
      .s_axil_araddr_i(s_axil_araddr_i),
      .s_axil_arvalid_i(s_axil_arvalid_i),
      .s_axil_arready_o(s_axil_arready_o),
      .s_axil_rdata_o(s_axil_rdata_o),
      .s_axil_rresp_o(s_axil_rresp_o),
      .s_axil_rvalid_o(s_axil_rvalid_o),
      .s_axil_rready_i(s_axil_rready_i),
      .m_axi_arid_o(m_axi_arid_o),
      .m_axi_araddr_o(m_axi_araddr_o),
      .m_axi_arlen_o(m_axi_arlen_o),
      .m_axi_arsize_o(m_axi_arsize_o),
      .m_axi_arburst_o(m_axi_arburst_o),
      .m_axi_arvalid_o(m_axi_arvalid_o),
      .m_axi_arready_i(m_axi_arready_i),
      .m_axi_rid_i(m_axi_rid_i),
      .m_axi_rdata_i(m_axi_rdata_i),
      .m_axi_rresp_i(m_axi_rresp_i),
      .m_axi_rlast_i(m_axi_rlast_i),
      .m_axi_rvalid_i(m_axi_rvalid_i),
      .m_axi_rready_o(m_axi_rready_o),
      .m_axi_awaddr_o(m_axi_awaddr_o),
      .m_axi_awlen_o(m_axi_awlen_o),
      .m_axi_awsize_o(m_axi_awsize_o),
      .m_axi_awburst_o(m_axi_awburst_o),
      .m_axi_awvalid_o(m_axi_awvalid_o),
      .m_axi_awready_i(m_axi_awready_i),
      .m_axi_wdata_o(m_axi_wdata_o),
      .m_axi_wstrb_o(m_axi_wstrb_o),
      .m_axi_wlast_o(m_axi_wlast_o),
      .m_axi_wvalid_o(m_axi_wvalid_o),
      .m_axi_wready_i(m_axi_wready_i),
      .m_axi_bresp_i(m_axi_bresp_i),
      .m_axi_bvalid_i(m_axi_bvalid_i),
      .m_axi_bready_o(m_axi_bready_o),
      .done_o(done_o),
      .retired_o(retired_o),
      .state_o(state_o),
      .token_wait_o(token_wait_o),
      .room_wait_o(room_wait_o)
  );

  logic unused;
  assign unused = &{1'b0, awake_unused};
endmodule

`default_nettype wire
