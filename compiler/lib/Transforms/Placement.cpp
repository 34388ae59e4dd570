//===- Placement.cpp - Where every operation of a block runs --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// In a layer of the accelerator, at its border (a change of layout that packing
// absorbs), or on the host; in an order in which the accelerator is left as
// seldom as the data flow allows.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "Border.h"
#include "Outline.h"
#include "Reduction.h"
#include "Regroup.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tenon;

/// Additions share what widens a common operand, with each other and with the
/// host: each layer gets operations of its own.
void Placement::ownMembers() {
  for (Candidate &L : Set.Candidates) {
    SmallVector<Operation *> Members = L.Members.takeVector();
    llvm::SmallPtrSet<Operation *, 16> Inside(Members.begin(), Members.end());
    for (Operation *&Op : llvm::reverse(Members)) {
      auto isInside = [&](Operation *User) { return Inside.contains(User); };
      if (Op == L.Result.getDefiningOp() ||
          llvm::all_of(Op->getUsers(), isInside))
        continue;
      Operation *Own = OpBuilder(Op).clone(*Op);
      Op->replaceUsesWithIf(Own->getResults(), [&](OpOperand &Use) {
        return isInside(Use.getOwner());
      });
      Inside.erase(Op);
      Inside.insert(Own);
      Op = Own;
    }
    L.Members.insert(Members.begin(), Members.end());
  }
}

Placement::Placement(Block &Body, scheduling::Machine &Machine,
                     ArrayRef<accel::RefusalAttr> Refused,
                     DictionaryAttr Wanted)
    : Body(Body), Set(findCandidates(Body, Machine.layout().blockMax)),
      L(Machine.layout()) {
  applyRefusals(Set, Refused);
  if (Wanted)
    applyWishes(Set, Wanted);
  choosePlaces(Set, Machine);
  ownMembers();
  auto isReturned = [&](Operation &Op) {
    return llvm::is_contained(Op.getUsers(), Body.getTerminator());
  };
  for (Operation &Op : Body.without_terminator())
    Places[&Op] =
        Op.getNumResults() && isConstant(Op.getResult(0)) && !isReturned(Op)
            ? Place::Constant
        : isBorderCandidate(&Op) ? Place::Border
                                 : Place::Host;
  Places[Body.getTerminator()] = Place::Host;
  for (const Candidate &L : Set.Candidates) {
    Results.insert(L.Result);
    for (Operation *Op : L.Members)
      Places[Op] = Place::Accelerator;
  }
  findBorder();
  findStages();
}

/// Whether packing or unpacking can do what `Op` does for all its users.
bool Placement::staysAtBorder(Operation *Op) {
  auto Through = [&](Operation *O) { return onBorder(O); };
  Value V = Op->getResult(0);
  bool FromLayer = isLayerResult(borderRoot(V, Through));
  for (Operation *User : readersIn(Body, V)) {
    Place At = Places.lookup(User);
    if (At == Place::Border)
      continue;
    bool ToLayer = At == Place::Accelerator;
    if (ToLayer && FromLayer && !isCarried(V, Through, L))
      return false;
    if (ToLayer && !FromLayer && !describePack(V, Through))
      return false;
    if (!ToLayer && (!FromLayer || !describeUnpack(V, Through)))
      return false;
  }
  return true;
}

void Placement::findBorder() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Operation &Op : Body) {
      if (!onBorder(&Op) || staysAtBorder(&Op))
        continue;
      Places[&Op] = Place::Host;
      Changed = true;
    }
  }
}

void Placement::findStages() {
  for (Operation &Op : Body.without_terminator()) {
    Place At = Places.lookup(&Op);
    int Stage = 0;
    for (Value V : readBy(&Op))
      if (Operation *Source = V.getDefiningOp())
        Stage = std::max(Stage, stageOf(Source));
    // Host work that needs no layer stands before the first layer.
    bool Even = Stage % 2 == 0;
    if (At == Place::Host && Even)
      ++Stage;
    if (At == Place::Accelerator && (!Even || !Stage))
      Stage += Stage ? 1 : 2;
    Stages[&Op] = Stage;
  }
  // All members of a layer run where its last one does.
  for (const Candidate &L : Set.Candidates)
    for (Operation *Op : L.Members)
      Stages[Op] = Stages.lookup(L.Result.getDefiningOp());
}
