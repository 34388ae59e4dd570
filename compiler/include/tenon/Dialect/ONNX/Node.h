//===- Node.h - A convenient view of one node -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What a rewriting or a builder asks of an `onnx.node`.  Every getter that can
// fail has reported why, in a diagnostic at the node that names node, operator
// and what was asked for.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_DIALECT_ONNX_NODE_H
#define TENON_DIALECT_ONNX_NODE_H

#include "mlir/IR/Diagnostics.h"
#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Dialect/ONNX/TensorData.h"

namespace tenon::onnx {

class Node {
public:
  explicit Node(NodeOp Op) : Op(Op) {}

  NodeOp op() const { return Op; }
  mlir::Location location() const { return Op.getLoc(); }
  llvm::StringRef name() const { return Op.getName(); }
  llvm::StringRef operatorName() const { return Op.getOpType(); }
  /// Empty for ai.onnx.
  llvm::StringRef domain() const { return Op.getDomain(); }
  /// The version of the domain that the model imports.
  int64_t opset() const { return Op.getOpset(); }
  /// Whether this is `Operator` of ai.onnx.
  bool is(llvm::StringRef Operator) const;
  /// "Conv of ai.onnx, opset 13".
  std::string describe() const;
  /// Begins a diagnostic: "node 'x' (Conv of ai.onnx, opset 13): ".
  mlir::InFlightDiagnostic error() const;

  // Inputs.  An index beyond the last is an absent input.
  int64_t inputCount() const { return Op.getInputs().size(); }
  bool hasInput(int64_t Index) const { return bool(input(Index)); }
  /// Null where the input is absent.
  mlir::Value input(int64_t Index) const;
  /// Empty where the input is absent.
  llvm::StringRef inputName(int64_t Index) const;
  /// The value of input `Index` where the file holds it (an initializer, not
  /// sparse, or a Constant node's `value`).
  std::optional<TensorData> constant(int64_t Index) const;

  // Outputs.
  int64_t outputCount() const { return Op.getNumResults(); }
  mlir::Value output(int64_t Index) const { return Op.getResult(Index); }
  /// Empty where the output is left out.
  llvm::StringRef outputName(int64_t Index) const;

  // Attributes; `Default` where the node has none of that name.
  bool hasAttribute(llvm::StringRef Name) const;
  mlir::FailureOr<int64_t> integer(llvm::StringRef Name, int64_t Default) const;
  mlir::FailureOr<double> real(llvm::StringRef Name, double Default) const;
  mlir::FailureOr<std::string> string(llvm::StringRef Name,
                                      llvm::StringRef Default) const;
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  integers(llvm::StringRef Name, llvm::ArrayRef<int64_t> Default) const;
  mlir::FailureOr<llvm::SmallVector<double>>
  reals(llvm::StringRef Name, llvm::ArrayRef<double> Default) const;
  mlir::FailureOr<llvm::SmallVector<std::string>>
  strings(llvm::StringRef Name, llvm::ArrayRef<std::string> Default) const;
  /// Null where there is none, as below.
  mlir::FailureOr<mlir::ElementsAttr> tensor(llvm::StringRef Name) const;
  mlir::FailureOr<mlir::Type> type(llvm::StringRef Name) const;
  /// The body that the attribute holds; null where there is none.
  mlir::Region *graph(llvm::StringRef Name) const;

private:
  template <typename AttrT>
  mlir::FailureOr<AttrT> find(llvm::StringRef Name, Kind Expected) const;

  mutable NodeOp Op; // the accessors of operations are not const
};

/// What kind of attribute `Attribute` is.
Kind kindOf(mlir::Attribute Attribute);

/// ONNX's word for a kind: "INTS".
std::string describeKind(Kind Of);

/// The constant that `Value` is; none where it is computed.
std::optional<TensorData> constantOf(mlir::Value Value);

} // namespace tenon::onnx

#endif // TENON_DIALECT_ONNX_NODE_H
