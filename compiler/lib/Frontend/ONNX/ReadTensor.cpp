//===- ReadTensor.cpp - Values that stand in an ONNX file -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Data in `raw_data` or in a file beside the model is taken as it is; what
// stands in the typed fields, one number an element, is packed alike.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "tenon/Dialect/ONNX/TensorData.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;
using ::onnx::TensorProto;

/// Appends the elements of a typed field as `T`.
template <typename T, typename Field>
static void appendAs(const Field &Values, std::string &Bytes) {
  for (auto Value : Values) {
    T Narrow = static_cast<T>(Value);
    Bytes.append(reinterpret_cast<const char *>(&Narrow), sizeof(T));
  }
}

/// Six-bit elements, one an entry, four in three bytes.
static void appendSixBits(const TensorProto &Proto, std::string &Bytes) {
  uint32_t Pending = 0, Bits = 0;
  for (int32_t Value : Proto.int32_data()) {
    Pending |= (Value & 63) << Bits;
    for (Bits += 6; Bits >= 8; Bits -= 8, Pending >>= 8)
      Bytes.push_back(char(Pending));
  }
  if (Bits > 0)
    Bytes.push_back(char(Pending));
}

/// The typed fields' values as the bytes that raw_data would have.
static std::string typedData(const TensorProto &Proto, Type Element) {
  std::string Bytes;
  int64_t Width = storageBits(Element);
  if (Proto.data_type() == TensorProto::FLOAT ||
      Proto.data_type() == TensorProto::COMPLEX64)
    appendAs<float>(Proto.float_data(), Bytes);
  else if (Proto.data_type() == TensorProto::DOUBLE ||
           Proto.data_type() == TensorProto::COMPLEX128)
    appendAs<double>(Proto.double_data(), Bytes);
  else if (Proto.data_type() == TensorProto::INT64)
    appendAs<int64_t>(Proto.int64_data(), Bytes);
  else if (Proto.data_type() == TensorProto::UINT64)
    appendAs<uint64_t>(Proto.uint64_data(), Bytes);
  else if (Proto.data_type() == TensorProto::UINT32)
    appendAs<uint32_t>(Proto.uint64_data(), Bytes);
  else if (Width == 32)
    appendAs<int32_t>(Proto.int32_data(), Bytes);
  else if (Width == 16)
    appendAs<int16_t>(Proto.int32_data(), Bytes);
  else if (Width == 6)
    appendSixBits(Proto, Bytes);
  else
    appendAs<int8_t>(Proto.int32_data(), Bytes);
  return Bytes;
}

/// "1x3x32x32", "scalar".
static std::string describeDims(ArrayRef<int64_t> Dims) {
  return Dims.empty() ? "scalar"
                      : llvm::join(llvm::map_range(Dims,
                                                   [](int64_t Dim) {
                                                     return std::to_string(Dim);
                                                   }),
                                   "x");
}

/// A blob that owns `Bytes` where they are: the model's data is held once.
static AsmResourceBlob takeOver(std::unique_ptr<std::string> Bytes) {
  // Short strings are inside of their object, wherever that is aligned.
  if (Bytes->size() < sizeof(std::string))
    return HeapAsmResourceBlob::allocateAndCopyWithAlign(
        ArrayRef<char>(Bytes->data(), Bytes->size()), alignof(uint64_t));
  std::string *Owned = Bytes.release();
  return AsmResourceBlob(
      ArrayRef<char>(Owned->data(), Owned->size()), alignof(uint64_t),
      [Owned](void *, size_t, size_t) { delete Owned; },
      /*dataIsMutable=*/false);
}

ElementsAttr Reader::readStrings(const TensorProto &Proto,
                                 RankedTensorType Type) {
  SmallVector<StringRef> Values(Proto.string_data().begin(),
                                Proto.string_data().end());
  if (int64_t(Values.size()) == Type.getNumElements())
    return DenseStringElementsAttr::get(Type, Values);
  error() << "tensor '" << Proto.name() << "': dimensions "
          << describeDims(Type.getShape()) << " need " << Type.getNumElements()
          << " strings, the file has " << Values.size();
  return {};
}

ElementsAttr Reader::readExternal(const TensorProto &Proto,
                                  RankedTensorType Type, int64_t Bytes) {
  llvm::Expected<AsmResourceBlob> Blob = External.map(Proto, Bytes);
  if (Blob)
    return makeTensor(Type, Proto.name(), std::move(*Blob));
  error() << "tensor '" << Proto.name()
          << "': " << llvm::toString(Blob.takeError());
  return {};
}

ElementsAttr Reader::readTensor(TensorProto &Proto) {
  auto Fail = [&](const Twine &Message) {
    error() << "tensor '" << Proto.name() << "': " << Message;
    return ElementsAttr();
  };
  if (Proto.has_segment())
    return Fail("segmented tensors are not supported");
  Type Element = elementType(B.getContext(), Proto.data_type());
  if (!Element)
    return Fail("element type " + describeElement(Proto.data_type()) +
                " is not supported");
  SmallVector<int64_t> Dims(Proto.dims().begin(), Proto.dims().end());
  std::optional<int64_t> Count = elementCount(Dims);
  if (!Count)
    return Fail("dimensions " + describeDims(Dims) +
                " are negative or too large");
  auto Type = RankedTensorType::get(Dims, Element);
  if (isa<StringType>(Element))
    return readStrings(Proto, Type);
  int64_t Need = *storageBytes(Element, *Count);
  if (Proto.data_location() == TensorProto::EXTERNAL)
    return readExternal(Proto, Type, Need);
  auto Bytes = std::make_unique<std::string>();
  if (Proto.has_raw_data())
    Bytes.reset(Proto.release_raw_data());
  else
    *Bytes = typedData(Proto, Element);
  if (int64_t(Bytes->size()) != Need)
    return Fail(llvm::formatv(
        "dimensions {0} of {1} need {2} bytes of data, the file has {3}",
        describeDims(Dims), describeElement(Proto.data_type()), Need,
        Bytes->size()));
  return makeTensor(Type, Proto.name(), takeOver(std::move(Bytes)));
}

Attribute Reader::readSparse(::onnx::SparseTensorProto &Proto) {
  ElementsAttr Values = readTensor(*Proto.mutable_values());
  ElementsAttr Indices = readTensor(*Proto.mutable_indices());
  if (!Values || !Indices)
    return {};
  SmallVector<int64_t> Dims(Proto.dims().begin(), Proto.dims().end());
  ArrayRef<int64_t> Shape = Indices.getShapedType().getShape();
  bool AreCoordinates = Shape.size() == 2 && Shape[1] == int64_t(Dims.size());
  if (!elementCount(Dims) || Values.getShapedType().getRank() != 1 ||
      !Indices.getElementType().isInteger(64) ||
      (Shape.size() != 1 && !AreCoordinates) ||
      Shape[0] != Values.getNumElements()) {
    error() << "sparse tensor '" << Proto.values().name() << "': values of "
            << Values.getShapedType() << " and indices of "
            << Indices.getShapedType() << " do not make a tensor of "
            << describeDims(Dims);
    return {};
  }
  return onnx::SparseTensorAttr::get(
      B.getContext(), Values, Indices,
      RankedTensorType::get(Dims, Values.getElementType()));
}
