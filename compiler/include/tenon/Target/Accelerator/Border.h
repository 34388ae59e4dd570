//===- Border.h - Inputs and outputs of a program ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TARGET_ACCELERATOR_BORDER_H
#define TENON_TARGET_ACCELERATOR_BORDER_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace tenon {

/// A tensor's element type as programs name it; unspecified where they have
/// none.
isa::ElementType elementType(mlir::Type Element);

/// Adds a host array for a tensor of type `T` to `Program`; its index. An error
/// where programs have no such arrays.
llvm::Expected<uint32_t> addBuffer(isa::Program &Program, mlir::Type T,
                                   llvm::StringRef Name);

/// A program without steps: the machine, and the arguments of `Main` as inputs.
llvm::Expected<isa::Program> beginProgram(mlir::func::FuncOp Main,
                                          const isa::Layout &L);

/// Names `Buffer` and says what its values mean as result `Index` of `Main`
/// does.
void describeOutput(mlir::func::FuncOp Main, unsigned Index,
                    isa::Buffer &Buffer);

/// Inputs and outputs of the imported network `Module`, without a plan.
llvm::Expected<isa::Program> borderOf(mlir::ModuleOp Module,
                                      const isa::Layout &L);

} // namespace tenon

#endif // TENON_TARGET_ACCELERATOR_BORDER_H
