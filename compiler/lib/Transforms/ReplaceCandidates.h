//===- ReplaceCandidates.h - Candidates become operations -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_REPLACECANDIDATES_H
#define TENON_LIB_TRANSFORMS_REPLACECANDIDATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tenon/Transforms/Candidates.h"

namespace tenon {

/// Replaces the members of every candidate by one operation of the accelerator
/// on NHWC tensors; arrays that enter or leave it are packed and unpacked, what
/// layers hand on lies in `DramLayout`.
mlir::LogicalResult
replaceCandidates(mlir::func::FuncOp Main,
                  llvm::MutableArrayRef<Candidate> Candidates,
                  const isa::Layout &DramLayout);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_REPLACECANDIDATES_H
