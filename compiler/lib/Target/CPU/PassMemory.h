//===- PassMemory.h - Kernels allocate of their caller ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_PASSMEMORY_H
#define TENON_LIB_TARGET_CPU_PASSMEMORY_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tenon {

/// TenonHostMemory of isa/host_abi.h: workspace, allocate, release.
mlir::LLVM::LLVMStructType hostMemoryType(mlir::MLIRContext *Context);

/// The value of a field of `Memory`, a pointer to one.
mlir::Value hostMemoryField(mlir::OpBuilder &B, mlir::Location Loc,
                            mlir::Value Memory, int32_t Field);

/// Gives each kernel of a module in the LLVM dialect, and each function that
/// allocates, a TenonHostMemory as its last argument, and lets them allocate
/// there instead of by malloc.
void passMemory(mlir::ModuleOp Module);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_PASSMEMORY_H
