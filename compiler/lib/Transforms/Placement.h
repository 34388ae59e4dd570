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

/// Keeps those candidates of a block that the accelerator takes: they fit it,
/// and with them there and the others on the host the network takes the least
/// time, what crosses the border included. The others join the refusals, with
/// the reason.
void choosePlaces(CandidateSet &Set, scheduling::Machine &Machine);

enum class Place { Accelerator, Border, Host, Constant };

/// Where every operation of one block runs.
class Placement {
public:
  /// `Refused`: what must not be placed on the accelerator.
  Placement(mlir::Block &Body, scheduling::Machine &Machine,
            llvm::ArrayRef<accel::RefusalAttr> Refused);

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

  llvm::DenseMap<mlir::Operation *, Place> Places;
  llvm::DenseMap<mlir::Operation *, int> Stages;
  llvm::DenseSet<mlir::Value> Results;
};

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_PLACEMENT_H
