//===- TransposeConstant.cpp - Constants in another order -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "TransposeConstant.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

ArrayRef<char> tenon::bytesOf(ElementsAttr Elements) {
  if (auto Dense = dyn_cast<DenseElementsAttr>(Elements))
    return Dense.isSplat() ? ArrayRef<char>() : Dense.getRawData();
  if (auto Resource = dyn_cast<DenseResourceElementsAttr>(Elements))
    if (AsmResourceBlob *Blob = Resource.getRawHandle().getBlob())
      return Blob->getData();
  return {};
}

/// Copies `Shape`'s elements of `Bytes` each from `From`, where neighbours
/// along axis I are Strides[I] bytes apart, to `To`, one after the other.
static char *gather(const char *From, char *To, ArrayRef<int64_t> Shape,
                    ArrayRef<int64_t> Strides, int64_t Bytes) {
  if (Shape.empty()) {
    std::memcpy(To, From, Bytes);
    return To + Bytes;
  }
  for (int64_t I = 0; I < Shape.front(); ++I)
    To = gather(From + I * Strides.front(), To, Shape.drop_front(),
                Strides.drop_front(), Bytes);
  return To;
}

static ElementsAttr transpose(ElementsAttr Elements, ArrayRef<int64_t> Axes) {
  auto T = cast<RankedTensorType>(Elements.getType());
  auto To = T.clone(applyPermutation(T.getShape(), Axes));
  auto Dense = dyn_cast<DenseElementsAttr>(Elements);
  if (Dense && Dense.isSplat())
    return DenseElementsAttr::getFromRawBuffer(To, Dense.getRawData());
  auto Resource = dyn_cast<DenseResourceElementsAttr>(Elements);
  AsmResourceBlob *Blob =
      Resource ? Resource.getRawHandle().getBlob() : nullptr;
  if (!T.getElementType().isIntOrFloat() || T.getElementTypeBitWidth() % 8 ||
      (!Dense && !Blob))
    return {};
  ArrayRef<char> Data = Dense ? Dense.getRawData() : Blob->getData();
  int64_t Bytes = T.getElementTypeBitWidth() / 8;
  if (int64_t(Data.size()) != T.getNumElements() * Bytes)
    return {};
  SmallVector<int64_t> Strides = computeStrides(T.getShape());
  for (int64_t &Stride : Strides)
    Stride *= Bytes;
  AsmResourceBlob Turned =
      HeapAsmResourceBlob::allocate(Data.size(), alignof(uint64_t));
  gather(Data.data(), Turned.getMutableData().data(), To.getShape(),
         applyPermutation(Strides, Axes), Bytes);
  if (Dense)
    return DenseElementsAttr::getFromRawBuffer(To, Turned.getData());
  // A name that many have is tried with one number after another.
  std::string Name = (Resource.getRawHandle().getKey() + "_turned").str();
  return DenseResourceElementsAttr::get(To, Name, std::move(Turned));
}

ElementsAttr tenon::TransposedConstants::get(ElementsAttr Elements,
                                             ArrayRef<int64_t> Axes) {
  ElementsAttr &Of =
      Known[{Elements, DenseI64ArrayAttr::get(Elements.getContext(), Axes)}];
  return Of ? Of : Of = transpose(Elements, Axes);
}
