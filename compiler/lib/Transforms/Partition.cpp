//===- Partition.cpp - Accelerator or host --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Every operation of @main is placed: in a layer of the accelerator, at its
// border (a change of layout that packing absorbs), or on the host.  Then
// layers and host operations are outlined into functions, in an order in which
// the accelerator is left as seldom as the data flow allows.
//
//===----------------------------------------------------------------------===//

#include "Border.h"
#include "CostModel.h"
#include "LayerBuilding.h"
#include "Outline.h"
#include "tenon/Transforms/Passes.h"

#include "isa/configuration.h"
#include "llvm/Support/FormatVariadic.h"

namespace tenon {
#define GEN_PASS_DEF_ACCELPARTITION
#include "tenon/Transforms/Passes.h.inc"
} // namespace tenon

using namespace mlir;
using namespace tenon;

namespace {

enum class Place { Accelerator, Border, Host, Constant };

/// Where every operation of one block runs.
class Placement {
public:
  Placement(Block &Body, const isa::Configuration &Config);
  void findBorder();
  /// Numbers the alternations between accelerator and host along the data
  /// flow: layers get even numbers, host operations odd ones.
  void findStages();

  Block &Body;
  LayerSet Set;
  DenseMap<Operation *, Place> Places;
  DenseMap<Operation *, int> Stages;

private:
  void keepFasterOnes(const isa::Configuration &Config);
  void ownMembers();
  bool staysAtBorder(Operation *Op);
  bool isLayerResult(Value V) const { return Results.contains(V); }
  bool onBorder(Operation *Op) const {
    return Places.lookup(Op) == Place::Border;
  }
  int stageOf(Value V) const;

  DenseSet<Value> Results;
};

} // namespace

/// Drops layers that the host finishes sooner, the way there and back included.
void Placement::keepFasterOnes(const isa::Configuration &Config) {
  double CyclesPerMs = std::max<double>(1, Config.clock_mhz()) * 1e3;
  llvm::erase_if(Set.Layers, [&](const Layer &L) {
    double Here = acceleratorCycles(L, Config) / CyclesPerMs;
    double There = crossingMilliseconds(L);
    for (Operation *Op : L.Members)
      There += hostMilliseconds(Op);
    if (Here <= There)
      return false;
    for (Operation *Op : L.Members)
      Set.Refusals[Op] = {
          llvm::formatv("the host takes {0:f3} ms for it, the accelerator "
                        "{1:f3} ms",
                        There, Here)
              .str(),
          "a configuration with more lanes or a wider block"};
    return true;
  });
}

/// Additions share what widens a common operand, with each other and with the
/// host: each layer gets operations of its own.
void Placement::ownMembers() {
  for (Layer &L : Set.Layers) {
    SmallVector<Operation *> Members = L.Members.takeVector();
    llvm::SmallPtrSet<Operation *, 16> Inside(Members.begin(), Members.end());
    for (Operation *&Op : llvm::reverse(Members)) {
      auto isInside = [&](Operation *User) { return Inside.contains(User); };
      if (Op == L.Result.getDefiningOp() ||
          llvm::all_of(Op->getUsers(), isInside))
        continue;
      Operation *Own = OpBuilder(Op).clone(*Op);
      Op->replaceUsesWithIf(Own->getResults(), [&](OpOperand &Use) {
        return isInside(Use.getOwner());
      });
      Inside.erase(Op);
      Inside.insert(Own);
      Op = Own;
    }
    L.Members.insert(Members.begin(), Members.end());
  }
}

Placement::Placement(Block &Body, const isa::Configuration &Config)
    : Body(Body),
      Set(findLayers(Body, std::max(Config.block_in(), Config.block_out()))) {
  keepFasterOnes(Config);
  ownMembers();
  for (Operation &Op : Body.without_terminator())
    Places[&Op] = Op.getNumResults() && isConstant(Op.getResult(0))
                      ? Place::Constant
                  : isBorderCandidate(&Op) ? Place::Border
                                           : Place::Host;
  Places[Body.getTerminator()] = Place::Host;
  for (const Layer &L : Set.Layers) {
    Results.insert(L.Result);
    for (Operation *Op : L.Members)
      Places[Op] = Place::Accelerator;
  }
}

/// Whether packing or unpacking can do what `Op` does for all its users.
bool Placement::staysAtBorder(Operation *Op) {
  auto Through = [&](Operation *O) { return onBorder(O); };
  Value V = Op->getResult(0);
  bool FromLayer = isLayerResult(borderRoot(V, Through));
  for (Operation *User : V.getUsers()) {
    Place At = Places.lookup(User);
    if (At == Place::Border)
      continue;
    bool ToLayer = At == Place::Accelerator;
    if (ToLayer && FromLayer && !isSameTensor(V, Through))
      return false;
    if (ToLayer && !FromLayer && !describePack(V, Through))
      return false;
    if (!ToLayer && (!FromLayer || !describeUnpack(V, Through)))
      return false;
  }
  return true;
}

