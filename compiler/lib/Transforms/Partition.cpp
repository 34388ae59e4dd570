//===- Partition.cpp - Accelerator or host --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Host operations of one stage are outlined into a function each; candidates
// that the accelerator takes become its operations.
//
//===----------------------------------------------------------------------===//

#include "Border.h"
#include "HostCost.h"
#include "Outline.h"
#include "Placement.h"
#include "Reduction.h"
#include "ReplaceCandidates.h"
#include "tenon/Scheduling/Refuse.h"
#include "tenon/Transforms/NodeNames.h"
#include "tenon/Transforms/Passes.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELPARTITION
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

/// Why an operation no layer took is on the host.
static Refusal explain(Operation *Op, const CandidateSet &Set) {
  auto Found = Set.Refusals.find(Op);
  if (Found != Set.Refusals.end())
    return Found->second;
  // What the import says of its node (ImportModel.h).
  auto Main = Op->getParentOfType<func::FuncOp>();
  if (auto Reasons = Main->getAttrOfType<DictionaryAttr>("tenon.reasons"))
    for (Attribute Node : nodeNames(Op))
      if (auto Reason = Reasons.getAs<StringAttr>(cast<StringAttr>(Node)))
        return {Reason.str(), ""};
  auto IsFloat = [](Type T) {
    return llvm::isa<FloatType>(getElementTypeOrSelf(T));
  };
  if (llvm::any_of(Op->getOperandTypes(), IsFloat) ||
      llvm::any_of(Op->getResultTypes(), IsFloat))
    return {
        "floating-point arithmetic; the accelerator computes 8-bit integers",
        "quantise it, or leave it to the host"};
  if (isBorderCandidate(Op))
    return {
        "a change of layout that neither packing nor a layer's reads absorb",
        "keep the channels innermost"};
  return {"no declared intrinsic computes it", "an intrinsic declared for it"};
}

/// A name for the report: what the operations amount to.
static std::string nameOf(ArrayRef<Operation *> Ops) {
  if (StringRef Conversion = borderConversion(Ops); !Conversion.empty())
    return Conversion.str();
  llvm::SetVector<StringRef> Names;
  for (Operation *Op : Ops)
    Names.insert(Op->getName().stripDialect());
  if (Names.contains("exp") && Names.contains("reduce_sum") &&
      Names.contains("reciprocal"))
    return "softmax";
  auto IsTosa = [](Operation *Op) {
    return Op->getName().getDialectNamespace() == "tosa";
  };
  SmallVector<Attribute> Nodes = nodeNames(Ops);
  if (!llvm::all_of(Ops, IsTosa) && !Nodes.empty()) {
    // Loops and tensors say nothing to who knows the network.
    std::string First = cast<StringAttr>(Nodes.front()).str();
    if (Nodes.size() == 1)
      return First;
    return First + " to " + cast<StringAttr>(Nodes.back()).str() + " (" +
           std::to_string(Nodes.size()) + " nodes)";
  }
  constexpr size_t Most = 6;
  if (Names.size() <= Most)
    return llvm::join(Names, "+");
  return llvm::join(ArrayRef(Names.getArrayRef()).take_front(Most), "+") +
         " and " + std::to_string(Names.size() - Most) + " more";
}

namespace {

struct AccelPartition : tenon::impl::AccelPartitionBase<AccelPartition> {
  using AccelPartitionBase::AccelPartitionBase;
  void runOnOperation() override;

private:
  LogicalResult outlineHost(Placement &P, Outliner &Out,
                            ArrayRef<HostGroup> Groups, const HostSpeed &Host);
};

} // namespace

/// A result of the network that is a constant is the host's to make: it gets a
/// constant of its own, for another's may be a layer's weights.
static void ownReturnedConstants(Block &Body) {
  Operation *Return = Body.getTerminator();
  for (OpOperand &Operand : Return->getOpOperands())
    if (isConstant(Operand.get()))
      Operand.set(OpBuilder(Return)
                      .clone(*Operand.get().getDefiningOp())
                      ->getResult(0));
}

/// Functions alone read the result, and each makes its own.
static bool isMadeByReaders(const Placement &P, Operation &Op) {
  return isDestination(&Op) && !Op.use_empty() &&
         llvm::all_of(readersIn(P.Body, Op.getResult(0)), [&](Operation *R) {
           return R != P.Body.getTerminator() && P.placeOf(R) == Place::Host;
         });
}

/// Host operations by stage.
static SmallVector<HostGroup, 0> hostGroups(Placement &P) {
  std::map<int, HostGroup> ByStage;
  for (Operation &Op : P.Body.without_terminator())
    if (P.placeOf(&Op) == Place::Host && !isMadeByReaders(P, Op))
      ByStage[P.stageOf(&Op)].Ops.push_back(&Op);
  SmallVector<HostGroup, 0> Groups;
  for (auto &[Stage, Group] : ByStage)
    Groups.push_back(std::move(Group));
  connect(Groups);
  return Groups;
}

