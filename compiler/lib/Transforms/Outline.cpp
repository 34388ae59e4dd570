//===- Outline.cpp - Move operations into functions -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Outline.h"

#include "Reduction.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <map>

using namespace mlir;
using namespace tenon;

llvm::SetVector<Value> tenon::readBy(Operation *Op) {
  llvm::SetVector<Value> Values(Op->operand_begin(), Op->operand_end());
  getUsedValuesDefinedAbove(Op->getRegions(), Values);
  return Values;
}

SmallVector<Operation *> tenon::readersIn(Block &Block, Value V) {
  llvm::SetVector<Operation *> Readers;
  for (Operation *User : V.getUsers())
    if (Operation *Reader = Block.findAncestorOpInBlock(*User))
      Readers.insert(Reader);
  return Readers.takeVector();
}

static bool isTensor(Value V) { return llvm::isa<TensorType>(V.getType()); }

bool HostGroup::isNeeded() const {
  return !Results.empty() || llvm::any_of(Ops, [](Operation *Op) {
    return Op->walk([](cf::AssertOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

bool tenon::isDestination(Operation *Op) {
  if (auto Fill = dyn_cast<linalg::FillOp>(Op))
    return isTensor(Fill.getOutputs().front()) &&
           Fill.getOutputs().front().getDefiningOp<tensor::EmptyOp>();
  return llvm::isa<tensor::EmptyOp>(Op);
}

static void addComputed(HostGroup &Group) {
  llvm::SetVector<Operation *> All(Group.Ops.begin(), Group.Ops.end());
  for (size_t I = 0; I < All.size(); ++I)
    for (Value V : readBy(All[I]))
      if (Operation *Source = V.getDefiningOp();
          Source && !isConstant(V) && (!isTensor(V) || isDestination(Source)))
        All.insert(Source);
  Group.Computed = All.takeVector();
  llvm::sort(Group.Computed,
             [](Operation *A, Operation *B) { return A->isBeforeInBlock(B); });
}

static void addInputs(HostGroup &Group) {
  llvm::SmallPtrSet<Operation *, 16> Inside(Group.Computed.begin(),
                                            Group.Computed.end());
  for (Operation *Op : Group.Computed)
    for (Value V : readBy(Op))
      if (!isConstant(V) && !Inside.contains(V.getDefiningOp()))
        Group.Inputs.insert(V);
}

void tenon::connect(MutableArrayRef<HostGroup> Groups) {
  llvm::SmallPtrSet<Operation *, 32> Grouped;
  DenseSet<Value> Read;
  for (HostGroup &Group : Groups) {
    addComputed(Group);
    addInputs(Group);
    Grouped.insert(Group.Ops.begin(), Group.Ops.end());
    Read.insert(Group.Inputs.begin(), Group.Inputs.end());
  }
  for (HostGroup &Group : Groups)
    for (Operation *Op : Group.Ops)
      for (Value V : Op->getResults())
        if (isTensor(V) &&
            (Read.contains(V) ||
             llvm::any_of(readersIn(*Op->getBlock(), V),
                          [&](Operation *R) { return !Grouped.contains(R); })))
          Group.Results.push_back(V);
}

Outliner::Outliner(func::FuncOp Main, ArrayRef<HostGroup> Groups) : Main(Main) {
  for (const HostGroup &Group : Groups)
    Grouped.insert(Group.Computed.begin(), Group.Computed.end());
}

func::CallOp Outliner::outline(std::string Name, const HostGroup &Group) {
  SmallVector<Location> Locations;
  for (Operation *Op : Group.Ops)
    Locations.push_back(Op->getLoc());
  Location Loc = FusedLoc::get(Main.getContext(), Locations);
  OpBuilder B(Main);
  ArrayRef<Value> Inputs = Group.Inputs.getArrayRef();
  auto Type = B.getFunctionType(ValueRange(Inputs).getTypes(),
                                ValueRange(Group.Results).getTypes());
  // Not the nodes': each call inside asks its function for its location.
  Function = func::FuncOp::create(B, Main.getLoc(), Name, Type);
  Function.setPrivate();
  Function->moveAfter(Main);
  // Others read the same memory: later functions, and who gave it to the run.
  for (unsigned I = 0; I < Inputs.size(); ++I)
    Function.setArgAttr(I,
                        bufferization::BufferizationDialect::kWritableAttrName,
                        B.getBoolAttr(false));
  Block *Entry = Function.addEntryBlock();
  B.setInsertionPointToEnd(Entry);
  IRMapping Map;
  Map.map(Inputs, Entry->getArguments());
  for (Operation *Op : Group.Computed) {
    for (Value V : readBy(Op))
      if (!Map.contains(V))
        Map.map(V, B.clone(*V.getDefiningOp())->getResult(0));
    B.clone(*Op, Map);
  }
  SmallVector<Value> Returned, Operands;
  for (Value V : Group.Results)
    Returned.push_back(Map.lookup(V));
  func::ReturnOp::create(B, Main.getLoc(), Returned);

  for (Value V : Inputs)
    Operands.push_back(replacement(V));
  B.setInsertionPointAfter(Group.Ops.back());
  auto Call = func::CallOp::create(B, Loc, Function, Operands);
  Block &Body = Main.getBody().front();
  for (auto [Result, New] : llvm::zip(Group.Results, Call.getResults())) {
    Value Old = Result;
    Moved[Old] = New;
    Old.replaceUsesWithIf(New, [&](OpOperand &Use) {
      return !Grouped.contains(Body.findAncestorOpInBlock(*Use.getOwner()));
    });
  }
  return Call;
}

void tenon::eraseDead(Block &Body) {
  SmallVector<Operation *> Ops;
  for (Operation &Op : Body.without_terminator())
    Ops.push_back(&Op);
  for (Operation *Op : llvm::reverse(Ops))
    if (isOpTriviallyDead(Op))
      Op->erase();
}

void Outliner::finish(llvm::function_ref<int(Operation *)> stage) {
  Block &Body = Main.getBody().front();
  SmallVector<Operation *> Old(Grouped.begin(), Grouped.end());
  llvm::sort(Old,
             [](Operation *A, Operation *B) { return B->isBeforeInBlock(A); });
  for (Operation *Op : Old)
    Op->erase();
  std::map<int, SmallVector<Operation *>> Order;
  for (Operation &Op : Body.without_terminator())
    Order[stage(&Op)].push_back(&Op);
  for (auto &[Stage, Ops] : Order)
    for (Operation *Op : Ops)
      Op->moveBefore(Body.getTerminator());
  // A change of layout may stand before the call its operand now comes from.
  sortTopologically(&Body);
  eraseDead(Body);
}
