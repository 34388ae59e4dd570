//===- GroupedConvolution.h - A convolution a group -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// TOSA has no convolution with groups. In it one is the slices of its input's
// channels, a convolution of each, and the concatenation of their sums: the
// accelerator's one layer, and for the host what it is.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_GROUPEDCONVOLUTION_H
#define TENON_LIB_TRANSFORMS_GROUPEDCONVOLUTION_H

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace tenon {

/// All of one convolution with groups, group by group.
struct GroupedConvolution {
  mlir::Value Input; ///< all channels
  llvm::SmallVector<mlir::tosa::SliceOp> Slices;
  llvm::SmallVector<mlir::tosa::Conv2DOp> Convolutions;
  mlir::tosa::ConcatOp Sums;
};

/// The convolution with groups whose sums `Sums` puts side by side; nothing
/// where it is anything else.
std::optional<GroupedConvolution> readGrouped(mlir::tosa::ConcatOp Sums);

/// The convolution with groups that `Conv` is a group of, or nothing.
std::optional<GroupedConvolution> readGrouped(mlir::tosa::Conv2DOp Conv);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_GROUPEDCONVOLUTION_H
