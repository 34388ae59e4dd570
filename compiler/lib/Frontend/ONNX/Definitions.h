//===- Definitions.h - Operators as functions of others ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Two sources define operators by others: ONNX's own schemas, and here a table
// for operators of other domains.  A definition of the table writes the body
// for one node, in ONNX's text form: it knows the attributes and which inputs
// there are, so the body says them plainly.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_DEFINITIONS_H
#define TENON_LIB_FRONTEND_ONNX_DEFINITIONS_H

#include "onnx/onnx_pb.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/Support/FormatVariadic.h"

namespace tenon::frontend {

/// The body that is written for one node.
class Definition {
public:
  Definition(onnx::Node N, llvm::ArrayRef<llvm::StringRef> Inputs)
      : N(N), Inputs(Inputs) {}

  const onnx::Node N;

  /// Begins a diagnostic at the node.
  mlir::InFlightDiagnostic error() const { return N.error(); }

  /// Whether the node has the input of this name.
  bool has(llvm::StringRef Input) const;
  /// Whether somebody asks for output `Index`.
  bool wants(int64_t Index) const;
  /// The type of an input; null where it is not known as ranked.
  mlir::RankedTensorType type(llvm::StringRef Input) const;
  /// The constant that an input is.
  std::optional<onnx::TensorData> constant(llvm::StringRef Input) const;

  /// The names that are held by a formal input that stands for many.
  llvm::ArrayRef<llvm::StringRef> inputs() const { return Inputs; }

  /// A statement: `y = Add (a, b)`.
  void write(const llvm::Twine &Statement);
  /// The same of an operator or call, to a new name, which is the result.
  std::string let(const llvm::Twine &Call);
  /// Constants: a list, a scalar, and one of the element type of `Like`.
  std::string integers(llvm::ArrayRef<int64_t> Values);
  std::string scalar(int64_t Value);
  std::string real(double Value);
  std::string realLike(double Value, llvm::StringRef Like);

  /// The node's own attributes of these names, as ` <a : int = 1>`; empty where
  /// it has none.  `More` stands in front.
  std::string attributes(llvm::ArrayRef<llvm::StringRef> Named,
                         llvm::StringRef More = "") const;
  /// Fails, with a diagnostic, where an attribute or input says what the
  /// definition does not cover.
  mlir::LogicalResult refuse(llvm::ArrayRef<llvm::StringRef> Inputs) const;

  const std::string &body() const { return Body; }

private:
  llvm::ArrayRef<llvm::StringRef> Inputs;
  std::string Body;
  int64_t Names = 0;
};

/// An operator of a domain of its own.
struct DefinedOperator {
  llvm::StringLiteral Domain, Name;
  /// Names, in order, apart by spaces; a last input `x...` stands for all that
  /// the node has from there on: x0, x1 and so on.
  llvm::StringLiteral Inputs, Outputs;
  /// Writes the body; fails with a diagnostic.
  mlir::LogicalResult (*Write)(Definition &D);
};

// The tables, each in the file of its name (Definitions/).
llvm::ArrayRef<DefinedOperator> activationDefinitions();
llvm::ArrayRef<DefinedOperator> attentionDefinitions();
llvm::ArrayRef<DefinedOperator> normalizationDefinitions();
llvm::ArrayRef<DefinedOperator> otherDefinitions();
llvm::ArrayRef<DefinedOperator> productDefinitions();
llvm::ArrayRef<DefinedOperator> quantizedDefinitions();

/// The function that defines the operator of `Op`, for this node: `Found` stays
/// false where nothing defines it.  Fails with a diagnostic.
mlir::LogicalResult define(onnx::NodeOp Op, ::onnx::FunctionProto &Function,
                           bool &Found);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_DEFINITIONS_H
