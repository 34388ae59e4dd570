//===- Candidates.cpp - Read the candidates of a block --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Every operation that works on 8-bit activations is tried as the start of a
// layer: lowered, its reduction matched to a declared intrinsic, its epilogue
// followed.  Additions are then moved into the layer before them.
//
//===----------------------------------------------------------------------===//

#include "Border.h"
#include "CandidateReading.h"
#include "GroupedConvolution.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tenon;

static ArrayRef<int64_t> shapeOf(Value V) {
  return cast<RankedTensorType>(V.getType()).getShape();
}

/// Channels of concatenated tensors that begin at block borders need no move.
static std::optional<Candidate> readConcat(tosa::ConcatOp Op, int64_t BlockMax,
                                           Refusal &Why) {
  auto Shape = shapeNHWC(Op.getType());
  auto Type = dyn_cast<RankedTensorType>(Op.getType());
  if (!Shape || !isInt8(Op.getType()) || Op.getInput1().empty())
    return std::nullopt;
  if (static_cast<int64_t>(Op.getAxis()) != Type.getRank() - 1) {
    Why = {"a concatenation of other axes than the channels",
           "concatenate channels"};
    return std::nullopt;
  }
  int64_t First = 0;
  for (auto [Number, Input] : llvm::enumerate(Op.getInput1())) {
    if (First % BlockMax) {
      Why = {llvm::formatv("operand {0} of a concatenation begins at channel "
                           "{1}; blocks have {2} channels",
                           Number, First, BlockMax)
                 .str(),
             "channel counts that are multiples of the block"};
      return std::nullopt;
    }
    First += shapeOf(Input).back();
  }
  Candidate L;
  L.Kind = scheduling::Reduction::Sum;
  L.OpName = "concatenation";
  L.Concatenated.assign(Op.getInput1().begin(), Op.getInput1().end());
  L.Result = Op.getOutput();
  setShape(L.In, *Shape), setShape(L.Out, *Shape);
  L.Members.insert(Op);
  return L;
}

static std::optional<Candidate> readLayer(Operation *Op, int64_t BlockMax,
                                          Refusal &Why) {
  if (auto Concat = dyn_cast<tosa::ConcatOp>(Op))
    return readConcat(Concat, BlockMax, Why);
  if (auto L = readPhases(Op, BlockMax, Why))
    return L;
  if (auto Rescale = dyn_cast<tosa::RescaleOp>(Op)) {
    if (auto L = readAddition(Rescale, Why))
      return L;
    if (auto L = readMultiplication(Rescale, Why))
      return L;
    if (auto L = readScaling(Rescale, Why))
      return L;
    return readRequantisation(Rescale, Why);
  }
  if (!Why.Reason.empty())
    return std::nullopt;
  bool ReadsInt8 = llvm::any_of(Op->getOperands(), [](Value V) {
    return !isConstant(V) && isInt8(V.getType());
  });
  if (!ReadsInt8 || Op->getNumResults() != 1 ||
      !llvm::isa<tosa::TosaDialect>(Op->getDialect()))
    return std::nullopt;
  return readReductionLayer(Op, Why);
}

/// Whether `V` is the elements of a constant: a program packs what it is given
/// and what it computes.
static bool holdsConstant(Value V) {
  return isConstant(borderRoot(V, [](Operation *) { return true; }));
}

/// A layer of activations alone.
static std::optional<Candidate> readCandidate(Operation *Op, int64_t BlockMax,
                                              Refusal &Why) {
  auto L = readLayer(Op, BlockMax, Why);
  if (!L || llvm::none_of(L->inputs(), holdsConstant))
    return L;
  Why = {"one of its operands is a constant", "computed operands"};
  return std::nullopt;
}

/// Moves every addition into a layer before it that computes one of its
/// operands for nobody else; of two, into the one that multiplies more, because
/// its products hide the longer epilogue.
static void fuseAdditions(SmallVectorImpl<Candidate> &Layers) {
  for (size_t I = 0; I < Layers.size(); ++I) {
    std::optional<size_t> Best;
    Candidate Fused;
    for (size_t J = 0; J < I; ++J) {
      Candidate Producer = Layers[J];
      if ((Best && Producer.Macs <= Fused.Macs) ||
          !fuseAddition(Producer, Layers[I]))
        continue;
      Best = J;
      Fused = std::move(Producer);
    }
    if (!Best)
      continue;
    // The layer now ends where the addition ended.
    Layers[I] = std::move(Fused);
    Layers.erase(Layers.begin() + *Best);
    --I;
  }
}

static void number(MutableArrayRef<Candidate> Layers, Block &Block) {
  DenseMap<Operation *, uint64_t> Places;
  for (Operation &Op : Block)
    Places.try_emplace(&Op, Places.size());
  for (Candidate &L : Layers)
    L.Number = Places.lookup(L.Result.getDefiningOp());
}

/// Members are found from the reduction or the result upwards and downwards.
static void sortMembers(Candidate &L) {
  SmallVector<Operation *> Sorted = L.Members.takeVector();
  llvm::sort(Sorted,
             [](Operation *A, Operation *B) { return A->isBeforeInBlock(B); });
  L.Members.insert(Sorted.begin(), Sorted.end());
}

/// What is refused where `Op` is: all groups of a convolution.
static SmallVector<Operation *> readTogether(Operation &Op) {
  auto Conv = dyn_cast<tosa::Conv2DOp>(Op);
  auto G = Conv ? readGrouped(Conv) : std::nullopt;
  if (!G)
    return {&Op};
  return SmallVector<Operation *>(G->Convolutions.begin(),
                                  G->Convolutions.end());
}

CandidateSet tenon::findCandidates(Block &Block, int64_t BlockMax) {
  CandidateSet Set;
  llvm::DenseSet<Operation *> Taken;
  for (Operation &Op : Block) {
    if (Taken.contains(&Op) || Op.getNumResults() == 0 ||
        isConstant(Op.getResult(0)))
      continue;
    Refusal Why;
    if (auto L = readCandidate(&Op, BlockMax, Why)) {
      Taken.insert(L->Members.begin(), L->Members.end());
      Set.Candidates.push_back(std::move(*L));
      continue;
    }
    for (Operation *Each : readTogether(Op)) {
      Taken.insert(Each);
      if (!Why.Reason.empty())
        Set.Refusals[Each] = Why;
    }
  }
  fuseAdditions(Set.Candidates);
  for (Candidate &L : Set.Candidates)
    sortMembers(L);
  number(Set.Candidates, Block);
  return Set;
}