void Placement::findBorder() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Operation &Op : Body) {
      if (!onBorder(&Op) || staysAtBorder(&Op))
        continue;
      Places[&Op] = Place::Host;
      Changed = true;
    }
  }
}

int Placement::stageOf(Value V) const {
  Operation *Op = V.getDefiningOp();
  return Op ? Stages.lookup(Op) : 0;
}

void Placement::findStages() {
  for (Operation &Op : Body.without_terminator()) {
    Place At = Places.lookup(&Op);
    int Stage = 0;
    for (Value V : Op.getOperands())
      Stage = std::max(Stage, stageOf(V));
    // Host work that needs no layer stands before the first layer.
    bool Even = Stage % 2 == 0;
    if (At == Place::Host && Even)
      ++Stage;
    if (At == Place::Accelerator && (!Even || !Stage))
      Stage += Stage ? 1 : 2;
    Stages[&Op] = Stage;
  }
  // All members of a layer run where its last one does.
  for (const Layer &L : Set.Layers)
    for (Operation *Op : L.Members)
      Stages[Op] = Stages.lookup(L.Result.getDefiningOp());
}

/// Why an operation no layer took is on the host.
static Refusal explain(Operation *Op, const LayerSet &Set) {
  auto Found = Set.Refusals.find(Op);
  if (Found != Set.Refusals.end())
    return Found->second;
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
  return llvm::join(Names, "+");
}

namespace {

struct AccelPartition : tenon::impl::AccelPartitionBase<AccelPartition> {
  using AccelPartitionBase::AccelPartitionBase;
  void runOnOperation() override;

private:
  void outlineLayers(Placement &P, Outliner &Out);
  LogicalResult outlineHost(Placement &P, Outliner &Out);
};

} // namespace

void AccelPartition::outlineLayers(Placement &P, Outliner &Out) {
  for (auto [Number, L] : llvm::enumerate(P.Set.Layers)) {
    func::CallOp Call = Out.outline("layer_" + std::to_string(Number),
                                    L.Members.getArrayRef(), {L.Result});
    P.Stages[Call] = P.Stages.lookup(L.Result.getDefiningOp());
    Out.function()->setAttr("tenon.placed_on",
                            StringAttr::get(&getContext(), "accelerator"));
    ++NumLayers;
  }
}

LogicalResult AccelPartition::outlineHost(Placement &P, Outliner &Out) {
  std::map<int, SmallVector<Operation *>> Groups;
  for (Operation &Op : P.Body.without_terminator())
    if (P.Places.lookup(&Op) == Place::Host)
      Groups[P.Stages.lookup(&Op)].push_back(&Op);
  LogicalResult Result = success();
  Builder B(&getContext());
  unsigned Number = 0;
  for (auto &[Stage, Ops] : Groups) {
    llvm::SetVector<StringRef> Reasons, Remedies;
    SmallVector<Refusal> Why;
    double Ms = 0;
    for (Operation *Op : Ops) {
      Why.push_back(explain(Op, P.Set));
      Ms += hostMilliseconds(Op);
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
    func::CallOp Call =
        Out.outline("host_" + std::to_string(Number++), Ops, escaping(Ops));
    func::FuncOp Function = Out.function();
    Function->setAttr("tenon.placed_on", B.getStringAttr("host"));
    Function->setAttr("tenon.name", B.getStringAttr(Name));
    Function->setAttr("tenon.reason",
                      B.getStringAttr(llvm::join(Reasons, "; ")));
    Function->setAttr("tenon.remedy",
                      B.getStringAttr(llvm::join(Remedies, "; ")));
    Function->setAttr("tenon.nodes", B.getArrayAttr(Nodes));
    Function->setAttr("tenon.estimated_ms", B.getF64FloatAttr(Ms));
    P.Stages[Call] = Stage;
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
  auto Loaded = isa::loadConfiguration(Config);
  if (!Loaded.ok()) {
    emitError(Main.getLoc()) << std::string(Loaded.status().message());
    return signalPassFailure();
  }
  Placement P(Main.getBody().front(), *Loaded);
  P.findBorder();
  P.findStages();
  Outliner Out(Main);
  outlineLayers(P, Out);
  if (failed(outlineHost(P, Out)))
    return signalPassFailure();
  Out.finish([&](Operation *Op) { return P.Stages.lookup(Op); });
}
