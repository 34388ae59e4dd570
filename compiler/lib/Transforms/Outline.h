//===- Outline.h - Move operations into functions ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_OUTLINE_H
#define TENON_LIB_TRANSFORMS_OUTLINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace tenon {

/// Values from outside that an operation of a block reads, what its regions
/// capture included.
llvm::SetVector<mlir::Value> readBy(mlir::Operation *Op);

/// The operations of `Block` that read `V`, or whose regions do.
llvm::SmallVector<mlir::Operation *> readersIn(mlir::Block &Block,
                                               mlir::Value V);

/// Whether `Op` makes a tensor to overwrite: it is empty, or one scalar
/// everywhere.  To pass it on would cost more than to make it.
bool isDestination(mlir::Operation *Op);

/// Operations of one block that become one function.
struct HostGroup {
  llvm::SmallVector<mlir::Operation *> Ops; ///< in program order
  /// Those, and others before them that are computed for them once more: what
  /// makes scalars, as a function has tensors at its border alone, and what
  /// makes tensors to overwrite.
  llvm::SmallVector<mlir::Operation *> Computed;
  llvm::SetVector<mlir::Value> Inputs;    ///< tensors that others compute
  llvm::SmallVector<mlir::Value> Results; ///< tensors that others read

  /// Whether a function of it would have anything to do.
  bool isNeeded() const;
};

/// Fills `Computed`, `Inputs` and `Results` of groups that share no operation.
void connect(llvm::MutableArrayRef<HostGroup> Groups);

/// Moves groups of operations of one function into private functions; constants
/// are copied into each.
class Outliner {
public:
  Outliner(mlir::func::FuncOp Main, llvm::ArrayRef<HostGroup> Groups);

  /// A call of a new function `Name` that computes the results of `Group` by
  /// clones replaces those values where no group reads them.
  mlir::func::CallOp outline(std::string Name, const HostGroup &Group);

  /// What now stands for a value: a call's result for one that has moved.
  mlir::Value replacement(mlir::Value V) const {
    mlir::Value New = Moved.lookup(V);
    return New ? New : V;
  }

  /// The function outlined last.
  mlir::func::FuncOp function() const { return Function; }

  /// Erases the groups' operations and what nothing uses any more, and sorts
  /// the block by `stage`, stably; no operation may have a lower stage than one
  /// it uses.
  void finish(llvm::function_ref<int(mlir::Operation *)> stage);

private:
  mlir::func::FuncOp Main, Function;
  llvm::SetVector<mlir::Operation *> Grouped;
  llvm::DenseMap<mlir::Value, mlir::Value> Moved;
};

/// Erases operations whose results nothing uses, from the last to the first.
void eraseDead(mlir::Block &Body);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_OUTLINE_H
