//===- MatrixProduct.cpp - Gemm, MatMul and their integer forms -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "ElementTypes.h"
#include "PerChannel.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

/// A product over the last axis of `Input` with a two-dimensional constant,
/// stored as outputs x depth when `IsTransposed`.  Without bias and scales.
static FailureOr<Contraction>
product(Importer &I, const Node &N, const Stored &Input, int64_t InputZeroPoint,
        const ConstantWeights &Weights, bool IsTransposed) {
  Shape Dims = Input.shape();
  ArrayRef<int64_t> From = Weights.Integers.shape();
  if (From.size() != 2 || Dims.empty() || Weights.Integers.size() == 0 ||
      From[IsTransposed ? 1 : 0] != Dims.back())
    return N.error() << "a matrix of " << describe(From)
                     << (IsTransposed ? ", transposed," : "")
                     << " does not fit an input of " << describe(Dims);
  int64_t Outputs = From[IsTransposed ? 0 : 1], Depth = Dims.back();
  Contraction C;
  C.Input = Input;
  C.InputZeroPoint = InputZeroPoint;
  C.WeightShape = {Outputs, 1, 1, Depth};
  C.WeightZeroPoint = Weights.ZeroPoint;
  const std::vector<int8_t> Held = Weights.held();
  for (int64_t Output = 0; Output < Outputs; ++Output)
    for (int64_t K = 0; K < Depth; ++K)
      C.Weights.push_back(
          Held[IsTransposed ? Output * Depth + K : K * Outputs + Output]);
  return C;
}

static Real resultOf(Importer &I, const Node &N, const Contraction &C) {
  Shape Dims = C.Input.shape();
  Dims.back() = C.Bias.size();
  Real Result{C, Dims};
  Result.Places.push_back(N.location());
  return Result;
}

/// Whether input `Index` is computed, not a constant of the file.
static bool isComputed(Importer &I, const Node &N, int Index) {
  const Tensor *Found = N.hasInput(Index) ? I.input(N, Index) : nullptr;
  return Found && (std::holds_alternative<Stored>(*Found) ||
                   std::holds_alternative<Real>(*Found));
}

/// The product of two computed operands of at least two dimensions. Leading
/// dimensions are those of the left one, and of the right one unless one matrix
/// serves all. Without scale and zero points; `Dims` receives the result's.
static FailureOr<Product> computedProduct(const Node &N, const Stored &Left,
                                          const Stored &Right, Shape &Dims) {
  Shape From = Left.shape(), By = Right.shape();
  bool AreMatrices = From.size() > 1 && By.size() > 1;
  ArrayRef<int64_t> Leading =
      AreMatrices ? ArrayRef(From).drop_back(2) : ArrayRef<int64_t>();
  ArrayRef<int64_t> RightLeading =
      AreMatrices ? ArrayRef(By).drop_back(2) : ArrayRef<int64_t>();
  bool IsShared =
      llvm::all_of(RightLeading, [](int64_t Dim) { return Dim == 1; }) &&
      RightLeading.size() <= Leading.size();
  bool IsEmpty = llvm::is_contained(From, 0) || llvm::is_contained(By, 0);
  if (!AreMatrices || From.back() != By[By.size() - 2] ||
      (!IsShared && Leading != RightLeading) || IsEmpty)
    return N.error() << "a product of activations of " << describe(From)
                     << " and " << describe(By)
                     << ": supported are matrices with the same leading "
                        "dimensions, or one right matrix for all";
  Product P;
  P.Left = Left, P.Right = Right;
  P.Depth = From.back(), P.Columns = By.back();
  P.Rows = From[From.size() - 2];
  P.Batch = *elementCount(Leading);
  if (IsShared)
    P.Rows *= std::exchange(P.Batch, 1);
  Dims = From;
  Dims.back() = P.Columns;
  return P;
}

/// The same between dequantised tensors, times `Factor`.
static LogicalResult defineProduct(Importer &I, const Node &N,
                                   const Quantized &Left,
                                   const Quantized &Right, double Factor) {
  Shape Dims;
  FailureOr<Product> P = computedProduct(N, Left.Tensor, Right.Tensor, Dims);
  if (failed(P))
    return failure();
  P->LeftZeroPoint = Left.ZeroPoint, P->RightZeroPoint = Right.ZeroPoint;
  P->Scale = Left.Scale * Right.Scale * Factor;
  Real Result{*P, Dims};
  Result.Places.push_back(N.location());
  return I.define(N, Result);
}

