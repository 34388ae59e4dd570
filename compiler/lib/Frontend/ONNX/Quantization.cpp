//===- Quantization.cpp - QuantizeLinear and DequantizeLinear -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;

/// The attribute output_dtype; null where it is absent or 0.
static FailureOr<Type> outputType(const Node &N) {
  auto Number = N.integer("output_dtype", 0);
  if (failed(Number))
    return failure();
  Type Result = elementType(N.op().getContext(), *Number);
  if (!Result && *Number != 0)
    return N.error() << "output_dtype is " << *Number
                     << ", which is no element type";
  return Result;
}

/// Blocked scales, float8 and 4-bit types change what the operators mean.
static LogicalResult checkNewAttributes(const Node &N) {
  auto Block = N.integer("block_size", 0);
  if (failed(Block))
    return failure();
  if (*Block != 0)
    return N.error() << "block_size is " << *Block
                     << ": the accelerator has one scale for a tensor or for "
                        "each output channel, none for groups of inputs";
  FailureOr<Type> Given = outputType(N);
  if (failed(Given))
    return failure();
  if (N.operatorName() == "DequantizeLinear" && *Given && !Given->isF32())
    return N.error() << "output_dtype is " << describeType(*Given)
                     << ", expected FLOAT";
  return success();
}

/// The type of a tensor of `Dims`, which may have a scale for each index of an
/// axis where these are all the same.
static FailureOr<QuantizedType> typeOf(Importer &I, const Node &N,
                                       const Shape &Dims) {
  auto Axis = N.integer("axis", 1);
  if (failed(Axis))
    return failure();
  const int64_t Rank = Dims.size();
  const int64_t At = *Axis < 0 ? *Axis + Rank : *Axis;
  return I.quantizedType(N, 1, At >= 0 && At < Rank ? Dims[At] : 1);
}

/// The type that a QuantizeLinear gives: its zero point's, or output_dtype.
static FailureOr<QuantizedType> resultType(Importer &I, const Node &N,
                                           const Shape &Dims) {
  FailureOr<QuantizedType> Type = typeOf(I, N, Dims);
  auto Declared = outputType(N);
  if (failed(Type) || failed(Declared))
    return failure();
  if (!*Declared)
    return Type;
  if (!Declared->isInteger(8))
    return N.error() << "output_dtype is " << describeType(*Declared)
                     << ", expected INT8 or UINT8";
  bool IsUnsigned = Declared->isUnsignedInteger();
  if (!N.hasInput(2))
    return QuantizedType{Type->Scale, IsUnsigned ? -128 : 0, IsUnsigned};
  if (IsUnsigned != Type->IsUnsigned)
    return N.error() << "output_dtype is " << describeType(*Declared)
                     << ", but the zero point has another type";
  return Type;
}

LogicalResult tenon::frontend::buildQuantizeLinear(Importer &I, const Node &N) {
  if (failed(checkNewAttributes(N)))
    return failure();
  FailureOr<Real> Value = I.real(N, 0);
  if (failed(Value))
    return failure();
  FailureOr<QuantizedType> Type = resultType(I, N, Value->Dims);
  if (failed(Type))
    return failure();
  if (Value->IsInteger)
    return N.error() << "input 0 ('" << N.inputName(0)
                     << "') is an INT32 tensor: cast and scale it first";
  return I.requantize(N, *Value, *Type);
}

/// Integers of fewer than 8 bits as the same ones of 8.
static TensorData widened(const TensorData &Integers, StringRef Name) {
  Type Element = Integers.elementType();
  if (Element.getIntOrFloatBitWidth() >= 8)
    return Integers;
  std::vector<char> Bytes;
  Bytes.reserve(Integers.size());
  for (int64_t Index = 0; Index < Integers.size(); ++Index)
    Bytes.push_back(char(Integers.integer(Index)));
  auto Wide = IntegerType::get(Element.getContext(), 8,
                               cast<IntegerType>(Element).getSignedness());
  return TensorData(tenon::onnx::makeTensor(
      RankedTensorType::get(Integers.shape(), Wide), Name, Bytes));
}

