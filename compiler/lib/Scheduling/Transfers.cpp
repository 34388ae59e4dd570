//===- Transfers.cpp - Activations to and from DRAM -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "LayerLowering.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

/// Beats a LOAD occupies the read port, whole rows or element by element
/// (`gather`), the better of the two.
static uint64_t loadBeats(const isa::Layout &L, isa::Load &Load) {
  uint64_t Beats = L.transferBytes(Load.memory) / L.beatBytes;
  if (Load.xStride == Beats)
    return Load.ySize * Load.xSize * Beats;
  // An element by itself is a burst; few outstanding ones do not cover the
  // latency of the memory (32 cycles by default).
  constexpr uint64_t Latency = 36;
  uint64_t Single = std::max<uint64_t>(
      Beats, ceilDiv(Latency * Beats, L.config.outstanding_bursts()));
  uint64_t Row = uint64_t(Load.xSize - 1) * Load.xStride + Beats;
  Load.gather = Load.xStride < Beats || Single * Load.xSize < Row;
  return Load.ySize * (Load.gather ? Single * Load.xSize : Row);
}

void LayerLowering::appendLoad(StepCode &Code, isa::Load Load) {
  Code.LateBeats += loadBeats(L, Load);
  B.append(Code.Late, Load);
}

/// Padding that LOAD's fields cannot say: the box is filled from one constant
/// element, then every row's real elements are brought.
void LayerLowering::loadBorder(StepCode &Code, isa::Load Load,
                               const TensorView &View, const InputBox &Box,
                               uint64_t Address, int32_t Zp) {
  bool IsMax = TheLayer.Kind == Reduction::Max;
  uint8_t Byte = IsMax ? 0x80 : uint8_t(Zp);
  isa::Load Fill;
  Fill.memory = Load.memory;
  Fill.gather = 1;
  Fill.dram = B.constant("padding", [&] {
    return std::vector<uint8_t>(L.transferBytes(Load.memory), Byte);
  });
  uint32_t Left = Box.Rows * Box.Cols;
  for (uint32_t Sram = Load.sram; Left > 0;) {
    Fill.sram = Sram;
    Fill.ySize = 1;
    Fill.xSize = std::min(Left, B.limits().Elements);
    Sram += Fill.xSize;
    Left -= Fill.xSize;
    appendLoad(Code, Fill);
  }
  if (Box.isEmpty())
    return;
  Load.padKind = isa::Pad::Zero;
  Load.ySize = 1;
  Load.xSize = Box.RealCols;
  for (uint32_t R = 0; R < Box.RealRows; ++R) {
    isa::Load Row = Load;
    Row.sram += (Box.PadTop + R) * Box.Cols + Box.PadLeft;
    Row.dram = Address / L.beatBytes +
               uint64_t(R) * Box.RowStep * Dram.rowBytes(View) / L.beatBytes;
    appendLoad(Code, Row);
  }
}

/// One box of one input block.
void LayerLowering::loadBox(StepCode &Code, isa::Load Load,
                            const TensorView &View, const InputBox &Box,
                            uint64_t Address, int32_t Zp) {
  if (Box.isEmpty() || std::max({Box.PadTop, Box.PadBottom, Box.PadLeft,
                                 Box.PadRight}) > B.limits().Padding)
    return loadBorder(Code, Load, View, Box, Address, Zp);
  Load.dram = Address / L.beatBytes;
  Load.xSize = Box.RealCols;
  Load.padTop = Box.PadTop, Load.padBottom = Box.PadBottom;
  Load.padLeft = Box.PadLeft, Load.padRight = Box.PadRight;
  if (!Box.isPadded())
    Load.padKind = isa::Pad::Zero;
  uint64_t YStride = Box.RowStep * Dram.rowBytes(View) / L.beatBytes;
  if (YStride <= B.limits().RowStride || Box.RealRows == 1) {
    Load.ySize = Box.RealRows;
    Load.yStride = Box.RealRows == 1 ? 0 : YStride;
    return appendLoad(Code, Load);
  }
  for (uint32_t R = 0; R < Box.RealRows; ++R) {
    isa::Load Row = Load;
    Row.ySize = 1;
    Row.padTop = R == 0 ? Box.PadTop : 0;
    Row.padBottom = R + 1 == Box.RealRows ? Box.PadBottom : 0;
    if (!Row.padTop && !Row.padBottom && !Row.padLeft && !Row.padRight)
      Row.padKind = isa::Pad::Zero;
    Row.sram += (R == 0 ? 0 : Box.PadTop + R) * Box.Cols;
    Row.dram += R * YStride;
    appendLoad(Code, Row);
  }
}

