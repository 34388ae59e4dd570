//===- ExpandOperators.cpp - Operators that others define -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A node whose operator import does not know, but Definitions.h does, is
// replaced by the nodes of its definition.
//
//===----------------------------------------------------------------------===//

#include "BodyReader.h"
#include "Definitions.h"
#include "InlineCall.h"
#include "NormalizeSteps.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// Definitions may look at the types of a node's inputs.
static bool hasTypes(NodeOp Op) {
  return llvm::all_of(Op.getInputs(), [](Value Input) {
    return isa<NoneType, SequenceType, OptionalType>(Input.getType()) ||
           isa<RankedTensorType>(Input.getType());
  });
}

/// Whether the definition's function can be copied for the node.
static bool fits(NodeOp Op, FunctionOp Function) {
  Block &Body = Function.getBody().front();
  return Op.getInputs().size() <= Body.getNumArguments() &&
         Op.getNumResults() <= Body.getTerminator()->getNumOperands();
}

/// Whether the node was replaced.
static FailureOr<bool> expand(NodeOp Op) {
  ::onnx::FunctionProto Proto;
  bool Found = false;
  if (failed(define(Op, Proto, Found)))
    return failure();
  if (!Found)
    return false;
  Reader R(Op.getOpType(), Op.getContext());
  OwningOpRef<ModuleOp> Aside = ModuleOp::create(Op.getLoc());
  OpBuilder B = OpBuilder::atBlockEnd(Aside->getBody());
  FunctionOp Function = readFunction(R, Proto, B);
  if (R.hasFailed())
    return failure();
  if (!fits(Op, Function))
    return false;
  inlineCall(Op, Function, [](Operation *) {});
  return true;
}

FailureOr<bool> tenon::frontend::expandOperators(GraphOp Graph,
                                                 OperatorTest IsKnown) {
  SmallVector<NodeOp> Unknown;
  Graph.walk([&](NodeOp Op) {
    if (!IsKnown(Node(Op)))
      Unknown.push_back(Op);
  });
  // Types of what others give are known a round later, where they ever are.
  bool HasExpanded = false;
  for (bool Typed : {true, false}) {
    for (NodeOp Op : HasExpanded ? ArrayRef<NodeOp>() : ArrayRef(Unknown)) {
      if (hasTypes(Op) != Typed)
        continue;
      FailureOr<bool> Done = expand(Op);
      if (failed(Done))
        return failure();
      HasExpanded |= *Done;
    }
  }
  return HasExpanded;
}
