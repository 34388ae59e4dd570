//===- Codegen.h - From LLVM IR to an executable ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The steps of compileForHosts, in their order.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_CODEGEN_H
#define TENON_LIB_TARGET_CPU_CODEGEN_H

#include "tenon/Target/CPU/Optimization.h"

#include "isa/host_target.h"
#include "isa/proto/program.pb.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tenon {

/// Replaces floating-point operations that `Target` has no instruction for by
/// others with the same bits: the code generator would call C's mathematics
/// library.
void expandFloatOperations(llvm::Module &Module, const isa::HostTarget &Target);

/// Keeps floats of 16 bits that `Target` has no registers for as integers
/// between conversions; the code generator would call a library.
void holdSmallFloats(llvm::Module &Module, const isa::HostTarget &Target);

/// As expandFloatOperations for conversions, by calls of Math/functions.h; and
/// one result of a conversion to integers on all targets.
void expandConversions(llvm::Module &Module, const isa::HostTarget &Target);

/// Defines the functions of Math/functions.h that `Module` calls.
llvm::Error linkMathLibrary(llvm::Module &Module);

/// As expandFloatOperations for integers. Afterwards loops are added to the
/// code, so it comes behind optimisation.
void expandIntegerOperations(llvm::Module &Module,
                             const isa::HostTarget &Target);

/// Relocatable object code. `Module` is consumed.
llvm::Expected<llvm::SmallString<0>> emitObject(llvm::Module &Module,
                                                const isa::HostTarget &Target,
                                                Optimization Level);

/// As compileForHosts for the host that this runs on.
llvm::Expected<isa::HostCode> compileHere(mlir::ModuleOp Module,
                                          Optimization Level);

/// The objects as one shared object after isa/host_abi.h. In this process, one
/// at a time.
llvm::Expected<std::string>
linkObjects(llvm::ArrayRef<llvm::StringRef> Objects);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_CODEGEN_H
