//===- OrderProblem.cpp - In which order operations need least ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Best first over sets of finished operations: the peak on the way to a set and
// the bytes alive behind it are all that matters of an order. An operation that
// raises neither the peak nor what is alive is taken at once: whatever order is
// best without it stays so with it in front.
//
//===----------------------------------------------------------------------===//

#include "OrderProblem.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

using namespace tenon;

namespace {

constexpr size_t MostSets = 20'000, MostOperations = 5'000;

/// A prefix of an order.
class Prefix {
public:
  explicit Prefix(const OrderProblem &Problem)
      : Problem(&Problem), Waiting(Problem.Operations.size()),
        Touches(Problem.Buffers.size()), Alive(Problem.Buffers.size()) {
    for (auto [Index, Op] : llvm::enumerate(Problem.Operations)) {
      Waiting[Index] = Op.After.size();
      for (unsigned Buffer : Op.Buffers)
        ++Touches[Buffer];
    }
    for (unsigned Index = 0; Index < Waiting.size(); ++Index)
      if (!Waiting[Index])
        Ready.push_back(Index);
  }

  /// Bytes alive while `Op` runs, and behind it.
  std::pair<uint64_t, uint64_t> cost(unsigned Op) const {
    uint64_t During = Bytes, Freed = 0;
    for (unsigned Buffer : Problem->Operations[Op].Buffers) {
      const OrderProblem::Buffer &B = Problem->Buffers[Buffer];
      During += Alive[Buffer] ? 0 : B.Bytes;
      Freed += Touches[Buffer] == 1 && !B.Stays ? B.Bytes : 0;
    }
    return {During, During - Freed};
  }

  void run(unsigned Op, llvm::ArrayRef<llvm::SmallVector<unsigned>> Before) {
    auto [During, Behind] = cost(Op);
    Peak = std::max(Peak, During);
    Bytes = Behind;
    for (unsigned Buffer : Problem->Operations[Op].Buffers) {
      --Touches[Buffer];
      Alive.set(Buffer);
    }
    Order.push_back(Op);
    Ready.erase(llvm::find(Ready, Op));
    for (unsigned Next : Before[Op])
      if (--Waiting[Next] == 0)
        Ready.push_back(Next);
  }

  /// Runs what costs nothing.
  void settle(llvm::ArrayRef<llvm::SmallVector<unsigned>> Before) {
    for (;;) {
      auto Free = llvm::find_if(Ready, [&](unsigned Op) {
        auto [During, Behind] = cost(Op);
        return During <= Peak && Behind <= Bytes;
      });
      if (Free == Ready.end())
        return;
      run(*Free, Before);
    }
  }

  std::vector<bool> finished() const {
    std::vector<bool> Set(Waiting.size());
    for (unsigned Op : Order)
      Set[Op] = true;
    return Set;
  }

  uint64_t Peak = 0, Bytes = 0;
  std::vector<unsigned> Order;
  llvm::SmallVector<unsigned> Ready;

private:
  const OrderProblem *Problem;
  std::vector<unsigned> Waiting, Touches; ///< of operations; of buffers
  llvm::BitVector Alive;
};

class Search {
public:
  explicit Search(const OrderProblem &Problem)
      : Problem(Problem), Before(Problem.Operations.size()) {
    for (auto [Index, Op] : llvm::enumerate(Problem.Operations))
      for (unsigned First : Op.After)
        Before[First].push_back(Index);
  }

  /// Empty where it was given up.
  std::vector<unsigned> exact(uint64_t Below);
  std::vector<unsigned> greedy();

private:
  const OrderProblem &Problem;
  std::vector<llvm::SmallVector<unsigned>> Before;
};

} // namespace

std::vector<unsigned> Search::exact(uint64_t Below) {
  struct Worse {
    bool operator()(const Prefix &A, const Prefix &B) const {
      return std::tuple(A.Peak, B.Order.size(), A.Bytes) >
             std::tuple(B.Peak, A.Order.size(), B.Bytes);
    }
  };
  std::priority_queue<Prefix, std::vector<Prefix>, Worse> Open;
  std::set<std::vector<bool>> Known; // with their least peak
  size_t Sets = 0;
  auto add = [&](Prefix P) {
    P.settle(Before);
    if (P.Peak < Below && ++Sets)
      Open.push(std::move(P));
  };
  add(Prefix(Problem));
  while (!Open.empty() && Sets < MostSets) {
    Prefix Best = Open.top();
    Open.pop();
    if (!Known.insert(Best.finished()).second)
      continue;
    if (Best.Order.size() == Problem.Operations.size())
      return Best.Order;
    for (unsigned Op : Best.Ready) {
      Prefix Next = Best;
      Next.run(Op, Before);
      add(std::move(Next));
    }
  }
  return {};
}

std::vector<unsigned> Search::greedy() {
  Prefix P(Problem);
  for (P.settle(Before); !P.Ready.empty(); P.settle(Before)) {
    auto key = [&](unsigned Op) {
      auto [During, Behind] = P.cost(Op);
      return std::tuple(Behind, During, Op);
    };
    P.run(*llvm::min_element(
              P.Ready, [&](unsigned A, unsigned B) { return key(A) < key(B); }),
          Before);
  }
  return P.Order;
}

uint64_t OrderProblem::peak(llvm::ArrayRef<unsigned> Order) const {
  std::vector<unsigned> Touches(Buffers.size());
  std::vector<bool> Alive(Buffers.size());
  for (const Operation &Op : Operations)
    for (unsigned Buffer : Op.Buffers)
      ++Touches[Buffer];
  uint64_t Bytes = 0, Most = 0;
  for (unsigned Op : Order) {
    for (unsigned Buffer : Operations[Op].Buffers) {
      Bytes += Alive[Buffer] ? 0 : Buffers[Buffer].Bytes;
      Alive[Buffer] = true;
    }
    Most = std::max(Most, Bytes);
    for (unsigned Buffer : Operations[Op].Buffers)
      if (--Touches[Buffer] == 0 && !Buffers[Buffer].Stays)
        Bytes -= Buffers[Buffer].Bytes;
  }
  return Most;
}

uint64_t OrderProblem::bound() const {
  uint64_t Most = 0;
  for (const Operation &Op : Operations) {
    uint64_t Bytes = 0;
    for (unsigned Buffer : Op.Buffers)
      Bytes += Buffers[Buffer].Bytes;
    Most = std::max(Most, Bytes);
  }
  return Most;
}

std::vector<unsigned> OrderProblem::solve() const {
  std::vector<unsigned> Given(Operations.size());
  for (unsigned Op = 0; Op < Given.size(); ++Op)
    Given[Op] = Op;
  const uint64_t Peak = peak(Given);
  if (Peak <= bound() || Given.size() > MostOperations)
    return Given;
  Search S(*this);
  std::vector<unsigned> Greedy = S.greedy();
  const uint64_t GreedyPeak = peak(Greedy);
  std::vector<unsigned> Exact = S.exact(std::min(Peak, GreedyPeak));
  if (!Exact.empty())
    return Exact;
  return GreedyPeak < Peak ? Greedy : Given;
}
