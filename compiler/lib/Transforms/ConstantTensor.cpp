//===- ConstantTensor.cpp - The elements of a constant --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ConstantTensor.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace tenon;

/// Bytes an element takes here: a bit takes one.
static unsigned widthOf(Type Element) {
  return Element.isIndex()
             ? 8
             : llvm::divideCeil(Element.getIntOrFloatBitWidth(), 8);
}

bool ConstantTensor::holds(mlir::Type Element) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IndexType>(
          Element))
    return true;
  auto Integer = dyn_cast<IntegerType>(Element);
  return Integer && (Integer.getWidth() == 1 || Integer.getWidth() == 8 ||
                     Integer.getWidth() == 16 || Integer.getWidth() == 32 ||
                     Integer.getWidth() == 64);
}

ConstantTensor::ConstantTensor(RankedTensorType Type)
    : Type(Type), Own(Type.getNumElements() * widthOf(Type.getElementType())),
      Width(widthOf(Type.getElementType())) {}

ConstantTensor::ConstantTensor(RankedTensorType Type, ArrayRef<char> Data,
                               bool Splat)
    : Type(Type), Data(Data), Width(widthOf(Type.getElementType())),
      Splat(Splat) {}

/// The scalar that every element of `V` is.
static Attribute filledWith(Value V) {
  Attribute Scalar;
  if (auto Fill = V.getDefiningOp<linalg::FillOp>())
    matchPattern(Fill.value(), m_Constant(&Scalar));
  else if (auto Splat = V.getDefiningOp<tensor::SplatOp>())
    matchPattern(Splat.getInput(), m_Constant(&Scalar));
  return Scalar;
}

std::optional<ConstantTensor> ConstantTensor::read(Value V) {
  auto Type = dyn_cast<RankedTensorType>(V.getType());
  if (!Type || !Type.hasStaticShape() || !holds(Type.getElementType()))
    return std::nullopt;
  ElementsAttr Elements;
  if (Attribute Scalar = filledWith(V))
    Elements = SplatElementsAttr::get(Type, Scalar);
  else if (!matchPattern(V, m_Constant(&Elements)))
    return std::nullopt;
  if (auto Resource = dyn_cast<DenseResourceElementsAttr>(Elements)) {
    AsmResourceBlob *Blob = Resource.getRawHandle().getBlob();
    unsigned Width = widthOf(Type.getElementType());
    if (!Blob || Type.getElementType().isInteger(1) ||
        Blob->getData().size() != size_t(Type.getNumElements()) * Width)
      return std::nullopt;
    return ConstantTensor(Type, Blob->getData(), /*Splat=*/false);
  }
  auto Dense = dyn_cast<DenseIntOrFPElementsAttr>(Elements);
  if (!Dense)
    return std::nullopt;
  if (!Type.getElementType().isInteger(1))
    return ConstantTensor(Type, Dense.getRawData(), Dense.isSplat());
  ConstantTensor Bits(Type);
  for (auto [Place, Bit] : llvm::enumerate(Dense.getValues<bool>()))
    Bits.Own[Place] = Bit;
  return Bits;
}

/// The low bits of `Value`, with their sign; without, where the type has none.
static int64_t wrapped(Type Element, uint64_t Value) {
  unsigned Bits = Element.isIndex() ? 64 : Element.getIntOrFloatBitWidth();
  return Element.isUnsignedInteger() && Bits < 64
             ? int64_t(Value & llvm::maskTrailingOnes<uint64_t>(Bits))
             : llvm::SignExtend64(Value, Bits);
}

static APFloat toFloat(Type Element, double Value) {
  APFloat Result(Value);
  bool IsInexact;
  Result.convert(cast<FloatType>(Element).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &IsInexact);
  return Result;
}

Scalar tenon::rounded(Type Type, Scalar Value) {
  Scalar Result;
  if (isa<Float64Type>(Type))
    return Value;
  if (isa<Float32Type>(Type))
    Result.Real = float(Value.Real);
  else if (isa<FloatType>(Type))
    Result.Real = toFloat(Type, Value.Real).convertToDouble();
  else
    Result.Integer = wrapped(Type, Value.Integer);
  return Result;
}

const char *ConstantTensor::element(int64_t Place) const {
  ArrayRef<char> From = Own.empty() ? Data : ArrayRef<char>(Own);
  return From.data() + (Splat ? 0 : Place * Width);
}

Scalar ConstantTensor::at(int64_t Place) const {
  uint64_t Bits = 0;
  std::memcpy(&Bits, element(Place), Width);
  mlir::Type Element = Type.getElementType();
  Scalar Result;
  if (isa<Float32Type>(Element))
    Result.Real = llvm::bit_cast<float>(uint32_t(Bits));
  else if (auto Float = dyn_cast<FloatType>(Element))
    Result.Real =
        APFloat(Float.getFloatSemantics(), APInt(Float.getWidth(), Bits))
            .convertToDouble();
  else
    Result.Integer = wrapped(Element, Bits);
  return Result;
}

void ConstantTensor::set(int64_t Place, Scalar Value) {
  mlir::Type Element = Type.getElementType();
  uint64_t Bits = Value.Integer;
  if (isa<Float32Type>(Element))
    Bits = llvm::bit_cast<uint32_t>(float(Value.Real));
  else if (isa<FloatType>(Element))
    Bits = toFloat(Element, Value.Real).bitcastToAPInt().getZExtValue();
  else if (Element.isInteger(1))
    Bits &= 1;
  std::memcpy(Own.data() + Place * Width, &Bits, Width);
}

void ConstantTensor::copy(int64_t Place, const ConstantTensor &From,
                          int64_t FromPlace) {
  std::memcpy(Own.data() + Place * Width, From.element(FromPlace), Width);
}

ElementsAttr ConstantTensor::attribute() const {
  bool IsSplat = true;
  for (size_t Place = Width; IsSplat && Place < Own.size(); Place += Width)
    IsSplat = std::memcmp(Own.data(), Own.data() + Place, Width) == 0;
  if (Type.getElementType().isInteger(1)) {
    SmallVector<bool> Bits(Own.begin(), Own.end());
    return DenseElementsAttr::get(Type, Bits);
  }
  ArrayRef<char> Raw(Own);
  return DenseElementsAttr::getFromRawBuffer(
      Type, IsSplat && !Own.empty() ? Raw.take_front(Width) : Raw);
}
