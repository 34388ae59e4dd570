//===- Upgrade.h - Rewriting old forms of operators -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_UPGRADE_H
#define TENON_LIB_FRONTEND_ONNX_UPGRADE_H

#include "mlir/IR/Builders.h"
#include "tenon/Dialect/ONNX/Node.h"

namespace tenon::frontend {

/// One node on its way to a newer form.
class Upgrade {
public:
  explicit Upgrade(onnx::NodeOp Op) : Op(Op), View(Op), B(Op) {}

  /// Takes the attribute away; null where the node has none.
  mlir::Attribute take(llvm::StringRef Name);
  void drop(llvm::ArrayRef<llvm::StringRef> Names);
  void set(llvm::StringRef Name, mlir::Attribute Value);

  /// Input `Index` becomes `Of`; inputs before it that the node lacks are left
  /// out.
  void setInput(int64_t Index, mlir::Value Of);
  /// Attribute `Name`, a list of integers or one, becomes input `Index`.
  mlir::LogicalResult integersToInput(llvm::StringRef Name, int64_t Index);
  /// Attribute `Name`, a float, becomes input `Index`, a scalar of the element
  /// type of input 0.
  mlir::LogicalResult realToInput(llvm::StringRef Name, int64_t Index);

  mlir::Value integers(llvm::ArrayRef<int64_t> Values, llvm::StringRef Name);
  /// A scalar.
  mlir::Value integer(int64_t Value, llvm::StringRef Name);
  mlir::Value reals(mlir::RankedTensorType Type, llvm::ArrayRef<double> Values,
                    llvm::StringRef Name);
  /// A new node of ai.onnx before this one (after it: `IsBehind`), called after
  /// it and `Name`.
  mlir::Value node(llvm::StringRef Operator, int64_t Opset,
                   mlir::ValueRange Inputs, mlir::Type Type,
                   llvm::ArrayRef<mlir::NamedAttribute> Attributes,
                   llvm::StringRef Name, bool IsBehind = false);
  /// The same with a result a type.
  mlir::ResultRange nodes(llvm::StringRef Operator, int64_t Opset,
                          mlir::ValueRange Inputs, mlir::TypeRange Types,
                          llvm::ArrayRef<mlir::NamedAttribute> Attributes,
                          llvm::StringRef Name, bool IsBehind = false);

  onnx::NodeOp Op;
  onnx::Node View;
  mlir::OpBuilder B;

private:
  std::string nameFor(llvm::StringRef Name);
  mlir::Value integers(mlir::RankedTensorType Type,
                       llvm::ArrayRef<int64_t> Values, llvm::StringRef Name);
};

/// An old form: nodes of `Operator` below version `Becomes` get that form.  A
/// node for which `Rewrite` fails stays as it was.
struct OldForm {
  llvm::StringLiteral Operator;
  int64_t Becomes;
  mlir::LogicalResult (*Rewrite)(Upgrade &U);
};

/// Rewrites a node, or leaves it as it was.
void upgrade(onnx::NodeOp Op, const OldForm &Form);

// By what they concern: attributes, meaning, shapes.
mlir::LogicalResult upgradeClip(Upgrade &U);
mlir::LogicalResult upgradePad2(Upgrade &U);
mlir::LogicalResult upgradePad11(Upgrade &U);
mlir::LogicalResult upgradeSlice(Upgrade &U);
mlir::LogicalResult upgradeDropout(Upgrade &U);
mlir::LogicalResult upgradeAxes(Upgrade &U);
mlir::LogicalResult upgradeReshape(Upgrade &U);
mlir::LogicalResult upgradeSplit(Upgrade &U);
mlir::LogicalResult upgradeTopK(Upgrade &U);
mlir::LogicalResult upgradeScatter(Upgrade &U);
mlir::LogicalResult upgradeUpsample9(Upgrade &U);
mlir::LogicalResult upgradeUpsample(Upgrade &U);
mlir::LogicalResult upgradeResize(Upgrade &U);
mlir::LogicalResult upgradeSoftmax(Upgrade &U);
mlir::LogicalResult upgradeBatchNormalization(Upgrade &U);
mlir::LogicalResult upgradeCast(Upgrade &U);
mlir::LogicalResult upgradeGemm(Upgrade &U);
mlir::LogicalResult upgradeBinary(Upgrade &U);
mlir::LogicalResult upgradeSlope(Upgrade &U);
mlir::LogicalResult upgradeDFT(Upgrade &U);
mlir::LogicalResult upgradeGroupNormalization(Upgrade &U);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_UPGRADE_H
