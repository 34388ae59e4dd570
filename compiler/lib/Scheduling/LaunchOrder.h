//===- LaunchOrder.h - Which launch runs a layer ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_SCHEDULING_LAUNCHORDER_H
#define TENON_LIB_SCHEDULING_LAUNCHORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tenon {

/// The rounds of host code that each operation of `Main` waits for: what an
/// activation waits for, its layer does, and what the host makes of an unpacked
/// result waits for one more. A launch runs all layers with the same number,
/// whatever stands between them.
llvm::DenseMap<mlir::Operation *, uint32_t> launchesOf(mlir::func::FuncOp Main);

} // namespace tenon

#endif // TENON_LIB_SCHEDULING_LAUNCHORDER_H
