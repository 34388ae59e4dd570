//===- Passes.h - Steps of the CPU pipeline ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_PASSES_H
#define TENON_LIB_TARGET_CPU_PASSES_H

#include "RegisterFile.h"

#include "isa/proto/program.pb.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace tenon {

/// On a module: the function type with memrefs that a kernel had before
/// makeKernelResults changed it, which the entry reads the arguments by.
constexpr llvm::StringLiteral SignatureAttr = "tenon.signature";

/// On a module of tensors: integers lose their sign, which operations have
/// themselves; casts between the two go.
std::unique_ptr<mlir::Pass> createStripSignednessPass();

/// On a function of TOSA: depthwise convolutions whose kernel is one point have
/// no pads.
std::unique_ptr<mlir::Pass> createPadPointwisePass();

/// On a function of tensors, before element-wise operations become linalg's: a
/// choice between tensors of open extents, which may differ, is a branch.
std::unique_ptr<mlir::Pass> createChooseByBranchPass();

/// On a function of TOSA: linear resizes begin at or behind the first pixel.
std::unique_ptr<mlir::Pass> createRepeatFirstPixelsPass();

/// On a module of functions of tensors: constants lie in globals that nothing
/// writes to.
std::unique_ptr<mlir::Pass> createConstantsToGlobalsPass();

/// On a module of functions on memrefs, before deallocation: a result of a
/// static shape goes into memory that the caller gives in a further argument;
/// one with a dynamic extent is returned in memory of its own.
std::unique_ptr<mlir::Pass> createKernelResultsPass();

/// On a function of tensors, once layouts are chosen: constant weights of
/// products lie as tiles read them, bytes as DotProduct.h says.
std::unique_ptr<mlir::Pass> createPackProductsPass();

/// On a function of linalg, before anything is fused: sums of products of
/// floats are marked as what ContractProducts may add at once.
std::unique_ptr<mlir::Pass> createMarkContractionsPass();

/// On a function with bodies of linalg: marked products are added without being
/// rounded where the host has that, and are as others where it has not.
std::unique_ptr<mlir::Pass> createContractProductsPass(bool HasFma);

/// On a function of tensors: products of 32 bits whose factors are bytes less a
/// constant read bytes.
std::unique_ptr<mlir::Pass> createNarrowProductsPass();

/// On a function of tensors: rescaled sums stay in 32 bits where that has the
/// same bits.
std::unique_ptr<mlir::Pass> createNarrowRescalesPass();

/// On a function of tensors, behind that: what is done with each sum of such a
/// product alone, and what it begins with, are a part of the product.
std::unique_ptr<mlir::Pass> createFuseEpiloguesPass();

/// On a function of tensors: what overwrites a filled tensor has one of its
/// own.
std::unique_ptr<mlir::Pass> createUnshareDestinationsPass();

/// On a function of tensors, behind that: of a padded tensor the border alone is
/// filled, and what it pads is computed inside of it where nothing else reads
/// that.
std::unique_ptr<mlir::Pass> createPadInPlacePass();

/// On a function of tensors: operations come in an order in which as little as
/// possible is alive at a time, never more than in the order they had. The bits
/// stay.
std::unique_ptr<mlir::Pass> createOrderOperationsPass();

/// On each function by PlanMemory, a dictionary of integers: `bytes` of its
/// workspace, its last argument then; the `bound` below any plan, what a plan
/// `by_size` would take, and the number of `buffers` that lie in it.
constexpr llvm::StringLiteral WorkspaceAttr = "tenon.workspace";

/// On a module of functions on memrefs, before deallocation: buffers of static
/// size lie in a workspace, which is a further argument.
std::unique_ptr<mlir::Pass> createPlanMemoryPass();

/// On a module of functions on blocks: each gets a further result, a pointer to
/// the message of its first cf.assert that failed, or null.
std::unique_ptr<mlir::Pass> createReturnAssertionsPass();

/// On a function on blocks: buffers of dynamic size are allocated by their
/// bytes, which are UINT64_MAX where the product of the extents overflows.
std::unique_ptr<mlir::Pass> createSaturateSizesPass();

