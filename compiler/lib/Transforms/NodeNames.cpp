//===- NodeNames.cpp - Back to the network --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Transforms/NodeNames.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

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
