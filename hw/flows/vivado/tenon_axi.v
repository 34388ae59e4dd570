// Part of Tenon, under the Apache License v2.0.
//
// The accelerator as Vivado's block designs take it: plain Verilog, numbers for
// widths, the vendor's names of bus signals, interfaces said by attributes. Adds
// what the accelerator's ports leave out because it is constant: ids of writes,
// cache and protection bits (modifiable and bufferable, so that the interconnect
// may merge and split), and a reset registered on the clock. Byte strobes of
// register writes are ignored: registers are written as whole words.
//
// Names between @ are filled in by tools/fpga/vivado.cpp.

`default_nettype none

module tenon_axi (
    (* X_INTERFACE_INFO = "xilinx.com:signal:clock:1.0 aclk CLK" *)
    (* X_INTERFACE_PARAMETER = "XIL_INTERFACENAME aclk, ASSOCIATED_BUSIF s_axil:m_axi, ASSOCIATED_RESET aresetn" *)
    input  wire        aclk,
    (* X_INTERFACE_INFO = "xilinx.com:signal:reset:1.0 aresetn RST" *)
    (* X_INTERFACE_PARAMETER = "XIL_INTERFACENAME aresetn, POLARITY ACTIVE_LOW" *)
    input  wire        aresetn,
    (* X_INTERFACE_INFO = "xilinx.com:signal:interrupt:1.0 done INTERRUPT" *)
    (* X_INTERFACE_PARAMETER = "XIL_INTERFACENAME done, SENSITIVITY LEVEL_HIGH" *)
    output wire        done,

    // control registers, AXI4-Lite
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil AWADDR" *)
    (* X_INTERFACE_PARAMETER = "XIL_INTERFACENAME s_axil, PROTOCOL AXI4LITE, DATA_WIDTH 32, ADDR_WIDTH 12, READ_WRITE_MODE READ_WRITE" *)
    input  wire [11:0] s_axil_awaddr,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil AWPROT" *)
    input  wire [2:0]  s_axil_awprot,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil AWVALID" *)
    input  wire        s_axil_awvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil AWREADY" *)
    output wire        s_axil_awready,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil WDATA" *)
    input  wire [31:0] s_axil_wdata,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil WSTRB" *)
    input  wire [3:0]  s_axil_wstrb,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil WVALID" *)
    input  wire        s_axil_wvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil WREADY" *)
    output wire        s_axil_wready,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil BRESP" *)
    output wire [1:0]  s_axil_bresp,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil BVALID" *)
    output wire        s_axil_bvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil BREADY" *)
    input  wire        s_axil_bready,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil ARADDR" *)
    input  wire [11:0] s_axil_araddr,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil ARPROT" *)
    input  wire [2:0]  s_axil_arprot,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil ARVALID" *)
    input  wire        s_axil_arvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil ARREADY" *)
    output wire        s_axil_arready,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil RDATA" *)
    output wire [31:0] s_axil_rdata,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil RRESP" *)
    output wire [1:0]  s_axil_rresp,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil RVALID" *)
    output wire        s_axil_rvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 s_axil RREADY" *)
    input  wire        s_axil_rready,

    // memory, AXI4
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARID" *)
    (* X_INTERFACE_PARAMETER = "XIL_INTERFACENAME m_axi, PROTOCOL AXI4, DATA_WIDTH @BUS_BITS@, ADDR_WIDTH 64, ID_WIDTH 1, MAX_BURST_LENGTH @BURST_BEATS@, NUM_READ_OUTSTANDING @OUTSTANDING@, NUM_WRITE_OUTSTANDING @OUTSTANDING@, SUPPORTS_NARROW_BURST 0, READ_WRITE_MODE READ_WRITE" *)
    output wire [0:0]  m_axi_arid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARADDR" *)
    output wire [63:0] m_axi_araddr,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARLEN" *)
    output wire [7:0]  m_axi_arlen,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARSIZE" *)
    output wire [2:0]  m_axi_arsize,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARBURST" *)
    output wire [1:0]  m_axi_arburst,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARCACHE" *)
    output wire [3:0]  m_axi_arcache,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARPROT" *)
    output wire [2:0]  m_axi_arprot,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARVALID" *)
    output wire        m_axi_arvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi ARREADY" *)
    input  wire        m_axi_arready,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RID" *)
    input  wire [0:0]  m_axi_rid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RDATA" *)
    input  wire [@DATA_HIGH@:0] m_axi_rdata,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RRESP" *)
    input  wire [1:0]  m_axi_rresp,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RLAST" *)
    input  wire        m_axi_rlast,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RVALID" *)
    input  wire        m_axi_rvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi RREADY" *)
    output wire        m_axi_rready,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWID" *)
    output wire [0:0]  m_axi_awid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWADDR" *)
    output wire [63:0] m_axi_awaddr,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWLEN" *)
    output wire [7:0]  m_axi_awlen,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWSIZE" *)
    output wire [2:0]  m_axi_awsize,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWBURST" *)
    output wire [1:0]  m_axi_awburst,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWCACHE" *)
    output wire [3:0]  m_axi_awcache,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWPROT" *)
    output wire [2:0]  m_axi_awprot,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWVALID" *)
    output wire        m_axi_awvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi AWREADY" *)
    input  wire        m_axi_awready,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WDATA" *)
    output wire [@DATA_HIGH@:0] m_axi_wdata,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WSTRB" *)
    output wire [@STROBE_HIGH@:0] m_axi_wstrb,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WLAST" *)
    output wire        m_axi_wlast,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WVALID" *)
    output wire        m_axi_wvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi WREADY" *)
    input  wire        m_axi_wready,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi BID" *)
    input  wire [0:0]  m_axi_bid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi BRESP" *)
    input  wire [1:0]  m_axi_bresp,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi BVALID" *)
    input  wire        m_axi_bvalid,
    (* X_INTERFACE_INFO = "xilinx.com:interface:aximm:1.0 m_axi BREADY" *)
    output wire        m_axi_bready
);
  // Normal memory, not cached, bufferable; data, secure, not privileged.
  localparam [3:0] Cache = 4'b0011;
  localparam [2:0] Protection = 3'b000;

  reg reset_q;
  always @(posedge aclk) reset_q <= !aresetn;

  assign m_axi_arcache = Cache;
  assign m_axi_awcache = Cache;
  assign m_axi_arprot = Protection;
  assign m_axi_awprot = Protection;
  assign m_axi_awid = 1'b0;

  wire [3:0] retired_unused;
  wire [11:0] state_unused, token_wait_unused, room_wait_unused;

  tenon_top u_tenon (
      .clk_i(aclk),
      .rst_i(reset_q),
      .s_axil_awaddr_i(s_axil_awaddr),
      .s_axil_awvalid_i(s_axil_awvalid),
      .s_axil_awready_o(s_axil_awready),
      .s_axil_wdata_i(s_axil_wdata),
      .s_axil_wvalid_i(s_axil_wvalid),
      .s_axil_wready_o(s_axil_wready),
      .s_axil_bresp_o(s_axil_bresp),
      .s_axil_bvalid_o(s_axil_bvalid),
      .s_axil_bready_i(s_axil_bready),
      .s_axil_araddr_i(s_axil_araddr),
      .s_axil_arvalid_i(s_axil_arvalid),
      .s_axil_arready_o(s_axil_arready),
      .s_axil_rdata_o(s_axil_rdata),
      .s_axil_rresp_o(s_axil_rresp),
      .s_axil_rvalid_o(s_axil_rvalid),
      .s_axil_rready_i(s_axil_rready),
      .m_axi_arid_o(m_axi_arid),
      .m_axi_araddr_o(m_axi_araddr),
      .m_axi_arlen_o(m_axi_arlen),
      .m_axi_arsize_o(m_axi_arsize),
      .m_axi_arburst_o(m_axi_arburst),
      .m_axi_arvalid_o(m_axi_arvalid),
      .m_axi_arready_i(m_axi_arready),
      .m_axi_rid_i(m_axi_rid),
      .m_axi_rdata_i(m_axi_rdata),
      .m_axi_rresp_i(m_axi_rresp),
      .m_axi_rlast_i(m_axi_rlast),
      .m_axi_rvalid_i(m_axi_rvalid),
      .m_axi_rready_o(m_axi_rready),
      .m_axi_awaddr_o(m_axi_awaddr),
      .m_axi_awlen_o(m_axi_awlen),
      .m_axi_awsize_o(m_axi_awsize),
      .m_axi_awburst_o(m_axi_awburst),
      .m_axi_awvalid_o(m_axi_awvalid),
      .m_axi_awready_i(m_axi_awready),
      .m_axi_wdata_o(m_axi_wdata),
      .m_axi_wstrb_o(m_axi_wstrb),
      .m_axi_wlast_o(m_axi_wlast),
      .m_axi_wvalid_o(m_axi_wvalid),
      .m_axi_wready_i(m_axi_wready),
      .m_axi_bresp_i(m_axi_bresp),
      .m_axi_bvalid_i(m_axi_bvalid),
      .m_axi_bready_o(m_axi_bready),
      .done_o(done),
      .retired_o(retired_unused),
      .state_o(state_unused),
      .token_wait_o(token_wait_unused),
      .room_wait_o(room_wait_unused)
  );

  wire unused;
  assign unused = &{1'b0, s_axil_awprot, s_axil_wstrb, s_axil_arprot, m_axi_bid,
      retired_unused, state_unused, token_wait_unused, room_wait_unused};
endmodule

`default_nettype wire
