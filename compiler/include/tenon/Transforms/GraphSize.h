//===- GraphSize.h - Operators and memory of a graph of tensors -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What an optimisation is measured by, before anything has a buffer: it follows
// the tensors in the order of the operations and knows what bufferisation does
// to them, but plans nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_GRAPHSIZE_H
#define TENON_TRANSFORMS_GRAPHSIZE_H

#include "mlir/IR/Operation.h"

#include <cstdint>

namespace tenon {

/// Bytes of tensors whose extents are known, and how many others there are.
struct TensorBytes {
  uint64_t Bytes = 0;
  uint64_t Open = 0; ///< tensors with an extent that only the run tells
};

struct GraphSize {
  /// Operations that give tensors, those in bodies included; constants and
  /// tensor.empty are none.
  uint64_t Operators = 0;
  /// Everything that operators write, each tensor once: views (reshapes,
  /// slices, casts between shapes) and results in place of an operand that
  /// nothing else reads take no memory.
  TensorBytes Tensors;
  /// The most of it, with the function's arguments, that is alive at one time.
  /// Bytes and open tensors may have their most at different times. What a
  /// called function needs is not in it.
  TensorBytes Peak;
  /// Bytes of constant tensors, equal ones once.
  uint64_t Constants = 0;
};

/// The size of `Root`, which is a function or holds functions. Those are added
/// up; the peak is the greatest of theirs. Arguments live throughout, results
/// to the end. Takes time in proportion to the operands of all operations.
GraphSize measureGraph(mlir::Operation *Root);

} // namespace tenon

#endif // TENON_TRANSFORMS_GRAPHSIZE_H
