//===- OrderProblem.h - In which order operations need least ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_ORDERPROBLEM_H
#define TENON_LIB_TARGET_CPU_ORDERPROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace tenon {

/// Operations, the buffers that they touch, and what has to come before what.
/// A buffer is alive from the first operation that touches it to the last.
struct OrderProblem {
  struct Operation {
    llvm::SmallVector<unsigned, 4> After;   ///< operations, all of them before
    llvm::SmallVector<unsigned, 4> Buffers; ///< each once
  };
  struct Buffer {
    uint64_t Bytes = 0;
    bool Stays = false; ///< alive to the end
  };
  std::vector<Operation> Operations;
  std::vector<Buffer> Buffers;

  /// The most bytes alive during one operation of `Order`.
  uint64_t peak(llvm::ArrayRef<unsigned> Order) const;

  /// What one operation touches: in no order is the peak less.
  uint64_t bound() const;

  /// An order with the least peak that a search finds: exact where no more than
  /// 20,000 sets of finished operations are looked at, else an operation at a
  /// time, the one after which least is alive. Never worse than the order of
  /// `Operations`, which has to be valid; that one where it meets the bound or
  /// there are more than 5,000.
  std::vector<unsigned> solve() const;
};

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_ORDERPROBLEM_H
