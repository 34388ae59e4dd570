//===- Syntax.cpp - Nodes and constants as text ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The location of a node or constant is its name, so that text need not carry
// locations: parsing makes them anew, with the place in the text behind the
// name.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "tenon/Dialect/ONNX/ONNX.h"

using namespace mlir;
using namespace tenon::onnx;

//===----------------------------------------------------------------------===//
// %y = onnx.node "Conv" opset 13 "conv1"(%x, %w) -> ["y"]
//        with {group = 1 : i64} graph #onnx.graph<...> {...} : (...) -> ...
//===----------------------------------------------------------------------===//

void NodeOp::print(OpAsmPrinter &P) {
  P << ' ' << getOpTypeAttr();
  if (!getDomain().empty())
    P << " of " << getDomainAttr();
  if (!getOverload().empty())
    P << " overload " << getOverloadAttr();
  P << " opset " << getOpset() << ' ' << getNameAttr() << '(';
  P.printOperands(getInputs());
  P << ") -> ";
  P.printAttributeWithoutType(getOutputsAttr());
  if (!getNodeAttributes().empty())
    P << " with " << getNodeAttributes();
  P.printOptionalAttrDictWithKeyword((*this)->getAttrs(), getAttributeNames());
  for (auto [Info, Body] : llvm::zip(getGraphs(), getBodies())) {
    P << " graph " << Info << ' ';
    P.printRegion(Body);
  }
  P << " : ";
  P.printFunctionalType(*this);
}

static ParseResult parseGraphs(OpAsmParser &P, OperationState &Result) {
  SmallVector<Attribute> Infos;
  while (succeeded(P.parseOptionalKeyword("graph"))) {
    GraphAttr Info;
    if (P.parseAttribute(Info) || P.parseRegion(*Result.addRegion()))
      return failure();
    Infos.push_back(Info);
  }
  Result.addAttribute("graphs", P.getBuilder().getArrayAttr(Infos));
  return success();
}

/// An attribute that stands only where it is not empty.
static ParseResult parseOptional(OpAsmParser &P, StringRef Keyword,
                                 StringRef Name, Attribute Default,
                                 OperationState &Result) {
  Attribute Value = Default;
  if (succeeded(P.parseOptionalKeyword(Keyword)) && P.parseAttribute(Value))
    return failure();
  Result.addAttribute(Name, Value);
  return success();
}

ParseResult NodeOp::parse(OpAsmParser &P, OperationState &Result) {
  Builder &B = P.getBuilder();
  StringAttr Operator, Name;
  IntegerAttr Opset;
  ArrayAttr Outputs;
  SmallVector<OpAsmParser::UnresolvedOperand> Inputs;
  FunctionType Types;
  if (P.parseAttribute(Operator, "op_type", Result.attributes) ||
      parseOptional(P, "of", "domain", B.getStringAttr(""), Result) ||
      parseOptional(P, "overload", "overload", B.getStringAttr(""), Result) ||
      P.parseKeyword("opset") ||
      P.parseAttribute(Opset, B.getI64Type(), "opset", Result.attributes) ||
      P.parseAttribute(Name, "name", Result.attributes))
    return failure();
  SMLoc Place = P.getCurrentLocation();
  if (P.parseOperandList(Inputs, OpAsmParser::Delimiter::Paren) ||
      P.parseArrow() ||
      P.parseAttribute(Outputs, "outputs", Result.attributes) ||
      parseOptional(P, "with", "node_attributes", B.getDictionaryAttr({}),
                    Result) ||
      P.parseOptionalAttrDictWithKeyword(Result.attributes) ||
      parseGraphs(P, Result) || P.parseColonType(Types) ||
      P.resolveOperands(Inputs, Types.getInputs(), Place, Result.operands))
    return failure();
  Result.addTypes(Types.getResults());
  Result.location = NameLoc::get(Name, Result.location);
  return success();
}

//===----------------------------------------------------------------------===//
// %w = onnx.constant "w" = dense<1> : tensor<i64>
// %w = onnx.constant "w" input tensor<i64> = dense<1> : tensor<i64>
//===----------------------------------------------------------------------===//

void ConstantOp::print(OpAsmPrinter &P) {
  P << ' ' << getNameAttr();
  if (getInput())
    P << " input " << *getInput();
  P.printOptionalAttrDictWithKeyword((*this)->getAttrs(), getAttributeNames());
  P << " = " << getValue();
}

ParseResult ConstantOp::parse(OpAsmParser &P, OperationState &Result) {
  StringAttr Name;
  Attribute Value;
  if (P.parseAttribute(Name, "name", Result.attributes))
    return failure();
  if (succeeded(P.parseOptionalKeyword("input"))) {
    Type Declared;
    if (P.parseType(Declared))
      return failure();
    Result.addAttribute("input", TypeAttr::get(Declared));
  }
  SMLoc Place;
  if (P.parseOptionalAttrDictWithKeyword(Result.attributes) || P.parseEqual() ||
      P.getCurrentLocation(&Place) ||
      P.parseAttribute(Value, "value", Result.attributes))
    return failure();
  if (auto Sparse = dyn_cast<SparseTensorAttr>(Value))
    Result.addTypes(Sparse.getTensor());
  else if (auto Elements = dyn_cast<ElementsAttr>(Value))
    Result.addTypes(Elements.getType());
  else
    return P.emitError(Place, "expected the elements of a tensor");
  Result.location = NameLoc::get(Name, Result.location);
  return success();
}
