//===- MatrixProduct.cpp - Gemm, MatMul and their integer forms -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Contractions.h"
#include "ElementTypes.h"
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
  for (int64_t Output = 0; Output < Outputs; ++Output)
    for (int64_t K = 0; K < Depth; ++K)
      C.Weights.push_back(Weights.held(IsTransposed ? Output * Depth + K
                                                    : K * Outputs + Output));
  return C;
}

static Real resultOf(Importer &I, const Node &N, const Contraction &C) {
  Shape Dims = C.Input.shape();
  Dims.back() = C.Bias.size();
  Real Result{C, Dims};
  Result.Places.push_back(N.location());
  return Result;
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
  FailureOr<ConstantWeights> Weights =
      dequantizedWeights(I, N, 1, *TransB ? 0 : 1);
  if (failed(Weights))
    return failure();
  FailureOr<Contraction> C =
      product(I, N, Input->Tensor, Input->ZeroPoint, *Weights, *TransB != 0);
  if (failed(C) || failed(setScales(*C, *Weights, Input->Scale * *Alpha)) ||
      failed(setRealBias(I, N, 2, *C)))
    return failure();
  return I.define(N, resultOf(I, N, *C));
}

LogicalResult tenon::frontend::buildMatMul(Importer &I, const Node &N) {
  FailureOr<Quantized> Input = I.quantized(N, 0);
  if (failed(Input))
    return failure();
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

LogicalResult tenon::frontend::buildQLinearMatMul(Importer &I, const Node &N) {
  FailureOr<Stored> Input = I.stored(N, 0);
  if (failed(Input))
    return failure();
  FailureOr<QuantizedType> From = I.quantizedType(N, 1);
  if (failed(From))
    return failure();
  FailureOr<ConstantWeights> Weights = storedWeights(I, N, 3, 1);
  if (failed(Weights))
    return failure();
  FailureOr<QuantizedType> To = I.quantizedType(N, 6);
  if (failed(To))
    return failure();
  if (From->IsUnsigned != Input->IsUnsigned)
    return N.error() << "the input's zero point has another type than the "
                        "input";
  FailureOr<Contraction> C =
      product(I, N, *Input, From->ZeroPoint, *Weights, false);
  if (failed(C) || failed(setScales(*C, *Weights, From->Scale)))
    return failure();
  C->HasFloatFactor = true;
  Real Result = resultOf(I, N, *C);
  Result.Places.clear();
  return I.requantize(N, Result, *To);
}
