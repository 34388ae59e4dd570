//===- KernelEntry.h - A kernel as the runtime calls it ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_KERNELENTRY_H
#define TENON_LIB_TARGET_CPU_KERNELENTRY_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tenon {

/// Adds F_packed, a TenonHostKernel that calls the function F, which has come
/// through the CPU pipeline and passMemory and is not seen from outside: the
/// process may have another function of its name.
void addKernelEntry(mlir::LLVM::LLVMFuncOp Function);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_KERNELENTRY_H
