//===- DramPlan.h - Places of activations in DRAM ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_DRAMPLAN_H
#define TENON_SCHEDULING_DRAMPLAN_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::scheduling {

/// Tensors with lifetimes get offsets so that none overlaps another one that is
/// alive at the same time. Times are numbers of operations in program order;
/// offsets and sizes are bytes.
class DramPlan {
public:
  struct Tensor {
    std::string Name;
    uint64_t Size = 0;
    uint32_t Begin = 0, End = 0; ///< first and last time it is needed
    uint64_t Offset = 0;         ///< the solution
  };

  DramPlan(std::vector<Tensor> Tensors, uint64_t Alignment)
      : Tensors(std::move(Tensors)), Alignment(Alignment) {}

  /// Lifetimes are not negative, the alignment is not 0.
  llvm::Error check() const;
  /// First fit, the largest first.
  void solve();
  /// No two tensors of one time overlap and every offset is aligned.
  llvm::Error verify() const;

  /// The tensors (their numbers) that are needed while the last one ends behind
  /// `Room` bytes; none where all end before.
  std::vector<size_t> beyond(uint64_t Room) const;

  const std::vector<Tensor> &tensors() const { return Tensors; }
  /// End of the last tensor.
  uint64_t bytes() const;
  /// One line a tensor: name [begin, end] offset + size.
  std::string text() const;

private:
  std::vector<Tensor> Tensors;
  uint64_t Alignment;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_DRAMPLAN_H
