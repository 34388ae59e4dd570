//===- PlanMemory.cpp - One workspace for the buffers of a kernel ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Buffers of static size lie in memory that the caller gives and keeps, those
// that are never needed at the same time in the same place: a kernel that has
// no others asks for no memory. What is left to allocate: buffers of dynamic
// size, those that a loop carries from one iteration into the next (several of
// one operation may be alive then), and those inside of parallel loops.
//
//===----------------------------------------------------------------------===//

#include "BufferLifetimes.h"
#include "Passes.h"

#include "isa/host_abi.h"
#include "isa/memory_plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tenon;

namespace {

struct PlanMemoryPass : PassWrapper<PlanMemoryPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanMemoryPass)

  StringRef getArgument() const override { return "tenon-plan-memory"; }
  StringRef getDescription() const override {
    return "Place buffers of static size in a workspace that the caller gives";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override {
    for (auto Function : getOperation().getOps<func::FuncOp>())
      if (!Function.isExternal())
        plan(Function);
  }

private:
  void plan(func::FuncOp Function);
};

} // namespace

/// In whole cache lines, each of which is one buffer's.
static isa::MemoryProblem problemOf(ArrayRef<PlannedBuffer> Buffers) {
  isa::MemoryProblem Problem;
  Problem.alignment = TENON_HOST_ALIGNMENT;
  for (const PlannedBuffer &Buffer : Buffers)
    Problem.blocks.push_back({llvm::alignTo(Buffer.Bytes, Problem.alignment),
                              Buffer.First, Buffer.Last});
  return Problem;
}

/// The workspace, a further argument of `Function`.
static Value addWorkspace(func::FuncOp Function, uint64_t Bytes) {
  auto Byte = IntegerType::get(Function.getContext(), 8);
  auto T = MemRefType::get({int64_t(Bytes)}, Byte);
  Value Workspace = Function.front().addArgument(T, Function.getLoc());
  Function.setFunctionType(FunctionType::get(
      Function.getContext(), Function.front().getArgumentTypes(),
      Function.getResultTypes()));
  return Workspace;
}

static void place(memref::AllocOp Buffer, Value Workspace, uint64_t Offset) {
  OpBuilder B(Buffer);
  Value At = arith::ConstantIndexOp::create(B, Buffer.getLoc(), Offset);
  auto View = memref::ViewOp::create(B, Buffer.getLoc(), Buffer.getType(),
                                     Workspace, At, ValueRange());
  Buffer.replaceAllUsesWith(View.getResult());
  Buffer.erase();
}

void PlanMemoryPass::plan(func::FuncOp Function) {
  SmallVector<PlannedBuffer> Buffers = plannedBuffers(Function);
  isa::MemoryProblem Problem = problemOf(Buffers);
  isa::MemoryPlan Plan = isa::planMemory(Problem);
  assert(isa::checkPlan(Problem, Plan).ok() && "buffers overlap");
  Value Workspace = addWorkspace(Function, Plan.bytes);
  for (auto [Buffer, Offset] : llvm::zip_equal(Buffers, Plan.offsets))
    for (memref::AllocOp Alloc : Buffer.Allocs)
      place(Alloc, Workspace, Offset);
  Builder B(&getContext());
  auto number = [&](StringRef Name, uint64_t Value) {
    return B.getNamedAttr(Name, B.getI64IntegerAttr(int64_t(Value)));
  };
  Function->setAttr(
      WorkspaceAttr,
      B.getDictionaryAttr(
          {number("bytes", Plan.bytes),
           number("bound", isa::mostBytesAlive(Problem)),
           number("by_size", isa::planBySize(Problem).bytes),
           number("buffers", llvm::count_if(Buffers, [](auto &Buffer) {
                    return Buffer.Bytes != 0;
                  }))}));
}

std::unique_ptr<Pass> tenon::createPlanMemoryPass() {
  return std::make_unique<PlanMemoryPass>();
}
