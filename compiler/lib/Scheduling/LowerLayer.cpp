//===- LowerLayer.cpp - A scheduled layer becomes instructions ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Tile after tile, and within a tile step after step of its reduction: LOAD
// what is not resident, one GEMM (or ALU reduction) per output block or for all
// of them, at the last step one requantising ALU instruction and the stores.
// Micro-ops are relative to the base registers, so that tiles of one size share
// them wherever they lie.
//
//===----------------------------------------------------------------------===//

#include "LayerLowering.h"
#include "Loops.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

LayerLowering::LayerLowering(StreamBuilder &Builder, const isa::Layout &Plan,
                             const Layer &TheLayer, const Schedule &S,
                             uint32_t LayerIndex, Ring &Acc, Ring &Out)
    : B(Builder), L(Builder.layout()), TheLayer(TheLayer), S(S),
      LayerIndex(LayerIndex), Acc(Acc), Out(Out), Tiles(Plan, TheLayer, S),
      Dram(L) {
  if (TheLayer.Kind == Reduction::Average)
    Counts = TheLayer.windowCounts();
}

uint64_t LayerLowering::vectorCycles(uint64_t Vectors,
                                     unsigned Multiplications) const {
  uint64_t Passes =
      L.config.batch() * L.config.block_out() / L.config.alu_lanes();
  uint64_t Each = std::max<uint64_t>(1, uint64_t(Multiplications) *
                                            L.config.alu_multiply_cycles());
  return Vectors * Passes * Each;
}

/// A step of a window reduction on the ALU, or the loads alone for a copy.
void LayerLowering::reduce(StepCode &Code, const Tile &T, const Step &St) {
  InputBox Box = Tiles.inputBox(T, St);
  uint32_t Plane = Box.Rows * Box.Cols;
  uint32_t Input = Context.Begin + Tiles.acc().Input;
  loadActivations(Code, isa::Memory::Acc8, Input, TheLayer.In, T.Group, T.Block,
                  T.Blocks, Box, TheLayer.InputZp);
  Code.Loaded.push_back({unsigned(isa::Memory::Acc), Context});
  if (TheLayer.isCopy())
    return;

  bool IsMac = TheLayer.Kind == Reduction::Mac;
  isa::Alu Alu;
  Alu.op = IsMac                             ? isa::AluOp::Mac
           : TheLayer.Kind == Reduction::Max ? isa::AluOp::Max
                                             : isa::AluOp::Add;
  Alu.operand = IsMac ? isa::Operand::Immediate : isa::Operand::Acc;
  Alu.target = isa::Target::Acc;
  Alu.first = St.First;
  std::vector<isa::MicroOp> Uops;
  for (uint32_t Ky = 0; Ky < St.Kys; ++Ky)
    for (uint32_t Kx = 0; Kx < TheLayer.KW; ++Kx)
      Uops.push_back({0,
                      uint32_t(Ky * TheLayer.DY * Box.Cols + Kx * TheLayer.DX),
                      IsMac ? uint32_t(Uops.size()) : 0});
  uint32_t Length = Uops.size();
  uint32_t Taps = 0;
  if (IsMac) {
    Taps = requireWeights(Code, T, St).Begin;
    B.set(Code.Alu, isa::Engine::Alu, uint32_t(isa::AluRegister::DwtZeroPoint),
          uint32_t(TheLayer.WeightZp));
  }
  bool CoversBlocks;
  uint32_t TapStep = IsMac ? Length : 0;
  setLoops(Alu, pixelLoops(T, Tiles.rowPitch(Box, St), Tiles.colPitch(St),
                           {T.pixels(), Plane, TapStep}, CoversBlocks));
  Alu.uopBegin = B.requireUops(Code, isa::Memory::UopAlu, Uops);
  Alu.uopCount = Length;
  for (uint32_t Block = 0; Block < (CoversBlocks ? 1 : T.Blocks); ++Block) {
    isa::MicroOp Base{Context.Begin + Tiles.acc().Result + Block * T.pixels(),
                      Input + Block * Plane, Taps + Block * TapStep};
    B.set(Code.Alu, isa::Engine::Alu, uint32_t(isa::AluRegister::AluBase),
          isa::encodeAluUop(L, Base));
    B.append(Code.Alu, Alu);
  }
  Code.AluCycles +=
      vectorCycles(uint64_t(T.Blocks) * T.pixels() * Length, IsMac ? 1 : 0);
}