/// Gemm of two activations.
static LogicalResult multiply(Importer &I, const Node &N, const Quantized &Left,
                              double Alpha, bool IsTransposed) {
  FailureOr<Quantized> Right = I.quantized(N, 1);
  if (failed(Right))
    return failure();
  Order &Axes = Right->Tensor.Axes;
  if (Left.Tensor.Axes.size() != 2 || Axes.size() != 2)
    return N.error() << "its inputs have " << Left.Tensor.Axes.size() << " and "
                     << Axes.size() << " dimensions, expected two matrices";
  if (N.hasInput(2))
    return N.error() << "a product of two activations with a bias is not "
                        "supported";
  if (IsTransposed)
    std::swap(Axes[0], Axes[1]);
  return defineProduct(I, N, Left, *Right, Alpha);
}

/// The bias of a Gemm broadcasts to the result: one of a column has a value a
/// row.
static LogicalResult setRowBias(Importer &I, const Node &N, Contraction &C) {
  if (failed(setRealBias(I, N, 2, C)))
    return failure();
  Shape Dims = N.hasInput(2) ? constantShape(*I.input(N, 2)) : Shape();
  if (!isPerChannel(Dims, C.Input.Axes.size(), C.Input.Axes.size() - 1))
    return N.error() << "the bias '" << N.inputName(2) << "' is of "
                     << describe(Dims)
                     << ": a layer adds one value, or one an output channel";
  return success();
}

LogicalResult tenon::frontend::buildGemm(Importer &I, const Node &N) {
  auto TransA = N.integer("transA", 0);
  auto TransB = N.integer("transB", 0);
  auto Alpha = N.real("alpha", 1);
  auto Beta = N.real("beta", 1);
  if (failed(TransA) || failed(TransB) || failed(Alpha) || failed(Beta))
    return failure();
  if (*TransA != 0 || !(*Alpha > 0) || !std::isfinite(*Alpha) ||
      (*Beta != 1 && N.hasInput(2)))
    return N.error() << "transA " << *TransA << ", alpha " << *Alpha
                     << ", beta " << *Beta
                     << ": supported are transA 0, a positive alpha and beta 1";
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
  if (isComputed(I, N, 1))
    return multiply(I, N, *Input, *Alpha, *TransB != 0);
  FailureOr<ConstantWeights> Weights =
      dequantizedWeights(I, N, 1, *TransB ? 0 : 1);
  if (failed(Weights))
    return failure();
  FailureOr<Contraction> C =
      product(I, N, Input->Tensor, Input->ZeroPoint, *Weights, *TransB != 0);
  if (failed(C) || failed(setScales(*C, *Weights, Input->Scale * *Alpha)) ||
      failed(setRowBias(I, N, *C)))
    return failure();
  return I.define(N, resultOf(I, N, *C));
}

LogicalResult tenon::frontend::buildMatMul(Importer &I, const Node &N) {
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
  if (isComputed(I, N, 1)) {
    FailureOr<Quantized> Right = I.quantized(N, 1);
    return failed(Right) ? failure()
                         : defineProduct(I, N, *Input, *Right, /*Factor=*/1);
  }
  FailureOr<ConstantWeights> Weights = dequantizedWeights(I, N, 1, 1);
  if (failed(Weights))
    return failure();
  FailureOr<Contraction> C =
      product(I, N, Input->Tensor, Input->ZeroPoint, *Weights, false);
  if (failed(C) || failed(setScales(*C, *Weights, Input->Scale)))
    return failure();
  return I.define(N, resultOf(I, N, *C));
}

/// The held zero point of an activation at input `Index`, 0 in the ONNX type
/// when absent.
static FailureOr<int64_t> activationZeroPoint(Importer &I, const Node &N,
                                              int Index, const Stored &Input) {
  int64_t Offset = Input.IsUnsigned ? 128 : 0;
  if (!N.hasInput(Index))
    return -Offset;
  std::optional<TensorData> Zero = I.constant(N, Index);
  if (!Zero)
    return failure();
  Type Element = I.Emit.byte(Input.IsUnsigned);
  if (Zero->size() != 1 || Zero->elementType() != Element)
    return N.error() << "the zero point '" << N.inputName(Index) << "' has "
                     << Zero->size() << " values of "
                     << describeType(Zero->elementType())
                     << ", expected one of " << describeType(Element);
  return Zero->integer(0) - Offset;
}

