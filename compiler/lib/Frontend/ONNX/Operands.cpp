//===- Operands.cpp - What a node's inputs are ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Importer.h"
#include <cmath>

using namespace mlir;
using namespace tenon::frontend;

const Tensor *Importer::input(const Node &N, int Index) {
  if (!N.hasInput(Index)) {
    N.error() << "input " << Index << " is missing";
    return nullptr;
  }
  return &Tensors.find(N.input(Index))->second;
}

/// What a tensor is, for messages.
static std::string kindOf(const Tensor &Found) {
  if (const auto *Held = std::get_if<Stored>(&Found))
    return Held->IsUnsigned ? "a UINT8 tensor" : "an INT8 tensor";
  if (const auto *Value = std::get_if<TensorData>(&Found))
    return "a constant " + describeType(Value->elementType()) + " tensor";
  if (std::holds_alternative<RealConstant>(Found))
    return "a dequantised constant";
  const Real &Value = std::get<Real>(Found);
  if (Value.IsInteger)
    return "an INT32 tensor";
  static constexpr const char *Names[] = {
      "a dequantised tensor",
      "the float result of a contraction",
      "the float result of an Add",
      "the float result of an AveragePool",
      "the float result of a Concat",
      "a float tensor",
      "the float result of a product of activations",
      "the float result of a Mul",
      "the float result of a Resize"};
  return Names[Value.Value.index()];
}

FailureOr<Stored> Importer::stored(const Node &N, int Index) {
  const Tensor *Found = input(N, Index);
  if (!Found)
    return failure();
  if (const auto *Held = std::get_if<Stored>(Found))
    return *Held;
  return N.error() << "input " << Index << " ('" << N.inputName(Index)
                   << "') is " << kindOf(*Found)
                   << ", expected a quantised activation";
}

FailureOr<Real> Importer::real(const Node &N, int Index) {
  const Tensor *Found = input(N, Index);
  if (!Found)
    return failure();
  if (const auto *Value = std::get_if<Real>(Found))
    return *Value;
  return N.error() << "input " << Index << " ('" << N.inputName(Index)
                   << "') is " << kindOf(*Found)
                   << ", expected a float activation";
}

/// The lower or upper clamp bound `Value` as a held integer: the outermost one
/// where all are within it; none where no integer stands for it.
static std::optional<int64_t> exactBound(double Value, const Quantized &Q,
                                         bool IsLower) {
  double Steps = Value / Q.Scale;
  double Held = Steps + double(Q.ZeroPoint);
  if (IsLower ? Held <= INT8_MIN : Held >= INT8_MAX)
    return IsLower ? INT8_MIN : INT8_MAX;
  if (Steps != std::rint(Steps) || Held < INT8_MIN || Held > INT8_MAX)
    return std::nullopt;
  return int64_t(Held);
}

/// An int8 or uint8 constant as a TOSA value.
static Stored materialized(Emitter &Emit, const TensorData &Value) {
  bool IsUnsigned = Value.elementType().isUnsignedInteger();
  std::vector<int8_t> Bytes(Value.size());
  for (int64_t Index = 0; Index < Value.size(); ++Index)
    Bytes[Index] = Value.integer(Index) - (IsUnsigned ? 128 : 0);
  return Stored{Emit.bytes(Bytes, Value.shape()),
                identityOrder(Value.shape().size()), IsUnsigned};
}

FailureOr<Quantized> Importer::quantized(const Node &N, int Index) {
  const Tensor *Found = input(N, Index);
  if (!Found)
    return failure();
  if (const auto *Value = std::get_if<RealConstant>(Found)) {
    Type Element = Value->Integers.elementType();
    if (Value->Scales.size() != 1 || Value->Integers.size() == 0 ||
        !Element.isInteger(8))
      return N.error() << "input " << Index << " ('" << N.inputName(Index)
                       << "') is a constant of " << describeType(Element)
                       << " with " << Value->Scales.size()
                       << " scales, expected 8 bits and one scale";
    int64_t Offset = Element.isUnsignedInteger() ? 128 : 0;
    return Quantized{materialized(Emit, Value->Integers), Value->Scales[0],
                     Value->ZeroPoints[0] - Offset};
  }
  FailureOr<Real> Value = real(N, Index);
  if (failed(Value))
    return failure();
  const auto *Held = std::get_if<Quantized>(&Value->Value);
  if (!Held)
    return N.error()
           << "input " << Index << " ('" << N.inputName(Index) << "') is "
           << kindOf(*Found)
           << ", expected a dequantised tensor: put QuantizeLinear and "
              "DequantizeLinear between the two operators";
  if (!Value->isClamped())
    return *Held;
  auto Low = exactBound(Value->Low, *Held, /*IsLower=*/true);
  auto High = exactBound(Value->High, *Held, /*IsLower=*/false);
  if (!Low || !High)
    return N.error()
           << "input " << Index << " ('" << N.inputName(Index)
           << "') is clamped to a bound that its quantised type does "
              "not have: put QuantizeLinear and DequantizeLinear after "
              "the Clip";
  Quantized Result = *Held;
  Result.Tensor.Value =
      Emit.clamped(Held->Tensor.Value, std::min(*Low, *High), *High);
  return Result;
}

std::optional<TensorData> Importer::constant(const Node &N, int Index) {
  const Tensor *Found = input(N, Index);
  if (!Found)
    return std::nullopt;
  if (const auto *Value = std::get_if<TensorData>(Found))
    return *Value;
  N.error() << "input " << Index << " ('" << N.inputName(Index) << "') is "
            << kindOf(*Found)
            << ", expected a constant (initializer or Constant node)";
  return std::nullopt;
}

