//===- LowerTiles.cpp - The tiles of a layer, or of two, in order ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Tiles of one layer follow each other. A layer that only the ALU computes may
// share its time with the contraction that it reads: its tiles stand in the
// stream some tiles behind those they read, so that ALU works on them while
// GEMM goes on.
//
//===----------------------------------------------------------------------===//

#include "LayerLowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace tenon;
using namespace tenon::scheduling;

/// Tiles of the first layer of a pair that stand between one that is read and
/// the tile that reads it. LOAD works in order: when it comes to the reader, it
/// has brought the input of the last of them, which it could only when GEMM was
/// done with the one that is read.
static constexpr size_t Distance = 2;

llvm::Error LayerLowering::begin(bool WaitsForAll) {
  if (auto Why = Tiles.check())
    return llvm::createStringError("layer %s: %s", TheLayer.Name.c_str(),
                                   Why->c_str());
  B.beginLayer(LayerIndex);
  // What rings hold belongs to the layer before.
  for (isa::Memory M :
       {isa::Memory::Inp, isa::Memory::Wgt, isa::Memory::Dwt, isa::Memory::Prm})
    B.ring(M).forget();
  Starts = WaitsForAll;
  return llvm::Error::success();
}

void LayerLowering::lowerTile(const Tile &T, uint32_t Number, uint64_t After) {
  B.beginTile(Number);
  if (S.Threads == 1) {
    Acc.rewind();
    Out.rewind();
  }
  Context = Acc.take(Tiles.acc().Size);
  for (const Step &St : Tiles.steps())
    lowerStep(T, St, After);
}

llvm::Error scheduling::lowerLayer(StreamBuilder &Builder,
                                   const Layer &TheLayer, const Schedule &S,
                                   uint32_t LayerIndex) {
  LayerLowering Lowering(Builder, Builder.layout(), TheLayer, S, LayerIndex,
                         Builder.ring(isa::Memory::Acc), Builder.outRing());
  if (auto E = Lowering.begin(/*WaitsForAll=*/true))
    return E;
  uint32_t Number = 0;
  for (const Tile &T : Lowering.tiling().tiles())
    Lowering.lowerTile(T, Number++);
  return llvm::Error::success();
}

isa::Layout scheduling::halfOf(const isa::Layout &L) {
  isa::Layout Half = L;
  isa::Configuration &C = Half.config;
  C.set_acc_entries(C.acc_entries() / 2);
  C.set_acc_banks(std::max(1u, C.acc_banks() / 2));
  C.set_out_entries(C.out_entries() / 2);
  C.set_prm_entries(C.prm_entries() / 2);
  return Half;
}

bool scheduling::canPair(const Layer &First, const Layer &Second) {
  return First.isContract() && !Second.isContract() && !Second.HasResidual;
}

static bool meet(int64_t Begin, int64_t Size, int64_t Other, int64_t Sizes) {
  return Begin < Other + Sizes && Other < Begin + Size;
}

/// Whether `Reader` reads anything of what `Written` stores.
static bool reads(const Tiling &Tiles, const Tile &Reader,
                  const Tile &Written) {
  if (Reader.Group != Written.Group ||
      !meet(Reader.Block, Reader.Blocks, Written.Block, Written.Blocks))
    return false;
  return llvm::any_of(Tiles.steps(), [&](const Step &St) {
    InputBox B = Tiles.inputBox(Reader, St);
    return !B.isEmpty() &&
           meet(B.Y, (B.RealRows - 1) * B.RowStep + 1, Written.Y,
                Written.Rows) &&
           meet(B.X, (B.RealCols - 1) * B.ColStep + 1, Written.X, Written.Cols);
  });
}

namespace {
/// A tile of the second layer, and the last tile of the first that it reads.
struct Follower {
  Tile T;
  size_t Last, Number;
};
} // namespace

/// The second layer's tiles in the order in which they can be computed.
static std::vector<Follower> followers(const Tiling &Second,
                                       const std::vector<Tile> &First) {
  std::vector<Follower> Result;
  for (const Tile &T : Second.tiles()) {
    Follower F{T, 0, Result.size()};
    for (size_t I = First.size(); I-- > 0;)
      if (reads(Second, T, First[I])) {
        F.Last = I;
        break;
      }
    Result.push_back(F);
  }
  llvm::sort(Result, [](const Follower &A, const Follower &B) {
    return std::pair(A.Last, A.Number) < std::pair(B.Last, B.Number);
  });
  return Result;
}

llvm::Error scheduling::lowerPair(StreamBuilder &Builder, const LayerPair &Pair,
                                  uint32_t LayerIndex) {
  isa::Layout Half = halfOf(Builder.layout());
  uint32_t Acc = Half.config.acc_entries(), Out = Half.config.out_entries();
  Ring FirstAcc(Acc), SecondAcc(Acc, Acc), FirstOut(Out), SecondOut(Out, Out);
  LayerLowering First(Builder, Half, Pair.First, Pair.FirstSchedule, LayerIndex,
                      FirstAcc, FirstOut);
  LayerLowering Second(Builder, Half, Pair.Second, Pair.SecondSchedule,
                       LayerIndex, SecondAcc, SecondOut);
  if (auto E = First.begin(/*WaitsForAll=*/true))
    return E;
  if (auto E = Second.begin(/*WaitsForAll=*/false))
    return E;
  std::vector<Tile> Tiles = First.tiling().tiles();
  std::vector<Follower> Followers = followers(Second.tiling(), Tiles);
  std::vector<uint64_t> Ends; // of the first layer's tiles, in steps
  uint32_t Number = 0;
  auto Next = Followers.begin();
  auto follow = [&] {
    Second.lowerTile(Next->T, Number++, Ends[Next->Last]);
    ++Next;
  };
  for (const Tile &T : Tiles) {
    First.lowerTile(T, Number++);
    Ends.push_back(Builder.steps());
    while (Next != Followers.end() && Next->Last + Distance < Ends.size())
      follow();
  }
  while (Next != Followers.end())
    follow();
  return llvm::Error::success();
}
