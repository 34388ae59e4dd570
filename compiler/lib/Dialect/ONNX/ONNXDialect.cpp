//===- ONNXDialect.cpp - The ONNX dialect ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/ONNX/ONNX.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tenon::onnx;

#include "tenon/Dialect/ONNX/ONNXDialect.cpp.inc"
#include "tenon/Dialect/ONNX/ONNXEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tenon/Dialect/ONNX/ONNXTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/Dialect/ONNX/ONNXAttributes.cpp.inc"

void ONNXDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tenon/Dialect/ONNX/ONNXTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/Dialect/ONNX/ONNXAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tenon/Dialect/ONNX/ONNXOps.cpp.inc"
      >();
}

LogicalResult
DimsAttr::verifyEncoding(ArrayRef<int64_t> Shape, Type ElementType,
                         function_ref<InFlightDiagnostic()> EmitError) const {
  if (getNames().size() != Shape.size())
    return EmitError() << "names " << getNames().size() << " dimensions of "
                       << Shape.size();
  for (auto [Name, Extent] : llvm::zip(getNames(), Shape))
    if (!Name.empty() && !ShapedType::isDynamic(Extent))
      return EmitError() << "dimension '" << Name.getValue()
                         << "' has a name and the extent " << Extent;
  return success();
}
