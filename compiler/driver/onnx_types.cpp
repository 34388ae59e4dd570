//===- compiler/driver/onnx_types.cpp - Types of ONNX as text -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/onnx_types.h"

#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Dialect/ONNX/TensorData.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tenon::compiler {

using namespace mlir;

std::string elementText(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth() == 1
               ? "bool"
               : absl::StrCat(integer.isUnsigned() ? "uint" : "int",
                              integer.getWidth());
  if (element.isF16() || element.isF32() || element.isF64())
    return absl::StrCat("float", element.getIntOrFloatBitWidth());
  if (isa<onnx::UnknownType>(element))
    return "?";
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

std::vector<std::string> shapeText(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {"..."};
  std::vector<std::string> shape;
  for (auto [axis, extent] : llvm::enumerate(tensor.getShape())) {
    StringRef name = onnx::dimensionName(type, axis);
    shape.push_back(!ShapedType::isDynamic(extent) ? std::to_string(extent)
                    : name.empty()                 ? "?"
                                                   : name.str());
  }
  return shape;
}

std::string typeText(Type type) {
  if (isa<onnx::UnknownType>(type))
    return "?";
  std::string shape = absl::StrJoin(shapeText(type), "x");
  return absl::StrCat(elementText(type), shape.empty() ? "" : " ", shape);
}

std::optional<int64_t> elementsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  return onnx::elementCount(tensor.getShape());
}

std::optional<int64_t> bytesOf(Type type) {
  auto elements = elementsOf(type);
  if (!elements)
    return std::nullopt;
  return onnx::storageBytes(cast<TensorType>(type).getElementType(), *elements);
}

} // namespace tenon::compiler
