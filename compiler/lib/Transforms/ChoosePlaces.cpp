//===- ChoosePlaces.cpp - Candidates the accelerator takes ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A minimum cut over the data flow: a candidate costs what the search says of
// it or what its operations take on the host; a value that is made on one side
// and read on the other costs its packing or unpacking, once.
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "Border.h"
#include "HostCost.h"
#include "MinCut.h"
#include "Regroup.h"
#include "tenon/Scheduling/DescribeLayer.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tenon;

namespace {
/// A candidate in the cut; times are milliseconds.
struct Choice {
  Candidate *Of;
  double OnAccelerator = 0, OnHost = 0;
  size_t Node = 0;
};

/// A value that layers read or make, where it is made and who reads it.
struct Flow {
  Choice *Producer = nullptr; ///< null: the host
  SmallVector<Choice *> Readers;
  bool HostReads = false;
};

class Chooser {
public:
  Chooser(CandidateSet &Set, scheduling::Machine &Machine)
      : Set(Set), Machine(Machine) {}

  void refuseWhatDoesNotFit();
  void choose();

private:
  double acceleratorMilliseconds(const Candidate &L);
  void addChoices();
  void addFlows();
  void addReader(Value V, Choice &Reader);
  void addHostReaders(Value V, Flow &F);
  void addToCut(Value V, const Flow &F);
  double move(Value V) const;
  double moved(const Choice &C) const;
  void refuse(const Candidate &L, const Refusal &Why);

  CandidateSet &Set;
  scheduling::Machine &Machine;
  MinCut Cut;
  SmallVector<Choice, 0> Choices;
  DenseMap<Value, Choice *> ProducerOf;
  DenseSet<Operation *> Members;
  llvm::MapVector<Value, Flow> Flows;
};
} // namespace

/// The cut counts picoseconds, so that nothing is lost to rounding.
static int64_t ticks(double Milliseconds) { return Milliseconds * 1e9; }

double Chooser::move(Value V) const {
  return moveMilliseconds(cast<ShapedType>(V.getType()).getNumElements(),
                          Machine.host());
}

void Chooser::refuse(const Candidate &L, const Refusal &Why) {
  for (Operation *Op : L.Members)
    Set.Refusals[Op] = Why;
}

static accel::LayerAttr layerOf(const Candidate &L) {
  return scheduling::attributeOf(L.Result.getContext(), L);
}

void Chooser::refuseWhatDoesNotFit() {
  SmallVector<accel::LayerAttr> Layers;
  for (const Candidate &L : Set.Candidates)
    Layers.push_back(layerOf(L));
  Machine.search(Layers);
  llvm::erase_if(Set.Candidates, [&](const Candidate &L) {
    const scheduling::Answer &Found = Machine.answer(layerOf(L));
    if (!Found.fits())
      refuse(L, {"it " + Found.WhyNone, "a configuration with more room"});
    return !Found.fits();
  });
}

double Chooser::acceleratorMilliseconds(const Candidate &L) {
  double CyclesPerMs = Machine.layout().config.clock_mhz() * 1e3;
  return std::max<size_t>(1, L.Phases.size()) *
         Machine.answer(layerOf(L)).BestCost.Cycles / CyclesPerMs;
}

void Chooser::addChoices() {
  Choices.reserve(Set.Candidates.size());
  for (Candidate &L : Set.Candidates) {
    // A layer that leaves the accelerator splits a launch in two.
    Choice C{&L, acceleratorMilliseconds(L), LaunchMs, 0};
    for (Operation *Op : L.Members)
      C.OnHost += hostMilliseconds(Op, Machine.host());
    C.Node = Cut.addNode(ticks(C.OnAccelerator),
                         L.Wanted ? MinCut::Never : ticks(C.OnHost));
    Choices.push_back(C);
    Members.insert(L.Members.begin(), L.Members.end());
  }
  for (Choice &C : Choices)
    ProducerOf[C.Of->Result] = &C;
}

