// Part of Tenon, under the Apache License v2.0.
//
// A stand-in for the accelerator behind the bridge: 1024 words of registers
// that answer after delays of their own.  Word i holds 0x01010101 * i + 7 until
// it is written; a write to offset 0x10 adds, so that acting twice shows;
// offsets 0x800 to 0x8FF answer SLVERR.  The memory's port stays silent.

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
  logic [31:0] words_q[1024];
  logic [2:0] delay_q;
  logic wrote_address_q, wrote_data_q, asked_q;
  logic [11:0] address_q;
  logic [31:0] data_q;

  // Address and data of a write are taken apart, in either order.
  assign s_axil_awready_o = !wrote_address_q && delay_q[0];
  assign s_axil_wready_o = !wrote_data_q && delay_q[1];
  assign s_axil_arready_o = !asked_q && !s_axil_rvalid_o && delay_q[2];

  initial begin
    for (int i = 0; i < 1024; i++) words_q[i] = 32'h0101_0101 * i + 32'd7;
  end

  always_ff @(posedge clk_i) begin
    delay_q <= {delay_q[1:0], delay_q[2] ^ delay_q[1]};
    if (s_axil_awvalid_i && s_axil_awready_o) begin
      wrote_address_q <= 1'b1;
      address_q <= s_axil_awaddr_i;
    end
    if (s_axil_wvalid_i && s_axil_wready_o) begin
      wrote_data_q <= 1'b1;
      data_q <= s_axil_wdata_i;
    end
    if (s_axil_bvalid_o && s_axil_bready_i) s_axil_bvalid_o <= 1'b0;
    if (wrote_address_q && wrote_data_q && !s_axil_bvalid_o && delay_q[0]) begin
      wrote_address_q <= 1'b0;
      wrote_data_q <= 1'b0;
      s_axil_bvalid_o <= 1'b1;
      s_axil_bresp_o <= (address_q[11:8] == 4'h8) ? 2'b10 : 2'b00;
      words_q[address_q[11:2]] <= (address_q == 12'h010) ?
          words_q[4] + data_q : data_q;
    end
    if (s_axil_arvalid_i && s_axil_arready_o) begin
      asked_q <= 1'b1;
      s_axil_rdata_o <= words_q[s_axil_araddr_i[11:2]];
      s_axil_rresp_o <= (s_axil_araddr_i[11:8] == 4'h8) ? 2'b10 : 2'b00;
    end
    if (asked_q && delay_q[1]) begin
      asked_q <= 1'b0;
      s_axil_rvalid_o <= 1'b1;
    end
    if (s_axil_rvalid_o && s_axil_rready_i) s_axil_rvalid_o <= 1'b0;
    if (rst_i) begin
      delay_q <= 3'd1;
      wrote_address_q <= 1'b0;
      wrote_data_q <= 1'b0;
      s_axil_bvalid_o <= 1'b0;
      asked_q <= 1'b0;
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
