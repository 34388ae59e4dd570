//===- InlineCall.cpp - A function's body in place of a node --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "InlineCall.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// The node's attributes with those of the caller in place of references.
static DictionaryAttr resolve(DictionaryAttr Held, NodeOp Caller,
                              FunctionOp Function) {
  NamedAttrList Resolved;
  for (NamedAttribute Entry : Held) {
    Attribute Value = Entry.getValue();
    if (auto Ref = dyn_cast<RefAttr>(Value)) {
      Value = Caller.getNodeAttributes().get(Ref.getName());
      if (!Value)
        Value = Function.getDefaults().get(Ref.getName());
    }
    if (Value) // what nobody gives is absent
      Resolved.set(Entry.getName(), Value);
  }
  return Resolved.getDictionary(Held.getContext());
}

static ArrayAttr prefixed(ArrayAttr Names, const Twine &Prefix) {
  Builder B(Names.getContext());
  SmallVector<Attribute> Result;
  for (StringRef Name : Names.getAsValueRange<StringAttr>())
    Result.push_back(
        B.getStringAttr(Name.empty() ? Name.str() : (Prefix + Name).str()));
  return B.getArrayAttr(Result);
}

void tenon::frontend::renameCopy(Operation *Copy, StringRef Prefix) {
  Copy->walk([&](Operation *Op) {
    if (auto Constant = dyn_cast<ConstantOp>(Op))
      Constant.setName((Prefix + Constant.getName()).str());
    if (auto Yield = dyn_cast<YieldOp>(Op))
      Yield.setNamesAttr(prefixed(Yield.getNames(), Prefix));
    auto Node = dyn_cast<NodeOp>(Op);
    if (!Node)
      return;
    Node.setName((Prefix + Node.getName()).str());
    auto Place = dyn_cast<NameLoc>(Node.getLoc());
    Node->setLoc(Place ? NameLoc::get(Node.getNameAttr(), Place.getChildLoc())
                       : NameLoc::get(Node.getNameAttr()));
    Node.setOutputsAttr(prefixed(Node.getOutputs(), Prefix));
    SmallVector<Attribute> Graphs;
    for (auto Info : Node.getGraphs().getAsRange<GraphAttr>())
      Graphs.push_back(GraphAttr::get(
          Info.getContext(), Info.getAttribute(), Info.getListed(),
          Info.getName(), prefixed(Info.getInputs(), Prefix), Info.getNotes()));
    Node.setGraphsAttr(ArrayAttr::get(Node.getContext(), Graphs));
  });
}

/// Names of values and nodes are those of the copy.
static void adapt(Operation *Copy, NodeOp Caller, FunctionOp Function) {
  renameCopy(Copy, (Caller.getName() + "/").str());
  Copy->walk([&](NodeOp Node) {
    Node.setNodeAttributesAttr(
        resolve(Node.getNodeAttributes(), Caller, Function));
  });
}

/// The caller's results are `Results`, which take its names and types where a
/// node of the copy, from `First` on, computes them.
static void replace(NodeOp Caller, ValueRange Results, Operation *First) {
  Builder B(Caller.getContext());
  for (auto [Index, Old] : llvm::enumerate(Caller.getResults())) {
    Value New = Results[Index];
    auto Producer = New.getDefiningOp<NodeOp>();
    bool IsCopied = Producer && First &&
                    Producer->getBlock() == First->getBlock() &&
                    !Producer->isBeforeInBlock(First);
    StringRef Name = nameOf(Old);
    if (IsCopied && !Name.empty()) {
      SmallVector<Attribute> Names(Producer.getOutputs().getValue());
      Names[cast<OpResult>(New).getResultNumber()] = B.getStringAttr(Name);
      Producer.setOutputsAttr(B.getArrayAttr(Names));
      if (isa<UnknownType>(New.getType()))
        New.setType(Old.getType());
    }
    Old.replaceAllUsesWith(New);
  }
}

void tenon::frontend::inlineCall(NodeOp Caller, FunctionOp Function,
                                 llvm::function_ref<void(Operation *)> Copied) {
  OpBuilder B(Caller);
  IRMapping Mapping;
  Block &Body = Function.getBody().front();
  Value None;
  for (BlockArgument Argument : Body.getArguments()) {
    bool IsGiven = Argument.getArgNumber() < Caller.getInputs().size();
    if (!IsGiven && !None)
      None = NoneOp::create(B, B.getUnknownLoc(), B.getNoneType());
    Mapping.map(Argument,
                IsGiven ? Caller.getInputs()[Argument.getArgNumber()] : None);
  }
  Operation *First = nullptr;
  for (Operation &Op : Body.without_terminator()) {
    Operation *Copy = B.clone(Op, Mapping);
    First = First ? First : Copy;
    adapt(Copy, Caller, Function);
    Copied(Copy);
  }
  SmallVector<Value> Results;
  for (Value Result : Body.getTerminator()->getOperands())
    Results.push_back(Mapping.lookup(Result));
  replace(Caller, Results, First);
  Caller.erase();
}
