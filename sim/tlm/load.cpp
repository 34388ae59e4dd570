//===- sim/tlm/load.cpp - Timing of LOAD ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/load.h"

namespace tenon::sim::tlm {
namespace {

constexpr isa::Engine self = isa::Engine::Load;

// The LOAD into ACC that `work` is, if it is one.
const isa::Load *accLoad(const Work &work) {
  const auto *load = std::get_if<isa::Load>(&work.instruction);
  bool acc = load && (load->memory == isa::Memory::Acc ||
                      load->memory == isa::Memory::Acc8);
  return acc ? load : nullptr;
}

bool isPadded(const isa::Load &load) {
  return load.padTop || load.padBottom || load.padLeft || load.padRight;
}

} // namespace

Load::Load(Context &context, MemoryPort &port, ReadArbiter &arbiter)
    : accWrites(context.layout), ledger(context.accounting, self),
      context(context), port(port), arbiter(arbiter),
      aheadBursts(context.layout.config.outstanding_bursts()),
      bursts(context.layout.beatBytes, context.layout.config.burst_beats()),
      retirement(context, self) {
  const std::vector<Work> &works = context.program.engines[unsigned(self)];
  uint32_t none = ~0u;
  ahead.assign(works.size() + 1, {none, none});
  for (size_t i = works.size(); i-- > 0;) {
    ahead[i] = ahead[i + 1];
    const isa::Load *load = accLoad(works[i]);
    if (load)
      ahead[i].acc = i;
    if (load && isPadded(*load))
      ahead[i].padded = i;
  }
}

Cycle Load::act(Cycle now) {
  ledger.advance(now);
  bool open = !front; // the queue's next one may come
  bool full = flight == context.layout.config.queue_depth();
  if (arbiter.due(false) <= now)
    readWaiting(now);
  bool retired = retire(now);
  bool regionFree = !issuing;
  if (asks(now) && arbiter.isFree(now))
    regionFree = issue(now);

  bool went = false;
  if (front && frontFrom <= now) {
    missing = context.takeTokens(self, missing, now);
    went = missing == 0 && !full && (front->isSet || regionFree);
    if (went)
      start(now);
  }
  bool accepted = false;
  Channel &queue = context.queues[unsigned(self)];
  if (open && queue.holds(now)) {
    front = &context.head(self);
    context.pop(self, now);
    frontFrom = now + 1;
    missing = front->waits;
    accepted = true;
  }
  if (retired) {
    ledger.advance(now + 1);
    ledger.retire();
  }
  describe(now);

  Cycle next = retirement.next(now);
  next = std::min(next, arbiter.due(false));
  if (issuing)
    next = std::min(next, std::max(askFrom, arbiter.nextFree(now)));
  bool freed = !issuing && !regionFree;
  if (accepted || went || (front && (retired || freed)))
    next = std::min(next, now + 1);
  return next;
}

bool Load::retire(Cycle now) {
  if (!retirement.isDue(now))
    return false;
  const Retirement::Entry entry = retirement.head();
  if (retirement.isFresh())
    context.execute(self, *entry.work);
  if (!retirement.give(now))
    return false;
  context.accounting.readBeat(entry.bytes);
  retirement.pop(now);
  --flight;
  ledger.busyNow(now);
  return true;
}

// The front instruction has all its tokens.
void Load::start(Cycle now) {
  ledger.busyNow(now);
  ++flight;
  walks.push({front, now});
  if (const auto *load = std::get_if<isa::Load>(&front->instruction)) {
    Region region = regionOf(*load, skipped);
    elementBeats = std::max(1u, context.layout.transferBytes(load->memory) /
                                    context.layout.beatBytes);
    bursts.start(region);
    issuing = true;
    askFrom = std::max(now + 1, limitedUntil());
  }
  front = nullptr;
  finishWalks();
}

// The beats it reads; `skip` are dropped between two elements.
Region Load::regionOf(const isa::Load &load, uint32_t &skip) const {
  uint32_t beats = std::max(1u, context.layout.transferBytes(load.memory) /
                                    context.layout.beatBytes);
  bool touch = load.xSize == 1 || load.xStride == beats;
  bool gather = !touch && (load.gather || load.xStride < beats);
  Region region;
  region.beat = load.dram;
  region.segmentBeats =
      gather ? beats : (load.xSize - 1) * load.xStride + beats;
  region.segments = gather ? load.xSize : 1;
  region.rows = load.ySize;
  region.segmentStride = load.xStride;
  region.rowStride = load.yStride;
  if (touch)
    region.segmentBeats = load.xSize * beats;
  skip = touch || gather ? 0 : load.xStride - beats;
  return region;
}

// Whether the next region can be taken in this cycle.
bool Load::issue(Cycle now) {
  finishWalks();
  Burst next = bursts.next();
  Transfer burst;
  burst.offset = next.beat * context.layout.beatBytes;
  burst.beats = next.beats;
  burst.issue = now;
  issuedBeats += burst.beats;
  issued[issuedBursts++ % ring] = {issuedBeats, burst.beats, 0, 0};
  issuing = !bursts.done();
  arbiter.issue(now, false);
  ledger.busyNow(now);
  if (arbiter.ordered)
    waiting.push({burst, !issuing});
  else
    arbiter.accept(read(burst, !issuing).accepted);
  if (!issuing)
    return bursts.wasSingle();
  askFrom = std::max(now + 1, limitedUntil());
  return false;
}

// The memory is asked for a burst, of all the oldest.
Transfer Load::read(Transfer burst, bool last) {
  burst.from = walkStart(walks.front());
  port.transport(burst);
  note(burst);
  if (last) {
    finishWalk(walks.front(), burst.last);
    walks.pop();
    finishWalks();
  }
  return burst;
}

// The memory accepts the burst that waits for it.
void Load::readWaiting(Cycle now) {
  Transfer burst = read(waiting.front().burst, waiting.front().last);
  waiting.pop();
  arbiter.leave(context.agenda, now, burst.next);
  if (issuing && askFrom == never)
    askFrom = std::max(now + 1, limitedUntil());
}

void Load::note(const Transfer &burst) {
  Issued &entry = issued[readBursts++ % ring];
  entry.first = burst.first;
  entry.last = burst.last;
  lastBeat = burst.last;
  if (accWalk())
    accWrites.take(burst.first, burst.last, burst.beats);
  if (!data.empty() && data.back().to == burst.first)
    data.back().to = burst.last + 1;
  else
    data.push_back({burst.first, burst.last + 1});
  // Written a cycle after it is taken; of a row that is thinned out, the share
  // that is kept.
  Cycle busy = burst.last - burst.first + 1;
  if (skipped)
    busy = busy * elementBeats / (elementBeats + skipped);
  ledger.busy(burst.first + 1, burst.first + 1 + busy);
  context.countBeats(TrafficTrace::Load, burst.first - 1, burst.last - 1,
                     burst.beats);
}

// The first cycle in which one more burst may go out: fewer than `aheadBursts`
// bursts and `aheadBeats` beats are asked for and not taken; never, while that
// depends on one that the memory has not accepted.
Cycle Load::limitedUntil() {
  Cycle from = 0;
  if (issuedBursts >= readBursts + aheadBursts)
    return never;
  if (issuedBursts >= aheadBursts)
    from = issued[(issuedBursts - aheadBursts) % ring].last + 1;
  if (issuedBeats < aheadBeats)
    return from;
  uint64_t needed = issuedBeats - aheadBeats + 1; // beats taken, at least
  while (issued[oldest % ring].end < needed)
    ++oldest;
  if (oldest >= readBursts)
    return never;
  const Issued &burst = issued[oldest % ring];
  uint64_t index = needed - (burst.end - burst.beats) - 1;
  uint64_t span = burst.last - burst.first;
  Cycle taken =
      burst.first + (burst.beats > 1 ? index * span / (burst.beats - 1) : 0);
  return std::max(from, taken + 1);
}

// A LOAD's walk begins two cycles after it went, and after the one before.
Cycle Load::walkStart(const Walk &walk) const {
  return anyWritten ? std::max(walk.go + 2, written + 1) : walk.go + 2;
}

// SETs have nothing to write and end as soon as those before them have.
void Load::finishWalks() {
  while (!walks.empty() && walks.front().work->isSet) {
    finishWalk(walks.front(), 0);
    walks.pop();
  }
}

void Load::finishWalk(const Walk &walk, Cycle dataDone) {
  Cycle begin = walkStart(walk);
  uint32_t bytes = 0;
  Cycle done = begin;
  if (const auto *load = std::get_if<isa::Load>(&walk.work->instruction)) {
    if (accWalk())
      accWrites.settle(never);
    done = std::max(dataDone, paddingDone(*load, begin));
    if (done > dataDone)
      ledger.busy(std::max(dataDone + 1, begin), done + 2);
    uint32_t beats = 0;
    for (const Interval &interval : data)
      beats += interval.to - interval.from;
    bytes = beats * context.layout.beatBytes;
    data.clear();
  }
  written = done;
  anyWritten = true;
  retirement.push({done + 1, walk.work, bytes});
}

// The LOAD whose elements are being written, if it is one into ACC.
const isa::Load *Load::accWalk() {
  if (walks.empty())
    return nullptr;
  const Walk &walk = walks.front();
  const isa::Load *load = accLoad(*walk.work);
  if (load && accWork != walk.work) {
    accWork = walk.work;
    uint32_t skip;
    regionOf(*load, skip);
    accWrites.begin(*load, skip, walkStart(walk));
  }
  return load;
}

Cycle Load::knownUntil(Cycle now) {
  // A burst that has yet to be accepted by the memory brings its first beat in
  // that cycle or later.
  Cycle beat = now + context.options.memory.latency + 2;
  if (accWalk())
    accWrites.settle(beat);
  uint64_t next = context.poppedOf(self) - (front ? 1 : 0);
  Ahead coming = ahead[next];
  bool any = coming.acc != ~0u;
  for (uint32_t i = walks.begin(); i != walks.end() && !any; ++i)
    any = accLoad(*walks.at(i).work);
  if (!any)
    return never;
  Cycle until = beat + AccWrites::behind;
  // One LOAD goes in two cycles, its padding two cycles later.
  if (coming.padded != ~0u)
    until = std::min(until,
                     now + 3 + AccWrites::behind + 2 * (coming.padded - next));
  return until;
}

// The padding is written in cycles without data: the rows above, left and right
// of each row, the rows below (load_pad.sv); a side without padding takes a
// cycle, too.
Cycle Load::paddingDone(const isa::Load &load, Cycle start) const {
  if (!isPadded(load))
    return start;
  uint64_t row = load.padLeft + load.xSize + load.padRight;
  Cycle at = afterFree(start, load.padTop * row);
  for (uint32_t y = 0; y < load.ySize; ++y)
    for (uint32_t side : {load.padLeft, load.padRight})
      at = side ? afterFree(at, side) : at + 1;
  return afterFree(at, load.padBottom * row) - 1;
}

// The cycle behind `count` ones without data from `at` on.
Cycle Load::afterFree(Cycle at, uint64_t count) const {
  for (const Interval &interval : data) {
    if (count == 0)
      return at;
    if (interval.to <= at)
      continue;
    if (interval.from > at) {
      uint64_t here = std::min<uint64_t>(count, interval.from - at);
      at += here;
      count -= here;
    }
    if (count)
      at = interval.to;
  }
  return at + count;
}

void Load::describe(Cycle now) {
  if (uint32_t blocked = retirement.blocked()) {
    ledger.memory(0);
    return ledger.background(isa::State::Token, 0, lowest(blocked));
  }
  ledger.memory(issuing || !waiting.empty() ? never : lastBeat + 1);
  if (flight)
    ledger.background(isa::State::Drain);
  else if (front && missing && frontFrom <= now)
    ledger.background(isa::State::Token, lowest(missing));
  else
    ledger.background(isa::State::Empty);
}

} // namespace tenon::sim::tlm