/// On a function of buffers in the LLVM dialect: their sizes have 64 bits on
/// every host.
std::unique_ptr<mlir::Pass> createMultiplySizesPass();

/// On a function of buffers: a subview that has steps and drops dimensions
/// becomes two.
std::unique_ptr<mlir::Pass> createSplitSubviewsPass();

/// On a module of loops: transcendental functions become calls of the library
/// (Math/functions.h), arithmetic on floats of 16 bits becomes arithmetic
/// on 32.
std::unique_ptr<mlir::Pass> createCallMathPass();

/// On a function of tensors: elementwise operations of linalg become one with
/// what reads them where nothing is computed twice.
std::unique_ptr<mlir::Pass> createFuseElementwisePass();

/// On a function of tensors: linalg stores its results with those axes
/// innermost that vectors can walk along, and reads others' in the order they
/// have. The function's own arguments and results keep their axes.
std::unique_ptr<mlir::Pass> createChooseLayoutsPass();

/// On a function by OutlineLoops: which of its arguments, in LLVM's counting,
/// are pointers that share memory with no other argument. Its last two, of
/// index, say which part of its results it is to compute, and of how many.
constexpr llvm::StringLiteral UnaliasedAttr = "tenon.unaliased";

/// On a declaration by OutlineLoops: the function of which a call of it runs
/// all parts. It takes the same arguments, but for the last two: about how many
/// nanoseconds that is, and which of the kernel's calls it is.
constexpr llvm::StringLiteral RunsAttr = "tenon.runs";

/// On a call by OutlineLoops: operations and bytes of the nest, as LoopWork.h
/// has them.
constexpr llvm::StringLiteral WorkAttr = "tenon.work";

/// On a module of linalg on buffers: every operation of linalg becomes a
/// function of its own, equal ones one function, and a call that runs it.
std::unique_ptr<mlir::Pass> createOutlineLoopsPass();

/// The loop nests of each kernel, by number, before the kernels are lowered.
std::vector<isa::KernelLoops> loopsOf(mlir::ModuleOp Module);

/// A few functions that OutlineLoops made.
struct LoopsPart {
  mlir::OwningOpRef<mlir::ModuleOp> Module;
  bool HasDotProducts = false; ///< as DotProduct.h has them
};

/// Moves the functions that OutlineLoops made into modules; their declarations
/// stay.
std::vector<LoopsPart> takeLoops(mlir::ModuleOp Module);

/// On a function by takeConstants: its last argument are constants.
constexpr llvm::StringLiteral ConstantsAttr = "tenon.constants";

/// Takes the constant globals out of a module of functions on buffers, once
/// loops are outlined: the bytes that TenonHostMemory.constants is to point at.
std::string takeConstants(mlir::ModuleOp Module);

/// On a function of linalg on buffers: loops over tiles of results that stay in
/// `Registers`. Each element is computed as linalg says, in the order of the
/// loops. Operations whose body does more than compute stay.
std::unique_ptr<mlir::Pass>
createTileRegistersPass(const RegisterFile &Registers);

/// A pass over functions on loops: an operation that LLVM would turn into a
/// call of C's mathematics library is an error. Every host has its own library,
/// and its own bits.
std::unique_ptr<mlir::Pass> createRefuseLibraryCallsPass();

/// A pass over functions of linalg on buffers: where a reduction has a parallel
/// loop that walks through rows, that loop becomes the innermost one. The bits
/// stay.
std::unique_ptr<mlir::Pass> createOrderLoopsPass();

/// From functions on tensors (TOSA, linalg) to the LLVM dialect, by upstream's
/// passes as far as they go. Afterwards each function takes memref descriptors
/// of its operands and of its results of static shape, and returns descriptors
/// of the others and the message of the assertion that failed, or null.
void buildReferencePipeline(mlir::OpPassManager &Manager, bool HasFma);

/// The same in parts, for speed: what all hosts share, up to loop nests on
/// buffers; then, after takeLoops, the kernels that call them, and the loops
/// for a host's registers.
void buildBufferPipeline(mlir::OpPassManager &Manager);
void buildKernelsPipeline(mlir::OpPassManager &Manager);
void buildLoopsPipeline(mlir::OpPassManager &Manager,
                        const RegisterFile &Registers);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_PASSES_H
