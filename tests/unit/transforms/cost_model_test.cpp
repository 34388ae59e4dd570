//===- cost_model_test.cpp - Estimated cycles of layers -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Layers of 2x3 positions and 32 channels on blocks of 16: 12 vectors, each in
// 4 passes of 4 lanes. Every expectation is worked out beside it.
//
//===----------------------------------------------------------------------===//

#include "compiler/lib/Transforms/CostModel.h"

#include "gtest/gtest.h"

using namespace tenon;

namespace {

isa::Configuration machine(uint32_t BusBits) {
  isa::Configuration C;
  C.set_batch(1);
  C.set_block_in(16);
  C.set_block_out(16);
  C.set_alu_lanes(4);
  C.set_alu_multiply_cycles(3);
  C.set_bus_bits(BusBits);
  return C;
}

Layer layer(LayerKind Kind) {
  Layer L;
  L.Kind = Kind;
  L.InputShape = L.ResultShape = {1, 2, 3, 32};
  return L;
}

TEST(CostModel, AluTakesAPassAnElementOfTheWindowAndAProductAQuant) {
  // 12 x 4 passes of a product of 3 cycles; 12 x 4 x 9 of the window.
  Layer Mac = layer(LayerKind::Mac);
  Mac.Kernel = {3, 3};
  EXPECT_EQ(acceleratorCycles(Mac, machine(512)), 144 + 432);
  // Requantising alone moves each vector once.
  EXPECT_EQ(acceleratorCycles(layer(LayerKind::Sum), machine(512)), 144 + 48);
  // An addition requantises both operands and their sum.
  Layer Addition = layer(LayerKind::Sum);
  Addition.Add.emplace();
  EXPECT_EQ(acceleratorCycles(Addition, machine(512)), 3 * 144 + 48);
  EXPECT_EQ(acceleratorCycles(layer(LayerKind::Concat), machine(512)), 144);
}

TEST(CostModel, GemmTakesACycleABlockOfInputChannels) {
  // 12 vectors x 9 of the window x 2 blocks.
  Layer L = layer(LayerKind::Contract);
  L.InputShape = {1, 4, 5, 32};
  L.Kernel = {3, 3};
  EXPECT_EQ(acceleratorCycles(L, machine(512)), 216);
}

TEST(CostModel, TheBusMovesABeatACycle) {
  // 640 bytes of input, 9,216 of weights, 9 for each channel's parameters: in
  // beats of 8 bytes.
  Layer L = layer(LayerKind::Contract);
  L.InputShape = {1, 4, 5, 32};
  L.Kernel = {3, 3};
  L.Weights.resize(32 * 9 * 32);
  EXPECT_EQ(acceleratorCycles(L, machine(64)), (640 + 9216 + 288) / 8);
  // 6,144 bytes of result in beats of 4, more than what it is made of: 512
  // bytes of input and 288 of parameters. On the ALU 384 vectors of one pass.
  Layer Large = layer(LayerKind::Concat);
  Large.InputShape = {1, 4, 4, 32};
  Large.ResultShape = {1, 12, 16, 32};
  isa::Configuration C = machine(32);
  C.set_alu_lanes(16);
  C.set_alu_multiply_cycles(1);
  EXPECT_EQ(acceleratorCycles(Large, C), 6144 / 4);
}

TEST(CostModel, ABatchSharesItsVectors) {
  Layer L = layer(LayerKind::Concat);
  isa::Configuration C = machine(512);
  C.set_batch(4); // 6 positions: 2 groups of 4, each of 2 blocks, 16 passes
  EXPECT_EQ(acceleratorCycles(L, C), 2 * 2 * 16 * 3);
}

} // namespace
