// Part of Tenon, under the Apache License v2.0.
//
// The ten token channels between the four engines.  Each engine sees three
// neighbours in the order of the specification (all engines but itself); a bit
// without a channel (GEMM and STORE have none between them) never has a token
// and never has room.  Bit c of `wait_o` says that someone waits on channel c
// of the specification's list, for a token or for room.

`default_nettype none

module token_channels (
    input  logic       clk_i,
    input  logic       rst_i,
    // LOAD: gemm, alu, store
    output logic [2:0] load_token_o,
    input  logic [2:0] load_take_i,
    output logic [2:0] load_room_o,
    input  logic [2:0] load_give_i,
    input  logic [2:0] load_token_wait_i,
    input  logic [2:0] load_room_wait_i,
    // GEMM: load, alu, store
    output logic [2:0] gemm_token_o,
    input  logic [2:0] gemm_take_i,
    output logic [2:0] gemm_room_o,
    input  logic [2:0] gemm_give_i,
    input  logic [2:0] gemm_token_wait_i,
    input  logic [2:0] gemm_room_wait_i,
    // ALU: load, gemm, store
    output logic [2:0] alu_token_o,
    input  logic [2:0] alu_take_i,
    output logic [2:0] alu_room_o,
    input  logic [2:0] alu_give_i,
    input  logic [2:0] alu_token_wait_i,
    input  logic [2:0] alu_room_wait_i,
    // STORE: load, gemm, alu
    output logic [2:0] store_token_o,
    input  logic [2:0] store_take_i,
    output logic [2:0] store_room_o,
    input  logic [2:0] store_give_i,
    input  logic [2:0] store_token_wait_i,
    input  logic [2:0] store_room_wait_i,
    // who waits, by channel
    output logic [9:0] wait_o
);
  logic [9:0] give, take, token, room, token_wait, room_wait;

  // 9: store-alu, 8: store-load, 7: alu-store, 6: alu-gemm, 5: alu-load,
  // 4: gemm-alu, 3: gemm-load, 2: load-store, 1: load-alu, 0: load-gemm
  assign give = {
    store_give_i[2], store_give_i[0], alu_give_i[2], alu_give_i[1],
    alu_give_i[0], gemm_give_i[1:0], load_give_i
  };
  assign room_wait = {
    store_room_wait_i[2], store_room_wait_i[0], alu_room_wait_i[2],
    alu_room_wait_i[1], alu_room_wait_i[0], gemm_room_wait_i[1:0],
    load_room_wait_i
  };
  assign take = {
    alu_take_i[2], load_take_i[2], store_take_i[2], gemm_take_i[1],
    load_take_i[1], alu_take_i[1], load_take_i[0], store_take_i[0],
    alu_take_i[0], gemm_take_i[0]
  };
  assign token_wait = {
    alu_token_wait_i[2], load_token_wait_i[2], store_token_wait_i[2],
    gemm_token_wait_i[1], load_token_wait_i[1], alu_token_wait_i[1],
    load_token_wait_i[0], store_token_wait_i[0], alu_token_wait_i[0],
    gemm_token_wait_i[0]
  };

  assign load_token_o = {token[8], token[5], token[3]};
  assign gemm_token_o = {1'b0, token[6], token[0]};
  assign alu_token_o = {token[9], token[4], token[1]};
  assign store_token_o = {token[7], 1'b0, token[2]};

  assign load_room_o = room[2:0];
  assign gemm_room_o = {1'b0, room[4:3]};
  assign alu_room_o = room[7:5];
  assign store_room_o = {room[9], 1'b0, room[8]};

  assign wait_o = token_wait | room_wait;

  for (genvar c = 0; c < 10; c++) begin : gen_channel
    token_channel u_channel (
        .clk_i(clk_i),
        .rst_i(rst_i),
        .give_i(give[c]),
        .room_o(room[c]),
        .take_i(take[c]),
        .token_o(token[c])
    );
  end

  // GEMM and STORE never take from or give to each other.
  logic unused;
  assign unused = &{
    1'b0, gemm_give_i[2], gemm_take_i[2], gemm_token_wait_i[2],
    gemm_room_wait_i[2], store_give_i[1], store_take_i[1],
    store_token_wait_i[1], store_room_wait_i[1]
  };
endmodule

`default_nettype wire
