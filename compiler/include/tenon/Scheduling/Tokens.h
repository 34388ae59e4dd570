//===- Tokens.h - Dependency tokens of a linear stream ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Program order of the stream defines what every instruction must see; engines
// keep their own order; tokens must order every conflict between engines. A
// token is one edge between two instructions. An edge that others imply is left
// out: every instruction carries the vector clock of what is complete when it
// starts.
//
// In stream order no channel ever holds more tokens than it has room for, so
// executing the stream one instruction after the other is always possible, and
// as engines and channels form a Kahn network no other timing can deadlock
// (G. Kahn, "The semantics of a simple language for parallel programming",
// 1974).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_TOKENS_H
#define TENON_SCHEDULING_TOKENS_H

#include "tenon/Scheduling/Accesses.h"

namespace tenon::scheduling {

class TokenProblem {
public:
  TokenProblem(const isa::Layout &L, std::vector<StreamInstruction> &Stream,
               const std::vector<Segment> &Segments)
      : L(L), Stream(Stream), Segments(Segments) {}

  /// The stream must hold no tokens yet and end in FINISH.
  llvm::Error check() const;

  /// Sets `wait` and `signal` of the instructions.
  llvm::Error solve();

  /// Recomputes the order the tokens imply, of whatever origin they are, and
  /// proves that it orders every conflict and that no channel overflows or
  /// starves in stream order. An error names the two instructions.
  llvm::Error verify() const;

private:
  const isa::Layout &L;
  std::vector<StreamInstruction> &Stream;
  const std::vector<Segment> &Segments;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_TOKENS_H
