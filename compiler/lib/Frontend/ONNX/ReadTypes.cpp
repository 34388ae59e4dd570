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

std::string tenon::frontend::describeElement(int32_t Type) {
  if (TensorProto::DataType_IsValid(Type))
    return TensorProto::DataType_Name(TensorProto::DataType(Type));
  return "type " + std::to_string(Type);
}

Type tenon::frontend::elementType(MLIRContext *Context, int32_t Type) {
  auto Signed = [&](unsigned Width) {
    return IntegerType::get(Context, Width);
  };
  auto Unsigned = [&](unsigned Width) {
    return IntegerType::get(Context, Width, IntegerType::Unsigned);
  };
  switch (Type) {
  case TensorProto::BOOL:
    return Signed(1);
  case TensorProto::INT2:
    return Signed(2);
  case TensorProto::INT4:
    return Signed(4);
  case TensorProto::INT8:
    return Signed(8);
  case TensorProto::INT16:
    return Signed(16);
  case TensorProto::INT32:
    return Signed(32);
  case TensorProto::INT64:
    return Signed(64);
  case TensorProto::UINT2:
    return Unsigned(2);
  case TensorProto::UINT4:
    return Unsigned(4);
  case TensorProto::UINT8:
    return Unsigned(8);
  case TensorProto::UINT16:
    return Unsigned(16);
  case TensorProto::UINT32:
    return Unsigned(32);
  case TensorProto::UINT64:
    return Unsigned(64);
  case TensorProto::FLOAT4E2M1:
    return Float4E2M1FNType::get(Context);
  case TensorProto::FLOAT6E2M3:
    return Float6E2M3FNType::get(Context);
  case TensorProto::FLOAT6E3M2:
    return Float6E3M2FNType::get(Context);
  case TensorProto::FLOAT8E4M3FN:
    return Float8E4M3FNType::get(Context);
  case TensorProto::FLOAT8E4M3FNUZ:
    return Float8E4M3FNUZType::get(Context);
  case TensorProto::FLOAT8E5M2:
    return Float8E5M2Type::get(Context);
  case TensorProto::FLOAT8E5M2FNUZ:
    return Float8E5M2FNUZType::get(Context);
  case TensorProto::FLOAT8E8M0:
    return Float8E8M0FNUType::get(Context);
  case TensorProto::FLOAT16:
    return Float16Type::get(Context);
  case TensorProto::BFLOAT16:
    return BFloat16Type::get(Context);
  case TensorProto::FLOAT:
    return Float32Type::get(Context);
  case TensorProto::DOUBLE:
    return Float64Type::get(Context);
  case TensorProto::COMPLEX64:
    return ComplexType::get(Float32Type::get(Context));
  case TensorProto::COMPLEX128:
    return ComplexType::get(Float64Type::get(Context));
  case TensorProto::STRING:
    return StringType::get(Context);
  default:
    return {};
  }
}

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
