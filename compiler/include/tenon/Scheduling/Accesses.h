//===- Accesses.h - What an instruction reads and writes --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Walks a stream in program order, tracks base registers and micro-op memories,
// and names for each instruction the exact elements it reads and writes: no
// hulls, so that nobody waits for what he does not share.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_ACCESSES_H
#define TENON_SCHEDULING_ACCESSES_H

#include "isa/unit_set.h"
#include "tenon/Scheduling/StreamBuilder.h"

#include "llvm/Support/Error.h"

namespace tenon::scheduling {

/// Memories with an order to keep: the scratchpads, and DRAM in beats.
constexpr unsigned DramMemory = ScratchpadCount;
constexpr unsigned TrackedMemories = ScratchpadCount + 1;

/// A run of elements of one memory.
struct Access {
  unsigned Memory;
  uint32_t Begin, Count;
  bool IsWrite;
};

class AccessWalker {
public:
  /// Micro-ops are read out of `Segments`.
  AccessWalker(const isa::Layout &L, const std::vector<Segment> &Segments);

  /// Elements of a memory; DRAM counts the beats before the constants.
  /// Appends the accesses of the next instruction. An index outside its memory
  /// or micro-ops that nobody loaded are errors.
  llvm::Error next(const isa::Instruction &Inst, std::vector<Access> &To);

private:
  llvm::Error load(const isa::Load &I, std::vector<Access> &To);
  void store(const isa::Store &I, std::vector<Access> &To);
  llvm::Error gemm(const isa::Gemm &I, std::vector<Access> &To);
  llvm::Error alu(const isa::Alu &I, std::vector<Access> &To);
  llvm::Error fetchUops(uint64_t Beat, uint32_t Line, uint32_t Lines,
                        std::vector<uint32_t> &Memory);

  /// Appends the elements of one memory as runs, and forgets them.
  void emit(isa::UnitSet &Marks, unsigned Memory, bool IsWrite,
            std::vector<Access> &To);
  template <typename Instruction, typename Number>
  void addIndex(const Instruction &I, uint64_t OuterStep, uint64_t InnerStep,
                const std::vector<isa::MicroOp> &Uops, Number isa::MicroOp::*Of,
                isa::UnitSet &To);
  llvm::Error checkRange(const char *What, uint64_t End, uint64_t Entries);

  const isa::Layout &L;
  const std::vector<Segment> &Segments;
  std::vector<uint32_t> GemmUops, AluUops;
  uint32_t GemmBase = 0, AluBase = 0, OperandOffset = 0;
  isa::UnitSet Dst, Src, Third; // of one instruction
  isa::UnitSet Loops;           // empty between indices
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_ACCESSES_H
