//===- ElementTypes.cpp - ONNX's element types ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "onnx/onnx_pb.h"
#include "tenon/Dialect/ONNX/ONNX.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tenon::frontend;
using ::onnx::TensorProto;

std::string tenon::frontend::describeElement(int64_t Number) {
  if (Number == int(Number) && TensorProto::DataType_IsValid(int(Number)))
    return TensorProto::DataType_Name(TensorProto::DataType(Number));
  return "type " + std::to_string(Number);
}

mlir::Type tenon::frontend::elementType(mlir::MLIRContext *Context,
                                        int64_t Number) {
  auto Signed = [&](unsigned Width) {
    return IntegerType::get(Context, Width);
  };
  auto Unsigned = [&](unsigned Width) {
    return IntegerType::get(Context, Width, IntegerType::Unsigned);
  };
  switch (Number) {
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
    return tenon::onnx::StringType::get(Context);
  default:
    return {};
  }
}

int32_t tenon::frontend::elementNumber(Type Element) {
  // The one list of element types is elementType's.
  for (int32_t Number = TensorProto::DataType_MIN;
       Number <= TensorProto::DataType_MAX; ++Number)
    if (elementType(Element.getContext(), Number) == Element)
      return Number;
  return TensorProto::UNDEFINED;
}

std::string tenon::frontend::describeType(mlir::Type Element) {
  if (int32_t Number = elementNumber(Element))
    return describeElement(Number);
  std::string Text;
  llvm::raw_string_ostream(Text) << Element;
  return Text;
}
