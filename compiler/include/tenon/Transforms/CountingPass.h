//===- CountingPass.h - Passes that count what they did ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_COUNTINGPASS_H
#define TENON_TRANSFORMS_COUNTINGPASS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tenon {

/// The second base of a pass that counts its work. MLIR's own statistics count
/// in builds of LLVM with assertions alone, which no distribution has. A copy
/// of a pass, which another thread runs, goes on counting from where it was.
class CountingPass {
public:
  using Counts = llvm::MapVector<llvm::StringRef, uint64_t>;

  virtual ~CountingPass() = default;
  /// Since the pass was made, in the order of first mention.
  const Counts &counts() const { return Numbers; }

protected:
  /// `What` says what was done, as in "batch norms folded"; a literal.
  void count(llvm::StringLiteral What, uint64_t Number = 1) {
    Numbers[What] += Number;
  }

private:
  Counts Numbers;
};

} // namespace tenon

#endif // TENON_TRANSFORMS_COUNTINGPASS_H
