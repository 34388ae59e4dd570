//===- Placement.h - Where every operation of a block runs ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_PLACEMENT_H
#define TENON_LIB_TRANSFORMS_PLACEMENT_H

#include "tenon/Scheduling/Machine.h"
#include "tenon/Transforms/Candidates.h"

namespace tenon {

/// Turns down candidates that something behind an earlier placement refused.
void applyRefusals(CandidateSet &Set, llvm::ArrayRef<accel::RefusalAttr> Given);

/// Turns down candidates of which a node is wanted on the CPU, and marks those
/// with nodes that are wanted on the accelerator. `Wanted`: places of nodes by
/// name.
void applyWishes(CandidateSet &Set, mlir::DictionaryAttr Wanted);

/// Keeps those candidates of a block that the accelerator takes: they fit it,
/// and with them there and the others on the host the network takes the least
/// time, what crosses the border included, or they are wanted there. The
/// others join the refusals, with
/// the reason.
void choosePlaces(CandidateSet &Set, scheduling::Machine &Machine);

enum class Place { Accelerator, Border, Host, Constant };

/// Where every operation of one block runs.
class Placement {
public:
  /// `Refused`: what must not be placed on the accelerator. `Wanted`: where
  /// nodes are wanted, by name; null where nobody said.
  Placement(mlir::Block &Body, scheduling::Machine &Machine,
            llvm::ArrayRef<accel::RefusalAttr> Refused,
            mlir::DictionaryAttr Wanted);

  /// The nodes that are wanted on the accelerator and have no operation there,
  /// each with one that it has.
  llvm::SmallVector<std::pair<mlir::StringAttr, mlir::Operation *>>
  unmetWishes(mlir::DictionaryAttr Wanted) const;

  Place placeOf(mlir::Operation *Op) const { return Places.lookup(Op); }
  /// The number of alternations between accelerator and host along the data
  /// flow before an operation: layers have even numbers, host operations odd
  /// ones.
  int stageOf(mlir::Operation *Op) const { return Stages.lookup(Op); }
  void setStage(mlir::Operation *Op, int Stage) { Stages[Op] = Stage; }

  mlir::Block &Body;
  CandidateSet Set;

private:
  void ownMembers();
  void findBorder();
  void findStages();
  bool staysAtBorder(mlir::Operation *Op);
  bool isLayerResult(mlir::Value V) const { return Results.contains(V); }
  bool onBorder(mlir::Operation *Op) const {
    return placeOf(Op) == Place::Border;
  }

  const isa::Layout &L;
  llvm::DenseMap<mlir::Operation *, Place> Places;
  llvm::DenseMap<mlir::Operation *, int> Stages;
  llvm::DenseSet<mlir::Value> Results;
};

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_PLACEMENT_H
