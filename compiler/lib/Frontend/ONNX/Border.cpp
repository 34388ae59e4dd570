//===- Border.cpp - What a network takes and gives ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Border.h"
#include "ElementTypes.h"
#include "Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/Dialect/ONNX/ONNX.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;

/// Most axes of a tensor at the border.
static constexpr int64_t MaxRank = 8;

/// Extents, and names of open ones: "1xNx?".
static std::string describeDeclared(RankedTensorType Type) {
  if (Type.getRank() == 0)
    return "scalar";
  std::string Text;
  for (int64_t Axis = 0; Axis < Type.getRank(); ++Axis) {
    StringRef Name = onnx::dimensionName(Type, Axis);
    Text += Axis ? "x" : "";
    Text += !Type.isDynamicDim(Axis) ? std::to_string(Type.getDimSize(Axis))
            : Name.empty()           ? "?"
                                     : Name.str();
  }
  return Text;
}

/// The name of open dimension `Axis`, or "?".
static std::string openName(Type Type, int64_t Axis) {
  StringRef Name = onnx::dimensionName(Type, Axis);
  return Name.empty() ? "?" : Name.str();
}

static FailureOr<Shape> fixedShape(Location Place, StringRef Name,
                                   RankedTensorType Type) {
  Shape Dims(Type.getShape());
  if (Type.getRank() > MaxRank)
    return mlir::emitError(Place)
           << "'" << Name << "' has " << Type.getRank()
           << " dimensions, at most " << MaxRank << " are supported";
  for (auto [Axis, Dim] : llvm::enumerate(Dims)) {
    if (Dim == 0)
      return mlir::emitError(Place) << "'" << Name
                                    << "' has a dimension of 0, expected at "
                                       "least 1";
    if (!ShapedType::isDynamic(Dim))
      continue;
    if (Axis != 0)
      return mlir::emitError(Place)
             << "dimension " << Axis << " of input '" << Name << "' is open ('"
             << openName(Type, Axis)
             << "'): shapes must be fixed; set it in the model "
                "(onnx.tools.update_model_dims)";
    Dim = 1;
    mlir::emitWarning(Place) << "the batch '" << openName(Type, Axis)
                             << "' of input '" << Name << "' is taken as 1";
  }
  if (!elementCount(Dims))
    return mlir::emitError(Place)
           << "input '" << Name << "' of " << describe(Dims) << " is too large";
  return Dims;
}

FailureOr<RankedTensorType>
tenon::frontend::inputType(Location Place, StringRef Name, Type Declared) {
  auto Tensor = dyn_cast<TensorType>(Declared);
  if (!Tensor)
    return mlir::emitError(Place)
           << "'" << Name
           << "' is not a tensor, but every input and output must be";
  auto Ranked = dyn_cast<RankedTensorType>(Tensor);
  if (!Ranked)
    return mlir::emitError(Place) << "input '" << Name
                                  << "' has no shape; store a fixed one in the "
                                     "model (onnx.tools.update_model_dims)";
  FailureOr<Shape> Dims = fixedShape(Place, Name, Ranked);
  if (failed(Dims))
    return failure();
  Type Element = Ranked.getElementType();
  if (!Element.isInteger(8) && !Element.isF32())
    return mlir::emitError(Place)
           << "input '" << Name << "' has the element type "
           << describeType(Element) << "; supported are INT8, UINT8 and FLOAT";
  // The dialect's names of dimensions are no part of it.
  return RankedTensorType::get(*Dims, Element);
}

LogicalResult tenon::frontend::checkDeclared(Location Place, StringRef Name,
                                             Type Declared, Type Found) {
  auto Want = dyn_cast<TensorType>(Declared);
  auto Have = cast<RankedTensorType>(Found);
  if (!Want)
    return mlir::emitError(Place)
           << "'" << Name
           << "' is not a tensor, but every input and output must be";
  if (Want.getElementType() != Have.getElementType())
    return mlir::emitError(Place)
           << "output '" << Name << "' is declared "
           << describeType(Want.getElementType()) << ", but its value is "
           << describeType(Have.getElementType());
  auto Ranked = dyn_cast<RankedTensorType>(Want);
  if (Ranked &&
      failed(verifyCompatibleShape(Ranked.getShape(), Have.getShape())))
    return mlir::emitError(Place)
           << "output '" << Name << "' is declared " << describeDeclared(Ranked)
           << ", but its shape is " << describe(Have.getShape());
  return success();
}
