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

#include "InlineCall.h"
#include "NormalizeSteps.h"
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
    inlineCall(At.Node, Function, [&](Operation *Copy) {
      Copy->walk([&](NodeOp) { ++Expanded; });
      collect(Copy, At.Depth + 1);
    });
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
