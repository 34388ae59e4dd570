//===- SearchSchedule.cpp - The best schedule of a layer ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// All tile sizes that cut an axis into equal parts are candidates. A closed
// formula orders those that fit; the first few are walked step by step.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/CostModel.h"
#include "tenon/Scheduling/InputBlocks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace tenon;
using namespace tenon::scheduling;

/// Steps of all candidates that are walked: small layers see every candidate,
/// of large ones, whose edges matter less, the formula's best.
static constexpr uint64_t StepBudget = 60000;
/// A schedule of more steps is the last resort: reading its instructions takes
/// longer than what any other schedule moves.
static constexpr uint64_t ManySteps = 20000;
/// What the stream of one layer may hold: about half a million instructions.
static constexpr uint64_t MostSteps = 1 << 16;
/// What a pair must gain by the model, which knows less of two layers' waits
/// for each other than of one by itself.
static constexpr double PairGain = 0.03;
/// What another pair must gain over one that the formula prefers: the model is
/// not sure of less.
static constexpr double PairStep = 0.01;
/// Schedules of each layer that are tried for a pair, and the steps of all
/// pairs that are walked.
static constexpr size_t PairCandidates = 24;
static constexpr uint64_t PairBudget = 150000;

/// Sizes ceil(Extent / parts), largest first, at most `Most` of them.
static std::vector<uint32_t> parts(uint32_t Extent, size_t Most) {
  std::vector<uint32_t> All;
  for (uint32_t Size = Extent; Size >= 1;) {
    All.push_back(Size);
    if (Size == 1)
      break;
    uint32_t Count = ceilDiv(Extent, Size) + 1;
    Size = std::min(Size - 1, ceilDiv(Extent, Count));
  }
  if (All.size() <= Most)
    return All;
  std::vector<uint32_t> Some;
  for (size_t I = 0; I < Most; ++I)
    Some.push_back(All[I * (All.size() - 1) / (Most - 1)]);
  return Some;
}

namespace {
struct Candidate {
  Schedule S;
  double Score;
  uint64_t Steps;
};

class Search {
public:
  Search(const isa::Layout &L, const Layer &TheLayer, uint32_t Threads)
      : L(L), TheLayer(TheLayer), Threads(Threads), Least(bounds(L, TheLayer)) {
  }

  void enumerate() {
    uint32_t Blocks = ceilDiv(TheLayer.Out.C, L.config.block_out());
    uint32_t Reduced =
        TheLayer.isContract() ? InputBlocks(L, TheLayer).count() : 1;
    uint32_t MostRows = TheLayer.isProduct() ? 1 : TheLayer.Out.H;
    for (uint32_t Rows : parts(MostRows, 14))
      for (uint32_t Cols : parts(TheLayer.Out.W, 10))
        for (uint32_t Block : parts(Blocks, 12))
          for (uint32_t Reduction : parts(Reduced, 8))
            if (!addAll({Rows, Cols, Block, Reduction, uint32_t(TheLayer.KH),
                         true, Threads}) &&
                Reduction == 1 && TheLayer.KH > 1)
              for (uint32_t Kernel : parts(TheLayer.KH, 8))
                addAll({Rows, Cols, Block, Reduction, Kernel, true, Threads});
  }

  llvm::Expected<Schedule> best() {
    sort();
    std::optional<std::pair<double, Schedule>> Best;
    uint64_t Walked = 0;
    for (const Candidate &C : Candidates) {
      if (Best && (C.Steps > ManySteps || Walked + C.Steps > StepBudget))
        break;
      Walked += C.Steps;
      auto Estimate = estimate(L, TheLayer, C.S);
      if (!Estimate)
        return Estimate.takeError();
      if (!Best || Estimate->score() < Best->first)
        Best = {Estimate->score(), C.S};
    }
    if (Best)
      return Best->second;
    return llvm::createStringError("does not fit configuration %s: %s",
                                   L.config.name().c_str(), whyNone().c_str());
  }

