//===- Names.cpp - The names that ONNX gives ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A value's ONNX name is also its name in the text.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "tenon/Dialect/ONNX/ONNX.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tenon::onnx;

StringRef tenon::onnx::domainName(StringRef Domain) {
  return Domain.empty() ? "ai.onnx" : Domain;
}

StringRef tenon::onnx::dimensionName(Type Of, int64_t Axis) {
  auto Tensor = dyn_cast<RankedTensorType>(Of);
  auto Names =
      Tensor ? dyn_cast_or_null<DimsAttr>(Tensor.getEncoding()) : DimsAttr();
  return Names ? Names.getNames()[Axis].getValue() : StringRef();
}

GraphOp tenon::onnx::mainGraph(ModuleOp Module) {
  auto Graphs = Module.getOps<GraphOp>();
  return Graphs.empty() ? GraphOp() : *Graphs.begin();
}

/// The names of the inputs of `Body` that are its arguments: those that no
/// initializer gives a value.
static SmallVector<StringRef> argumentNames(GraphAttr Info, Region &Body) {
  llvm::StringSet<> Given;
  for (auto Constant : Body.getOps<ConstantOp>())
    if (Constant.getInput())
      Given.insert(Constant.getName());
  SmallVector<StringRef> Names;
  for (StringRef Name : Info.getInputs().getAsValueRange<StringAttr>())
    if (!Given.contains(Name))
      Names.push_back(Name);
  return Names;
}

/// What the operation that holds `Body` says of the graph in it.
static GraphAttr infoOf(Region &Body) {
  Operation *Parent = Body.getParentOp();
  if (auto Graph = dyn_cast<GraphOp>(Parent))
    return Graph.getInfo();
  if (auto Function = dyn_cast<FunctionOp>(Parent))
    return Function.getInfo();
  if (auto Node = dyn_cast<NodeOp>(Parent))
    return cast<GraphAttr>(Node.getGraphs()[Body.getRegionNumber()]);
  return {};
}

StringRef tenon::onnx::nameOf(Value Of) {
  if (auto Argument = dyn_cast<BlockArgument>(Of)) {
    Region &Body = *Argument.getOwner()->getParent();
    GraphAttr Info = infoOf(Body);
    return Info ? argumentNames(Info, Body)[Argument.getArgNumber()]
                : StringRef();
  }
  if (auto Constant = Of.getDefiningOp<ConstantOp>())
    return Constant.getName();
  if (auto Node = Of.getDefiningOp<NodeOp>())
    return cast<StringAttr>(
               Node.getOutputs()[cast<OpResult>(Of).getResultNumber()])
        .getValue();
  return {};
}

static void nameArguments(Region &Body, OpAsmSetValueNameFn Set) {
  if (GraphAttr Info = Body.empty() ? GraphAttr() : infoOf(Body))
    for (auto [Argument, Name] :
         llvm::zip(Body.getArguments(), argumentNames(Info, Body)))
      Set(Argument, Name);
}

void GraphOp::getAsmBlockArgumentNames(Region &Body, OpAsmSetValueNameFn Set) {
  nameArguments(Body, Set);
}

void FunctionOp::getAsmBlockArgumentNames(Region &Body,
                                          OpAsmSetValueNameFn Set) {
  nameArguments(Body, Set);
}

void NodeOp::getAsmBlockArgumentNames(Region &Body, OpAsmSetValueNameFn Set) {
  nameArguments(Body, Set);
}

void NodeOp::getAsmResultNames(OpAsmSetValueNameFn Set) {
  for (auto [Result, Name] :
       llvm::zip(getResults(), getOutputs().getAsValueRange<StringAttr>()))
    Set(Result, Name);
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn Set) {
  Set(getResult(), getName());
}
