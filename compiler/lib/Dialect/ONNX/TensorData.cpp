//===- TensorData.cpp - Elements of a constant ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/ONNX/TensorData.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace tenon::onnx;

int64_t tenon::onnx::storageBits(Type Element) {
  if (Element.isInteger(1))
    return 8;
  if (Element.isIntOrFloat())
    return Element.getIntOrFloatBitWidth();
  if (auto Complex = dyn_cast<ComplexType>(Element))
    return 2 * storageBits(Complex.getElementType());
  return 0;
}

std::optional<int64_t> tenon::onnx::storageBytes(Type Element, int64_t Count) {
  int64_t Bits;
  if (llvm::MulOverflow(storageBits(Element), Count, Bits))
    return std::nullopt;
  return llvm::divideCeil(Bits, 8);
}

std::optional<int64_t> tenon::onnx::elementCount(ArrayRef<int64_t> Dims) {
  constexpr int64_t Most = int64_t(1) << 48;
  int64_t Count = 1;
  bool Empty = false;
  for (int64_t Dim : Dims) {
    if (Dim < 0 || (Dim > 0 && Count > Most / Dim))
      return std::nullopt;
    Empty |= Dim == 0;
    Count *= std::max<int64_t>(Dim, 1);
  }
  return Empty ? 0 : Count;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TensorData::TensorData(ElementsAttr Attribute)
    : Attribute(Attribute), Width(storageBits(Attribute.getElementType())) {
  if (auto Resource = dyn_cast<DenseResourceElementsAttr>(Attribute)) {
    if (auto *Blob = Resource.getRawHandle().getBlob())
      Data = Blob->getData();
  } else if (auto Dense = dyn_cast<DenseIntOrFPElementsAttr>(Attribute)) {
    Data = Dense.getRawData();
    IsSplat = Dense.isSplat();
  }
}

/// The bits of element `Index`, which may lie across bytes.
uint64_t TensorData::bits(int64_t Index) const {
  int64_t First = (IsSplat ? 0 : Index) * Width;
  uint64_t Value = 0;
  int64_t Bytes = llvm::divideCeil(First % 8 + Width, 8);
  std::memcpy(&Value, Data.data() + First / 8, Bytes);
  return (Value >> (First % 8)) & llvm::maskTrailingOnes<uint64_t>(Width);
}

int64_t TensorData::integer(int64_t Index) const {
  uint64_t Bits = bits(Index);
  bool IsSigned =
      !elementType().isUnsignedInteger() && !elementType().isInteger(1);
  return IsSigned ? llvm::SignExtend64(Bits, Width) : int64_t(Bits);
}

double TensorData::real(int64_t Index) const {
  auto Type = dyn_cast<FloatType>(elementType());
  if (!Type)
    return elementType().isUnsignedInteger() ? double(bits(Index))
                                             : double(integer(Index));
  llvm::APFloat Value(Type.getFloatSemantics(),
                      llvm::APInt(Width, bits(Index)));
  bool Loses;
  Value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &Loses);
  return Value.convertToDouble();
}

StringRef TensorData::string(int64_t Index) const {
  auto Strings = cast<DenseStringElementsAttr>(Attribute).getRawStringData();
  return Strings[Strings.size() == 1 ? 0 : Index];
}

ArrayRef<char> TensorData::bytes(SmallVectorImpl<char> &Scratch) const {
  if (!IsSplat)
    return Data;
  Scratch.clear();
  for (int64_t Index = 0; Index < size(); ++Index)
    Scratch.append(Data.begin(), Data.end());
  return Scratch;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// Most elements of a constant that stands in the text as numbers: axes,
/// shapes, scales.
static constexpr int64_t MostReadable = 32;

/// Whether MLIR's dense attribute has ONNX's bytes and prints every one of
/// them.
static bool isReadable(RankedTensorType Type) {
  mlir::Type Element = Type.getElementType();
  return Type.getNumElements() <= MostReadable && Element.isIntOrFloat() &&
         (Element.isF16() || Element.isBF16() || Element.isF32() ||
          Element.isF64() ||
          (Element.isInteger() && Element.getIntOrFloatBitWidth() % 8 == 0));
}

static ElementsAttr makeReadable(RankedTensorType Type, ArrayRef<char> Bytes) {
  // One element for all: the form that parsing the text gives.
  size_t Width = storageBits(Type.getElementType()) / 8;
  bool IsSplat = !Bytes.empty();
  for (size_t At = Width; At < Bytes.size() && IsSplat; At += Width)
    IsSplat = Bytes.slice(At, Width) == Bytes.take_front(Width);
  return DenseElementsAttr::getFromRawBuffer(
      Type, IsSplat ? Bytes.take_front(Width) : Bytes);
}

ElementsAttr tenon::onnx::makeTensor(RankedTensorType Type, StringRef Name,
                                     ArrayRef<char> Bytes) {
  if (isReadable(Type))
    return makeReadable(Type, Bytes);
  return makeTensor(
      Type, Name,
      HeapAsmResourceBlob::allocateAndCopyWithAlign(Bytes, alignof(uint64_t)));
}

ElementsAttr tenon::onnx::makeTensor(RankedTensorType Type, StringRef Name,
                                     AsmResourceBlob Blob) {
  if (isReadable(Type))
    return makeReadable(Type, Blob.getData());
  return DenseResourceElementsAttr::get(Type, Name.empty() ? "tensor" : Name,
                                        std::move(Blob));
}
