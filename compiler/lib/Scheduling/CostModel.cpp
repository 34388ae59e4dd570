//===- CostModel.cpp - Cycles of a schedule -------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/CostModel.h"
#include "tenon/Scheduling/InputBlocks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

namespace {
/// Cycles that the model adds to what the engines compute.
constexpr uint64_t MemoryLatency = 40; ///< of the default memory, and the way
constexpr uint64_t PipelineDepth = 10; ///< from an engine's last input to its
                                       ///< last output, and the token

/// The engines' times, step after step.
class Timeline {
public:
  explicit Timeline(const isa::Layout &L) : L(L) {}

  void step(const StepCode &Code) {
    if (Code.After)
      Load = std::max(Load, Stored[Code.After - 1]);
    run(Code);
    Stored.push_back(Store + MemoryLatency);
  }

  Cost Result;

private:
  void run(const StepCode &Code) {
    uint64_t Loads = Code.Early.size() + Code.Late.size();
    uint64_t Instructions = Loads + Code.Gemm.size() + Code.Alu.size();
    uint64_t Fetch = Instructions * L.instructionBytes / L.beatBytes;
    uint64_t Beats = Code.EarlyBeats + Code.LateBeats;
    Result.Beats += Beats + Fetch;
    for (const Use &U : Code.Loaded)
      Load = std::max(Load, freeAt(U));
    Load += std::max(Beats + Fetch, Loads);
    uint64_t Ready = Beats ? Load + MemoryLatency : Load;

    uint64_t GemmDone = Ready;
    if (!Code.Gemm.empty()) {
      for (const Use &U : Code.GemmUses)
        if (U.Memory == unsigned(isa::Memory::Acc))
          Gemm = std::max(Gemm, freeAt(U));
      Gemm = std::max(Gemm, Ready) + Code.GemmCycles + Code.Gemm.size();
      GemmDone = Gemm + PipelineDepth;
      for (const Use &U : Code.GemmUses)
        release(U, GemmDone);
    }
    if (Code.Alu.empty())
      return;
    for (const Use &U : Code.AluUses)
      if (U.Memory == OutMemory)
        Alu = std::max(Alu, freeAt(U));
    Alu = std::max(Alu, GemmDone) + Code.AluCycles + Code.Alu.size();
    uint64_t AluDone = Alu + PipelineDepth;
    if (Code.StoreBeats)
      Store = std::max(Store, AluDone) + Code.StoreBeats;
    for (const Use &U : Code.AluUses)
      release(U, U.Memory == OutMemory ? Store + MemoryLatency : AluDone);
    Result.Cycles = std::max(AluDone, Store + MemoryLatency);
  }

  uint64_t freeAt(const Use &U) const {
    uint64_t At = 0;
    for (const Held &H : Regions[U.Memory])
      if (H.Where.overlaps(U.Where))
        At = std::max(At, H.Until);
    return At;
  }
  /// `U` is in use until `At`; of regions before it stays what it leaves.
  void release(const Use &U, uint64_t At) {
    std::vector<Held> &List = Regions[U.Memory];
    const Range &New = U.Where;
    for (size_t I = 0, Count = List.size(); I < Count; ++I) {
      Held Old = List[I];
      if (!Old.Where.overlaps(New))
        continue;
      List[I].Where.Size =
          New.Begin - std::min(Old.Where.Begin, New.Begin); // before it
      if (Old.Where.end() > New.end())
        List.push_back({{New.end(), Old.Where.end() - New.end()}, Old.Until});
    }
    llvm::erase_if(List, [](const Held &H) { return H.Where.Size == 0; });
    if (New.Size)
      List.push_back({New, At});
  }

  struct Held {
    Range Where;
    uint64_t Until;
  };
  const isa::Layout &L;
  std::array<std::vector<Held>, ScratchpadCount> Regions;
  std::vector<uint64_t> Stored; ///< when all stores up to a step are done
  uint64_t Load = 0, Gemm = 0, Alu = 0, Store = 0;
};
} // namespace

