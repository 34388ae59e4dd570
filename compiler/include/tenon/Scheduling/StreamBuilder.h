//===- StreamBuilder.h - The linear stream of one launch --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Puts the code of steps into one stream. A step's loads stand before the GEMM
// of the step before it, and its ALU part behind the GEMM of the step after it,
// wherever their scratchpad regions are disjoint; within each engine the order
// of steps is kept. Tokens come later.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_STREAMBUILDER_H
#define TENON_SCHEDULING_STREAMBUILDER_H

#include "tenon/Scheduling/FieldLimits.h"
#include "tenon/Scheduling/Scratchpad.h"
#include "tenon/Scheduling/Stream.h"

#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace tenon::scheduling {

/// Scratchpads by number: those of isa::Memory, where ACC stands for acc8 too,
/// and OUT.
constexpr unsigned OutMemory = isa::memoryCount;
constexpr unsigned ScratchpadCount = isa::memoryCount + 1;

/// A region of a scratchpad.
struct Use {
  unsigned Memory;
  Range Where;
};

/// Code and regions of one reduction step of one tile.
struct StepCode {
  std::vector<StreamInstruction> Early; ///< loads of constants
  std::vector<StreamInstruction> Late;  ///< loads of activations
  std::vector<StreamInstruction> Gemm;
  std::vector<StreamInstruction> Alu; ///< and stores
  llvm::SmallVector<Use, 6> Loaded;   ///< written by the loads
  llvm::SmallVector<Use, 6> GemmUses;
  llvm::SmallVector<Use, 6> AluUses;
  bool StartsLayer = false;
  /// Loads of activations read what steps up to this one store, counted from 1
  /// over the stream; 0: only what the layers before stored.
  uint64_t After = 0;

  // For the cost model: cycles, if nothing is waited for.
  uint64_t EarlyBeats = 0, LateBeats = 0, GemmCycles = 0, AluCycles = 0,
           StoreBeats = 0;
};

class StreamBuilder {
public:
  /// With `Dry` constants are not packed and no stream comes out: OnStep sees
  /// what the cost model needs.
  StreamBuilder(const isa::Layout &L, ConstantPool &Pool, bool Dry = false);

  const isa::Layout &layout() const { return L; }
  const FieldLimits &limits() const { return Limits; }
  Ring &ring(isa::Memory M) { return Rings[unsigned(M)]; }
  Ring &outRing() { return Rings[OutMemory]; }

  /// Offset of a constant in DRAM, in beats.
  uint32_t constant(const std::string &Name,
                    const std::function<std::vector<uint8_t>()> &Pack);

  /// SET, unless the register holds the value.
  void set(std::vector<StreamInstruction> &To, isa::Engine Engine,
           uint32_t Index, uint32_t Value);
  /// Appends an instruction of the current layer and tile.
  void append(std::vector<StreamInstruction> &To, isa::Instruction Inst) const {
    To.push_back({std::move(Inst), LayerIndex, TileIndex});
  }
  /// `Count` elements that lie one behind the other in DRAM.
  void loadLinear(std::vector<StreamInstruction> &To, isa::Memory M,
                  uint32_t Sram, uint32_t DramBeat, uint32_t Count) const;

  /// Makes the sequence resident and returns its first micro-op.
  uint32_t requireUops(StepCode &Code, isa::Memory M,
                       const std::vector<isa::MicroOp> &Uops);

  void beginLayer(uint32_t Index) { LayerIndex = Index, TileIndex = 0; }
  void beginTile(uint32_t Index) { TileIndex = Index; }

  /// Adds a step behind the ones before.
  void schedule(StepCode Code);
  /// Steps added so far.
  uint64_t steps() const { return Steps; }
  /// Emits what is held back, then FINISH, and hands the stream out.
  std::vector<StreamInstruction> finish();

  /// Sees every step in order; for the cost model.
  std::function<void(const StepCode &)> OnStep;

private:
  void emit(std::vector<StreamInstruction> &Code);
  void flushGemm();
  void flushAlu();
  void flush();
  void flushUntil(uint64_t Step);

  const isa::Layout &L;
  FieldLimits Limits;
  ConstantPool &Pool;
  bool Dry;
  std::vector<Ring> Rings;
  std::array<std::array<uint32_t, 16>, isa::engineCount> Registers;
  std::map<std::pair<isa::Memory, std::vector<uint32_t>>, uint64_t> Sequences;
  std::vector<StreamInstruction> Stream;
  // At most one step whose GEMM, and one whose ALU part, is held back.
  std::optional<StepCode> HeldGemm, HeldAlu;
  uint64_t Steps = 0;
  uint32_t LayerIndex = 0, TileIndex = 0;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_STREAMBUILDER_H
