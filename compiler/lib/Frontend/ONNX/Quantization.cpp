//===- Quantization.cpp - QuantizeLinear and DequantizeLinear -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Registry.h"

using namespace mlir;
using namespace tenon::frontend;
using ::onnx::TensorProto;

/// Blocked scales, float8 and 4-bit types change what the operators mean.
static LogicalResult checkNewAttributes(Importer &I, const Node &N) {
  auto Block = integerAttribute(I, N, "block_size", 0);
  if (failed(Block))
    return failure();
  if (*Block != 0)
    return I.error(N) << "block_size is " << *Block
                      << ": scales for blocks are not supported, only for a "
                         "tensor or a channel";
  auto Type = integerAttribute(I, N, "output_dtype", 0);
  if (failed(Type))
    return failure();
  int32_t Expected =
      N.Operator == "QuantizeLinear" ? *Type : int32_t(TensorProto::FLOAT);
  if (*Type != 0 && *Type != Expected)
    return I.error(N) << "output_dtype is " << describeType(*Type)
                      << ", expected FLOAT";
  return success();
}

/// The type that a QuantizeLinear gives: its zero point's, or output_dtype.
static FailureOr<QuantizedType> resultType(Importer &I, const Node &N) {
  FailureOr<QuantizedType> Type = I.quantizedType(N, 1);
  auto Declared = integerAttribute(I, N, "output_dtype", 0);
  if (failed(Type) || failed(Declared))
    return failure();
  if (*Declared == 0)
    return Type;
  if (*Declared != TensorProto::INT8 && *Declared != TensorProto::UINT8)
    return I.error(N) << "output_dtype is " << describeType(*Declared)
                      << ", expected INT8 or UINT8";
  bool IsUnsigned = *Declared == TensorProto::UINT8;
  if (N.input(2).empty())
    return QuantizedType{Type->Scale, IsUnsigned ? -128 : 0, IsUnsigned};
  if (IsUnsigned != Type->IsUnsigned)
    return I.error(N) << "output_dtype is " << describeType(*Declared)
                      << ", but the zero point has another type";
  return Type;
}

LogicalResult tenon::frontend::buildQuantizeLinear(Importer &I, const Node &N) {
  if (failed(checkNewAttributes(I, N)))
    return failure();
  FailureOr<Real> Value = I.real(N, 0);
  FailureOr<QuantizedType> Type = resultType(I, N);
  if (failed(Value) || failed(Type))
    return failure();
  if (Value->IsInteger)
    return I.error(N) << "input 0 ('" << N.input(0)
                      << "') is an INT32 tensor: cast and scale it first";
  return I.requantize(N, *Value, *Type);
}

/// Scales and zero points of a constant, checked against its shape.
static LogicalResult dequantizeConstant(Importer &I, const Node &N,
                                        const Constant &Integers) {
  FailureOr<std::vector<double>> Scales = I.scales(N, 1);
  auto Axis = integerAttribute(I, N, "axis", 1);
  if (failed(Scales) || failed(Axis))
    return failure();
  RealConstant Result{&Integers, *Scales,
                      std::vector<int64_t>(Scales->size(), 0)};
  if (!Integers.isInteger() || Integers.type() == TensorProto::INT64 ||
      Integers.type() == TensorProto::BOOL)
    return I.error(N) << "input 0 ('" << N.input(0) << "') is "
                      << describeType(Integers.type())
                      << ", expected an integer type of at most 32 bits";
  int64_t Count = Scales->size();
  if (Count > 1) {
    FailureOr<int64_t> Normal =
        normalizedAxis(I, N, *Axis, Integers.shape().size());
    if (failed(Normal))
      return failure();
    Result.Axis = *Normal;
    if (Integers.shape()[*Normal] != Count)
      return I.error(N) << "there are " << Count << " scales for axis "
                        << *Normal << " of a tensor of "
                        << describe(Integers.shape());
  }
  if (!N.input(2).empty()) {
    const Constant *Zero = I.constant(N, 2);
    if (!Zero)
      return failure();
    if (Zero->size() != Count || Zero->type() != Integers.type())
      return I.error(N) << "the zero point '" << N.input(2) << "' has "
                        << Zero->size() << " values of "
                        << describeType(Zero->type()) << ", expected " << Count
                        << " of " << describeType(Integers.type());
    for (int64_t Index = 0; Index < Count; ++Index)
      Result.ZeroPoints[Index] = Zero->integer(Index);
  }
  return I.define(N, Result);
}

LogicalResult tenon::frontend::buildDequantizeLinear(Importer &I,
                                                     const Node &N) {
  if (failed(checkNewAttributes(I, N)))
    return failure();
  const Tensor *Input = I.input(N, 0);
  if (!Input)
    return failure();
  if (const auto *Integers = std::get_if<const Constant *>(Input))
    return dequantizeConstant(I, N, **Integers);
  FailureOr<Stored> Held = I.stored(N, 0);
  FailureOr<QuantizedType> Type = failed(Held)
                                      ? FailureOr<QuantizedType>(failure())
                                      : I.quantizedType(N, 1);
  if (failed(Type))
    return failure();
  // Without a zero point the tensor's own type decides.
  if (N.input(2).empty())
    Type = QuantizedType{Type->Scale, Held->IsUnsigned ? -128 : 0,
                         Held->IsUnsigned};
  if (Type->IsUnsigned != Held->IsUnsigned)
    return I.error(N) << "the zero point '" << N.input(2) << "' is "
                      << (Type->IsUnsigned ? "UINT8" : "INT8")
                      << ", but the tensor '" << N.input(0) << "' is "
                      << (Held->IsUnsigned ? "UINT8" : "INT8");
  return I.define(
      N, Real{Quantized{*Held, Type->Scale, Type->ZeroPoint}, Held->shape()});
}
