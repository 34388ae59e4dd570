//===- Tokens.cpp - Dependency tokens of a linear stream ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/Tokens.h"
#include "Shadow.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>

using namespace tenon;
using namespace tenon::scheduling;

static bool isFinish(const isa::Instruction &I) {
  return std::holds_alternative<isa::Finish>(I);
}

/// Bit of `Other` in the masks of an instruction of `Engine`.
static uint32_t maskBit(unsigned Engine, unsigned Other) {
  return 1u << (Other < Engine ? Other : Other - 1);
}

static void addMask(isa::Instruction &I, uint32_t Wait, uint32_t Signal) {
  std::visit(
      [&](auto &Inst) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(Inst)>,
                                      isa::Finish>) {
          Inst.wait |= Wait;
          Inst.signal |= Signal;
        }
      },
      I);
}

llvm::Error TokenProblem::check() const {
  if (Stream.empty() || !isFinish(Stream.back().Inst))
    return llvm::createStringError("the stream does not end in FINISH");
  for (size_t I = 0; I < Stream.size(); ++I) {
    if (isFinish(Stream[I].Inst) && I + 1 < Stream.size())
      return llvm::createStringError(
          "instruction %zu is FINISH, before the end of the stream", I);
    if (isa::waitOf(Stream[I].Inst) || isa::signalOf(Stream[I].Inst))
      return llvm::createStringError("instruction %zu has tokens already", I);
  }
  return llvm::Error::success();
}

namespace {
/// Insertion of tokens: one pass over the stream.
class Inserter {
public:
  Inserter(const isa::Layout &L, std::vector<StreamInstruction> &Stream,
           const std::vector<Segment> &Segments)
      : L(L), Stream(Stream), Walker(L, Segments), Last(L, Stream) {}

  llvm::Error run() {
    for (size_t I = 0; I + 1 < Stream.size(); ++I)
      if (auto E = visit(I))
        return llvm::joinErrors(
            llvm::createStringError(
                "instruction %zu: %s", I,
                isa::disassemble(L, Stream[I].Inst).c_str()),
            std::move(E));
    setMasks();
    return llvm::Error::success();
  }

private:
  /// A token from the From-th instruction of one engine to the To-th of
  /// another.
  struct Edge {
    uint32_t From, To;
  };
  struct Done {
    size_t Position; ///< in the stream
    Clock After;     ///< complete when it is
  };

  llvm::Error visit(size_t I) {
    unsigned E = unsigned(isa::engineOf(Stream[I].Inst));
    uint32_t Number = Instructions[E].size() + 1;
    Accesses.clear();
    if (auto Err = Walker.next(Stream[I].Inst, Accesses))
      return Err;
    Clock Needed{};
    for (const Access &A : Accesses)
      Last.conflicts(A, E, Needed);
    if (auto Err = order(E, Number, Needed))
      return Err;
    for (const Access &A : Accesses)
      Last.record(A, E, Number);
    Now[E][E] = Number;
    Instructions[E].push_back({I, Now[E]});
    return llvm::Error::success();
  }

  const Done &instruction(unsigned E, uint32_t Number) const {
    return Instructions[E][Number - 1];
  }

  /// Makes instruction `Number` of engine E see those of the others in Needed.
  llvm::Error order(unsigned E, uint32_t Number, Clock Needed) {
    for (unsigned F = 0; F < isa::engineCount; ++F)
      if (F == E || Needed[F] <= Now[E][F])
        Needed[F] = 0;
    for (unsigned F = 0; F < isa::engineCount; ++F)
      for (unsigned G = 0; G < isa::engineCount && Needed[F]; ++G)
        if (G != F && Needed[G] &&
            instruction(G, Needed[G]).After[F] >= Needed[F])
          Needed[F] = 0;
    for (unsigned F = 0; F < isa::engineCount; ++F) {
      if (!Needed[F])
        continue;
      if (!isa::hasChannel(isa::Engine(F), isa::Engine(E)))
        return llvm::createStringError(
            "it must wait for an engine it has no channel from");
      addEdge(F, E, {Needed[F], Number});
      join(Now[E], instruction(F, Needed[F]).After);
    }
    return llvm::Error::success();
  }

