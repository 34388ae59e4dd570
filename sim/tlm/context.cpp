//===- sim/tlm/context.cpp - What the engines of one launch share ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/tlm/context.h"

#include "sim/functional/instructions.h"
#include "sim/functional/names.h"

#include "absl/strings/str_format.h"

namespace tenon::sim::tlm {

Context::Context(const isa::Layout &layout, const LaunchOptions &options,
                 const Program &program, functional::State &state)
    : layout(layout), options(options), program(program), state(state),
      accounting(options.runs,
                 options.trace ? options.trace->sink() : TraceSink{}) {
  queues.fill(Channel(layout.config.queue_depth()));
  channels.fill(Channel(layout.config.channel_depth()));
}

void Context::pop(isa::Engine engine, Cycle now) {
  Channel &queue = queues[unsigned(engine)];
  queue.take(now);
  ++popped[unsigned(engine)];
  if (queue.giverWaits) {
    queue.giverWaits = false;
    agenda.wake(FetchActor, now + 1);
  }
}

uint32_t Context::takeTokens(isa::Engine engine, uint32_t waits, Cycle now) {
  uint32_t missing = 0;
  for (unsigned i = 0; i < numNeighbours; ++i) {
    if (!(waits >> i & 1))
      continue;
    Channel &channel = from(engine, i);
    if (!channel.holds(now)) {
      channel.takerWaits = true;
      if (channel.changes(now))
        agenda.wake(actorOf(unsigned(engine)), now + 1);
      missing |= 1u << i;
      continue;
    }
    channel.take(now);
    if (channel.giverWaits) {
      channel.giverWaits = false;
      isa::Engine giver = isa::neighbours(engine)[i];
      agenda.wake(actorOf(unsigned(giver)), now + 1);
    }
  }
  return missing;
}

uint32_t Context::giveTokens(isa::Engine engine, uint32_t signals, Cycle now) {
  uint32_t blocked = 0;
  for (unsigned i = 0; i < numNeighbours; ++i) {
    if (!(signals >> i & 1))
      continue;
    Channel &channel = to(engine, i);
    if (!channel.hasRoom(now)) {
      channel.giverWaits = true;
      if (channel.changes(now))
        agenda.wake(actorOf(unsigned(engine)), now + 1);
      blocked |= 1u << i;
      continue;
    }
    channel.give(now);
    if (channel.takerWaits) {
      channel.takerWaits = false;
      isa::Engine taker = isa::neighbours(engine)[i];
      agenda.wake(actorOf(unsigned(taker)), now + 1);
    }
  }
  return blocked;
}

void Context::execute(isa::Engine engine, const Work &work) {
  uint64_t number = executed[unsigned(engine)]++;
  if (!status.ok())
    return;
  absl::Status executedStatus = std::visit(
      [&](const auto &in) -> absl::Status {
        using Kind = std::decay_t<decltype(in)>;
        if constexpr (std::is_same_v<Kind, isa::Finish>)
          return absl::InternalError("FINISH in the queue of an engine");
        else
          return functional::execute(in, state);
      },
      work.instruction);
  if (!executedStatus.ok())
    status = absl::Status(
        executedStatus.code(),
        absl::StrFormat("tlm: %s #%d (instruction %d of the stream) `%s`: %s",
                        functional::engineName(engine), number,
                        work.streamIndex,
                        isa::disassemble(layout, work.instruction),
                        executedStatus.message()));
}

void Context::countBeats(TrafficTrace::Kind kind, Cycle from, Cycle to,
                         uint32_t count) {
  if (!options.trace)
    return;
  TrafficTrace &traffic = options.trace->traffic;
  // A burst lies in few buckets: one addition for each.
  uint64_t span = to - from + 1;
  uint32_t counted = 0;
  while (counted < count) {
    Cycle at = from + counted * span / count;
    traffic.add(kind, at, 0); // widens if it must
    Cycle bucketEnd = (at / traffic.bucketCycles + 1) * traffic.bucketCycles;
    uint64_t until = bucketEnd > to ? count : (bucketEnd - from) * count / span;
    uint32_t here = uint32_t(std::max<uint64_t>(until, counted + 1)) - counted;
    traffic.add(kind, at, here);
    counted += here;
  }
}

} // namespace tenon::sim::tlm
