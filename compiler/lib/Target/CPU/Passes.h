//===- Passes.h - Steps of the CPU pipeline ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_PASSES_H
#define TENON_LIB_TARGET_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tenon {

/// On a module: the function type with memrefs that a kernel had before
/// makeKernelResults changed it, which the entry reads the arguments by.
constexpr llvm::StringLiteral SignatureAttr = "tenon.signature";

/// On a module of tensors: integers lose their sign, which operations have
/// themselves; casts between the two go.
std::unique_ptr<mlir::Pass> createStripSignednessPass();

/// On a module of functions on memrefs, before deallocation: a result of a
/// static shape goes into memory that the caller gives in a further argument;
/// one with a dynamic extent is returned in memory of its own.
std::unique_ptr<mlir::Pass> createKernelResultsPass();

/// On a module of functions on blocks: each gets a further result, a pointer to
/// the message of its first cf.assert that failed, or null.
std::unique_ptr<mlir::Pass> createReturnAssertionsPass();

/// On a module of loops: transcendental functions become calls of the library
/// (Math/functions.h), arithmetic on floats of 16 bits becomes arithmetic
/// on 32.
std::unique_ptr<mlir::Pass> createCallMathPass();

/// A pass over functions on loops: an operation that LLVM would turn into a
/// call of C's mathematics library is an error. Every host has its own library,
/// and its own bits.
std::unique_ptr<mlir::Pass> createRefuseLibraryCallsPass();

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_PASSES_H
