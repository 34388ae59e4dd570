//===- OrderOperations.cpp - The order that needs least memory ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Branches of a network may run one after another in any order; which one
// decides how many tensors wait for each other. What an operation reads of a
// tensor that another one overwrites stays before it, so that bufferisation
// finds the same places to write in place; what relies on an assertion stays
// behind it.
//
//===----------------------------------------------------------------------===//

#include "OrderProblem.h"
#include "Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon;

namespace {

struct OrderOperationsPass
    : PassWrapper<OrderOperationsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderOperationsPass)

  StringRef getArgument() const override { return "tenon-order-operations"; }
  StringRef getDescription() const override {
    return "Bring operations into an order in which least is alive at a time";
  }
  void runOnOperation() override;
};

/// The operations of a block, but its terminator, as a problem.
class BlockProblem {
public:
  explicit BlockProblem(Block &Body);

  OrderProblem Problem;
  SmallVector<Operation *> Operations;

private:
  void shareBuffers();
  void addBuffers(unsigned Index);
  void addOrder(unsigned Index);
  std::optional<unsigned> bufferOf(Value V);

  Block &Body;
  DenseMap<Operation *, unsigned> Indices;
  SmallVector<SetVector<Value>> Reads;
  llvm::EquivalenceClasses<void *> Shared;
  DenseMap<void *, unsigned> Buffers;                ///< of the leaders
  std::optional<unsigned> LastEffect, LastAssertion; ///< of those added
};

} // namespace

/// Of an array of static shape; others are not counted.
static uint64_t bytes(Type T) {
  auto Array = dyn_cast<RankedTensorType>(T);
  if (!Array || !Array.hasStaticShape() ||
      !Array.getElementType().isIntOrIndexOrFloat())
    return 0;
  Type Element = Array.getElementType();
  uint64_t Bytes = Element.isIndex()
                       ? 8
                       : llvm::divideCeil(Element.getIntOrFloatBitWidth(), 8);
  for (int64_t Extent : Array.getShape())
    Bytes = llvm::SaturatingMultiply(Bytes, uint64_t(Extent));
  return std::min(Bytes, uint64_t(1) << 40);
}

/// Has no memory of its own: constants are the object's.
static bool isFree(Value V) {
  return llvm::isa<BlockArgument>(V) || matchPattern(V, m_Constant());
}

/// The operands that a result takes the place of, or is a view of.
static SmallVector<OpOperand *> shared(Operation *Op) {
  SmallVector<OpOperand *> Operands;
  if (auto Style = dyn_cast<DestinationStyleOpInterface>(Op)) {
    for (OpOperand &Init : Style.getDpsInitsMutable())
      Operands.push_back(&Init);
  } else if (llvm::isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                       tensor::ExtractSliceOp, tensor::CastOp>(Op)) {
    Operands.push_back(&Op->getOpOperand(0));
  }
  return Operands;
}

BlockProblem::BlockProblem(Block &Body) : Body(Body) {
  for (Operation &Op : Body.without_terminator()) {
    Indices[&Op] = Operations.size();
    Operations.push_back(&Op);
    SetVector<Value> Read(Op.operand_begin(), Op.operand_end());
    getUsedValuesDefinedAbove(Op.getRegions(), Read);
    Reads.push_back(std::move(Read));
  }
  Problem.Operations.resize(Operations.size());
  shareBuffers();
  for (unsigned Index = 0; Index < Operations.size(); ++Index) {
    addBuffers(Index);
    addOrder(Index);
  }
  for (Value V : Body.getTerminator()->getOperands())
    if (auto Buffer = bufferOf(V))
      Problem.Buffers[*Buffer].Stays = true;
}

/// A destination that others read as well may or may not be written in place.
void BlockProblem::shareBuffers() {
  for (Operation *Op : Operations)
    for (auto [Place, Operand] : llvm::enumerate(shared(Op))) {
      Value V = Operand->get();
      const bool IsView = !llvm::isa<DestinationStyleOpInterface>(Op);
      if (Place >= Op->getNumResults() || isFree(V) ||
          V.getDefiningOp<tensor::EmptyOp>() || (!IsView && !V.hasOneUse()))
        continue;
      Shared.unionSets(V.getAsOpaquePointer(),
                       Op->getResult(Place).getAsOpaquePointer());
    }
}

std::optional<unsigned> BlockProblem::bufferOf(Value V) {
  if (isFree(V) || V.getDefiningOp<tensor::EmptyOp>() ||
      !llvm::isa<TensorType>(V.getType()))
    return std::nullopt;
  void *Key = Shared.getOrInsertLeaderValue(V.getAsOpaquePointer());
  auto [Found, IsNew] = Buffers.try_emplace(Key, Problem.Buffers.size());
  if (IsNew)
    Problem.Buffers.emplace_back();
  OrderProblem::Buffer &Buffer = Problem.Buffers[Found->second];
  Buffer.Bytes = std::max(Buffer.Bytes, bytes(V.getType()));
  return Found->second;
}

void BlockProblem::addBuffers(unsigned Index) {
  llvm::SmallSetVector<unsigned, 4> Touched;
  for (Value V : Reads[Index])
    if (auto Buffer = bufferOf(V))
      Touched.insert(*Buffer);
  for (Value V : Operations[Index]->getResults())
    if (auto Buffer = bufferOf(V))
      Touched.insert(*Buffer);
  Problem.Operations[Index].Buffers.assign(Touched.begin(), Touched.end());
}

void BlockProblem::addOrder(unsigned Index) {
  llvm::SmallSetVector<unsigned, 4> After;
  for (Value V : Reads[Index])
    if (Operation *Made = V.getDefiningOp(); Made && Indices.contains(Made))
      After.insert(Indices.lookup(Made));
  for (OpOperand *Operand : shared(Operations[Index]))
    for (Operation *User : Operand->get().getUsers())
      if (Operation *Reader = Body.findAncestorOpInBlock(*User))
        if (auto At = Indices.find(Reader);
            At != Indices.end() && At->second < Index)
          After.insert(At->second);
  // What has effects keeps its order, and what follows an assertion relies on
  // it.
  const bool HasEffects = !isMemoryEffectFree(Operations[Index]);
  if (auto Before = HasEffects ? LastEffect : LastAssertion)
    After.insert(*Before);
  if (HasEffects)
    LastEffect = Index;
  if (llvm::isa<cf::AssertOp>(Operations[Index]))
    LastAssertion = Index;
  Problem.Operations[Index].After.assign(After.begin(), After.end());
}

void OrderOperationsPass::runOnOperation() {
  if (getOperation().isExternal() || !getOperation().getBody().hasOneBlock())
    return;
  Block &Body = getOperation().front();
  BlockProblem P(Body);
  for (unsigned Index : P.Problem.solve())
    P.Operations[Index]->moveBefore(Body.getTerminator());
}

std::unique_ptr<Pass> tenon::createOrderOperationsPass() {
  return std::make_unique<OrderOperationsPass>();
}
