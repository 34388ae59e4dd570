//===- EmitProgram.h - Streams become a program -----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TARGET_ACCELERATOR_EMITPROGRAM_H
#define TENON_TARGET_ACCELERATOR_EMITPROGRAM_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace tenon {

/// Makes host code of the functions of a module, which it consumes. A function
/// F is the kernel F_packed of each executable.
using HostCompiler =
    std::function<llvm::Expected<isa::HostCode>(mlir::ModuleOp HostFunctions)>;

/// The program of a module behind accel-insert-tokens: `@main` of accel.pack,
/// accel.stream, accel.unpack and calls of private functions, which
/// `CompileHost` compiles (not called if there are none). Model, reference and
/// producer are left to the caller. An error says which operation or
/// instruction does not fit.
llvm::Expected<isa::Program> emitProgram(mlir::ModuleOp Module,
                                         const isa::Layout &L,
                                         const HostCompiler &CompileHost);

} // namespace tenon

#endif // TENON_TARGET_ACCELERATOR_EMITPROGRAM_H
