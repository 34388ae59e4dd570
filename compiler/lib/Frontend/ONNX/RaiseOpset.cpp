//===- RaiseOpset.cpp - One opset for a model -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/RaiseOpset.h"
#include "NormalizeSteps.h"
#include "Schemas.h"
#include "Upgrade.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "tenon/Frontend/ONNX/CheckSchemas.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// What is rewritten where the opset crosses its version.
static const OldForm Forms[] = {
    {"DFT", 20, upgradeDFT},
    {"GroupNormalization", 21, upgradeGroupNormalization},
};

static void rewriteForms(GraphOp Graph, int64_t Opset) {
  SmallVector<NodeOp> Nodes;
  Graph.walk([&](NodeOp Op) { Nodes.push_back(Op); });
  for (NodeOp Op : Nodes)
    for (const OldForm &Form : Forms)
      if (Op.getDomain().empty() && Form.Becomes <= Opset)
        upgrade(Op, Form);
  separateNames(Graph);
}

namespace {
/// An operator whose words mean something else from an opset on, though a node
/// of the older form still fits the newer schema, and normalisation leaves it.
struct Meaning {
  llvm::StringLiteral Operator;
  int64_t Since;
  llvm::StringLiteral Why;
};
} // namespace

static const Meaning Meanings[] = {
    {"GridSample", 20, "its modes have other names"},
    {"GroupNormalization", 21,
     "its scale and bias have a value a channel, no longer a group"},
    {"Hardmax", 13, "it is along one axis, no longer over several"},
    {"LogSoftmax", 13, "it is along one axis, no longer over several"},
    {"RoiAlign", 16, "its corners are half a pixel off"},
    {"Softmax", 13, "it is along one axis, no longer over several"},
    {"Split", 18, "it asks for sizes or num_outputs"},
};

static LogicalResult checkMeaning(const Node &N, int64_t Opset) {
  for (const Meaning &Of : Meanings)
    if (N.is(Of.Operator) && N.opset() < Of.Since && Opset >= Of.Since &&
        !(N.is("Split") && N.hasInput(1)))
      return N.error() << "it cannot be written as a node of opset " << Opset
                       << ": " << Of.Why << " since opset " << Of.Since;
  return success();
}

/// The IR version that brought the opset, or a later one (ONNX, Versioning.md);
/// runtimes refuse files of a version that is newer than they are.
static int64_t irVersionOf(int64_t Opset) {
  return Opset <= 14 ? 7 : Opset <= 18 ? 8 : Opset <= 20 ? 9 : 10;
}

static void setVersions(ModuleOp Module, int64_t Opset) {
  Builder B(Module.getContext());
  auto Says = Module->getAttrOfType<DictionaryAttr>(ModelAttrName);
  NamedAttrList Facts(Says), Opsets(Says.getAs<DictionaryAttr>("opsets"));
  Opsets.set(domainName(""), B.getI64IntegerAttr(Opset));
  Facts.set("opsets", Opsets.getDictionary(B.getContext()));
  int64_t Version = irVersionOf(Opset);
  if (auto Own = Says.getAs<IntegerAttr>("ir_version"))
    Version = std::max(Version, Own.getInt());
  Facts.set("ir_version", B.getI64IntegerAttr(Version));
  Module->setAttr(ModelAttrName, Facts.getDictionary(B.getContext()));
}

/// Inputs that initializers gave a value are no inputs any more.
static void dropDefaults(GraphOp Graph) {
  SmallVector<Attribute> Inputs;
  for (BlockArgument Input : Graph.getBody().getArguments())
    Inputs.push_back(StringAttr::get(Graph.getContext(), nameOf(Input)));
  for (auto Constant : Graph.getBody().getOps<ConstantOp>())
    Constant.removeInputAttr();
  GraphAttr Info = Graph.getInfo();
  Graph.setInfoAttr(GraphAttr::get(
      Graph.getContext(), Info.getAttribute(), Info.getListed(), Info.getName(),
      ArrayAttr::get(Graph.getContext(), Inputs), Info.getNotes()));
}

LogicalResult tenon::raiseOpset(ModuleOp Module, int64_t Least) {
  int64_t Opset = Least;
  Module.walk([&](NodeOp Op) {
    if (Op.getDomain().empty())
      Opset = std::max<int64_t>(Opset, Op.getOpset());
  });
  rewriteForms(mainGraph(Module), Opset);
  bool Fits = true;
  Module.walk([&](NodeOp Op) {
    if (!Op.getDomain().empty())
      return;
    Fits &= succeeded(checkMeaning(Node(Op), Opset));
    Op.setOpset(Opset);
  });
  if (!Fits || failed(checkSchemas(Module)))
    return failure();
  setVersions(Module, Opset);
  dropDefaults(mainGraph(Module));
  return success();
}