/// Padding that repeats the tensor's edge, over what LOAD has put there: the
/// rows outside, and both ends of the others.
void LayerLowering::loadEdges(StepCode &Code, isa::Load Load,
                              const TensorView &View, uint32_t Group,
                              uint32_t Piece, const InputBox &Box) {
  uint32_t Begin = Load.sram;
  Load.padKind = isa::Pad::Zero;
  Load.ySize = 1;
  for (uint32_t R = 0; R < Box.Rows; ++R) {
    int64_t Row = int64_t(R) - Box.PadTop;
    int64_t Y = std::clamp<int64_t>(Box.Y + Row * Box.RowStep, 0, View.H - 1);
    auto Bring = [&](uint32_t Column, uint32_t Count, int64_t X,
                     uint32_t Step) {
      isa::Load Part = Load;
      Part.sram = Begin + R * Box.Cols + Column;
      Part.dram = Dram.address(View, Group, Piece, L.config.block_out(), Y, X) /
                  L.beatBytes;
      Part.xSize = Count;
      Part.xStride = Step;
      if (Count)
        appendLoad(Code, Part);
    };
    Bring(0, Box.PadLeft, 0, 0);
    if (Row < 0 || Row >= Box.RealRows)
      Bring(Box.PadLeft, Box.RealCols, Box.X, Load.xStride);
    Bring(Box.PadLeft + Box.RealCols, Box.PadRight, View.W - 1, 0);
  }
}

/// The same box of `Pieces` input blocks, one behind the other.
void LayerLowering::loadActivations(StepCode &Code, isa::Memory M,
                                    uint32_t Sram, const TensorView &View,
                                    uint32_t Group, uint32_t Piece,
                                    uint32_t Pieces, const InputBox &Box,
                                    int32_t Zp) {
  bool IsInp = M == isa::Memory::Inp;
  uint32_t Block = IsInp ? L.config.block_in() : L.config.block_out();
  isa::Load Load;
  Load.memory = M;
  Load.xStride = Box.ColStep * Dram.pixelBytes(View) / L.beatBytes;
  if (!IsInp)
    B.set(Code.Late, isa::Engine::Load, uint32_t(isa::LoadRegister::ZeroPoint),
          uint32_t(Zp));
  if (Box.isPadded()) {
    if (!IsInp)
      Load.padKind =
          TheLayer.Kind == Reduction::Max ? isa::Pad::Min : isa::Pad::Zero;
    else
      Load.padKind = Zp == 0      ? isa::Pad::Zero
                     : Zp == -128 ? isa::Pad::Min
                     : Zp == 127  ? isa::Pad::Max
                                  : isa::Pad::Value;
    if (Load.padKind == isa::Pad::Value)
      B.set(Code.Late, isa::Engine::Load, uint32_t(isa::LoadRegister::PadValue),
            uint32_t(Zp));
  }
  // Whole rows of unpadded boxes are one row; then blocks are the rows.
  uint32_t Size = Box.Rows * Box.Cols;
  bool IsLinear =
      !Box.isPadded() &&
      (Box.Rows == 1 || (Box.Cols == View.W && Box.ColStep == 1 &&
                         Box.RowStep == 1 && Dram.hasDenseRows(View)));
  uint64_t PlaneBeats = Dram.planeBytes(View) / L.beatBytes;
  if (IsLinear && Size <= B.limits().Elements && Block == L.blockMax &&
      (PlaneBeats <= B.limits().RowStride || Pieces == 1)) {
    Load.sram = Sram;
    Load.dram =
        Dram.address(View, Group, Piece, Block, Box.Y, Box.X) / L.beatBytes;
    Load.ySize = Pieces;
    Load.yStride = Pieces == 1 ? 0 : PlaneBeats;
    Load.xSize = Size;
    return appendLoad(Code, Load);
  }
  for (uint32_t P = 0; P < Pieces; ++P) {
    Load.sram = Sram + P * Size;
    loadBox(Code, Load, View, Box,
            Dram.address(View, Group, Piece + P, Block, Box.Y, Box.X), Zp);
    if (TheLayer.RepeatsEdge && Box.isPadded())
      loadEdges(Code, Load, View, Group, Piece + P, Box);
  }
}

/// The input of a step of a contraction, in INP.
Range LayerLowering::requireInput(StepCode &Code, const Tile &T,
                                  const Step &St) {
  Ring &Inp = B.ring(isa::Memory::Inp);
  InputBox Box = Tiles.inputBox(T, St);
  Range Blocks = Tiles.inputBlocks(T, St);
  uint64_t Pixels =
      (uint64_t(T.Group) * TheLayer.Out.H + T.Y) * TheLayer.Out.W + T.X;
  uint64_t Most = ceilDiv(TheLayer.In.C, L.config.block_in()) + 1;
  uint64_t Key =
      ((Pixels * Tiles.steps().size() + St.Number) * Most + Blocks.Begin) *
          Most +
      Blocks.Size;
  std::optional<Range> Where = Inp.find(Key);
  if (!Where) {
    if (S.Threads == 1) {
      Inp.forget();
      Inp.rewind();
    }
    uint32_t Constant = Tiles.zeroPointElements();
    Where = Inp.take(Blocks.Size * Box.Rows * Box.Cols + Constant, Key);
    loadActivations(Code, isa::Memory::Inp, Where->Begin, TheLayer.In, T.Group,
                    Blocks.Begin, Blocks.Size, Box, TheLayer.InputZp);
    if (Constant)
      loadZeroPoints(Code, Where->end() - Constant);
    Code.Loaded.push_back({unsigned(isa::Memory::Inp), *Where});
  }
  Code.GemmUses.push_back({unsigned(isa::Memory::Inp), *Where});
  return *Where;
}

