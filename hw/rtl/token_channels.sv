// Part of Tenon, under the Apache License v2.0.
//
// The ten token channels between the four engines.  Each engine sees three
// neighbours in the order of the specification (all engines but itself); a bit
// without a channel (GEMM and STORE have none between them) never has a token
// and never has room.

`default_nettype none

module token_channels (
    input  logic       clk_i,
    input  logic       rst_i,
    // LOAD: gemm, alu, store
    output logic [2:0] load_token_o,
    input  logic [2:0] load_take_i,
    output logic [2:0] load_room_o,
    input  logic [2:0] load_give_i,
    // GEMM: load, alu, store
    output logic [2:0] gemm_token_o,
    input  logic [2:0] gemm_take_i,
    output logic [2:0] gemm_room_o,
    input  logic [2:0] gemm_give_i,
    // ALU: load, gemm, store
    output logic [2:0] alu_token_o,
    input  logic [2:0] alu_take_i,
    output logic [2:0] alu_room_o,
    input  logic [2:0] alu_give_i,
    // STORE: load, gemm, alu
    output logic [2:0] store_token_o,
    input  logic [2:0] store_take_i,
    output logic [2:0] store_room_o,
    input  logic [2:0] store_give_i
);
  token_channel u_load_gemm (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(load_give_i[0]),
      .room_o(load_room_o[0]),
      .take_i(gemm_take_i[0]),
      .token_o(gemm_token_o[0])
  );
  token_channel u_load_alu (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(load_give_i[1]),
      .room_o(load_room_o[1]),
      .take_i(alu_take_i[0]),
      .token_o(alu_token_o[0])
  );
  token_channel u_load_store (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(load_give_i[2]),
      .room_o(load_room_o[2]),
      .take_i(store_take_i[0]),
      .token_o(store_token_o[0])
  );
  token_channel u_gemm_load (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(gemm_give_i[0]),
      .room_o(gemm_room_o[0]),
      .take_i(load_take_i[0]),
      .token_o(load_token_o[0])
  );
  token_channel u_gemm_alu (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(gemm_give_i[1]),
      .room_o(gemm_room_o[1]),
      .take_i(alu_take_i[1]),
      .token_o(alu_token_o[1])
  );
  token_channel u_alu_load (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(alu_give_i[0]),
      .room_o(alu_room_o[0]),
      .take_i(load_take_i[1]),
      .token_o(load_token_o[1])
  );
  token_channel u_alu_gemm (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(alu_give_i[1]),
      .room_o(alu_room_o[1]),
      .take_i(gemm_take_i[1]),
      .token_o(gemm_token_o[1])
  );
  token_channel u_alu_store (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(alu_give_i[2]),
      .room_o(alu_room_o[2]),
      .take_i(store_take_i[2]),
      .token_o(store_token_o[2])
  );
  token_channel u_store_load (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(store_give_i[0]),
      .room_o(store_room_o[0]),
      .take_i(load_take_i[2]),
      .token_o(load_token_o[2])
  );
  token_channel u_store_alu (
      .clk_i(clk_i),
      .rst_i(rst_i),
      .give_i(store_give_i[2]),
      .room_o(store_room_o[2]),
      .take_i(alu_take_i[2]),
      .token_o(alu_token_o[2])
  );

  // GEMM and STORE never take from or give to each other.
  assign gemm_token_o[2] = 1'b0;
  assign gemm_room_o[2] = 1'b0;
  assign store_token_o[1] = 1'b0;
  assign store_room_o[1] = 1'b0;

  logic unused;
  assign unused = &{
    1'b0, gemm_give_i[2], gemm_take_i[2], store_give_i[1], store_take_i[1]
  };
endmodule

`default_nettype wire
