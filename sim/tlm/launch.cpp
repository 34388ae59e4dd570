//===- sim/tlm/launch.cpp - One launch: the engines and their time --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/launch.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tenon::sim::tlm {
namespace {

constexpr const char *engineNames[numEngines] = {"load", "gemm", "alu",
                                                 "store"};

std::string neighbourOf(unsigned engine, uint32_t mask) {
  auto others = isa::neighbours(isa::Engine(engine));
  for (unsigned i = 0; i < numNeighbours; ++i)
    if (mask >> i & 1)
      return engineNames[unsigned(others[i])];
  return "nobody";
}

} // namespace

Launch::Launch(Context &context, const Ports &ports,
               std::function<void(uint64_t)> storeRetired)
    : context(context), arbiter(isOrdered(context.options.memory)),
      load(context, ports.load, arbiter),
      fetch(context, ports.fetch, arbiter, load), gemm(context),
      alu(context, load, gemm),
      store(context, ports.store, isOrdered(context.options.memory),
            [&context, storeRetired] {
              storeRetired(context.accounting.retired(3));
            }) {}

bool Launch::run(Cycle until) {
  for (;;) {
    Cycle now = context.agenda.next();
    if (now >= until && now != never)
      return true;
    if (now == never || !check(now)) {
      end();
      return false;
    }
    for (unsigned actor = 0; actor < numActors; ++actor)
      if (context.agenda.isDue(actor, now)) {
        context.agenda.begin(actor);
        context.agenda.wake(actor, act(actor, now));
      }
    if (!context.status.ok()) {
      status = context.status;
      return false;
    }
  }
}

Cycle Launch::act(unsigned actor, Cycle now) {
  switch (actor) {
  case StoreActor:
    return store.act(now);
  case FetchActor:
    return fetch.act(now);
  case LoadActor:
    return load.act(now);
  case GemmActor:
    return gemm.act(now);
  default:
    return alu.act(now);
  }
}

// Whether the launch may go on with cycle `next`.
bool Launch::check(Cycle next) {
  uint64_t limit = context.options.cycleLimit;
  if (limit && next >= limit) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("tlm: the program has not ended within ", limit,
                     " cycles, the limit that was set", describe()));
    return false;
  }
  return true;
}

bool Launch::isDone() const {
  for (const Channel &queue : context.queues)
    if (!queue.isEmpty())
      return false;
  return fetch.ended() && load.isIdle() && gemm.isIdle() && alu.isIdle() &&
         store.isIdle();
}

// Nothing can happen any more: the program has ended, or is stuck.
void Launch::end() {
  if (!status.ok())
    return;
  if (!isDone()) {
    status = absl::AbortedError(
        absl::StrCat("tlm: deadlock: nothing can act any more after cycle ",
                     lastProgress(), describe()));
    return;
  }
  // Done rises in the cycle after all is finished (control.sv).
  total = fetch.finished();
  for (unsigned e = 0; e < numEngines; ++e)
    total = std::max(total, ledger(e).lastRetirement());
  ++total;
  for (unsigned e = 0; e < numEngines; ++e) {
    ledger(e).background(isa::State::Empty);
    ledger(e).memory(0);
    ledger(e).advance(std::min(total, fetch.finishAt + 1));
    ledger(e).background(isa::State::Done);
    ledger(e).advance(total);
  }
  uint64_t limit = context.options.cycleLimit;
  if (limit && total > limit)
    status = absl::ResourceExhaustedError(
        absl::StrCat("tlm: the program has not ended within ", limit,
                     " cycles, the limit that was set"));
}

const Ledger &Launch::ledger(unsigned engine) const {
  const Ledger *ledgers[] = {&load.ledger, &gemm.ledger, &alu.ledger,
                             &store.ledger};
  return *ledgers[engine];
}

Cycle Launch::lastProgress() const {
  Cycle last = 0;
  for (unsigned e = 0; e < numEngines; ++e)
    last = std::max(last, ledger(e).lastBusy());
  return last;
}

uint64_t Launch::retired() const {
  uint64_t sum = 0;
  for (unsigned e = 0; e < numEngines; ++e)
    sum += context.accounting.retired(e);
  return sum;
}

// A line an engine: what it waits for, and where it stands.
std::string Launch::describe() const {
  std::string text;
  for (unsigned e = 0; e < numEngines; ++e) {
    const std::vector<Work> &works = context.program.engines[e];
    uint64_t number = context.accounting.retired(e);
    absl::StrAppend(&text, "\n  ", engineNames[e], ": ",
                    isa::toString(ledger(e).waitsIn()));
    if (ledger(e).waitsIn() == isa::State::Token) {
      if (uint32_t mask = ledger(e).tokenWait())
        absl::StrAppend(&text, ", waits for a token from ",
                        neighbourOf(e, mask));
      if (uint32_t mask = ledger(e).roomWait())
        absl::StrAppend(&text, ", waits for room in its channel to ",
                        neighbourOf(e, mask));
    }
    absl::StrAppend(&text, "; ", number, " of ", works.size(),
                    " instructions retired, at ");
    if (number < works.size())
      absl::StrAppend(
          &text, "instruction ", works[number].streamIndex, ": ",
          isa::disassemble(context.layout, works[number].instruction));
    else
      absl::StrAppend(&text, "no further instruction");
  }
  if (!fetch.ended())
    absl::StrAppend(&text, "\n  fetch: at instruction ", fetch.dispatched(),
                    " of ", context.program.order.size() + 1);
  return text;
}

} // namespace tenon::sim::tlm
