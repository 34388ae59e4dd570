// Part of Tenon, under the Apache License v2.0.
//
// The accelerator's DRAM on a board that has none: block RAM behind an AXI4
// port as wide as the bus, one beat a cycle each way, and a port for the
// bridge's bytes.  Bursts are INCR and of whole beats; a beat outside the
// memory, or of another kind of burst, answers SLVERR and writes nothing.  A
// burst of writes ends with `wlast`.
//
// The read port's data come four cycles after the address was taken: counted,
// registered, read, registered.  The bridge reads when no beat of AXI is due; a
// master that does not take its beats keeps it waiting.  The bridge's writes go
// first: a byte comes every eight cycles at most.  What is written is there for
// reads that begin a cycle later, before AXI's response can be acted on.

`default_nettype none

module block_memory #(
    // multiple of two beats
    parameter int unsigned Bytes = 65536,
    parameter int unsigned BusBits = 64,
    // the array cannot read in a cycle in which it writes
    parameter int unsigned SinglePort = 0
) (
    input  logic                 clk_i,
    input  logic                 rst_i,
    // AXI4: reads
    input  logic [0:0]           s_axi_arid_i,
    input  logic [63:0]          s_axi_araddr_i,
    input  logic [7:0]           s_axi_arlen_i,
    input  logic [2:0]           s_axi_arsize_i,
    input  logic [1:0]           s_axi_arburst_i,
    input  logic                 s_axi_arvalid_i,
    output logic                 s_axi_arready_o,
    output logic [0:0]           s_axi_rid_o,
    output logic [BusBits-1:0]   s_axi_rdata_o,
    output logic [1:0]           s_axi_rresp_o,
    output logic                 s_axi_rlast_o,
    output logic                 s_axi_rvalid_o,
    input  logic                 s_axi_rready_i,
    // AXI4: writes
    input  logic [63:0]          s_axi_awaddr_i,
    input  logic [7:0]           s_axi_awlen_i,
    input  logic [2:0]           s_axi_awsize_i,
    input  logic [1:0]           s_axi_awburst_i,
    input  logic                 s_axi_awvalid_i,
    output logic                 s_axi_awready_o,
    input  logic [BusBits-1:0]   s_axi_wdata_i,
    input  logic [BusBits/8-1:0] s_axi_wstrb_i,
    input  logic                 s_axi_wlast_i,
    input  logic                 s_axi_wvalid_i,
    output logic                 s_axi_wready_o,
    output logic [1:0]           s_axi_bresp_o,
    output logic                 s_axi_bvalid_o,
    input  logic                 s_axi_bready_i,
    // bytes; addresses lie within the memory
    input  logic [31:0]          byte_address_i,
    input  logic                 byte_write_i,
    input  logic [7:0]           byte_data_i,
    input  logic                 byte_read_i,
    output logic                 byte_ready_o,
    output logic                 byte_valid_o,
    output logic [7:0]           byte_data_o
);
  localparam int unsigned Lanes = BusBits / 8;
  localparam int unsigned LaneBits = $clog2(Lanes);
  localparam int unsigned Words = Bytes / Lanes;
  localparam int unsigned IndexBits = $clog2(Words);
  localparam logic [IndexBits:0] End = (IndexBits + 1)'(Words);

  logic [IndexBits-1:0] byte_index;
  logic [LaneBits-1:0] byte_lane;
  assign byte_index = byte_address_i[LaneBits+:IndexBits];
  assign byte_lane = byte_address_i[LaneBits-1:0];

  // ---- reads: the burst that is counted
  logic reading_q, foreign_q, id_q, issue, byte_issue, outside;
  logic leaves, stalls, advance;
  logic [7:0] left_q;
  logic [IndexBits:0] read_index_q;

  assign issue = reading_q && advance;
  assign outside = foreign_q || read_index_q >= End;
  assign s_axi_arready_o = !reading_q || (issue && left_q == 8'd0);
  assign byte_ready_o = advance && !reading_q;
  assign byte_issue = byte_read_i && byte_ready_o;

  always_ff @(posedge clk_i) begin
    if (issue) begin
      reading_q <= left_q != 8'd0;
      left_q <= left_q - 8'd1;
      read_index_q <= read_index_q + 1'b1;
    end
    if (s_axi_arvalid_i && s_axi_arready_o) begin
      reading_q <= 1'b1;
      id_q <= s_axi_arid_i;
      left_q <= s_axi_arlen_i;
      read_index_q <= {1'b0, s_axi_araddr_i[LaneBits+:IndexBits]};
      foreign_q <= s_axi_arburst_i != 2'b01 ||
          s_axi_arsize_i != 3'(LaneBits) ||
          s_axi_araddr_i[63:LaneBits+IndexBits] != '0;
    end
    if (rst_i) reading_q <= 1'b0;
  end

  // ---- reads: address registered, in the RAM, data registered
  logic [2:0] beat_q, byte_q, tag_id_q, tag_last_q, tag_bad_q;
  logic [LaneBits-1:0] lane_address_q, lane_read_q, lane_out_q;
  logic [IndexBits-1:0] index_read_q;
  logic [Lanes-1:0] lanes_q;  // what is written now

  assign leaves = !beat_q[2] || s_axi_rready_i;
  assign stalls = SinglePort != 0 && lanes_q != '0;
  assign advance = leaves && !stalls;
  assign s_axi_rvalid_o = beat_q[2];
  assign s_axi_rid_o = tag_id_q[2];
  assign s_axi_rlast_o = tag_last_q[2];
  assign s_axi_rresp_o = {tag_bad_q[2], 1'b0};

  always_ff @(posedge clk_i) begin
    if (advance) begin
      beat_q[0] <= issue;
      byte_q[0] <= byte_issue;
      tag_id_q[0] <= id_q;
      tag_last_q[0] <= left_q == 8'd0;
      tag_bad_q[0] <= outside;
      index_read_q <= reading_q ? read_index_q[IndexBits-1:0] : byte_index;
      lane_address_q <= byte_lane;
    end
    if (leaves) begin
      beat_q[2:1] <= {beat_q[1], beat_q[0] && !stalls};
      byte_q[2:1] <= {byte_q[1], byte_q[0] && !stalls};
      tag_id_q[2:1] <= tag_id_q[1:0];
      tag_last_q[2:1] <= tag_last_q[1:0];
      tag_bad_q[2:1] <= tag_bad_q[1:0];
      lane_read_q <= lane_address_q;
      lane_out_q <= lane_read_q;
    end
    byte_valid_o <= leaves && byte_q[2];
    byte_data_o <= s_axi_rdata_o[8*lane_out_q+:8];
    if (rst_i) begin
      beat_q <= 3'd0;
      byte_q <= 3'd0;
      byte_valid_o <= 1'b0;
    end
  end

  // ---- writes: a burst waits behind the one that is written
  logic waiting_q, waiting_bad_q, writing_q, foreign_write_q, beat, bad_q, bad;
  logic [IndexBits-1:0] waiting_index_q;
  logic [IndexBits:0] write_index_q;

  assign s_axi_awready_o = !waiting_q;
  assign s_axi_wready_o = writing_q && !byte_write_i &&
      (!s_axi_bvalid_o || s_axi_bready_i);
  assign beat = s_axi_wvalid_i && s_axi_wready_o;
  assign bad = foreign_write_q || write_index_q >= End;
  assign s_axi_bresp_o = {bad_q, 1'b0};

  always_ff @(posedge clk_i) begin
    if (s_axi_awvalid_i && s_axi_awready_o) begin
      waiting_q <= 1'b1;
      waiting_index_q <= s_axi_awaddr_i[LaneBits+:IndexBits];
      waiting_bad_q <= s_axi_awburst_i != 2'b01 ||
          s_axi_awsize_i != 3'(LaneBits) ||
          s_axi_awaddr_i[63:LaneBits+IndexBits] != '0;
    end
    if (s_axi_bready_i) s_axi_bvalid_o <= 1'b0;
    if (beat) begin
      write_index_q <= write_index_q + 1'b1;
      foreign_write_q <= bad;
      if (s_axi_wlast_i) begin
        writing_q <= 1'b0;
        s_axi_bvalid_o <= 1'b1;
        bad_q <= bad;
      end
    end
    if (waiting_q && (!writing_q || (beat && s_axi_wlast_i))) begin
      waiting_q <= 1'b0;
      writing_q <= 1'b1;
      write_index_q <= {1'b0, waiting_index_q};
      foreign_write_q <= waiting_bad_q;
    end
    if (rst_i) begin
      waiting_q <= 1'b0;
      writing_q <= 1'b0;
      s_axi_bvalid_o <= 1'b0;
    end
  end

  // ---- what is written, a cycle later
  logic [IndexBits-1:0] index_q;
  logic [BusBits-1:0] data_q;

  always_ff @(posedge clk_i) begin
    index_q <= byte_write_i ? byte_index : write_index_q[IndexBits-1:0];
    for (int l = 0; l < Lanes; l++) begin
      lanes_q[l] <= byte_write_i ? byte_lane == LaneBits'(l) :
          beat && !bad && s_axi_wstrb_i[l];
      data_q[8*l+:8] <= byte_write_i ? byte_data_i : s_axi_wdata_i[8*l+:8];
    end
    if (rst_i) lanes_q <= '0;
  end

  memory_array #(
      .Words(Words),
      .Lanes(Lanes)
  ) u_array (
      .clk_i(clk_i),
      .write_i(lanes_q),
      .write_index_i(index_q),
      .data_i(data_q),
      .read_i(advance),
      .read_index_i(index_read_q),
      .register_i(leaves),
      .data_o(s_axi_rdata_o)
  );

  logic unused;
  assign unused = &{1'b0, s_axi_awlen_i, byte_address_i, s_axi_araddr_i,
                    s_axi_awaddr_i};
endmodule

`default_nettype wire