/// Notes that `Reader` reads `V`, through what packing absorbs.
void Chooser::addReader(Value V, Choice &Reader) {
  auto Outside = [&](Operation *Op) { return !Members.contains(Op); };
  Value Root = borderRoot(V, Outside);
  Choice *Producer = ProducerOf.lookup(Root);
  // A change of layout between layers is the host's work.
  if (Producer && !isCarried(V, Outside, Machine.layout())) {
    Flows[Root].Producer = Producer;
    Flows[Root].HostReads = true;
    Producer = nullptr;
    Root = V;
  }
  Flow &F = Flows[Root];
  F.Producer = Producer;
  F.Readers.push_back(&Reader);
}

/// Notes readers of a candidate's result that are no candidates.
void Chooser::addHostReaders(Value V, Flow &F) {
  for (Operation *User : V.getUsers())
    if (Members.contains(User))
      continue;
    else if (isBorderCandidate(User))
      addHostReaders(User->getResult(0), F);
    else
      F.HostReads = true;
}

void Chooser::addFlows() {
  for (Choice &C : Choices) {
    for (Value V : C.Of->inputs())
      addReader(V, C);
  }
  for (Choice &C : Choices) {
    Flow &F = Flows[C.Of->Result];
    F.Producer = &C;
    addHostReaders(C.Of->Result, F);
  }
}

/// A value is unpacked once for all readers on the host, and packed once for
/// all layers: through a node of its own that goes with the first of them.
void Chooser::addToCut(Value V, const Flow &F) {
  int64_t Cost = ticks(move(V));
  size_t Host = Cut.addNode(MinCut::Never, 0);
  size_t Producer = F.Producer ? F.Producer->Node : Host;
  if (F.Producer) {
    size_t Unpack = Cut.addNode(0, 0);
    Cut.addEdge(Producer, Unpack, Cost);
    for (const Choice *Reader : F.Readers)
      Cut.addEdge(Unpack, Reader->Node, MinCut::Never);
    if (F.HostReads)
      Cut.addEdge(Unpack, Host, MinCut::Never);
  }
  size_t Pack = Cut.addNode(0, 0);
  Cut.addEdge(Pack, Producer, Cost);
  for (const Choice *Reader : F.Readers)
    Cut.addEdge(Reader->Node, Pack, MinCut::Never);
}

/// What would cross the border if the choice alone went to the accelerator.
double Chooser::moved(const Choice &C) const {
  double Ms = 0;
  for (const auto &[V, F] : Flows)
    if (F.Producer == &C || llvm::is_contained(F.Readers, &C))
      Ms += move(V);
  return Ms;
}

void Chooser::choose() {
  addChoices();
  addFlows();
  for (const auto &[V, F] : Flows)
    addToCut(V, F);
  Cut.solve();
  DenseSet<Value> OnHost;
  for (const Choice &C : Choices) {
    if (Cut.onSource(C.Node))
      continue;
    OnHost.insert(C.Of->Result);
    refuse(*C.Of, {llvm::formatv(
                       "the network is faster with it on the host: {0:f3} ms "
                       "there, {1:f3} ms on the accelerator and {2:f3} ms "
                       "to move its tensors",
                       C.OnHost, C.OnAccelerator, moved(C))
                       .str(),
                   "layers before and behind it that run on the accelerator"});
  }
  llvm::erase_if(Set.Candidates,
                 [&](const Candidate &L) { return OnHost.contains(L.Result); });
}

void tenon::applyRefusals(CandidateSet &Set,
                          ArrayRef<accel::RefusalAttr> Given) {
  for (accel::RefusalAttr R : Given) {
    Refusal Why{"placed on the accelerator, it was refused: " +
                    R.getReason().str(),
                R.getRemedy().str()};
    llvm::erase_if(Set.Candidates, [&](const Candidate &L) {
      if (L.Number != R.getCandidate())
        return false;
      for (Operation *Op : L.Members)
        Set.Refusals[Op] = Why;
      return true;
    });
  }
}

void tenon::choosePlaces(CandidateSet &Set, scheduling::Machine &Machine) {
  Chooser(Set, Machine).refuseWhatDoesNotFit();
  Chooser(Set, Machine).choose();
}
