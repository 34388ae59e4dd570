//===- ShareLoops.h - A part of a loop nest ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Threads share a loop nest by one of its parallel loops: each has a range of
// it. Elements are computed as without threads, so the bits are the same for
// any number of parts.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_SHARELOOPS_H
#define TENON_LIB_TARGET_CPU_SHARELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace tenon {

/// Which part is to be computed, and of how many; of index.
struct Share {
  mlir::Value Part, Parts;
};

/// What the function around `Op` says of it; none where it computes all.
std::optional<Share> shareOf(mlir::Operation *Op);

/// The loop to share: of `Loops`, outermost first, the one that has the most
/// steps; none where none has two. `StepOf` gives the iterations that belong
/// together.
std::optional<unsigned>
loopToShare(mlir::linalg::LinalgOp Op, llvm::ArrayRef<unsigned> Loops,
            llvm::function_ref<int64_t(unsigned)> StepOf);

/// A range of a loop.
struct LoopRange {
  mlir::OpFoldResult From, To;
};

/// The share's range of a loop over `Extent` iterations: whole steps, but for
/// the loop's last ones.
LoopRange rangeOf(mlir::OpBuilder &B, mlir::Location Loc, const Share &S,
                  mlir::OpFoldResult Extent, int64_t Step);

/// Lets the first part alone do what is added at `B` afterwards.
void leaveToFirst(mlir::OpBuilder &B, mlir::Location Loc, const Share &S);

/// `Op`, on buffers, as loops over single elements.
void writeSharedLoops(mlir::RewriterBase &Rewriter, mlir::linalg::LinalgOp Op,
                      const Share &S);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_SHARELOOPS_H