static LogicalResult checkWishes(const Placement &P, DictionaryAttr Wanted) {
  LogicalResult Result = success();
  for (auto [Name, Op] : P.unmetWishes(Wanted)) {
    Refusal Why = explain(Op, P.Set);
    auto Error = emitError(Op->getLoc())
                 << "node '" << Name.getValue()
                 << "' is wanted on the accelerator, but: " << Why.Reason;
    if (!Why.Remedy.empty())
      Error << " (what would change it: " << Why.Remedy << ")";
    Result = failure();
  }
  return Result;
}

LogicalResult AccelPartition::outlineHost(Placement &P, Outliner &Out,
                                          ArrayRef<HostGroup> Groups,
                                          const HostSpeed &Host) {
  LogicalResult Result = success();
  Builder B(&getContext());
  unsigned Number = 0;
  for (const HostGroup &Group : Groups) {
    if (!Group.isNeeded())
      continue;
    ArrayRef<Operation *> Ops = Group.Ops;
    llvm::SetVector<StringRef> Reasons, Remedies;
    SmallVector<Refusal> Why;
    double Ms = 0;
    for (Operation *Op : Ops) {
      Why.push_back(explain(Op, P.Set));
      Ms += hostMilliseconds(Op, Host);
    }
    // What hinders one operation says more than what the others are not.
    auto Add = [&](const Refusal &R) {
      Reasons.insert(R.Reason);
      if (!R.Remedy.empty())
        Remedies.insert(R.Remedy);
    };
    for (auto [Op, R] : llvm::zip(Ops, Why))
      if (P.Set.Refusals.count(Op))
        Add(R);
    if (Reasons.empty())
      llvm::for_each(Why, Add);
    std::string Name = nameOf(Ops);
    bool AtBorder = !borderConversion(Ops).empty();
    if (AtBorder) {
      Reasons.clear();
      Remedies.clear();
      Reasons.insert("the network's border is floating-point: the host "
                     "converts it while packing");
      Remedies.insert("give it integer inputs and outputs");
    }
    if (RequireAccelerator && !AtBorder) {
      emitError(Ops.front()->getLoc())
          << "'" << Name << "' is not on the accelerator, which is required: "
          << llvm::join(Reasons, "; ")
          << " (what would change it: " << llvm::join(Remedies, "; ") << ")";
      Result = failure();
    }
    SmallVector<Attribute> Nodes = nodeNames(Ops);
    func::CallOp Call = Out.outline("host_" + std::to_string(Number++), Group);
    func::FuncOp Function = Out.function();
    Function->setAttr("tenon.placed_on", B.getStringAttr("host"));
    Function->setAttr("tenon.name", B.getStringAttr(Name));
    Function->setAttr("tenon.reason",
                      B.getStringAttr(llvm::join(Reasons, "; ")));
    Function->setAttr("tenon.remedy",
                      B.getStringAttr(llvm::join(Remedies, "; ")));
    Function->setAttr("tenon.nodes", B.getArrayAttr(Nodes));
    Function->setAttr("tenon.estimated_ms", B.getF64FloatAttr(Ms));
    P.setStage(Call, P.stageOf(Ops.front()));
    ++NumHost;
  }
  return Result;
}

void AccelPartition::runOnOperation() {
  auto Main = getOperation().lookupSymbol<func::FuncOp>("main");
  if (!Main || !Main.getBody().hasOneBlock()) {
    emitError(getOperation().getLoc(),
              "expected a function @main with one block, found none");
    return signalPassFailure();
  }
  scheduling::Machine &Machine = getAnalysis<scheduling::Machine>();
  markAnalysesPreserved<scheduling::Machine>();
  if (failed(Machine.check()))
    return signalPassFailure();
  ownReturnedConstants(Main.getBody().front());
  if (hasOpenDimensions(Main.getBody().front()))
    emitRemark(Main.getLoc())
        << "extents that only a run knows are taken as " << UnknownExtent
        << " to estimate times on the host";
  auto Wanted = Main->getAttrOfType<DictionaryAttr>("tenon.places");
  Placement P(Main.getBody().front(), Machine,
              scheduling::refusalsOf(getOperation()), Wanted);
  if (Wanted && failed(checkWishes(P, Wanted)))
    return signalPassFailure();
  SmallVector<HostGroup, 0> Groups = hostGroups(P);
  Outliner Out(Main, Groups);
  if (failed(outlineHost(P, Out, Groups, Machine.host())))
    return signalPassFailure();
  for (Candidate &L : P.Set.Candidates) {
    L.Input = Out.replacement(L.Input);
    L.Residual = Out.replacement(L.Residual);
    L.RightOperand = Out.replacement(L.RightOperand);
    for (Value &V : L.Concatenated)
      V = Out.replacement(V);
  }
  Out.finish([&](Operation *Op) { return P.stageOf(Op); });
  NumLayers += P.Set.Candidates.size();
  if (failed(replaceCandidates(Main, P.Set.Candidates, Machine.layout())))
    signalPassFailure();
}