/// Scales and zero points of a constant, checked against its shape.
static LogicalResult dequantizeConstant(Importer &I, const Node &N,
                                        const TensorData &Integers) {
  FailureOr<std::vector<double>> Scales = I.scales(N, 1);
  auto Axis = N.integer("axis", 1);
  if (failed(Scales) || failed(Axis))
    return failure();
  RealConstant Result{Integers, *Scales,
                      std::vector<int64_t>(Scales->size(), 0)};
  if (!Integers.isInteger() ||
      Integers.elementType().getIntOrFloatBitWidth() > 32 ||
      Integers.elementType().isInteger(1))
    return N.error() << "input 0 ('" << N.inputName(0) << "') is "
                     << describeType(Integers.elementType())
                     << ", expected an integer type of at most 32 bits";
  int64_t Count = Scales->size();
  if (Count > 1) {
    FailureOr<int64_t> Normal =
        normalizedAxis(N, *Axis, Integers.shape().size());
    if (failed(Normal))
      return failure();
    Result.Axis = *Normal;
    if (Integers.shape()[*Normal] != Count)
      return N.error() << "there are " << Count << " scales for axis "
                       << *Normal << " of a tensor of "
                       << describe(Integers.shape());
  }
  Result.Integers = widened(Integers, N.inputName(0));
  if (N.hasInput(2)) {
    std::optional<TensorData> Zero = I.constant(N, 2);
    if (!Zero)
      return failure();
    if (Zero->size() != Count || Zero->elementType() != Integers.elementType())
      return N.error() << "the zero point '" << N.inputName(2) << "' has "
                       << Zero->size() << " values of "
                       << describeType(Zero->elementType()) << ", expected "
                       << Count << " of "
                       << describeType(Integers.elementType());
    for (int64_t Index = 0; Index < Count; ++Index)
      Result.ZeroPoints[Index] = Zero->integer(Index);
  }
  return I.define(N, Result);
}

/// The result is of the scale's type.
static LogicalResult checkScaleType(Importer &I, const Node &N) {
  const Tensor *Found = I.input(N, 1);
  if (!Found)
    return failure();
  const auto *Scale = std::get_if<TensorData>(Found);
  if (Scale && !Scale->elementType().isF32())
    return N.error() << "the scale '" << N.inputName(1) << "' is "
                     << describeType(Scale->elementType())
                     << ", expected FLOAT";
  return success();
}

LogicalResult tenon::frontend::buildDequantizeLinear(Importer &I,
                                                     const Node &N) {
  if (failed(checkNewAttributes(N)) || failed(checkScaleType(I, N)))
    return failure();
  const Tensor *Input = I.input(N, 0);
  if (!Input)
    return failure();
  if (const auto *Integers = std::get_if<TensorData>(Input))
    return dequantizeConstant(I, N, *Integers);
  FailureOr<Stored> Held = I.stored(N, 0);
  FailureOr<QuantizedType> Type = failed(Held)
                                      ? FailureOr<QuantizedType>(failure())
                                      : typeOf(I, N, Held->shape());
  if (failed(Type))
    return failure();
  // Without a zero point the tensor's own type decides.
  if (!N.hasInput(2))
    Type = QuantizedType{Type->Scale, Held->IsUnsigned ? -128 : 0,
                         Held->IsUnsigned};
  if (Type->IsUnsigned != Held->IsUnsigned)
    return N.error() << "the zero point '" << N.inputName(2) << "' is "
                     << (Type->IsUnsigned ? "UINT8" : "INT8")
                     << ", but the tensor '" << N.inputName(0) << "' is "
                     << (Held->IsUnsigned ? "UINT8" : "INT8");
  return I.define(
      N, Real{Quantized{*Held, Type->Scale, Type->ZeroPoint}, Held->shape()});
}
