//===- Tensor.h - What an ONNX tensor is during import ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Integer tensors are TOSA values.  A float tensor between a Dequantize and a
// Quantize is not computed: it stays a description, and the Quantize, which
// knows the result's scale, emits integer TOSA for the whole cluster.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_FRONTEND_ONNX_TENSOR_H
#define TENON_LIB_FRONTEND_ONNX_TENSOR_H

#include "Lower/Lowering.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "tenon/Dialect/ONNX/TensorData.h"
#include <cmath>
#include <variant>

namespace tenon::frontend {

using onnx::TensorData;
using Shape = llvm::SmallVector<int64_t, 4>;

/// Most elements that a tensor may have.
constexpr int64_t MaxElements = int64_t(1) << 31;

/// Most dimensions: each is a loop in a loop for everything behind import.
constexpr size_t MaxRank = 64;

/// The number of elements, or none when a dimension is negative, the product
/// exceeds MaxElements, or there are more dimensions than MaxRank.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> Shape);

/// Whether the extents that are known are too many or too large together,
/// whatever the open ones are.
bool isTooLarge(llvm::ArrayRef<int64_t> Shape);

/// "1x3x32x32", "scalar".
std::string describe(llvm::ArrayRef<int64_t> Shape);

/// Axis i of the ONNX tensor is axis order[i] of the TOSA value.
using Order = llvm::SmallVector<int64_t, 4>;

Order identityOrder(int64_t Rank);
/// The order of an NHWC value of an NCHW tensor.
Order nhwcOrder();
/// The order of an NWC value of an NCW tensor.
Order nwcOrder();

/// Scale and type of a quantised result.  ZeroPoint is in held (int8) values.
struct QuantizedType {
  double Scale;
  int64_t ZeroPoint;
  bool IsUnsigned;
};

/// A tensor that TOSA holds.  uint8 is held as value - 128 in int8.
struct Stored {
  mlir::Value Value;
  Order Axes;
  bool IsUnsigned = false;
  /// What its integers stand for, where an operator quantised it.
  std::optional<QuantizedType> Type = std::nullopt;

  /// The ONNX shape.
  Shape shape() const;
};

/// scale * (tensor - zero point), with the zero point in the held (int8)
/// values.
struct Quantized {
  Stored Tensor;
  double Scale;
  int64_t ZeroPoint;
};

/// A two-dimensional window; every pair is (y, x), pads are top, bottom, left,
/// right.  Divisible as TOSA demands: (extent + pads - window) by the stride.
struct Window {
  llvm::SmallVector<int64_t, 2> Kernel, Stride, Dilation;
  llvm::SmallVector<int64_t, 4> Pad;
  /// What of the input is read: smaller than the input where there was no end
  /// padding to trim.
  llvm::SmallVector<int64_t, 2> InputSize, OutputSize;
  /// Every window lies inside of the input.
  bool Unpadded = true;
  /// ceil_mode added windows that reach beyond the padding in the file.
  bool ExtendsPad = false;
};

/// A convolution or matrix product with constant weights and its 32-bit bias;
/// element o of its result is Scales[o] * accumulator.
struct Contraction {
  /// The convolution of a phase, instead of the contraction's weights and
  /// window.
  struct Phase {
    std::vector<int8_t> Weights;
    Shape WeightShape;
    Window Win;
  };

  Stored Input;
  int64_t InputZeroPoint = 0;
  /// Convolution: O,KH,KW,I of a group; depthwise: KH,KW,C,M.
  std::vector<int8_t> Weights;
  Shape WeightShape;
  int64_t WeightZeroPoint = 0;
  std::vector<int64_t> Bias;  // one an output channel
  std::vector<double> Scales; // one an output channel
  bool IsDepthwise = false;
  int64_t Groups = 1; // of a convolution that is not depthwise
  /// Of an integer operator, whose sums onnxruntime multiplies by one float;
  /// the standard does not say in which arithmetic.  Between Dequantize and
  /// Quantize the sums are real numbers.
  bool HasFloatFactor = false;
  /// Absent: a matrix product over the last axis, weights O,1,1,I; depthwise: a
  /// tap for each channel of the last axis.
  std::optional<Window> Win;
  /// Of a transposed convolution, whose window has the stride of the result:
  /// pixels (i * Stride[0] + y, j * Stride[1] + x) are what the convolution at
  /// y * Stride[1] + x gives at (i, j).
  std::vector<Phase> Phases;
  /// Depthwise, of one tap that is the same for all channels, and wider than 8
  /// bits; 0: `Weights` has the taps.
  int32_t Factor = 0;
  /// Taps are the signs of factors, so that one step of the input is one of the
  /// sums: too few for a constant beside them.
  bool HasCoarseSteps = false;
};

/// Products of `Batch` pairs of matrices, Rows x Depth and Depth x Columns,
/// both computed; the result is Scale * accumulator.
struct Product {
  Stored Left, Right;
  int64_t LeftZeroPoint = 0, RightZeroPoint = 0;
  int64_t Batch = 1, Rows = 1, Depth = 1, Columns = 1;
  double Scale = 1;
  bool HasFloatFactor = false; // as of a contraction
};

/// Of two tensors that broadcast; a scale may be negative.
struct Addition {
  Quantized First, Second;
};

/// Element by element, of two tensors that broadcast.
struct Multiplication {
  Quantized First, Second;
};

struct Average {
  Quantized Input;
  Window Win;
  bool CountsPadding;
};

/// An axis whose element i lies at (i * Down + Offset) / Up of the input.
struct Grid {
  int64_t Up = 1, Down = 1, Offset = 0;
  int64_t Out = 1; ///< its elements
};

/// An image between the pixels of another, whose edges are repeated around it.
struct Interpolation {
  Quantized Input;
  Grid Rows, Columns;
};

struct Concatenation {
  std::vector<Quantized> Parts;
  int64_t Axis = 0; // of the ONNX shape
};

/// Float32 values that are computed.
struct Computed {
  Stored Tensor;
};

using Form =
    std::variant<Quantized, Contraction, Addition, Average, Concatenation,
                 Computed, Product, Multiplication, Interpolation>;

/// A float tensor: its form, clamped to [Low, High].
struct Real {
  Real(Form Value, Shape Dims)
      : Value(std::move(Value)), Dims(std::move(Dims)) {}

  Form Value;
  Shape Dims;
  double Low = -HUGE_VAL;
  double High = HUGE_VAL;
  /// Nodes of the cluster so far.
  llvm::SmallVector<mlir::Location> Places;
  /// It is still the int32 result of MatMulInteger, with scales of 1; Cast and
  /// Mul make it real.
  bool IsInteger = false;

  bool isClamped() const { return Low > -HUGE_VAL || High < HUGE_VAL; }
};

/// What a node could not compute, for a reason that has been reported: nobody
/// who reads it has a problem of their own.
struct Unknown {};

/// A constant integer tensor seen through a DequantizeLinear.
struct RealConstant {
  TensorData Integers;
  std::vector<double> Scales;      // one, or one an index of Axis
  std::vector<int64_t> ZeroPoints; // as Scales, in the ONNX type
  int64_t Axis = 0;

  double at(int64_t Index) const;
};

/// What a value of the graph is: something that integer clusters are formed of,
/// or, once no cluster can take it, a plain tensor.
using Tensor =
    std::variant<Unknown, Stored, Real, TensorData, RealConstant, Plain>;

} // namespace tenon::frontend

#endif // TENON_LIB_FRONTEND_ONNX_TENSOR_H
