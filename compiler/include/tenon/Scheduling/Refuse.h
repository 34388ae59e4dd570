//===- Refuse.h - What the accelerator turns out not to take ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Placement asks of a layer whether it has a schedule. What many layers need
// together, and what their instructions come to, shows only behind it. Such a
// refusal does not end a compilation: it goes with its reason into the module
// that placement started from, and placement runs anew (compiler/driver).
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_REFUSE_H
#define TENON_SCHEDULING_REFUSE_H

#include "mlir/IR/BuiltinOps.h"
#include "tenon/Dialect/Accel/Accel.h"

namespace tenon::scheduling {

/// Attribute of an operation that placement made: the number of its candidate,
/// the same in every placement of one module.
constexpr llvm::StringLiteral CandidateAttr = "tenon.candidate";

/// Attribute of a module: an accel.refusal for each candidate that must not be
/// placed on the accelerator.
constexpr llvm::StringLiteral RefusalsAttr = "accel.refusals";

/// The remedy where a proof of ours failed.
constexpr llvm::StringLiteral ReportIt = "a report of this defect of Tenon's";

/// Emits `Reason` as the error of an operation that placement made, and notes
/// the refusal in its module. An operation without a candidate (written by
/// hand) gets the error alone. Not to be called from several threads.
mlir::LogicalResult refuse(mlir::Operation *Op, const llvm::Twine &Reason,
                           llvm::StringRef Remedy);

/// The same of a candidate that no operation stands for yet.
mlir::LogicalResult refuse(mlir::ModuleOp Module, mlir::Location Loc,
                           uint64_t Candidate, const llvm::Twine &Reason,
                           llvm::StringRef Remedy);

/// The refusals of a module.
llvm::SmallVector<accel::RefusalAttr> refusalsOf(mlir::ModuleOp Module);

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_REFUSE_H
