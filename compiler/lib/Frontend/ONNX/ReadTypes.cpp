//===- ReadTypes.cpp - ONNX types -----------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;
using ::onnx::TensorProto;

/// Rank, extents and names; an unranked type where there is no shape.
Type Reader::readTensorType(int32_t Number,
                            const ::onnx::TensorShapeProto *Shape,
                            StringRef Name) {
  Type Element = elementType(B.getContext(), Number);
  if (!Element && Number != TensorProto::UNDEFINED)
    error() << "'" << Name << "' is declared with " << describeElement(Number)
            << ", which is no element type";
  if (!Element)
    Element = UnknownType::get(B.getContext());
  if (!Shape)
    return UnrankedTensorType::get(Element);
  SmallVector<int64_t> Dims;
  SmallVector<StringAttr> Names;
  for (const auto &Dim : Shape->dim()) {
    // Some exporters write an open dimension as -1.
    if (Dim.has_dim_value() && Dim.dim_value() < -1)
      error() << "'" << Name << "' has a dimension of " << Dim.dim_value()
              << ", expected at least 0, or -1 where it is open";
    bool IsFixed = Dim.has_dim_value() && Dim.dim_value() >= 0;
    Dims.push_back(IsFixed ? Dim.dim_value() : ShapedType::kDynamic);
    Names.push_back(B.getStringAttr(Dim.dim_param()));
  }
  bool HasNames =
      llvm::any_of(Names, [](StringAttr Name) { return !Name.empty(); });
  return RankedTensorType::get(Dims, Element,
                               HasNames ? DimsAttr::get(B.getContext(), Names)
                                        : Attribute());
}

Type Reader::readType(const ::onnx::TypeProto &Proto, StringRef Name) {
  MLIRContext *Context = B.getContext();
  switch (Proto.value_case()) {
  case ::onnx::TypeProto::kTensorType: {
    const auto &Tensor = Proto.tensor_type();
    return readTensorType(Tensor.elem_type(),
                          Tensor.has_shape() ? &Tensor.shape() : nullptr, Name);
  }
  case ::onnx::TypeProto::kSparseTensorType: {
    const auto &Sparse = Proto.sparse_tensor_type();
    return SparseType::get(
        Context, cast<TensorType>(readTensorType(
                     Sparse.elem_type(),
                     Sparse.has_shape() ? &Sparse.shape() : nullptr, Name)));
  }
  case ::onnx::TypeProto::kSequenceType:
    return SequenceType::get(Context,
                             readType(Proto.sequence_type().elem_type(), Name));
  case ::onnx::TypeProto::kOptionalType:
    return OptionalType::get(Context,
                             readType(Proto.optional_type().elem_type(), Name));
  case ::onnx::TypeProto::kMapType: {
    Type Key = elementType(Context, Proto.map_type().key_type());
    return MapType::get(Context, Key ? Key : UnknownType::get(Context),
                        readType(Proto.map_type().value_type(), Name));
  }
  case ::onnx::TypeProto::kOpaqueType:
    return onnx::OpaqueType::get(Context,
                                 B.getStringAttr(Proto.opaque_type().domain()),
                                 B.getStringAttr(Proto.opaque_type().name()));
  case ::onnx::TypeProto::VALUE_NOT_SET:
    break;
  }
  return UnknownType::get(Context);
}