LogicalResult tenon::frontend::buildMatMulInteger(Importer &I, const Node &N) {
  FailureOr<Stored> Input = I.stored(N, 0);
  if (failed(Input))
    return failure();
  FailureOr<int64_t> Zero = activationZeroPoint(I, N, 2, *Input);
  if (failed(Zero))
    return failure();
  if (isComputed(I, N, 1)) {
    FailureOr<Stored> Right = I.stored(N, 1);
    if (failed(Right))
      return failure();
    FailureOr<int64_t> RightZero = activationZeroPoint(I, N, 3, *Right);
    if (failed(RightZero))
      return failure();
    Shape Dims;
    FailureOr<Product> P = computedProduct(N, *Input, *Right, Dims);
    if (failed(P))
      return failure();
    P->LeftZeroPoint = *Zero, P->RightZeroPoint = *RightZero;
    Real Result{*P, Dims};
    Result.Places.push_back(N.location());
    Result.IsInteger = true;
    return I.define(N, Result);
  }
  FailureOr<ConstantWeights> Weights = integerWeights(I, N, 1, 3, 1);
  if (failed(Weights))
    return failure();
  FailureOr<Contraction> C = product(I, N, *Input, *Zero, *Weights, false);
  if (failed(C) || failed(setScales(*C, *Weights, 1)))
    return failure();
  Real Result = resultOf(I, N, *C);
  Result.IsInteger = true;
  return I.define(N, Result);
}

/// Scale and zero point at inputs `Index` + 1 and + 2 of the activation
/// `Tensor` at `Index`.
static FailureOr<QuantizedType> typeOf(Importer &I, const Node &N, int Index,
                                       const Stored &Tensor) {
  FailureOr<QuantizedType> Type = I.quantizedType(N, Index + 1);
  if (succeeded(Type) && Type->IsUnsigned != Tensor.IsUnsigned)
    return N.error() << "the input's zero point has another type than the "
                        "input";
  return Type;
}

/// QLinearMatMul of two activations.
static LogicalResult requantizeProduct(Importer &I, const Node &N,
                                       const Stored &Left,
                                       const QuantizedType &From,
                                       const QuantizedType &To) {
  FailureOr<Stored> Right = I.stored(N, 3);
  if (failed(Right))
    return failure();
  FailureOr<QuantizedType> By = typeOf(I, N, 3, *Right);
  if (failed(By))
    return failure();
  Shape Dims;
  FailureOr<Product> P = computedProduct(N, Left, *Right, Dims);
  if (failed(P))
    return failure();
  P->LeftZeroPoint = From.ZeroPoint, P->RightZeroPoint = By->ZeroPoint;
  P->Scale = From.Scale * By->Scale;
  P->HasFloatFactor = true;
  return I.requantize(N, Real{*P, Dims}, To);
}

LogicalResult tenon::frontend::buildQLinearMatMul(Importer &I, const Node &N) {
  FailureOr<Stored> Input = I.stored(N, 0);
  if (failed(Input))
    return failure();
  FailureOr<QuantizedType> From = typeOf(I, N, 0, *Input);
  if (failed(From))
    return failure();
  FailureOr<QuantizedType> To = I.quantizedType(N, 6);
  if (failed(To))
    return failure();
  if (isComputed(I, N, 3))
    return requantizeProduct(I, N, *Input, *From, *To);
  FailureOr<ConstantWeights> Weights = storedWeights(I, N, 3, 1);
  if (failed(Weights))
    return failure();
  FailureOr<Contraction> C =
      product(I, N, *Input, From->ZeroPoint, *Weights, false);
  if (failed(C) || failed(setScales(*C, *Weights, From->Scale)))
    return failure();
  C->HasFloatFactor = true;
  Real Result = resultOf(I, N, *C);
  Result.Places.clear();
  return I.requantize(N, Result, *To);
}
