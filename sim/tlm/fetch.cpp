//===- sim/tlm/fetch.cpp - Timing of FETCH --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/fetch.h"

namespace tenon::sim::tlm {

Fetch::Fetch(Context &context, MemoryPort &port, ReadArbiter &arbiter,
             const Load &load)
    : context(context), port(port), arbiter(arbiter), load(load),
      bufferBeats(std::min(64u, 4096 / context.layout.beatBytes)),
      beatsPerInstruction(std::max(1u, context.layout.instructionBytes /
                                           context.layout.beatBytes)),
      instructionsPerBeat(std::max(1u, context.layout.beatBytes /
                                           context.layout.instructionBytes)),
      beat(context.program.offset / context.layout.beatBytes) {
  context.agenda.wake(FetchActor, 0);
}

Cycle Fetch::act(Cycle now) {
  if (arbiter.due(true) <= now) {
    Transfer burst = read(waiting.front());
    waiting.pop();
    arbiter.leave(context.agenda, now, burst.next);
  }
  if (ended())
    return arbiter.due(true);
  Cycle wake = issueFrom();
  if (wake <= now) {
    if (mayIssue(now))
      issue(now);
    wake = std::max(issueFrom(), arbiter.nextFree(now));
  }
  if (validFrom <= now)
    dispatch(now);
  if (ended())
    return arbiter.due(true);
  wake = std::min(wake, arbiter.due(true));
  // An instruction that stands before a full queue is woken by its engine.
  if (validFrom > now)
    wake = std::min(wake, validFrom);
  // What has left the buffer in this cycle may have made the room.
  if (issueFrom() > now)
    wake = std::min(wake, issueFrom());
  return std::max(wake, now + 1);
}

// Room for a burst is there one cycle after the beat that makes it is popped.
Cycle Fetch::issueFrom() const {
  if (asked + burstBeats <= bufferBeats)
    return 0;
  uint64_t needed = asked + burstBeats - bufferBeats;
  return needed > poppedBeats ? never : popTime[(needed - 1) % ring] + 1;
}

bool Fetch::mayIssue(Cycle now) const {
  return arbiter.isFree(now) && !(arbiter.fetchWasLast() && load.asks(now));
}

void Fetch::issue(Cycle now) {
  Transfer burst;
  burst.beats = burstBeats - beat % burstBeats;
  burst.offset = beat * context.layout.beatBytes;
  burst.issue = now;
  beat += burst.beats;
  asked += burst.beats;
  arbiter.issue(now, true);
  if (arbiter.ordered)
    waiting.push(burst);
  else
    arbiter.accept(read(burst).accepted);
}

// The memory is asked for a burst, of all the oldest.
Transfer Fetch::read(Transfer burst) {
  port.transport(burst);
  uint64_t span = burst.last - burst.first;
  for (uint32_t i = 0; i < burst.beats; ++i)
    arrival[known++ % ring] =
        burst.first + (burst.beats > 1 ? i * span / (burst.beats - 1) : 0);
  context.fetchBytes += burst.beats * context.layout.beatBytes;
  context.countBeats(TrafficTrace::Fetch, burst.first - 1, burst.last - 1,
                     burst.beats);
  if (validFrom == never)
    prepare();
  return burst;
}

// Beat `poppedBeats` leaves the buffer, in cycle `from` at the earliest.
Cycle Fetch::pop(Cycle from) {
  uint64_t index = poppedBeats++ % ring;
  return popTime[index] = std::max(arrival[index] + 1, from);
}

// When the next instruction can be put into its queue, if its beats are known.
void Fetch::prepare() {
  validFrom = never;
  if (known < poppedBeats + beatsPerInstruction)
    return;
  if (beatsPerInstruction > 1) {
    Cycle at = takenAt;
    for (uint32_t i = 0; i < beatsPerInstruction; ++i)
      at = pop(at) + 1;
    validFrom = at;
  } else if (piece > 0) {
    validFrom = takenAt + 1;
  } else {
    validFrom = std::max(arrival[poppedBeats % ring] + 1, takenAt + 1);
  }
}

void Fetch::dispatch(Cycle now) {
  if (next == context.program.order.size()) { // FINISH
    finishAt = now;
    return;
  }
  unsigned engine = unsigned(context.program.order[next]);
  Channel &queue = context.queues[engine];
  if (!queue.hasRoom(now)) {
    queue.giverWaits = true;
    if (queue.changes(now))
      context.agenda.wake(FetchActor, now + 1);
    return;
  }
  if (queue.isEmpty())
    context.agenda.wake(actorOf(engine), now + 1);
  queue.give(now);
  ++next;
  takenAt = now;
  if (beatsPerInstruction == 1) {
    if (++piece == instructionsPerBeat) {
      piece = 0;
      pop(now);
    }
  }
  prepare();
}

Cycle Fetch::finished() const {
  // What is left is dropped, a beat a cycle.
  Cycle at = finishAt;
  for (uint64_t i = poppedBeats; i < asked; ++i)
    at = std::max(arrival[i % ring] + 1, at + 1);
  return at + 1;
}

} // namespace tenon::sim::tlm