/// Walks what `Lower` puts into a builder.
static llvm::Expected<Cost>
walk(const isa::Layout &L,
     llvm::function_ref<llvm::Error(StreamBuilder &)> Lower) {
  ConstantPool Pool(0, L.beatBytes);
  StreamBuilder Builder(L, Pool, /*Dry=*/true);
  Timeline Times(L);
  Builder.OnStep = [&](const StepCode &Code) { Times.step(Code); };
  if (auto E = Lower(Builder))
    return std::move(E);
  return Times.Result;
}

llvm::Expected<Cost> scheduling::estimate(const isa::Layout &L,
                                          const Layer &TheLayer,
                                          const Schedule &S) {
  return walk(L, [&](StreamBuilder &Builder) {
    return lowerLayer(Builder, TheLayer, S, 0);
  });
}

llvm::Expected<Cost> scheduling::estimate(const isa::Layout &L,
                                          const LayerPair &Pair) {
  return walk(
      L, [&](StreamBuilder &Builder) { return lowerPair(Builder, Pair, 0); });
}

Bounds scheduling::bounds(const isa::Layout &L, const Layer &TheLayer) {
  ViewLayout Dram(L);
  const isa::Configuration &C = L.config;
  uint64_t Pixels = uint64_t(TheLayer.Out.N) * TheLayer.Out.H * TheLayer.Out.W;
  uint64_t Vectors = uint64_t(Dram.groups(TheLayer.Out)) * TheLayer.Out.H *
                     TheLayer.Out.W * ceilDiv(TheLayer.Out.C, C.block_out());
  uint64_t Window = TheLayer.KH * TheLayer.KW;
  uint64_t InBlocks = ceilDiv(TheLayer.In.C, C.block_in());
  uint64_t OutBlocks = ceilDiv(TheLayer.Out.C, C.block_out());
  uint64_t Passes = C.batch() * C.block_out() / C.alu_lanes();
  Bounds B;
  uint64_t Parameters = OutBlocks * L.prmBytes;
  if (TheLayer.isContract()) {
    uint64_t Products = InputBlocks(L, TheLayer).count() * Window;
    B.Macs = Pixels * TheLayer.Out.C * TheLayer.groupIn() * Window;
    uint64_t Sets = TheLayer.weightSets();
    B.Compute = Vectors * Products;
    // Sums of weights are one more row for GEMM, and a pass of the ALU.
    if (TheLayer.needsWeightSums())
      B.Compute = std::max(B.Compute + Sets * OutBlocks * Products,
                           2 * Vectors * Passes);
    Parameters += Sets * OutBlocks * Products * L.wgtBytes;
  } else {
    // Sums and maxima do not multiply.
    if (TheLayer.Kind == Reduction::Mac)
      B.Macs = Pixels * TheLayer.Out.C * Window;
    B.Compute = Vectors * Passes *
                (!TheLayer.isCopy()      ? Window
                 : TheLayer.multiplies() ? 2
                 : TheLayer.adds()       ? 3
                                         : 1);
    if (TheLayer.Kind == Reduction::Mac)
      Parameters += OutBlocks * Window * C.block_out();
  }
  if (TheLayer.Macs)
    B.Macs = TheLayer.Macs;
  // A window of one element reads what its stride leaves.
  uint64_t Rows = std::min<uint64_t>(
      TheLayer.In.H, TheLayer.KH == 1 ? TheLayer.Out.H : TheLayer.In.H);
  uint64_t Cols = std::min<uint64_t>(
      TheLayer.In.W, TheLayer.KW == 1 ? TheLayer.Out.W : TheLayer.In.W);
  uint64_t Input =
      uint64_t(Dram.groups(TheLayer.In)) * Rows * Cols * InBlocks * L.inpBytes;
  uint64_t Output = Vectors * L.outBytes;
  if (TheLayer.HasResidual)
    Input +=
        TheLayer.isSpread() ? Output / TheLayer.Out.H / TheLayer.Out.W : Output;
  B.Read = (Input + Parameters) / L.beatBytes;
  B.Write = Output / L.beatBytes;
  return B;
}
