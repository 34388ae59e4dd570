//===- Outline.cpp - Move operations into functions -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Outline.h"

#include "Reduction.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;
using namespace tenon;

SmallVector<Value> tenon::escaping(ArrayRef<Operation *> Ops) {
  llvm::SmallPtrSet<Operation *, 16> Inside(Ops.begin(), Ops.end());
  SmallVector<Value> Result;
  for (Operation *Op : Ops)
    for (Value V : Op->getResults())
      if (llvm::any_of(V.getUsers(),
                       [&](Operation *U) { return !Inside.contains(U); }))
        Result.push_back(V);
  return Result;
}

static void collectNames(Location Loc, llvm::SetVector<Attribute> &Names) {
  if (auto Name = dyn_cast<NameLoc>(Loc)) {
    Names.insert(Name.getName());
  } else if (auto Fused = dyn_cast<FusedLoc>(Loc)) {
    for (Location Inner : Fused.getLocations())
      collectNames(Inner, Names);
  }
}

SmallVector<Attribute> tenon::nodeNames(ArrayRef<Operation *> Ops) {
  llvm::SetVector<Attribute> Names;
  for (Operation *Op : Ops)
    collectNames(Op->getLoc(), Names);
  return Names.takeVector();
}

/// Operands computed outside of the group, constants aside.
static llvm::SetVector<Value> arguments(ArrayRef<Operation *> Ops) {
  llvm::SmallPtrSet<Operation *, 16> Inside(Ops.begin(), Ops.end());
  llvm::SetVector<Value> Result;
  for (Operation *Op : Ops)
    for (Value V : Op->getOperands())
      if (!isConstant(V) && !Inside.contains(V.getDefiningOp()))
        Result.insert(V);
  return Result;
}

func::CallOp Outliner::outline(std::string Name, ArrayRef<Operation *> Ops,
                               ArrayRef<Value> Results) {
  llvm::SetVector<Value> Inputs = arguments(Ops);
  SmallVector<Location> Locations;
  for (Operation *Op : Ops)
    Locations.push_back(Op->getLoc());
  Location Loc = FusedLoc::get(Main.getContext(), Locations);
  OpBuilder B(Main);
  auto Type = B.getFunctionType(ValueRange(Inputs.getArrayRef()).getTypes(),
                                ValueRange(Results).getTypes());
  Function = func::FuncOp::create(B, Loc, Name, Type);
  Function.setPrivate();
  Function->moveAfter(Main);
  Block *Entry = Function.addEntryBlock();
  B.setInsertionPointToEnd(Entry);
  IRMapping Map;
  Map.map(Inputs.getArrayRef(), Entry->getArguments());
  for (Operation *Op : Ops) {
    for (Value V : Op->getOperands())
      if (!Map.contains(V))
        Map.map(V, B.clone(*V.getDefiningOp())->getResult(0));
    B.clone(*Op, Map);
  }
  SmallVector<Value> Returned;
  for (Value V : Results)
    Returned.push_back(Map.lookup(V));
  func::ReturnOp::create(B, Loc, Returned);

  B.setInsertionPointAfter(Ops.back());
  auto Call = func::CallOp::create(B, Loc, Function, Inputs.getArrayRef());
  llvm::SmallPtrSet<Operation *, 16> Inside(Ops.begin(), Ops.end());
  for (auto [Result, New] : llvm::zip(Results, Call.getResults())) {
    Value Old = Result;
    Moved[Old] = New;
    Old.replaceUsesWithIf(
        New, [&](OpOperand &Use) { return !Inside.contains(Use.getOwner()); });
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
