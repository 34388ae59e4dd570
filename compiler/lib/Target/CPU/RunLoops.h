//===- RunLoops.h - The runtime runs loop nests -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_RUNLOOPS_H
#define TENON_LIB_TARGET_CPU_RUNLOOPS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace tenon {

/// Names of the declarations in a module that stand for running a loop nest,
/// and the nests'.
using LoopsByRun = llvm::StringMap<mlir::FlatSymbolRefAttr>;
LoopsByRun loopsByRun(mlir::ModuleOp Module);

/// Lets the calls of such declarations in a function go through `run` of
/// `Memory`, its TenonHostMemory.
void runByMemory(llvm::ArrayRef<mlir::LLVM::CallOp> Runs,
                 const LoopsByRun &Loops, mlir::Value Memory);

/// Makes of a function by OutlineLoops, in the LLVM dialect, a TenonHostLoops
/// of its name; of its declaration that one's.
void addLoopsEntry(mlir::LLVM::LLVMFuncOp Function);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_RUNLOOPS_H
