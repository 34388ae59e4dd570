//===- LowerContraction.cpp - A step of a contraction on GEMM -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// GEMM multiplies the input as it is. What its zero point adds to a sum is
// constant where the weights are, and joins the bias. Where they are computed,
// GEMM multiplies them with a row that holds the zero point alone, and ALU
// subtracts the result from every pixel's accumulators.
//
//===----------------------------------------------------------------------===//

#include "LayerLowering.h"
#include "Loops.h"

using namespace tenon;
using namespace tenon::scheduling;

/// Micro-ops of one output vector; for a product then those that multiply the
/// zero points behind the input.
std::vector<isa::MicroOp>
LayerLowering::contractionUops(const Tile &T, const Step &St,
                               const InputBox &Box) const {
  uint32_t Plane = Box.Rows * Box.Cols;
  // Constant weights lie block after block of the output, computed ones block
  // after block of the input.
  uint32_t Next = TheLayer.isProduct() ? T.Blocks : 1;
  std::vector<isa::MicroOp> Uops;
  for (uint32_t C = 0; C < St.Blocks; ++C)
    for (uint32_t Ky = 0; Ky < St.Kys; ++Ky)
      for (uint32_t Kx = 0; Kx < TheLayer.KW; ++Kx)
        Uops.push_back({0,
                        uint32_t(C * Plane + Ky * TheLayer.DY * Box.Cols +
                                 Kx * TheLayer.DX),
                        uint32_t(Uops.size() * Next)});
  if (!TheLayer.needsWeightSums())
    return Uops;
  uint32_t Last = Tiles.inputs().count() - 1;
  for (uint32_t C = 0; C < St.Blocks; ++C) {
    uint32_t IsPart =
        St.Block + C == Last && Tiles.zeroPointElements() > 1 ? 1 : 0;
    Uops.push_back({0, IsPart, C * Next});
  }
  return Uops;
}

void LayerLowering::contract(StepCode &Code, const Tile &T, const Step &St) {
  Range Wgt = TheLayer.isProduct() ? requireComputedWeights(Code, T, St)
                                   : requireWeights(Code, T, St);
  Range Inp = requireInput(Code, T, St);
  InputBox Box = Tiles.inputBox(T, St);
  uint32_t Plane = Box.Rows * Box.Cols;
  uint32_t Length = Tiles.sequenceLength(St);
  uint32_t WgtStep = TheLayer.isProduct() ? 1 : Length; // of output blocks

  // One instruction covers all output blocks where each begins to read as far
  // behind the one before.
  auto Pace = Tiles.inputs().pace({T.Block, T.Blocks});
  Tile Covered = T;
  if (!Pace)
    Covered.Blocks = 1;
  bool CoversBlocks;
  isa::Gemm Gemm;
  setLoops(Gemm,
           pixelLoops(Covered, Tiles.rowPitch(Box, St), Tiles.colPitch(St),
                      {T.pixels(), Pace.value_or(0) * Plane, WgtStep},
                      CoversBlocks));
  Gemm.first = St.First;
  Gemm.uopBegin =
      B.requireUops(Code, isa::Memory::UopGemm, contractionUops(T, St, Box));
  Gemm.uopCount = Length;
  B.set(Code.Gemm, isa::Engine::Gemm,
        uint32_t(isa::GemmRegister::WeightZeroPoint),
        uint32_t(TheLayer.WeightZp));
  uint32_t First = Tiles.inputs().first(T.Block);
  for (uint32_t Block = 0; Block < (Pace && CoversBlocks ? 1 : T.Blocks);
       ++Block) {
    uint32_t Skipped = Tiles.inputs().first(T.Block + Block) - First;
    isa::MicroOp Base{Context.Begin + Tiles.acc().Result + Block * T.pixels(),
                      Inp.Begin + Skipped * Plane, Wgt.Begin + Block * WgtStep};
    B.set(Code.Gemm, isa::Engine::Gemm, uint32_t(isa::GemmRegister::GemmBase),
          isa::encodeGemmUop(L, Base));
    B.append(Code.Gemm, Gemm);
  }
  if (TheLayer.needsWeightSums())
    sumWeights(Code, T, St, Gemm.uopBegin + Length,
               {Context.Begin + Tiles.acc().Operand,
                Inp.end() - Tiles.zeroPointElements(), Wgt.Begin});
  Code.GemmUses.push_back({unsigned(isa::Memory::Acc), Context});
  Code.GemmCycles += uint64_t(T.Blocks) * T.pixels() * Length;
}

/// For each output channel the input's zero point times the sum of its weights:
/// a row of the input whose elements are that zero point.
void LayerLowering::sumWeights(StepCode &Code, const Tile &T, const Step &St,
                               uint32_t FirstUop, const isa::MicroOp &Base) {
  isa::Gemm Gemm;
  Loops Of;
  Of.Outer = T.Blocks;
  Of.OuterStep = {1, 0, 1};
  setLoops(Gemm, Of);
  Gemm.first = St.First;
  Gemm.uopBegin = FirstUop;
  Gemm.uopCount = St.Blocks;
  B.set(Code.Gemm, isa::Engine::Gemm, uint32_t(isa::GemmRegister::GemmBase),
        isa::encodeGemmUop(L, Base));
  B.append(Code.Gemm, Gemm);
  Code.GemmCycles += uint64_t(T.Blocks) * St.Blocks;
}
