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

/// The fields of TenonHostMemory of isa/host_abi.h, in their order.
enum class HostMemory : int32_t {
  Workspace,
  Constants,
  Allocate,
  Release,
  Run
};

/// A TenonHostMemory.
mlir::LLVM::LLVMStructType hostMemoryType(mlir::MLIRContext *Context);

/// The value of a field of `Memory`, a pointer to one.
mlir::Value hostMemoryField(mlir::OpBuilder &B, mlir::Location Loc,
                            mlir::Value Memory, HostMemory Field);

/// Gives each kernel of a module in the LLVM dialect, and each function that
/// allocates, a TenonHostMemory as its last argument, and lets them allocate
/// there instead of by malloc.
void passMemory(mlir::ModuleOp Module);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_PASSMEMORY_H