/// What sumWeights multiplies (Tiling::zeroPointElements). With the input, so
/// that neither takes the other's place in the ring.
void LayerLowering::loadZeroPoints(StepCode &Code, uint32_t Sram) {
  uint32_t In = L.config.block_in(), Count = Tiles.zeroPointElements();
  isa::Load Load;
  Load.memory = isa::Memory::Inp;
  Load.sram = Sram;
  Load.dram = B.constant("zero points", [&] {
    std::vector<uint8_t> Bytes(uint64_t(Count) * L.inpBytes);
    for (uint32_t I = 0; I < Bytes.size(); ++I)
      if (I < In || I % In < TheLayer.In.C % In)
        Bytes[I] = uint8_t(TheLayer.InputZp);
    return Bytes;
  });
  Load.ySize = 1;
  Load.xSize = Count;
  Load.xStride = L.inpBytes / L.beatBytes;
  appendLoad(Code, Load);
}

/// Right operands of a product's step, in WGT: input block after input block,
/// because the output blocks of one lie side by side in DRAM. Rows of channels
/// behind the last are what lies there: their results are no channels.
Range LayerLowering::requireComputedWeights(StepCode &Code, const Tile &T,
                                            const Step &St) {
  Ring &Wgt = B.ring(isa::Memory::Wgt);
  uint64_t Block = uint64_t(T.Y) * Tiles.outputBlocks() + T.Block;
  uint64_t Key = ringKey(Block * Tiles.steps().size() + St.Number);
  std::optional<Range> Where = Wgt.find(Key);
  if (!Where) {
    if (S.Threads == 1 && !Tiles.weightsFit()) {
      Wgt.forget();
      Wgt.rewind();
    }
    Where = Wgt.take(T.Blocks * St.Blocks, Key);
    const TensorView &View = TheLayer.ComputedWeights;
    isa::Load Load;
    Load.memory = isa::Memory::Wgt;
    Load.xSize = T.Blocks;
    Load.xStride = L.wgtBytes / L.beatBytes;
    uint64_t PlaneBeats = Dram.planeBytes(View) / L.beatBytes;
    bool AtOnce = PlaneBeats <= B.limits().RowStride || St.Blocks == 1;
    Load.ySize = AtOnce ? St.Blocks : 1;
    Load.yStride = Load.ySize > 1 ? PlaneBeats : 0;
    for (uint32_t C = 0; C < St.Blocks; C += Load.ySize) {
      Load.sram = Where->Begin + C * T.Blocks;
      Load.dram = Dram.address(View, T.Group, St.Block + C, L.config.block_in(),
                               T.Y, int64_t(T.Block) * L.config.block_out()) /
                  L.beatBytes;
      appendLoad(Code, Load);
    }
    Code.Loaded.push_back({unsigned(isa::Memory::Wgt), *Where});
  }
  Code.GemmUses.push_back({unsigned(isa::Memory::Wgt), *Where});
  return *Where;
}

void LayerLowering::store(StepCode &Code, const Tile &T, uint32_t Sram) {
  uint32_t Block = L.config.block_out();
  const TensorView &View = TheLayer.Out;
  isa::Store Store;
  Store.xStride = Dram.pixelBytes(View) / L.beatBytes;
  auto add = [&](uint32_t Rows, uint32_t Cols, uint64_t YStride) {
    Store.sram = Sram;
    Store.ySize = Rows;
    Store.xSize = Cols;
    Store.yStride = Rows == 1 ? 0 : YStride;
    B.append(Code.Alu, Store);
    Code.StoreBeats += uint64_t(Rows) * Cols * (L.outBytes / L.beatBytes);
    Sram += Rows * Cols;
  };
  auto at = [&](uint32_t P, uint32_t Y) {
    return Dram.address(View, T.Group, T.Block + P, Block, T.Y + Y, T.X) /
           L.beatBytes;
  };
  uint64_t PlaneBeats = Dram.planeBytes(View) / L.beatBytes;
  bool IsLinear = T.Rows == 1 || (T.Cols == View.W && Dram.hasDenseRows(View));
  if (IsLinear && T.pixels() <= B.limits().Elements && Block == L.blockMax &&
      (PlaneBeats <= B.limits().RowStride || T.Blocks == 1)) {
    Store.dram = at(0, 0);
    return add(T.Blocks, T.pixels(), PlaneBeats);
  }
  uint64_t YStride = Dram.rowBytes(View) / L.beatBytes;
  for (uint32_t P = 0; P < T.Blocks; ++P) {
    if (YStride <= B.limits().RowStride) {
      Store.dram = at(P, 0);
      add(T.Rows, T.Cols, YStride);
      continue;
    }
    for (uint32_t Y = 0; Y < T.Rows; ++Y) {
      Store.dram = at(P, Y);
      add(1, T.Cols, 0);
    }
  }
}