  /// The best by the formula of those that compute the same blocks in the same
  /// order, at most `Most`.
  std::vector<Candidate> varied(size_t Most) {
    sort();
    std::vector<Candidate> Result;
    for (const Candidate &C : Candidates) {
      if (C.Steps > ManySteps)
        break;
      bool IsNew = llvm::none_of(Result, [&](const Candidate &R) {
        return R.S.Blocks == C.S.Blocks && R.S.Rows == C.S.Rows &&
               R.S.ChannelsOuter == C.S.ChannelsOuter;
      });
      if (IsNew && Result.size() < Most)
        Result.push_back(C);
    }
    return Result;
  }

  /// Whether there is a candidate, of few steps unless `OfAnyLength`.
  bool has(bool OfAnyLength) const {
    return llvm::any_of(Candidates, [&](const Candidate &C) {
      return OfAnyLength || C.Steps <= ManySteps;
    });
  }

private:
  void sort() {
    auto Rank = [](const Candidate &C) {
      return std::pair(C.Steps > ManySteps, C.Score);
    };
    llvm::sort(Candidates, [&](const Candidate &A, const Candidate &B) {
      return Rank(A) < Rank(B);
    });
  }

  /// Both loop orders; false if the tiles do not fit.
  bool addAll(Schedule S) {
    Tiling T(L, TheLayer, S);
    if (T.check())
      return false;
    uint64_t Steps = steps(S, T);
    FewestSteps = std::min(FewestSteps, Steps);
    if (Steps > MostSteps)
      return true;
    for (bool ChannelsOuter : {true, false}) {
      S.ChannelsOuter = ChannelsOuter;
      S.Axis = S.innerAxis();
      Candidates.push_back({S, formula(S, T), Steps});
    }
    return true;
  }

  uint64_t steps(const Schedule &S, const Tiling &T) const {
    return uint64_t(ceilDiv(TheLayer.Out.H, S.Rows)) *
           ceilDiv(TheLayer.Out.W, S.Cols) *
           ViewLayout(L).groups(TheLayer.Out) *
           ceilDiv(T.outputBlocks(), S.Blocks) * T.steps().size();
  }

  /// Why there is no candidate: none fits, then the smallest does not, or those
  /// that fit have too many steps.
  std::string whyNone() const {
    Schedule Smallest;
    Smallest.Threads = 1;
    if (auto Why = Tiling(L, TheLayer, Smallest).check())
      return *Why;
    return llvm::formatv("its coarsest schedule has {0} steps, the stream of a "
                         "layer holds {1}",
                         FewestSteps, MostSteps);
  }