void LayerLowering::setEpilogue(StepCode &Code) {
  auto set = [&](isa::AluRegister R, int32_t Value) {
    B.set(Code.Alu, isa::Engine::Alu, uint32_t(R), uint32_t(Value));
  };
  set(isa::AluRegister::ClampMin, TheLayer.ClampMin);
  set(isa::AluRegister::ClampMax, TheLayer.ClampMax);
  set(isa::AluRegister::OutputZeroPoint, TheLayer.OutputZp);
  if (!TheLayer.adds())
    return;
  uint32_t From = TheLayer.isCopy() ? Tiles.acc().Input : Tiles.acc().Result;
  set(isa::AluRegister::OperandOffset, Tiles.acc().Operand - From);
  set(isa::AluRegister::AddendMin, TheLayer.AddendMin);
  set(isa::AluRegister::AddendMax, TheLayer.AddendMax);
  set(isa::AluRegister::AddendScale, TheLayer.AddendScale);
  set(isa::AluRegister::OperandScale, TheLayer.OperandScale);
  set(isa::AluRegister::AddShift, TheLayer.AddShift);
}

/// One instruction requantises the whole tile.
void LayerLowering::quantise(StepCode &Code, const Tile &T,
                             uint32_t Parameters) {
  isa::Alu Alu;
  Alu.op = TheLayer.adds() ? isa::AluOp::QuantAdd : isa::AluOp::Quant;
  Alu.target = isa::Target::Out;
  Loops Of;
  Of.Outer = T.Blocks, Of.Inner = T.pixels();
  uint32_t Next = TheLayer.hasUniformParameters() ? 0 : 1;
  Of.OuterStep = {T.pixels(), T.pixels(), Next};
  Of.InnerStep = {1, 1, 0};
  setLoops(Alu, Of);
  Alu.uopBegin = B.requireUops(Code, isa::Memory::UopAlu, {{0, 0, 0}});
  Alu.uopCount = 1;
  Range Result = Out.take(T.Blocks * T.pixels());
  Code.AluUses.push_back({OutMemory, Result});
  uint32_t From = TheLayer.isCopy() ? Tiles.acc().Input : Tiles.acc().Result;
  B.set(Code.Alu, isa::Engine::Alu, uint32_t(isa::AluRegister::AluBase),
        isa::encodeAluUop(L, {Result.Begin, Context.Begin + From, Parameters}));
  B.append(Code.Alu, Alu);
  store(Code, T, Result.Begin);
}

/// Averages whose windows hold different numbers of elements: an instruction
/// for each rectangle of pixels with the same number, over all blocks.
void LayerLowering::quantiseByCount(StepCode &Code, const Tile &T,
                                    uint32_t Parameters) {
  std::vector<isa::MicroOp> Uops;
  for (uint32_t Block = 0; Block < T.Blocks; ++Block)
    Uops.push_back({Block * T.pixels(), Block * T.pixels(), 0});
  isa::Alu Alu;
  Alu.op = TheLayer.adds() ? isa::AluOp::QuantAdd : isa::AluOp::Quant;
  Alu.target = isa::Target::Out;
  Alu.uopBegin = B.requireUops(Code, isa::Memory::UopAlu, Uops);
  Alu.uopCount = Uops.size();
  Range Result = Out.take(T.Blocks * T.pixels());
  Code.AluUses.push_back({OutMemory, Result});
  uint32_t From = TheLayer.isCopy() ? Tiles.acc().Input : Tiles.acc().Result;
  auto runs = [](uint32_t Begin, uint32_t Size, auto Count) {
    std::vector<Range> Result;
    for (uint32_t I = 0; I < Size; ++I)
      if (I > 0 && Count(Begin + I) == Count(Begin + I - 1))
        ++Result.back().Size;
      else
        Result.push_back({I, 1});
    return Result;
  };
  auto Rows =
      runs(T.Y, T.Rows, [&](uint32_t Y) { return TheLayer.rowCount(Y); });
  auto Cols =
      runs(T.X, T.Cols, [&](uint32_t X) { return TheLayer.colCount(X); });
  for (const Range &R : Rows)
    for (const Range &C : Cols) {
      // None inside (0) finds the least number, as does one.
      uint32_t Count =
          TheLayer.rowCount(T.Y + R.Begin) * TheLayer.colCount(T.X + C.Begin);
      uint32_t Entry = std::lower_bound(Counts.begin(), Counts.end(), Count) -
                       Counts.begin();
      uint32_t At = R.Begin * T.Cols + C.Begin;
      Loops Of;
      Of.Outer = R.Size, Of.Inner = C.Size;
      Of.OuterStep = {T.Cols, T.Cols, 0};
      Of.InnerStep = {1, 1, 0};
      setLoops(Alu, Of);
      B.set(Code.Alu, isa::Engine::Alu, uint32_t(isa::AluRegister::AluBase),
            isa::encodeAluUop(L, {Result.Begin + At, Context.Begin + From + At,
                                  Parameters + Entry}));
      B.append(Code.Alu, Alu);
    }
  store(Code, T, Result.Begin);
}

