//===- AxisFactors.h - Where a view's elements lie --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Reshapes and transpositions are followed axis by axis: each axis is made of
// factors, each with its distance in the tensor at the root.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_AXISFACTORS_H
#define TENON_LIB_TRANSFORMS_AXISFACTORS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tenon {

/// `Size` elements, `Distance` elements of the root apart.
struct Factor {
  int64_t Size, Distance;
  bool operator==(const Factor &F) const {
    return Size == F.Size && Distance == F.Distance;
  }
};
/// From the slowest to the fastest; none of one element.
using Axis = llvm::SmallVector<Factor, 2>;
using Axes = llvm::SmallVector<Axis, 4>;

/// Adds a faster factor, to the last one where both are one.
void append(Axis &To, Factor F);

/// The same elements in the same order as axes of `Shape`; none where a factor
/// would have to be cut unevenly.
std::optional<Axes> reshaped(const Axes &From, llvm::ArrayRef<int64_t> Shape);

/// `V`, made of `Root` by reshapes and transpositions, by its axes; none behind
/// another operation.
std::optional<Axes> followed(mlir::Value V, mlir::Value Root);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_AXISFACTORS_H
