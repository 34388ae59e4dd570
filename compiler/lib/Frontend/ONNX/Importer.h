//===- Importer.h - Walks an ONNX graph, emits TOSA -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_IMPORTER_H
#define TENON_LIB_FRONTEND_ONNX_IMPORTER_H

#include "Emitter.h"
#include "Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include <deque>

namespace tenon::frontend {

/// Scale and type of a quantised result.  ZeroPoint is in held (int8) values.
struct QuantizedType {
  double Scale;
  int64_t ZeroPoint;
  bool IsUnsigned;
};

/// The state of one import.  Operator builders (Registry.h) take what they need
/// through the accessors, which report what is wrong with the node, and end
/// with define().
class Importer {
public:
  Importer(const Graph &Source, mlir::MLIRContext *Context)
      : Emit(Context), Source(Source) {}

  /// Null after an error, which has been reported.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// Begins a diagnostic about `N`, located at it.
  mlir::InFlightDiagnostic error(const Node &N);
  mlir::Location locationOf(const Node &N);

  /// What input `Index` is; null with a diagnostic when it is absent.
  const Tensor *input(const Node &N, int Index);
  /// An integer activation (or int8 constant) of 8 bits.
  mlir::FailureOr<Stored> stored(const Node &N, int Index);
  /// A float tensor that is not constant.
  mlir::FailureOr<Real> real(const Node &N, int Index);
  /// A float tensor that is a dequantised one, its clamp applied.
  mlir::FailureOr<Quantized> quantized(const Node &N, int Index);
  /// A tensor whose values stand in the file; null with a diagnostic.
  const Constant *constant(const Node &N, int Index);
  /// The constant list of INT64 or INT32 at input `Index`; `Default` when it is
  /// absent.
  mlir::FailureOr<Shape> list(const Node &N, int Index,
                              llvm::ArrayRef<int64_t> Default);
  /// The values of a constant float tensor, dequantised or not.
  mlir::FailureOr<std::vector<double>> reals(const Node &N, int Index);
  /// Finite positive scales.
  mlir::FailureOr<std::vector<double>> scales(const Node &N, int Index);
  mlir::FailureOr<double> scale(const Node &N, int Index);
  /// Scale and zero point at `Scale` and `Scale + 1` of an 8-bit activation; an
  /// absent zero point is uint8's 0.
  mlir::FailureOr<QuantizedType> quantizedType(const Node &N, int Scale);

  /// Gives output `Index` its meaning; a size over MaxElements is an error.
  mlir::LogicalResult define(const Node &N, Tensor Value, int Index = 0);
  /// Emits the integers of `Value` and defines the output.
  mlir::LogicalResult requantize(const Node &N, const Real &Value,
                                 const QuantizedType &Type);
  /// The float values of `Value`, computed.
  Computed dequantized(const Quantized &Value);
  /// Notes that `Tensor` is the ONNX tensor `Name`, unless it has a name.
  void mark(const Stored &Tensor, llvm::StringRef Name,
            llvm::ArrayRef<int64_t> Dims);
  /// Keeps a constant that the importer computed.
  const Constant *keep(Constant Value);

  Emitter Emit;

private:
  mlir::LogicalResult defineInputs(mlir::Block &Body);
  mlir::FailureOr<Shape> inputShape(const Border &Input);
  mlir::LogicalResult build(const Node &N);
  mlir::FailureOr<mlir::Value> output(const Border &Output);
  mlir::FailureOr<mlir::Value> integerOutput(const Border &Output,
                                             const Stored &Value);

  const Graph &Source;
  llvm::StringMap<Tensor> Tensors;
  std::deque<Constant> Kept;
};

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_IMPORTER_H