/// The second activation. What is added has a place for each pixel: one for all
/// of them is brought again and again.
void LayerLowering::loadOperand(StepCode &Code, const Tile &T) {
  InputBox Box;
  if (!TheLayer.hasSmallOperand())
    Box.Rows = Box.RealRows = T.Rows, Box.Cols = Box.RealCols = T.Cols;
  if (TheLayer.isSpread())
    Box.RowStep = Box.ColStep = 0;
  else
    Box.Y = T.Y, Box.X = T.X;
  uint32_t At = Context.Begin + Tiles.acc().Operand;
  loadActivations(Code, isa::Memory::Acc8, At, TheLayer.Residual, T.Group,
                  T.Block, T.Blocks, Box,
                  TheLayer.multiplies() ? TheLayer.WeightZp
                                        : TheLayer.OperandZp);
  Code.Loaded.push_back(
      {unsigned(isa::Memory::Acc), {At, T.Blocks * Box.Rows * Box.Cols}});
}

/// Subtracts the operand part of the tile's accumulators from the others, or
/// multiplies them by it or by the layer's factor.
void LayerLowering::combine(StepCode &Code, const Tile &T, isa::AluOp Op) {
  isa::Alu Alu;
  Alu.op = Op;
  bool ByNumber = TheLayer.multiplies() && !TheLayer.HasResidual;
  Alu.operand = ByNumber ? isa::Operand::Immediate : isa::Operand::Acc;
  Alu.target = isa::Target::Acc;
  if (ByNumber)
    B.set(Code.Alu, isa::Engine::Alu, uint32_t(isa::AluRegister::Immediate),
          uint32_t(TheLayer.Factor));
  bool IsPixel = TheLayer.hasSmallOperand();
  Loops Of;
  Of.Outer = T.Blocks, Of.Inner = T.pixels();
  Of.OuterStep = {T.pixels(), IsPixel ? 1 : T.pixels(), 0};
  Of.InnerStep = {1, IsPixel ? 0u : 1u, 0};
  setLoops(Alu, Of);
  Alu.uopBegin = B.requireUops(Code, isa::Memory::UopAlu, {{0, 0, 0}});
  Alu.uopCount = 1;
  uint32_t To = TheLayer.isCopy() ? Tiles.acc().Input : Tiles.acc().Result;
  uint32_t From = ByNumber ? To : Tiles.acc().Operand;
  B.set(Code.Alu, isa::Engine::Alu, uint32_t(isa::AluRegister::AluBase),
        isa::encodeAluUop(L, {Context.Begin + To, Context.Begin + From, 0}));
  B.append(Code.Alu, Alu);
  Code.AluCycles += vectorCycles(uint64_t(T.Blocks) * T.pixels(),
                                 Op == isa::AluOp::Mul ? 1 : 0);
}

void LayerLowering::finishTile(StepCode &Code, const Tile &T) {
  uint32_t Parameters = requireParameters(Code, T).Begin;
  if (TheLayer.HasResidual)
    loadOperand(Code, T);
  if (TheLayer.needsWeightSums())
    combine(Code, T, isa::AluOp::Sub);
  if (TheLayer.multiplies())
    combine(Code, T, isa::AluOp::Mul);
  setEpilogue(Code);
  if (Counts.size() > 1)
    quantiseByCount(Code, T, Parameters);
  else
    quantise(Code, T, Parameters);
  Code.AluCycles +=
      vectorCycles(uint64_t(T.Blocks) * T.pixels(), TheLayer.adds() ? 3 : 1);
}

void LayerLowering::lowerStep(const Tile &T, const Step &St, uint64_t After) {
  StepCode Code;
  Code.StartsLayer = Starts;
  Code.After = After;
  Starts = false;
  if (TheLayer.isContract())
    contract(Code, T, St);
  else
    reduce(Code, T, St);
  if (St.Last)
    finishTile(Code, T);
  if (St.Last || !TheLayer.isContract())
    Code.AluUses.push_back({unsigned(isa::Memory::Acc), Context});
  B.schedule(std::move(Code));
}

/// Two layers of one number share the rings.
uint64_t LayerLowering::ringKey(uint64_t Key) const {
  return Key << 1 | TheLayer.isContract();
}
