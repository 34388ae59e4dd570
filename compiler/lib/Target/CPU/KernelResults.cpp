//===- KernelResults.cpp - Where a kernel's results go --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// As isa/host_abi.h has it: the caller gives memory for what it knows the size
// of; anything else comes back in memory that it allocates. No result shares
// memory with another or with an argument: what is computed in a buffer of its
// own is computed in the caller's memory, anything else is copied.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tenon;

namespace {

struct KernelResultsPass
    : PassWrapper<KernelResultsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KernelResultsPass)

  StringRef getArgument() const override { return "tenon-kernel-results"; }
  StringRef getDescription() const override {
    return "Write results of static shape to the caller's memory, return "
           "others "
           "in memory of their own";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<memref::MemRefDialect>();
  }
  void runOnOperation() override;

private:
  LogicalResult change(func::FuncOp Function);
};

} // namespace

/// A copy of `V` in memory of its own.
static Value copied(OpBuilder &B, Location Loc, Value V) {
  auto T = cast<MemRefType>(V.getType());
  SmallVector<Value> Extents;
  for (int64_t Axis = 0; Axis < T.getRank(); ++Axis)
    if (T.isDynamicDim(Axis))
      Extents.push_back(memref::DimOp::create(B, Loc, V, Axis));
  Value Copy = memref::AllocOp::create(B, Loc, T, Extents);
  memref::CopyOp::create(B, Loc, V, Copy);
  return Copy;
}

static LogicalResult checkType(func::FuncOp Function, Type T) {
  auto Array = dyn_cast<MemRefType>(T);
  if (Array && Array.getLayout().isIdentity())
    return success();
  return Function.emitOpError() << "has an argument or a result of type " << T
                                << "; a kernel has tensors of known rank alone";
}

/// Has the buffer that all of `V` lies in, one that the function allocates, lie
/// in `To`. What `B` writes stands in front of everything.
static bool computeIn(OpBuilder &B, Value To, Value V) {
  if (auto Alloc = V.getDefiningOp<memref::AllocOp>()) {
    Alloc.replaceAllUsesWith(To);
    Alloc.erase();
    return true;
  }
  auto reshaped = [&](auto View, auto Back) {
    auto From = View.getSrcType();
    if (!From.hasStaticShape() || !From.getLayout().isIdentity())
      return false;
    auto Whole = decltype(Back)::create(B, View.getLoc(), From, To,
                                        View.getReassociationIndices());
    if (computeIn(B, Whole, View.getSrc()))
      return true;
    Whole.erase();
    return false;
  };
  if (auto View = V.getDefiningOp<memref::CollapseShapeOp>())
    return reshaped(View, memref::ExpandShapeOp());
  if (auto View = V.getDefiningOp<memref::ExpandShapeOp>())
    return reshaped(View, memref::CollapseShapeOp());
  return false;
}

LogicalResult KernelResultsPass::change(func::FuncOp Function) {
  FunctionType Signature = Function.getFunctionType();
  for (Type T :
       llvm::concat<const Type>(Signature.getInputs(), Signature.getResults()))
    if (failed(checkType(Function, T)))
      return failure();
  if (!Function.getBody().hasOneBlock())
    return Function.emitOpError("has several blocks, a kernel has one");
  auto Return = cast<func::ReturnOp>(Function.front().getTerminator());
  OpBuilder B(Return);
  SmallVector<Value> Returned;
  for (unsigned I = 0; I < Return.getNumOperands(); ++I) {
    Value V = Return.getOperand(I); // what stands in another result's memory
    auto T = cast<MemRefType>(V.getType());
    if (!T.hasStaticShape()) {
      Returned.push_back(copied(B, Return.getLoc(), V));
      continue;
    }
    Value To = Function.front().addArgument(T, Return.getLoc());
    auto Front = OpBuilder::atBlockBegin(&Function.front());
    if (!computeIn(Front, To, V))
      memref::CopyOp::create(B, Return.getLoc(), V, To);
  }
  Return->setOperands(Returned);
  Function.removeArgAttrsAttr();
  Function.removeResAttrsAttr();
  Function.setFunctionType(
      FunctionType::get(&getContext(), Function.front().getArgumentTypes(),
                        ValueRange(Returned).getTypes()));
  Function->setAttr(SignatureAttr, TypeAttr::get(Signature));
  return success();
}

void KernelResultsPass::runOnOperation() {
  getOperation().walk([&](func::CallOp Call) {
    Call.emitOpError("is in a kernel, which calls no other function");
    signalPassFailure();
  });
  for (auto Function : getOperation().getOps<func::FuncOp>())
    if (!Function.isExternal() && failed(change(Function)))
      signalPassFailure();
}

std::unique_ptr<Pass> tenon::createKernelResultsPass() {
  return std::make_unique<KernelResultsPass>();
}
