//===- ONNXOps.cpp - What an ONNX module must satisfy ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/ONNX/ONNX.h"
#include "tenon/Dialect/ONNX/TensorData.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tenon::onnx;

#define GET_OP_CLASSES
#include "tenon/Dialect/ONNX/ONNXOps.cpp.inc"

/// A body ends in the outputs of its graph, and its arguments are among the
/// inputs that `Info` names.
static LogicalResult verifyBody(Operation *Op, GraphAttr Info, Region &Body) {
  if (!isa_and_present<YieldOp>(Body.front().empty() ? nullptr
                                                     : &Body.front().back()))
    return Op->emitOpError("has a graph that does not end in onnx.yield");
  size_t Inputs = Info.getInputs().size();
  for (auto Constant : Body.getOps<ConstantOp>())
    Inputs -= Constant.getInput().has_value();
  if (Body.getNumArguments() != Inputs)
    return Op->emitOpError("has a graph with ")
           << Body.getNumArguments() << " arguments for " << Inputs
           << " inputs without an initializer";
  return success();
}

/// The bits of numbers that TensorData reads, or of a half of complex ones; 0
/// of other types.
static unsigned widthOf(Type Element) {
  if (auto Complex = dyn_cast<ComplexType>(Element))
    Element = Complex.getElementType();
  unsigned Width = Element.isIntOrFloat() ? Element.getIntOrFloatBitWidth() : 0;
  bool IsOdd = isa<IntegerType>(Element) && Width % 8 && 8 % Width;
  return IsOdd || Width > 64 ? 0 : Width;
}

/// Of elements smaller than a byte MLIR's dense attribute has other bytes than
/// ONNX.
static bool isReadable(ElementsAttr Value) {
  if (isa<StringType>(Value.getElementType()))
    return isa<DenseStringElementsAttr>(Value);
  unsigned Width = widthOf(Value.getElementType());
  return isa<DenseIntOrFPElementsAttr>(Value) && Width && Width % 8 == 0;
}

/// A resource is apart from its type: the text can have fewer bytes than that.
static LogicalResult verifyBytes(Operation *Op, ElementsAttr Value) {
  auto Resource = dyn_cast<DenseResourceElementsAttr>(Value);
  if (!Resource && !isReadable(Value))
    return Op->emitOpError("has a constant of ")
           << Value.getShapedType() << " that is no dense_resource";
  if (!Resource)
    return success();
  auto *Blob = Resource.getRawHandle().getBlob();
  unsigned Width = widthOf(Value.getElementType());
  std::optional<int64_t> Count = elementCount(Value.getShapedType().getShape());
  std::optional<int64_t> Bytes =
      Count && Width ? storageBytes(Value.getElementType(), *Count)
                     : std::nullopt;
  if (!Blob || !Bytes || int64_t(Blob->getData().size()) != *Bytes)
    return Op->emitOpError("has a constant of ")
           << Value.getShapedType() << " with "
           << (Blob ? Blob->getData().size() : 0) << " bytes";
  return success();
}

/// Of all tensors in an attribute.
static LogicalResult verifyTensors(Operation *Op, Attribute Of) {
  WalkResult Result = Of.walk([&](ElementsAttr Value) {
    return failed(verifyBytes(Op, Value)) ? WalkResult::interrupt()
                                          : WalkResult::advance();
  });
  return failure(Result.wasInterrupted());
}

LogicalResult NodeOp::verify() {
  if (getOutputs().size() != getNumResults())
    return emitOpError("has ") << getNumResults() << " results and "
                               << getOutputs().size() << " names of outputs";
  if (getGraphs().size() != getNumRegions())
    return emitOpError("has ")
           << getNumRegions() << " bodies and describes " << getGraphs().size();
  for (NamedAttribute Entry : getNodeAttributes())
    if (auto Ref = dyn_cast<RefAttr>(Entry.getValue());
        Ref && !(*this)->getParentOfType<FunctionOp>())
      return emitOpError("has an attribute '")
             << Entry.getName().getValue() << "' that is '"
             << Ref.getName().getValue()
             << "' of a function, and stands in none";
  return verifyTensors(*this, getNodeAttributes());
}

LogicalResult NodeOp::verifyRegions() {
  for (auto [Info, Body] :
       llvm::zip(getGraphs().getAsRange<GraphAttr>(), getBodies())) {
    if (!Info.getAttribute())
      return emitOpError("has a graph that is no attribute");
    if (failed(verifyBody(*this, Info, Body)))
      return failure();
  }
  return success();
}

LogicalResult GraphOp::verifyRegions() {
  return verifyBody(*this, getInfo(), getBody());
}

LogicalResult FunctionOp::verifyRegions() {
  if (failed(verifyTensors(*this, getDefaults())))
    return failure();
  return verifyBody(*this, getInfo(), getBody());
}

LogicalResult YieldOp::verify() {
  if (getNames().size() != getNumOperands() ||
      getTypes().size() != getNumOperands())
    return emitOpError("has ")
           << getNumOperands() << " values, " << getNames().size()
           << " names and " << getTypes().size() << " types of outputs";
  return success();
}

LogicalResult ConstantOp::verify() {
  if (auto Sparse = dyn_cast<SparseTensorAttr>(getValue())) {
    if (Sparse.getTensor() != getType())
      return emitOpError("has a value of ") << Sparse.getTensor();
  } else {
    auto Value = dyn_cast<ElementsAttr>(getValue());
    if (!Value || Value.getType() != getType())
      return emitOpError("has a value of another type than its result");
  }
  return verifyTensors(*this, getValue());
}
