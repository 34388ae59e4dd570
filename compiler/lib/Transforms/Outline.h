//===- Outline.h - Move operations into functions ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_OUTLINE_H
#define TENON_LIB_TRANSFORMS_OUTLINE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace tenon {

/// Moves groups of operations of one function into private functions; constants
/// are copied into each.
class Outliner {
public:
  explicit Outliner(mlir::func::FuncOp Main) : Main(Main) {}

  /// A call of a new function `Name` that computes `Results` by clones of
  /// `Ops` (in program order) replaces those values in the rest of the
  /// function.
  mlir::func::CallOp outline(std::string Name,
                             llvm::ArrayRef<mlir::Operation *> Ops,
                             llvm::ArrayRef<mlir::Value> Results);

  /// What now stands for a value: a call's result for one that has moved.
  mlir::Value replacement(mlir::Value V) const {
    mlir::Value New = Moved.lookup(V);
    return New ? New : V;
  }

  /// The function outlined last.
  mlir::func::FuncOp function() const { return Function; }

  /// Erases what nothing uses any more and sorts the block by `stage`, stably;
  /// no operation may have a lower stage than one it uses.
  void finish(llvm::function_ref<int(mlir::Operation *)> stage);

private:
  mlir::func::FuncOp Main, Function;
  llvm::DenseMap<mlir::Value, mlir::Value> Moved;
};

/// Values that operations outside of the group use.
llvm::SmallVector<mlir::Value> escaping(llvm::ArrayRef<mlir::Operation *> Ops);

/// Erases operations whose results nothing uses, from the last to the first.
void eraseDead(mlir::Block &Body);

/// Names of the ONNX nodes the operations came from, each once.
llvm::SmallVector<mlir::Attribute>
nodeNames(llvm::ArrayRef<mlir::Operation *> Ops);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_OUTLINE_H