  /// Tokens of a channel are taken in the order they were given, so both ends
  /// of its edges grow. Where the new token would find the channel full in
  /// stream order, the youngest one in it is given later instead, and so its
  /// taker waits for both.
  void addEdge(unsigned F, unsigned E, Edge New) {
    std::vector<Edge> &Channel = Channels[F][E];
    size_t Given = instruction(F, New.From).Position;
    uint32_t Held = 0;
    for (auto It = Channel.rbegin();
         It != Channel.rend() && instruction(E, It->To).Position > Given; ++It)
      ++Held;
    if (Held >= L.config.channel_depth())
      Channel.back().From = New.From;
    else
      Channel.push_back(New);
  }

  void setMasks() {
    for (unsigned F = 0; F < isa::engineCount; ++F)
      for (unsigned E = 0; E < isa::engineCount; ++E)
        for (const Edge &Token : Channels[F][E]) {
          addMask(Stream[instruction(F, Token.From).Position].Inst, 0,
                  maskBit(F, E));
          addMask(Stream[instruction(E, Token.To).Position].Inst, maskBit(E, F),
                  0);
        }
  }

  const isa::Layout &L;
  std::vector<StreamInstruction> &Stream;
  AccessWalker Walker;
  Shadow Last;
  std::vector<Access> Accesses;
  std::array<std::vector<Done>, isa::engineCount> Instructions;
  std::array<Clock, isa::engineCount> Now{};
  std::vector<Edge> Channels[isa::engineCount][isa::engineCount];
};
} // namespace

llvm::Error TokenProblem::solve() {
  return Inserter(L, Stream, Segments).run();
}

llvm::Error TokenProblem::verify() const {
  AccessWalker Walker(L, Segments);
  Shadow Last(L, Stream);
  std::array<Clock, isa::engineCount> Now{};
  std::array<std::vector<size_t>, isa::engineCount> Positions;
  std::deque<Clock> Channels[isa::engineCount][isa::engineCount];
  std::vector<Access> Accesses;
  auto text = [&](size_t I) {
    return std::to_string(I) + " (" + isa::disassemble(L, Stream[I].Inst) + ")";
  };
  for (size_t I = 0; I + 1 < Stream.size(); ++I) {
    const isa::Instruction &Inst = Stream[I].Inst;
    unsigned E = unsigned(isa::engineOf(Inst));
    for (unsigned F = 0; F < isa::engineCount; ++F) {
      if (F == E || !(isa::waitOf(Inst) & maskBit(E, F)))
        continue;
      if (Channels[F][E].empty())
        return llvm::createStringError(
            "instruction %s waits for a token that is not given before it",
            text(I).c_str());
      join(Now[E], Channels[F][E].front());
      Channels[F][E].pop_front();
    }
    Accesses.clear();
    if (auto Err = Walker.next(Inst, Accesses))
      return Err;
    Clock Needed{};
    for (const Access &A : Accesses)
      Last.conflicts(A, E, Needed);
    for (unsigned F = 0; F < isa::engineCount; ++F)
      if (F != E && Needed[F] > Now[E][F])
        return llvm::createStringError(
            "nothing orders instruction %s behind instruction %s",
            text(I).c_str(), text(Positions[F][Needed[F] - 1]).c_str());
    Positions[E].push_back(I);
    uint32_t Number = Positions[E].size();
    for (const Access &A : Accesses)
      Last.record(A, E, Number);
    Now[E][E] = Number;
    for (unsigned F = 0; F < isa::engineCount; ++F) {
      if (F == E || !(isa::signalOf(Inst) & maskBit(E, F)))
        continue;
      Channels[E][F].push_back(Now[E]);
      if (Channels[E][F].size() > L.config.channel_depth())
        return llvm::createStringError(
            "instruction %s gives a token to a full channel", text(I).c_str());
    }
  }
  return llvm::Error::success();
}
