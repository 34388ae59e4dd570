//===- InlineFunctions.cpp - Local functions into their callers -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A call is replaced by a copy of the function's nodes, each with the opset of
// the function's own imports; ONNX's own inliner would have to convert them.
// Calls are expanded depth first, so that a function that calls itself shows by
// the depth of its calls before it fills the memory.
//
//===----------------------------------------------------------------------===//

#include "NormalizeSteps.h"
#include "mlir/IR/IRMapping.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// Most nodes that the calls of a model may expand to.
static constexpr int64_t MostNodes = int64_t{1} << 16;

namespace {
class Inliner {
public:
  explicit Inliner(ModuleOp Module);
  LogicalResult run();

private:
  struct Call {
    NodeOp Node;
    size_t Depth;
  };

  FunctionOp callee(NodeOp Node) const;
  void expand(Call At, FunctionOp Function);
  void adapt(Operation *Copy, NodeOp Caller, FunctionOp Function);
  void replace(NodeOp Caller, ValueRange Results, Operation *First);
  void collect(Operation *Root, size_t Depth);

  ModuleOp Module;
  llvm::StringMap<FunctionOp> Functions;
  SmallVector<Call> Calls;
  int64_t Expanded = 0;
};
} // namespace

/// Domain, name and overload in one; no part has a null byte.
static std::string keyOf(StringRef Domain, StringRef Name, StringRef Overload) {
  return (Domain + Twine('\0') + Name + Twine('\0') + Overload).str();
}

Inliner::Inliner(ModuleOp Module) : Module(Module) {
  for (auto Function : Module.getOps<FunctionOp>())
    Functions.try_emplace(
        keyOf(Function.getDomain(), Function.getName(), Function.getOverload()),
        Function);
}

/// The function that a node calls; null where it is an operator, and where it
/// passes graphs, which no copy can refer to.
FunctionOp Inliner::callee(NodeOp Node) const {
  if (Node.getNumRegions())
    return {};
  return Functions.lookup(
      keyOf(Node.getDomain(), Node.getOpType(), Node.getOverload()));
}

void Inliner::collect(Operation *Root, size_t Depth) {
  Root->walk([&](NodeOp Node) {
    if (callee(Node))
      Calls.push_back({Node, Depth});
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

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

/// Names of values and nodes are the copy's own.
void Inliner::adapt(Operation *Copy, NodeOp Caller, FunctionOp Function) {
  std::string Prefix = (Caller.getName() + "/").str();
  Copy->walk([&](Operation *Op) {
    if (auto Constant = dyn_cast<ConstantOp>(Op))
      Constant.setName(Prefix + Constant.getName().str());
    if (auto Yield = dyn_cast<YieldOp>(Op))
      Yield.setNamesAttr(prefixed(Yield.getNames(), Prefix));
    auto Node = dyn_cast<NodeOp>(Op);
    if (!Node)
      return;
    ++Expanded;
    Node.setName(Prefix + Node.getName().str());
    auto Place = dyn_cast<NameLoc>(Node.getLoc());
    Node->setLoc(Place ? NameLoc::get(Node.getNameAttr(), Place.getChildLoc())
                       : NameLoc::get(Node.getNameAttr()));
    Node.setOutputsAttr(prefixed(Node.getOutputs(), Prefix));
    Node.setNodeAttributesAttr(
        resolve(Node.getNodeAttributes(), Caller, Function));
    SmallVector<Attribute> Graphs;
    for (auto Info : Node.getGraphs().getAsRange<GraphAttr>())
      Graphs.push_back(GraphAttr::get(
          Info.getContext(), Info.getAttribute(), Info.getListed(),
          Info.getName(), prefixed(Info.getInputs(), Prefix), Info.getNotes()));
    Node.setGraphsAttr(ArrayAttr::get(Node.getContext(), Graphs));
  });
}

/// The caller's results are `Results`, which take its names and types where a
/// node of the copy, from `First` on, computes them.
void Inliner::replace(NodeOp Caller, ValueRange Results, Operation *First) {
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

void Inliner::expand(Call At, FunctionOp Function) {
  OpBuilder B(At.Node);
  IRMapping Mapping;
  Block &Body = Function.getBody().front();
  Value None;
  for (BlockArgument Argument : Body.getArguments()) {
    bool IsGiven = Argument.getArgNumber() < At.Node.getInputs().size();
    if (!IsGiven && !None)
      None = NoneOp::create(B, B.getUnknownLoc(), B.getNoneType());
    Mapping.map(Argument,
                IsGiven ? At.Node.getInputs()[Argument.getArgNumber()] : None);
  }
  Operation *First = nullptr;
  for (Operation &Op : Body.without_terminator()) {
    Operation *Copy = B.clone(Op, Mapping);
    First = First ? First : Copy;
    adapt(Copy, At.Node, Function);
    collect(Copy, At.Depth + 1);
  }
  SmallVector<Value> Results;
  for (Value Result : Body.getTerminator()->getOperands())
    Results.push_back(Mapping.lookup(Result));
  replace(At.Node, Results, First);
  At.Node.erase();
}

LogicalResult Inliner::run() {
  collect(mainGraph(Module), 1);
  while (!Calls.empty()) {
    Call At = Calls.pop_back_val();
    FunctionOp Function = callee(At.Node);
    Node View(At.Node);
    if (At.Depth > Functions.size())
      return View.error() << "the function calls itself";
    if (Expanded > MostNodes)
      return View.error() << "the functions expand to more than " << MostNodes
                          << " nodes";
    if (At.Node.getInputs().size() > Function.getBody().getNumArguments() ||
        At.Node.getNumResults() >
            Function.getBody().front().getTerminator()->getNumOperands())
      return View.error()
             << "it has " << At.Node.getInputs().size() << " inputs and "
             << At.Node.getNumResults() << " outputs, the function has "
             << Function.getBody().getNumArguments() << " and "
             << Function.getBody().front().getTerminator()->getNumOperands();
    expand(At, Function);
  }
  return success();
}

LogicalResult tenon::frontend::inlineFunctions(ModuleOp Module) {
  if (failed(Inliner(Module).run()))
    return failure();
  // Those that a call with graphs still names stay.
  bool HasCalls = false;
  llvm::StringSet<> Called;
  mainGraph(Module).walk([&](NodeOp Node) {
    if (Node.getNumRegions())
      Called.insert(
          keyOf(Node.getDomain(), Node.getOpType(), Node.getOverload()));
  });
  for (auto Function : Module.getOps<FunctionOp>())
    HasCalls |= Called.contains(keyOf(Function.getDomain(), Function.getName(),
                                      Function.getOverload()));
  if (!HasCalls)
    for (auto Function :
         llvm::make_early_inc_range(Module.getOps<FunctionOp>()))
      Function.erase();
  return success();
}
