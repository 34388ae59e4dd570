//===- CPUTarget.h - Host code from TOSA ------------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Code for hosts from functions on tensors: TOSA, linalg, tensor, arith, math,
// scf and cf.assert, with static shapes or dynamic ones.  What programs carry
// is made for speed; the reference that they are compared with, by upstream's
// passes as far as they go.  Neither shares anything with the accelerator's
// path, and both give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TARGET_CPU_CPUTARGET_H
#define TENON_TARGET_CPU_CPUTARGET_H

#include "tenon/Target/CPU/Optimization.h"

#include "isa/host_target.h"
#include "isa/proto/program.pb.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tenon {

using PassObserver = llvm::function_ref<void(mlir::PassManager &)>;

/// The memory between the operations of a kernel, in bytes.
struct WorkspacePlan {
  std::string Function;
  uint64_t Bytes = 0;   ///< as planned
  uint64_t Bound = 0;   ///< most that is alive at one time: no plan is smaller
  uint64_t BySize = 0;  ///< what a plan greedy by size would take
  uint64_t Buffers = 0; ///< that lie in it
};

/// Host code of a module.
struct HostObjects {
  isa::HostCode Code;
  std::vector<WorkspacePlan> Workspaces; ///< of each function, for all targets
};

/// An executable for each target, the most demanding first: `Targets` are in
/// the order of isa::hostTargets(). One that would be no other than its base's
/// (isa::HostTarget) is left out. A function F of `Module` that has a body is
/// its kernel F_packed (isa/host_abi.h): operands first, then results, those
/// with a dynamic extent in memory that the kernel makes. All targets compute
/// the same bits. `Module` is consumed. An operation that needs a library is an
/// error that names it. `Observe` may add instrumentation to the manager of the
/// passes before they run. Thread-safe for distinct contexts.
llvm::Expected<HostObjects>
compileForHosts(mlir::ModuleOp Module,
                llvm::ArrayRef<const isa::HostTarget *> Targets,
                PassObserver Observe = nullptr);

/// One result of the reference: a quantised tensor of the ONNX network, of
/// 8-bit integers, in ONNX order and type.
struct ReferenceTensor {
  std::string Name; ///< ONNX tensor name
  std::vector<int64_t> Shape;
  bool IsUnsigned = false;
};

/// The whole network for the host, with every quantised tensor as a result.
struct Reference {
  /// For this machine. Kernel `main_packed`: inputs, outputs, then Tensors.
  isa::HostCode Code;
  std::vector<ReferenceTensor> Tensors;
};

/// Compiles the imported network `Module`, which parseTosa or parseOnnx made,
/// as it is, before any pass of the compiler that knows the accelerator;
/// operations that carry `tenon.tensor` become results where `WithTensors`.
/// `Module` is consumed. An error where such a tensor is not what its attribute
/// says. The bits are the same for every `Level`: below ForSpeed upstream's
/// passes make them, as far as they go.
llvm::Expected<Reference> compileReference(mlir::ModuleOp Module,
                                           Optimization Level,
                                           bool WithTensors = true);

/// Makes the pipeline's own passes known by their names.
void registerCPUPasses();

/// Registers what the pipeline needs with `Registry`: dialects, bufferisation
/// interfaces, translation to LLVM IR.
void registerCPUTarget(mlir::DialectRegistry &Registry);

} // namespace tenon

#endif // TENON_TARGET_CPU_CPUTARGET_H
