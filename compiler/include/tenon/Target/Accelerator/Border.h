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

/// Adds a host array for a tensor of type `T` to `Program`; its index. Dynamic
/// extents are "?". An error where programs have no such arrays.
llvm::Expected<uint32_t> addBuffer(isa::Program &Program, mlir::Type T,
                                   llvm::StringRef Name);

/// A program without steps: the machine, and the arguments of `Main` as inputs.
///
/// Attributes of arguments and results: `tenon.name`; `tenon.element`, ONNX's
/// name of a type that MLIR has as i8 or ui8 at the border ("INT4",
/// "FLOAT8E5M2"); `tenon.symbols`, a string for each dimension: the name of a
/// dynamic one, or "". A dynamic dimension of an argument without a name is
/// called "INPUT.AXIS", one of a result is "?": only the run tells it.
llvm::Expected<isa::Program> beginProgram(mlir::func::FuncOp Main,
                                          const isa::Layout &L);

/// Names `Buffer` and says what its values, its elements and its open
/// dimensions are as result `Index` of `Main` does. `Program` has the inputs: a
/// dimension with a name that none of them has is one that only a run tells.
llvm::Error describeOutput(mlir::func::FuncOp Main, unsigned Index,
                           const isa::Program &Program, isa::Buffer &Buffer);

/// Inputs and outputs of the imported network `Module`, without a plan.
llvm::Expected<isa::Program> borderOf(mlir::ModuleOp Module,
                                      const isa::Layout &L);

} // namespace tenon

#endif // TENON_TARGET_ACCELERATOR_BORDER_H
