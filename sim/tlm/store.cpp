//===- sim/tlm/store.cpp - Timing of STORE --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/store.h"

namespace tenon::sim::tlm {
namespace {

constexpr isa::Engine self = isa::Engine::Store;
// Elements asked for and not sent (store_read.sv).
constexpr uint64_t elementsAhead = 8;

} // namespace

Store::Store(Context &context, MemoryPort &port, bool ordered,
             std::function<void()> retired)
    : ledger(context.accounting, self), context(context), port(port),
      ordered(ordered), retired(std::move(retired)),
      mostBursts(std::min(context.layout.config.outstanding_bursts(),
                          std::max(context.options.memory.outstanding, 1u))),
      bursts(context.layout.beatBytes, context.layout.config.burst_beats()),
      freed(context.layout.config.outstanding_bursts()),
      elementBeats(context.layout.outBytes / context.layout.beatBytes),
      retirement(context, self) {}

Cycle Store::act(Cycle now) {
  ledger.advance(now);
  bool open = !front; // the queue's next one may come
  while (!pendings.empty() && pendings.front().burst.last <= now) {
    complete(pendings.front());
    pendings.pop();
  }
  bool didRetire = retire(now);
  bool wasIssuing = issuing, regionFree = !issuing;
  if (issuing && issueFrom() <= now)
    regionFree = issue(now);

  bool went = false, accepted = false;
  Cycle next = never;
  if (front && frontFrom <= now) {
    missing = context.takeTokens(self, missing, now);
    Cycle readable = readTaken[reads % readDepth] + 1;
    bool free = front->isSet ? !wasIssuing : regionFree && readable <= now;
    went = missing == 0 && free;
    if (went)
      start(now);
    else if (missing == 0)
      next = std::max(now + 1, front->isSet ? 0 : readable);
  }
  Channel &queue = context.queues[unsigned(self)];
  if (open && queue.holds(now)) {
    front = &context.head(self);
    context.pop(self, now);
    frontFrom = now + 1;
    missing = front->waits;
    accepted = true;
  }
  if (didRetire) {
    ledger.advance(now + 1);
    ledger.retire();
    retired();
  }
  describe(now);

  next = std::min(next, retirement.next(now));
  if (issuing && issueFrom() != never)
    next = std::min(next, std::max(issueFrom(), now + 1));
  if (!pendings.empty())
    next = std::min(next, std::max(pendings.front().burst.last, now + 1));
  if (accepted || went)
    next = std::min(next, now + 1);
  return next;
}

// A burst takes its place in the retirement queue and in the port's register,
// and one at the memory that is free when it leaves that.
Cycle Store::issueFrom() const {
  if (issuedBursts - completedBursts >= mostBursts)
    return never;
  return std::max({askFrom, portFrom, freed[issuedBursts % freed.size()]});
}

bool Store::retire(Cycle now) {
  if (!retirement.isDue(now))
    return false;
  const Retirement::Entry entry = retirement.head();
  if (retirement.isFresh())
    context.execute(self, *entry.work);
  if (!retirement.give(now))
    return false;
  context.accounting.writeBeat(entry.bytes);
  retirement.pop(now);
  --flight;
  ledger.busyNow(now);
  return true;
}

void Store::start(Cycle now) {
  ledger.busyNow(now);
  ++flight;
  const Work *work = front;
  front = nullptr;
  if (work->isSet) {
    // Behind the last burst before it, whose response may not be known yet.
    Cycle at = now + 1;
    if (pendings.empty())
      retirement.push({at, work});
    else
      pendings.push({{}, work, 0, 1}); // no beats: only an order
    return;
  }
  const auto &store = std::get<isa::Store>(work->instruction);
  bool touch = store.xSize == 1 || store.xStride == elementBeats;
  Region region;
  region.beat = store.dram;
  region.segmentBeats = touch ? store.xSize * elementBeats : elementBeats;
  region.segments = touch ? 1 : store.xSize;
  region.rows = store.ySize;
  region.segmentStride = store.xStride;
  region.rowStride = store.yStride;
  bursts.start(region);
  issuing = true;
  current = work;
  issuedOfCurrent = bytesOfCurrent = 0;
  askFrom = now + 1;

  // Its elements: asked for from the second cycle on, there three later.
  Cycle taken = std::max(now + 1, lastAsked());
  readTaken[reads++ % readDepth] = taken;
  dataFrom = taken + 4;
  before = reading;
  reading = {taken, uint64_t(store.ySize) * store.xSize, 0, 0};
}

// When the last element of the STORE before was asked for: one a cycle, while
// fewer than `elementsAhead` are asked for and not sent.
Cycle Store::lastAsked() const {
  Cycle asked = reading.taken + reading.elements;
  if (reading.elements > elementsAhead)
    return std::max(asked,
                    reading.sentBy(reading.elements - elementsAhead) + 1);
  uint64_t ofBefore = elementsAhead - reading.elements;
  if (before.elements <= ofBefore)
    return asked;
  return std::max(asked, before.sentBy(before.elements - ofBefore) + 1);
}

// Whether the next region can be taken in this cycle.
bool Store::issue(Cycle now) {
  Burst next = bursts.next();
  Transfer burst;
  burst.step = Transfer::WriteRequest;
  burst.offset = next.beat * context.layout.beatBytes;
  burst.beats = next.beats;
  burst.issue = now;
  burst.from = dataFrom;
  port.transport(burst);
  portFrom = acceptedLast + 1;
  acceptedLast = burst.accepted;
  if (issuedOfCurrent == 0)
    reading.first = burst.first - 1;
  reading.last = burst.last - 1;
  ++issuedBursts;
  ++issuedOfCurrent;
  bytesOfCurrent += next.beats * context.layout.beatBytes;
  ledger.busyNow(now);
  ledger.busy(burst.first + 1, burst.last + 2);
  context.countBeats(TrafficTrace::Store, burst.first, burst.last, burst.beats);
  askFrom = now + 1;
  bool last = bursts.done();
  issuing = !last;
  Pending pending{burst, last ? current : nullptr, bytesOfCurrent,
                  issuedOfCurrent};
  if (ordered)
    pendings.push(pending);
  else
    complete(pending);
  return bursts.wasSingle();
}

void Store::complete(Pending pending) {
  if (pending.burst.beats) {
    pending.burst.step = Transfer::WriteComplete;
    port.transport(pending.burst);
    freed[completedBursts++ % freed.size()] = pending.burst.response + 1;
  }
  if (pending.work)
    retirement.push(
        {pending.burst.response, pending.work, pending.bytes, pending.behind});
}

void Store::describe(Cycle now) {
  if (uint32_t blocked = retirement.blocked())
    return ledger.background(isa::State::Token, 0, lowest(blocked));
  if (flight)
    ledger.background(isa::State::Memory);
  else if (front && missing && frontFrom <= now)
    ledger.background(isa::State::Token, lowest(missing));
  else
    ledger.background(isa::State::Empty);
}

} // namespace tenon::sim::tlm
