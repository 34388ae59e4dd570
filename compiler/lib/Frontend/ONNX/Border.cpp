//===- Border.cpp - What a network takes and gives ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Border.h"
#include "ElementTypes.h"
#include "Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/Dialect/ONNX/ONNX.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;

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

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type tenon::frontend::borderElement(Type Element) {
  MLIRContext *Context = Element.getContext();
  auto Integer = dyn_cast<IntegerType>(Element);
  if (Integer && Integer.getWidth() > 1 && Integer.getWidth() < 8)
    return IntegerType::get(Context, 8,
                            Integer.isUnsigned() ? IntegerType::Unsigned
                                                 : IntegerType::Signless);
  if (Integer)
    return Integer;
  return heldType(Element);
}

std::vector<NamedAttribute> BorderType::attributes(MLIRContext *C) const {
  Builder B(C);
  std::vector<NamedAttribute> Result;
  if (Type.getElementType() != Element)
    Result.push_back(B.getNamedAttr("tenon.element",
                                    B.getStringAttr(describeType(Element))));
  if (!Type.hasStaticShape()) {
    SmallVector<StringRef> Names(Open.begin(), Open.end());
    Result.push_back(B.getNamedAttr("tenon.symbols", B.getStrArrayAttr(Names)));
  }
  return Result;
}

StringRef tenon::frontend::inputExtentName(Value Tensor, int64_t Axis) {
  auto Input = dyn_cast<BlockArgument>(Tensor);
  auto Main =
      Input ? dyn_cast_or_null<func::FuncOp>(Input.getOwner()->getParentOp())
            : func::FuncOp();
  auto Names = Main ? Main.getArgAttrOfType<ArrayAttr>(Input.getArgNumber(),
                                                       "tenon.symbols")
                    : ArrayAttr();
  StringRef Name =
      Names ? cast<StringAttr>(Names[Axis]).getValue() : StringRef();
  return Name == "?" ? StringRef() : Name;
}

bool tenon::frontend::isClusterType(Type Element, RankedTensorType Type) {
  return (Element.isInteger(8) || Element.isF32()) && Type.hasStaticShape() &&
         Type.getNumElements() > 0;
}

static FailureOr<TensorType> tensorType(Location Place, StringRef Name,
                                        Type Declared) {
  if (auto Tensor = dyn_cast<TensorType>(Declared))
    return Tensor;
  return mlir::emitError(Place)
         << "'" << Name
         << "' is not a tensor, but every input and output must be";
}

FailureOr<BorderType> tenon::frontend::inputType(Location Place, StringRef Name,
                                                 Type Declared) {
  FailureOr<TensorType> Tensor = tensorType(Place, Name, Declared);
  if (failed(Tensor))
    return failure();
  auto Ranked = dyn_cast<RankedTensorType>(*Tensor);
  if (!Ranked)
    return mlir::emitError(Place)
           << "input '" << Name
           << "' has no shape: give it one (--shape), or store one in the "
              "model, with names for what is open";
  Type Element = Ranked.getElementType(), Held = borderElement(Element);
  if (!Held)
    return mlir::emitError(Place)
           << "input '" << Name << "' has the element type "
           << describeType(Element) << ", which no program takes";
  if (isTooLarge(Ranked.getShape()))
    return mlir::emitError(Place)
           << "input '" << Name << "' of " << describe(Ranked.getShape())
           << " is too large";
  BorderType Result{
      RankedTensorType::get(Ranked.getShape(), Held), Element, {}};
  for (int64_t Axis = 0; Axis < Ranked.getRank(); ++Axis) {
    std::string Open = onnx::dimensionName(Ranked, Axis).str();
    if (Ranked.isDynamicDim(Axis) && Open.empty())
      Open = (Name + "." + Twine(Axis)).str();
    Result.Open.push_back(Ranked.isDynamicDim(Axis) ? Open : "");
  }
  return Result;
}

FailureOr<BorderType> tenon::frontend::outputType(Location Place,
                                                  StringRef Name, Type Declared,
                                                  Type Element,
                                                  RankedTensorType Found) {
  FailureOr<TensorType> Want = tensorType(Place, Name, Declared);
  if (failed(Want))
    return failure();
  if (Want->getElementType() != Element)
    return mlir::emitError(Place)
           << "output '" << Name << "' is declared "
           << describeType(Want->getElementType()) << ", but its value is "
           << describeType(Element);
  auto Ranked = dyn_cast<RankedTensorType>(*Want);
  if (Ranked &&
      failed(verifyCompatibleShape(Ranked.getShape(), Found.getShape())))
    return mlir::emitError(Place)
           << "output '" << Name << "' is declared " << describeDeclared(Ranked)
           << ", but its shape is " << describe(Found.getShape());
  BorderType Result{
      RankedTensorType::get(Found.getShape(), borderElement(Element)),
      Element,
      {}};
  for (int64_t Axis = 0; Axis < Found.getRank(); ++Axis)
    Result.Open.push_back(Found.isDynamicDim(Axis) ? "?" : "");
  return Result;
}
