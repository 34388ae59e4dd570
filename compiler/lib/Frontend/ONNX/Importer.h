//===- Importer.h - Walks a graph of nodes, emits TOSA ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_IMPORTER_H
#define TENON_LIB_FRONTEND_ONNX_IMPORTER_H

#include "Border.h"
#include "Emitter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace tenon::frontend {

using onnx::Node;

/// ImportModel.h says what it holds.
inline constexpr llvm::StringLiteral TensorAttrName = "tenon.tensor";

/// The state of one import.  A node becomes part of an integer cluster where it
/// can: cluster builders (Registry.h) take what they need through the
/// accessors, which report what hinders them, and end with define().  Else it
/// is lowered by itself (Lower/Operators.h), on plain tensors; what a cluster
/// had promised and nobody quantised is lowered then, when it is asked for.  A
/// node without either leaves Unknown behind and the walk goes on: one run
/// reports every problem of the graph.
class Importer {
public:
  explicit Importer(onnx::GraphOp Source)
      : Emit(Source.getContext()), Source(Source) {}

  /// Null after an error, which has been reported.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// The node that is being built; none at the border.
  const std::optional<Node> &current() const { return Current; }

  /// What input `Index` is; null with a diagnostic when it is absent.
  const Tensor *input(const Node &N, int Index);
  /// An integer activation (or int8 constant) of 8 bits.
  mlir::FailureOr<Stored> stored(const Node &N, int Index);
  /// A float tensor that is not constant.
  mlir::FailureOr<Real> real(const Node &N, int Index);
  /// A float tensor that is a dequantised one, its clamp applied.
  mlir::FailureOr<Quantized> quantized(const Node &N, int Index);
  /// A tensor whose values stand in the file; none with a diagnostic.
  std::optional<TensorData> constant(const Node &N, int Index);
  /// The constant list of INT64 or INT32 at input `Index`; `Default` when it is
  /// absent.
  mlir::FailureOr<Shape> list(const Node &N, int Index,
                              llvm::ArrayRef<int64_t> Default);
  /// The values of a constant float tensor, dequantised or not.
  mlir::FailureOr<std::vector<double>> reals(const Node &N, int Index);
  /// Finite positive scales.
  mlir::FailureOr<std::vector<double>> scales(const Node &N, int Index);
  mlir::FailureOr<double> scale(const Node &N, int Index, int64_t Repeated = 1);
  /// Scale and zero point at `Scale` and `Scale + 1` of an 8-bit activation; an
  /// absent zero point is uint8's 0.  Both may stand `Repeated` times, all of
  /// them the same.
  mlir::FailureOr<QuantizedType> quantizedType(const Node &N, int Scale,
                                               int64_t Repeated = 1);

  /// Gives output `Index` its meaning; a size over MaxElements is an error.
  mlir::LogicalResult define(const Node &N, Tensor Value, int Index = 0);
  /// Emits the integers of `Value`, which are the ONNX tensor `Name`, if any.
  mlir::FailureOr<Stored> integersOf(const Node &N, const Real &Value,
                                     const QuantizedType &Type,
                                     llvm::StringRef Name);
  /// The same, and defines the output.
  mlir::LogicalResult requantize(const Node &N, const Real &Value,
                                 const QuantizedType &Type);
  /// The float values of `Value`, computed.
  Computed dequantized(const Quantized &Value);
  /// Notes that `Tensor` is the ONNX tensor `Name`, unless it has a name.
  void mark(const Stored &Tensor, llvm::StringRef Name,
            llvm::ArrayRef<int64_t> Dims);

  Emitter Emit;

private:
  // Importer.cpp: the walk.
  void defineInput(mlir::BlockArgument Input, mlir::func::FuncOp Main);
  void defineConstant(onnx::ConstantOp Constant);
  void buildNodes(mlir::Block &Nodes);
  mlir::LogicalResult build(const Node &N);
  void buildOrForget(const Node &N);
  bool readsUnknown(const Node &N) const;
  mlir::LogicalResult returnOutputs(onnx::YieldOp Yield,
                                    mlir::func::FuncOp Main);
  mlir::FailureOr<std::pair<mlir::Value, BorderType>>
  output(mlir::Value Of, llvm::StringRef Name, mlir::Type Declared);

  // LowerNodes.cpp: what no cluster takes.
  bool mayCluster(const Node &N) const;
  bool formCluster(const Node &N);
  mlir::LogicalResult lower(const Node &N);
  mlir::LogicalResult reportUnlessKnown(const Node &N);
  mlir::FailureOr<Plain> plain(mlir::Value Of);
  mlir::FailureOr<Plain> makePlain(mlir::Value Of);
  mlir::FailureOr<std::vector<Plain>> lowerBody(mlir::Region &Body,
                                                llvm::ArrayRef<Plain> Arguments,
                                                mlir::Operation *Around);

  onnx::GraphOp Source;
  llvm::DenseMap<mlir::Value, Tensor> Tensors;
  /// The plain form of what is held otherwise, where somebody asked for it.
  llvm::DenseMap<mlir::Value, Plain> PlainForms;
  /// Nodes whose bodies are being lowered, from the outermost.
  llvm::SmallVector<mlir::Operation *> Enclosing;
  /// Why nodes are in no integer cluster, by their names.
  llvm::StringMap<std::string> Refusals;
  std::optional<Node> Current;
  bool Failed = false;
};

/// Whether import has something for the operator of `N`, in a cluster or by
/// itself.
bool isSupported(const Node &N);

/// `Axis` counted from the front; reports one outside of [-Rank, Rank).
mlir::FailureOr<int64_t> normalizedAxis(const Node &N, int64_t Axis,
                                        int64_t Rank);

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_IMPORTER_H
