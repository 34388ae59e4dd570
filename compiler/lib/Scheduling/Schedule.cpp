//===- Schedule.cpp - Tiles of one layer ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Schedule.h"

#include <algorithm>
#include <set>

using namespace tenon;
using namespace tenon::scheduling;

uint32_t Layer::countInside(int64_t I, int64_t Stride, int64_t Dilation,
                            int64_t Pad, int64_t Taps, int64_t Extent) {
  int64_t Begin = I * Stride - Pad; // of the window
  int64_t First = Begin < 0 ? ceilDiv(-Begin, Dilation) : 0;
  int64_t Behind = Begin < Extent ? ceilDiv(Extent - Begin, Dilation) : 0;
  return std::max<int64_t>(0, std::min(Taps, Behind) - First);
}

std::vector<uint32_t> Layer::windowCounts() const {
  std::set<uint32_t> Rows, Cols, Products;
  for (int64_t Y = 0; Y < Out.H; ++Y)
    Rows.insert(rowCount(Y));
  for (int64_t X = 0; X < Out.W; ++X)
    Cols.insert(colCount(X));
  for (uint32_t R : Rows)
    for (uint32_t C : Cols)
      Products.insert(std::max(1u, R * C));
  return {Products.begin(), Products.end()};
}

Tiling::Tiling(const isa::Layout &L, const Layer &TheLayer, const Schedule &S)
    : L(L), TheLayer(TheLayer), S(S), Inputs(L, TheLayer) {
  OutBlocks = ceilDiv(TheLayer.Out.C, L.config.block_out());
  uint32_t Reduced = TheLayer.isContract() ? Inputs.count() : 1;
  for (uint32_t B = 0; B < Reduced; B += S.Reduction)
    for (uint32_t K = 0; K < TheLayer.KH; K += S.KernelRows) {
      Step Next;
      Next.Block = B;
      Next.Blocks = std::min(S.Reduction, Reduced - B);
      Next.Ky = K;
      Next.Kys = std::min<uint32_t>(S.KernelRows, TheLayer.KH - K);
      Next.Number = StepList.size();
      Next.First = StepList.empty();
      Next.Last = false;
      StepList.push_back(Next);
    }
  StepList.back().Last = true;
  // Contexts begin at banks, so that GEMM and ALU, and the operands of one ALU
  // operation, do not meet in one; where that costs a context they do.
  uint32_t Bank = L.config.acc_entries() / L.config.acc_banks();
  Acc = planAcc(Bank);
  if (uint64_t(Acc.Size) * S.Threads > L.config.acc_entries())
    Acc = planAcc(1);
}

/// Parts of an axis: the first one of each, and how many it has.
static std::vector<Range> cut(uint32_t Extent, uint32_t Size) {
  std::vector<Range> Parts;
  for (uint32_t I = 0; I < Extent; I += Size)
    Parts.push_back({I, std::min(Size, Extent - I)});
  return Parts;
}

/// Tiles of pixels, in rows.
std::vector<Tile> Tiling::pixelTiles() const {
  std::vector<Tile> Result;
  for (const Range &Y : cut(TheLayer.Out.H, S.Rows))
    for (const Range &X : cut(TheLayer.Out.W, S.Cols)) {
      Tile T;
      T.Y = Y.Begin, T.Rows = Y.Size;
      T.X = X.Begin, T.Cols = X.Size;
      Result.push_back(T);
    }
  return Result;
}

std::vector<Tile> Tiling::tiles() const {
  std::vector<Tile> Pixels = pixelTiles(), Result;
  std::vector<Range> Blocks = cut(OutBlocks, S.Blocks);
  // Threads along the outer loop take some of its parts at once.
  uint32_t Together = S.Axis == S.innerAxis() ? 1 : S.Threads;
  auto add = [&](uint32_t Group, Tile T, const Range &Block) {
    T.Group = Group;
    T.Block = Block.Begin, T.Blocks = Block.Size;
    Result.push_back(T);
  };
  uint32_t Groups = ViewLayout(L).groups(TheLayer.Out);
  if (S.ChannelsOuter) {
    for (const Range &Outer : cut(Blocks.size(), Together))
      for (uint32_t Group = 0; Group < Groups; ++Group)
        for (const Tile &T : Pixels)
          for (uint32_t B = Outer.Begin; B < Outer.end(); ++B)
            add(Group, T, Blocks[B]);
    return Result;
  }
  for (uint32_t Group = 0; Group < Groups; ++Group)
    for (const Range &Outer : cut(Pixels.size(), Together))
      for (const Range &Block : Blocks)
        for (uint32_t P = Outer.Begin; P < Outer.end(); ++P)
          add(Group, Pixels[P], Block);
  return Result;
}

namespace {
/// One axis of an input box.
struct Axis {
  uint32_t Size, Step, Before, Real, After;
  int64_t Begin;
};
} // namespace