  /// About what the walk will say.
  double formula(const Schedule &S, const Tiling &T) const {
    Tile First;
    First.Rows = S.Rows, First.Cols = S.Cols, First.Blocks = S.Blocks;
    uint64_t Pixels = uint64_t(ceilDiv(TheLayer.Out.H, S.Rows)) *
                      ceilDiv(TheLayer.Out.W, S.Cols) *
                      ViewLayout(L).groups(TheLayer.Out);
    uint64_t Groups = ceilDiv(T.outputBlocks(), S.Blocks);
    uint64_t Steps = T.steps().size();
    // What is read of the input for one pixel tile, and of weights for a group.
    uint64_t Input = 0, Weights = 0, InputEntries = 0;
    uint64_t Planes = TheLayer.isContract() ? 0 : S.Blocks;
    for (const Step &St : T.steps()) {
      InputBox B = T.inputBox(First, St);
      uint64_t Elements = uint64_t(B.Rows) * B.Cols *
                          (Planes ? Planes : T.inputBlocks(First, St).Size);
      InputEntries += Elements;
      Input += Elements * (Planes ? L.outBytes : L.inpBytes) / L.beatBytes;
      Weights += uint64_t(T.sequenceLength(St)) * S.Blocks *
                 (Planes ? L.config.block_out() : L.wgtBytes) / L.beatBytes;
    }
    // Groups that are not neighbours read different input.
    bool Shares = Planes == 0 && TheLayer.Groups == 1;
    bool Holds = Shares && InputEntries * Pixels <= L.config.inp_entries();
    bool HoldsTile = Shares && InputEntries <= L.config.inp_entries();
    // Weights of one row of a product are those of no other.
    uint64_t Sets = TheLayer.weightSets();
    bool HoldsRow = Sets > 1 && !S.ChannelsOuter &&
                    Weights * Groups * L.beatBytes <=
                        uint64_t(L.config.wgt_entries()) * L.wgtBytes;
    bool Once = T.weightsFit() || HoldsRow;
    uint64_t InputTimes = !Shares || !(Holds || (!S.ChannelsOuter && HoldsTile))
                              ? Pixels * Groups
                              : Pixels;
    uint64_t WeightTimes = Once || (S.ChannelsOuter && Steps == 1)
                               ? Groups * Sets
                               : Pixels * Groups;
    uint64_t Instructions = Pixels * Groups * Steps * (6 + 2 * S.Reduction) *
                            L.instructionBytes / L.beatBytes;
    uint64_t Read = Input * InputTimes + Weights * WeightTimes + Instructions;
    uint64_t Start = (Input + Weights) / Steps;
    uint64_t End =
        uint64_t(S.Rows) * S.Cols * S.Blocks * (1 + L.outBytes / L.beatBytes);
    uint64_t Work = std::max({Least.Compute, Read, Least.Write});
    if (S.Threads == 1)
      Work = Least.Compute + Read + Least.Write;
    return double(Work + Start + End) + 0.02 * double(Read);
  }

  const isa::Layout &L;
  const Layer &TheLayer;
  uint32_t Threads;
  Bounds Least;
  std::vector<Candidate> Candidates;
  uint64_t FewestSteps = ~uint64_t(0); ///< of those that fit
};
} // namespace

llvm::Expected<Schedule> scheduling::searchSchedule(const isa::Layout &L,
                                                    const Layer &TheLayer,
                                                    uint32_t Threads) {
  // The most contexts that schedules of few steps fit with, then of any.
  for (bool OfAnyLength : {false, true})
    for (uint32_t Contexts = Threads; Contexts >= 1; --Contexts) {
      Search Wanted(L, TheLayer, Contexts);
      Wanted.enumerate();
      bool IsLast = OfAnyLength && Contexts == 1;
      if (!IsLast && !Wanted.has(OfAnyLength))
        continue;
      auto Best = Wanted.best();
      if (Best && Contexts < Threads)
        Best->Wanted = Threads;
      return Best;
    }
  llvm_unreachable("a schedule has at least one context");
}

llvm::Expected<std::optional<LayerPair>>
scheduling::searchPair(const isa::Layout &L, const Layer &First,
                       const Layer &Second, uint64_t Apart) {
  isa::Layout Half = halfOf(L);
  Search OfFirst(Half, First, 2), OfSecond(Half, Second, 2);
  OfFirst.enumerate();
  OfSecond.enumerate();
  std::optional<LayerPair> Best;
  uint64_t Walked = 0, Least = Apart * (1 - PairGain);
  for (const Candidate &A : OfFirst.varied(PairCandidates))
    for (const Candidate &B : OfSecond.varied(PairCandidates)) {
      if (Walked + A.Steps + B.Steps > PairBudget)
        continue;
      Walked += A.Steps + B.Steps;
      LayerPair Pair{First, Second, A.S, B.S};
      auto Estimate = estimate(L, Pair);
      if (!Estimate)
        return Estimate.takeError();
      if (Estimate->Cycles >= Least * (1 - PairStep))
        continue;
      Least = Estimate->Cycles;
      Best.emplace(Pair);
    }
  return Best;
}
