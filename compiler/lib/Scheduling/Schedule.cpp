//===- Schedule.cpp - Tiles of one layer ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Schedule.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <set>

using namespace tenon;
using namespace tenon::scheduling;

/// Largest counts of an instruction's fields.
static constexpr uint32_t MaxTransfer = 2047;
static constexpr uint32_t MaxCount = 4095;

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
    : L(L), TheLayer(TheLayer), S(S) {
  uint32_t InBlocks = ceilDiv(TheLayer.In.C, L.config.block_in());
  OutBlocks = ceilDiv(TheLayer.Out.C, L.config.block_out());
  uint32_t Reduced = TheLayer.isContract() ? InBlocks : 1;
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

std::vector<Tile> Tiling::tiles() const {
  BlockedLayout Dram(L);
  std::vector<Tile> Result;
  uint32_t H = TheLayer.Out.H, W = TheLayer.Out.W;
  auto addPixels = [&](Tile T) {
    for (T.Y = 0; T.Y < H; T.Y += S.Rows)
      for (T.X = 0; T.X < W; T.X += S.Cols) {
        T.Rows = std::min(S.Rows, H - T.Y);
        T.Cols = std::min(S.Cols, W - T.X);
        Result.push_back(T);
      }
  };
  auto addBlocks = [&](Tile T) {
    for (T.Block = 0; T.Block < OutBlocks; T.Block += S.Blocks) {
      T.Blocks = std::min(S.Blocks, OutBlocks - T.Block);
      Result.push_back(T);
    }
  };
  uint32_t Groups = Dram.groups(TheLayer.Out);
  Tile T;
  if (S.ChannelsOuter) {
    for (T.Block = 0; T.Block < OutBlocks; T.Block += S.Blocks) {
      T.Blocks = std::min(S.Blocks, OutBlocks - T.Block);
      for (T.Group = 0; T.Group < Groups; ++T.Group)
        addPixels(T);
    }
    return Result;
  }
  for (T.Group = 0; T.Group < Groups; ++T.Group)
    for (T.Y = 0; T.Y < H; T.Y += S.Rows)
      for (T.X = 0; T.X < W; T.X += S.Cols) {
        T.Rows = std::min(S.Rows, H - T.Y);
        T.Cols = std::min(S.Cols, W - T.X);
        addBlocks(T);
      }
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

uint32_t Tiling::sequenceLength(const Step &St) const {
  return St.Blocks * St.Kys * TheLayer.KW;
}

uint32_t Tiling::rowPitch(const InputBox &B, const Step &St) const {
  return St.Kys == 1 ? B.Cols : TheLayer.SY * B.Cols;
}

uint32_t Tiling::colPitch(const Step &) const {
  return TheLayer.KW == 1 ? 1 : TheLayer.SX;
}

/// Elements of one input block of the largest tile.
uint64_t Tiling::inputElements() const {
  uint64_t Largest = 0;
  Tile T;
  T.Rows = std::min<uint32_t>(S.Rows, TheLayer.Out.H);
  T.Cols = std::min<uint32_t>(S.Cols, TheLayer.Out.W);
  for (const Step &St : StepList) {
    InputBox B = inputBox(T, St);
    Largest = std::max(Largest, uint64_t(B.Rows) * B.Cols);
  }
  return Largest;
}

/// Sizes of the input, result and operand parts of an ACC context.
std::array<uint64_t, 3> Tiling::accParts() const {
  uint64_t Blocks = std::min(S.Blocks, OutBlocks);
  uint64_t Pixels = std::min<uint64_t>(S.Rows, TheLayer.Out.H) *
                    std::min<uint64_t>(S.Cols, TheLayer.Out.W);
  return {TheLayer.isContract() ? 0 : inputElements() * Blocks,
          TheLayer.isCopy() ? 0 : Pixels * Blocks,
          TheLayer.HasResidual ? Pixels * Blocks : 0};
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
  All *= OutBlocks;
  return All <= (TheLayer.isContract() ? L.config.wgt_entries()
                                       : L.config.dwt_entries());
}

std::optional<std::string> Tiling::check() const {
  auto need = [&](const char *What, uint64_t Needed,
                  uint64_t Available) -> std::optional<std::string> {
    if (Needed <= Available)
      return std::nullopt;
    return llvm::formatv("{0}: a tile of {1}x{2} pixels and {3} blocks needs "
                         "{4} entries in {5} contexts, there are {6}",
                         What, S.Rows, S.Cols, S.Blocks, Needed, S.Threads,
                         Available)
        .str();
  };
  uint64_t Blocks = std::min(S.Blocks, OutBlocks);
  uint64_t Pixels = std::min<uint64_t>(S.Rows, TheLayer.Out.H) *
                    std::min<uint64_t>(S.Cols, TheLayer.Out.W);
  uint64_t Sequence = 0;
  for (const Step &St : StepList)
    Sequence = std::max<uint64_t>(Sequence, sequenceLength(St));
  uint64_t Weights = Sequence * Blocks * (weightsFit() ? 1 : S.Threads);
  uint64_t Uops = uint64_t(ceilDiv(Sequence, L.uopsPerBeat)) * S.Threads;
  const isa::Configuration &C = L.config;
  if (auto E = need("OUT", Pixels * Blocks * S.Threads, C.out_entries()))
    return E;
  if (auto E = need("ACC", uint64_t(Acc.Size) * S.Threads, C.acc_entries()))
    return E;
  uint64_t Parameters = TheLayer.Kind == Reduction::Average
                            ? TheLayer.windowCounts().size()
                            : Blocks * S.Threads;
  if (auto E = need("PRM", Parameters, C.prm_entries()))
    return E;
  if (TheLayer.isContract()) {
    uint64_t Input = inputElements() * S.Reduction * S.Threads;
    if (auto E = need("INP", Input, C.inp_entries()))
      return E;
    if (auto E = need("WGT", Weights, C.wgt_entries()))
      return E;
    if (auto E = need("UOP of GEMM", Uops, L.uopLines))
      return E;
  } else {
    if (TheLayer.Kind == Reduction::Mac)
      if (auto E = need("DWT", Weights, C.dwt_entries()))
        return E;
    Uops += 2 * ceilDiv(Blocks, L.uopsPerBeat);
    if (auto E = need("UOP of ALU", Uops, L.uopLines))
      return E;
  }
  if (Sequence > C.uop_entries() - 1)
    return need("UOP", Sequence, C.uop_entries() - 1);
  // Counts of the instructions' fields.
  Tile T;
  T.Rows = std::min<uint32_t>(S.Rows, TheLayer.Out.H);
  T.Cols = std::min<uint32_t>(S.Cols, TheLayer.Out.W);
  for (const Step &St : StepList) {
    InputBox B = inputBox(T, St);
    if (auto E = need("rows of a transfer", B.Rows, MaxTransfer))
      return E;
    if (auto E = need("elements of a transfer", B.Cols, MaxTransfer))
      return E;
  }
  return need("loop count", Pixels, MaxCount);
}
