//===- Normalize.cpp - One form for every operator ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/Normalize.h"
#include "NormalizeSteps.h"
#include "mlir/Pass/Pass.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "tenon/Frontend/ONNX/CheckSchemas.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

void tenon::frontend::dropUnused(GraphOp Graph) {
  SmallVector<Operation *> Operations;
  Graph.walk<WalkOrder::PreOrder>([&](Operation *Op) {
    // An initializer that is an input, too, is part of the graph's border.
    auto Constant = dyn_cast<ConstantOp>(Op);
    if (isa<NodeOp, NoneOp>(Op) || (Constant && !Constant.getInput()))
      Operations.push_back(Op);
  });
  // Users stand behind what they use, bodies behind their nodes.
  for (Operation *Op : llvm::reverse(Operations))
    if (Op->use_empty())
      Op->erase();
}

/// How deep definitions of operators can stand in each other: far more than any
/// does, so that one that contains itself does no harm.
static constexpr int DeepestDefinition = 32;

LogicalResult tenon::normalizeModel(ModuleOp Module, OperatorTest IsKnown) {
  if (failed(checkSchemas(Module)) || failed(inlineFunctions(Module)))
    return failure();
  GraphOp Graph = mainGraph(Module);
  // Definitions need types, and what they give is of older forms again.
  for (int Depth = 0; Depth <= DeepestDefinition; ++Depth) {
    liftConstants(Graph);
    inferTypes(Graph);
    dropUnused(Graph);
    upgradeNodes(Graph);
    dropUnused(Graph); // what rewritings that failed had made
    bool HasResolved = resolveSequences(Graph);
    FailureOr<bool> HasExpanded = expandOperators(Graph, IsKnown);
    if (failed(HasExpanded))
      return failure();
    if (!HasResolved && !*HasExpanded)
      break;
  }
  dropUnused(Graph);
  separateNames(Graph);
  return success();
}

namespace {
struct NormalizePass
    : public PassWrapper<NormalizePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NormalizePass)

  NormalizePass() = default;
  NormalizePass(const NormalizePass &) {}

  ListOption<std::string> Expand{
      *this, "expand",
      llvm::cl::desc("Operators that are replaced by their definitions")};

  StringRef getArgument() const final { return "onnx-normalize"; }
  StringRef getDescription() const final {
    return "Inline functions, infer types and rewrite old forms of operators";
  }
  void runOnOperation() final {
    if (!mainGraph(getOperation())) {
      getOperation().emitError("there is no onnx.graph to normalise");
      return signalPassFailure();
    }
    auto IsKnown = [&](const Node &N) {
      return !llvm::is_contained(Expand, N.operatorName());
    };
    if (failed(tenon::normalizeModel(getOperation(), IsKnown)))
      signalPassFailure();
  }
};
} // namespace

void tenon::registerNormalizePass() { PassRegistration<NormalizePass>(); }