FailureOr<Shape> Importer::list(const Node &N, int Index,
                                ArrayRef<int64_t> Default) {
  if (!N.hasInput(Index))
    return Shape(Default);
  std::optional<TensorData> Listed = constant(N, Index);
  if (!Listed)
    return failure();
  if ((!Listed->elementType().isSignlessInteger(64) &&
       !Listed->elementType().isSignlessInteger(32)) ||
      Listed->shape().size() > 1)
    return N.error() << "input " << Index << " ('" << N.inputName(Index)
                     << "') is " << describeType(Listed->elementType())
                     << " of " << describe(Listed->shape())
                     << ", expected a list of INT64";
  Shape Result;
  for (int64_t At = 0; At < Listed->size(); ++At)
    Result.push_back(Listed->integer(At));
  return Result;
}

FailureOr<std::vector<double>> Importer::reals(const Node &N, int Index) {
  const Tensor *Found = input(N, Index);
  if (!Found)
    return failure();
  std::vector<double> Result;
  if (const auto *Value = std::get_if<RealConstant>(Found)) {
    for (int64_t I = 0; I < Value->Integers.size(); ++I)
      Result.push_back(Value->at(I));
    return Result;
  }
  std::optional<TensorData> Value = constant(N, Index);
  if (!Value)
    return failure();
  if (!Value->isFloat())
    return N.error() << "input " << Index << " ('" << N.inputName(Index)
                     << "') is " << describeType(Value->elementType())
                     << ", expected FLOAT";
  for (int64_t I = 0; I < Value->size(); ++I)
    Result.push_back(Value->real(I));
  return Result;
}

FailureOr<std::vector<double>> Importer::scales(const Node &N, int Index) {
  FailureOr<std::vector<double>> Values = reals(N, Index);
  if (failed(Values))
    return failure();
  for (double Value : *Values)
    if (!(Value > 0) || !std::isfinite(Value))
      return N.error() << "the scale '" << N.inputName(Index) << "' is "
                       << Value << ", expected a finite positive number";
  if (Values->empty())
    return N.error() << "the scale '" << N.inputName(Index) << "' has no value";
  return Values;
}

/// Whether there is one value, or as many as may stand for it.
static bool isOne(int64_t Size, bool AreEqual, int64_t Repeated) {
  return Size == 1 || (Size == Repeated && AreEqual);
}

FailureOr<double> Importer::scale(const Node &N, int Index, int64_t Repeated) {
  FailureOr<std::vector<double>> Values = scales(N, Index);
  if (failed(Values))
    return failure();
  if (!isOne(Values->size(), llvm::all_equal(*Values), Repeated))
    return N.error() << "the scale '" << N.inputName(Index) << "' has "
                     << Values->size()
                     << " values; an activation has one scale (scales for "
                        "channels are supported for weights only)";
  return Values->front();
}

static bool allEqual(const TensorData &Integers) {
  return llvm::all_of(llvm::seq<int64_t>(0, Integers.size()), [&](int64_t At) {
    return Integers.integer(At) == Integers.integer(0);
  });
}

FailureOr<QuantizedType> Importer::quantizedType(const Node &N, int Scale,
                                                 int64_t Repeated) {
  FailureOr<double> Real = scale(N, Scale, Repeated);
  if (failed(Real))
    return failure();
  if (!N.hasInput(Scale + 1))
    return QuantizedType{*Real, -128, true};
  std::optional<TensorData> Zero = constant(N, Scale + 1);
  if (!Zero)
    return failure();
  bool IsUnsigned = Zero->elementType().isUnsignedInteger();
  if (!Zero->elementType().isInteger(8) ||
      !isOne(Zero->size(), allEqual(*Zero), Repeated))
    return N.error() << "the zero point '" << N.inputName(Scale + 1) << "' has "
                     << Zero->size() << " values of "
                     << describeType(Zero->elementType())
                     << ", expected one of INT8 or UINT8";
  return QuantizedType{*Real, Zero->integer(0) - (IsUnsigned ? 128 : 0),
                       IsUnsigned};
}

FailureOr<int64_t> tenon::frontend::normalizedAxis(const Node &N, int64_t Axis,
                                                   int64_t Rank) {
  if (Axis < -Rank || Axis >= Rank)
    return N.error() << "axis " << Axis << " is outside of a tensor with "
                     << Rank << " dimensions";
  return Axis < 0 ? Axis + Rank : Axis;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult Importer::define(const Node &N, Tensor Value, int Index) {
  Shape Dims;
  if (const auto *Held = std::get_if<Stored>(&Value))
    Dims = Held->shape();
  else if (const auto *Float = std::get_if<Real>(&Value))
    Dims = Float->Dims;
  if (!elementCount(Dims))
    return N.error() << "its result of " << describe(Dims) << " is too large";
  Tensors.insert_or_assign(N.output(Index), std::move(Value));
  return success();
}

void Importer::mark(const Stored &Tensor, StringRef Name,
                    ArrayRef<int64_t> Dims) {
  Operation *Op = Tensor.Value.getDefiningOp();
  if (!Op || Op->hasAttr(TensorAttrName))
    return;
  OpBuilder &B = Emit.Builder;
  Op->setAttr(TensorAttrName,
              B.getDictionaryAttr({
                  B.getNamedAttr("name", B.getStringAttr(Name)),
                  B.getNamedAttr("unsigned", B.getBoolAttr(Tensor.IsUnsigned)),
                  B.getNamedAttr("perm", B.getDenseI64ArrayAttr(Tensor.Axes)),
                  B.getNamedAttr("shape", B.getDenseI64ArrayAttr(Dims)),
              }));
}
