//===- Shadow.h - Who touched an element last -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0. Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_SCHEDULING_SHADOW_H
#define TENON_LIB_SCHEDULING_SHADOW_H

#include "tenon/Scheduling/Accesses.h"

#include <algorithm>

namespace tenon::scheduling {

/// One number for each engine: instructions of it, counted from 1.
using Clock = std::array<uint32_t, isa::engineCount>;

inline void join(Clock &A, const Clock &B) {
  for (unsigned E = 0; E < A.size(); ++E)
    A[E] = std::max(A[E], B[E]);
}

/// For every element of every memory the last instruction of each engine that
/// read and that wrote it. Engines are in order, so the last one stands for
/// all.
class Shadow {
public:
  Shadow(const isa::Layout &L, const std::vector<StreamInstruction> &Stream) {
    for (unsigned M = 0; M < isa::memoryCount; ++M)
      Memories[M].resize(L.entries(isa::Memory(M)));
    Memories[OutMemory].resize(L.config.out_entries());
    // What no STORE reaches is never in conflict.
    uint64_t End = 0;
    for (const StreamInstruction &I : Stream)
      if (auto *S = std::get_if<isa::Store>(&I.Inst))
        End = std::max(End, S->dram + uint64_t(S->ySize - 1) * S->yStride +
                                uint64_t(S->xSize - 1) * S->xStride +
                                L.outBytes / L.beatBytes);
    Memories[DramMemory].resize(End);
  }

  /// The latest instruction of each other engine in conflict with the access.
  void conflicts(const Access &A, unsigned Engine, Clock &Latest) const {
    const auto &M = Memories[A.Memory];
    uint64_t End = std::min<uint64_t>(M.size(), uint64_t(A.Begin) + A.Count);
    for (uint64_t I = A.Begin; I < End; ++I) {
      join(Latest, M[I].Write);
      if (A.IsWrite)
        join(Latest, M[I].Read);
    }
    Latest[Engine] = 0;
  }

  void record(const Access &A, unsigned Engine, uint32_t Number) {
    auto &M = Memories[A.Memory];
    uint64_t End = std::min<uint64_t>(M.size(), uint64_t(A.Begin) + A.Count);
    for (uint64_t I = A.Begin; I < End; ++I)
      (A.IsWrite ? M[I].Write : M[I].Read)[Engine] = Number;
  }

private:
  struct Cell {
    Clock Read{}, Write{};
  };
  std::array<std::vector<Cell>, TrackedMemories> Memories;
};

} // namespace tenon::scheduling

#endif // TENON_LIB_SCHEDULING_SHADOW_H