/// `Count` outputs from `First` on read through `Taps` elements of the window
/// (from `Tap` on) of an axis with `Extent` elements.
static Axis inputAxis(uint32_t First, uint32_t Count, int64_t Stride,
                      int64_t Dilation, int64_t Pad, uint32_t Tap,
                      uint32_t Taps, int64_t Extent) {
  Axis A;
  int64_t Begin = int64_t(First) * Stride - Pad + int64_t(Tap) * Dilation;
  A.Step = Taps == 1 ? Stride : 1;
  A.Size = Taps == 1 ? Count : (Count - 1) * Stride + (Taps - 1) * Dilation + 1;
  int64_t Before = Begin < 0 ? (-Begin + A.Step - 1) / A.Step : 0;
  int64_t Inside = Begin < Extent ? (Extent - Begin + A.Step - 1) / A.Step : 0;
  Before = std::min<int64_t>(Before, A.Size);
  Inside = std::min<int64_t>(Inside, A.Size);
  A.Before = Before;
  A.Real = std::max<int64_t>(Inside - Before, 0);
  A.After = A.Size - A.Before - A.Real;
  A.Begin = Begin + Before * A.Step;
  return A;
}

InputBox Tiling::inputBox(const Tile &T, const Step &St) const {
  Axis Y = inputAxis(T.Y, T.Rows, TheLayer.SY, TheLayer.DY, TheLayer.Top, St.Ky,
                     St.Kys, TheLayer.In.H);
  Axis X = inputAxis(T.X, T.Cols, TheLayer.SX, TheLayer.DX, TheLayer.Left, 0,
                     TheLayer.KW, TheLayer.In.W);
  InputBox B;
  B.Rows = Y.Size, B.Cols = X.Size;
  B.RowStep = Y.Step, B.ColStep = X.Step;
  B.Y = Y.Begin, B.X = X.Begin;
  B.RealRows = Y.Real, B.RealCols = X.Real;
  B.PadTop = Y.Before, B.PadBottom = Y.After;
  B.PadLeft = X.Before, B.PadRight = X.After;
  return B;
}

Range Tiling::inputBlocks(const Tile &T, const Step &St) const {
  return Inputs.hull({T.Block, T.Blocks}, {St.Block, St.Blocks});
}

uint32_t Tiling::sequenceLength(const Step &St) const {
  return St.Blocks * St.Kys * TheLayer.KW;
}

uint32_t Tiling::rowPitch(const InputBox &B, const Step &St) const {
  return St.Kys == 1 ? B.Cols : TheLayer.SY * B.Cols;
}

uint32_t Tiling::colPitch(const Step &) const {
  return TheLayer.KW == 1 ? 1 : TheLayer.SX;
}

Tile Tiling::largestTile() const {
  Tile T;
  T.Rows = std::min<uint32_t>(S.Rows, TheLayer.Out.H);
  T.Cols = std::min<uint32_t>(S.Cols, TheLayer.Out.W);
  return T;
}

uint64_t Tiling::pixels() const {
  Tile T = largestTile();
  return uint64_t(T.Rows) * T.Cols;
}

/// Elements of one input block of the largest tile.
uint64_t Tiling::inputElements() const {
  uint64_t Largest = 0;
  Tile T = largestTile();
  for (const Step &St : StepList) {
    InputBox B = inputBox(T, St);
    Largest = std::max(Largest, uint64_t(B.Rows) * B.Cols);
  }
  return Largest;
}

uint32_t Tiling::zeroPointElements() const {
  if (!TheLayer.needsWeightSums())
    return 0;
  return TheLayer.In.C % L.config.block_in() ? 2 : 1;
}

/// Sizes of the input, result and operand parts of an ACC context.
std::array<uint64_t, 3> Tiling::accParts() const {
  uint64_t Blocks = std::min(S.Blocks, OutBlocks);
  uint64_t Pixels = pixels();
  return {TheLayer.isContract() ? 0 : inputElements() * Blocks,
          TheLayer.isCopy() ? 0 : Pixels * Blocks,
          TheLayer.hasSmallOperand() ? Blocks
          : TheLayer.HasResidual     ? Pixels * Blocks
                                     : 0};
}

AccPlan Tiling::planAcc(uint32_t Unit) const {
  auto Parts = accParts();
  for (uint64_t &Part : Parts)
    Part = std::min<uint64_t>(uint64_t(ceilDiv(Part, Unit)) * Unit, 1u << 28);
  AccPlan Plan;
  Plan.Result = Parts[0];
  Plan.Operand = Parts[0] + Parts[1];
  Plan.Size = Parts[0] + Parts[1] + Parts[2];
  return Plan;
}

bool Tiling::weightsFit() const {
  uint64_t All = 0;
  for (const Step &St : StepList)
    All += sequenceLength(St);
  All *= OutBlocks * TheLayer.weightSets();
  return All <= (TheLayer.isContract() ? L.config.wgt_entries()
                                       : L.config.dwt_entries());
}
