// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/machine.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/functional/instructions.h"
#include "sim/functional/names.h"

#include <random>

namespace tenon::sim::functional {
namespace {

// Calls visit(bit, engine) for every engine named in a wait or signal mask.
template <typename Visit>
void forEachNeighbour(isa::Engine engine, uint32_t mask, Visit &&visit) {
  auto neighbours = isa::neighbours(engine);
  for (size_t bit = 0; bit < neighbours.size(); ++bit)
    if (mask >> bit & 1)
      visit(bit, neighbours[bit]);
}

absl::Status executeInstruction(const isa::Instruction &instruction,
                                State &state) {
  return std::visit(
      [&](const auto &in) -> absl::Status {
        using Kind = std::decay_t<decltype(in)>;
        if constexpr (std::is_same_v<Kind, isa::Finish>)
          return absl::InternalError("FINISH in the queue of an engine");
        else
          return execute(in, state);
      },
      instruction);
}

} // namespace

Machine::Machine(const isa::Layout &layout) : machineState(layout) {}

absl::Status Machine::run(absl::Span<uint8_t> dram, const RunOptions &run) {
  options = run;
  startRun(dram);
  absl::Status status =
      options.seed ? runSeeded(*options.seed) : runRoundRobin();
  if (status.ok() && !isDone())
    status = deadlock();
  if (status.ok() && options.races)
    status = options.races->finish();
  machineState.dram = {};
  return status;
}

void Machine::startRun(absl::Span<uint8_t> dram) {
  machineState.dram = dram;
  machineState.startLaunch();
  if (options.races)
    options.races->startLaunch();
  engines = {};
  channels = {};
  fetch = {};
}

bool Machine::isDone() const {
  for (const EngineState &engine : engines)
    if (!engine.queue.empty())
      return false;
  return fetch.finished;
}

absl::Status Machine::runRoundRobin() {
  bool progress = true;
  while (progress) {
    progress = false;
    for (unsigned actor = 0; actor <= isa::engineCount; ++actor) {
      bool acted = true;
      while (acted) {
        acted = false;
        absl::Status status = actor == 0
                                  ? stepFetch(acted)
                                  : stepEngine(isa::Engine(actor - 1), acted);
        if (!status.ok())
          return status;
        progress |= acted;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Machine::runSeeded(uint64_t seed) {
  std::mt19937_64 random(seed);
  // Bit i: actor i was stuck since anything last acted.
  constexpr uint32_t allStuck = (2u << isa::engineCount) - 1;
  uint32_t stuck = 0;
  while (stuck != allStuck) {
    unsigned actor = random() % (isa::engineCount + 1);
    bool acted = false;
    absl::Status status = actor == 0
                              ? stepFetch(acted)
                              : stepEngine(isa::Engine(actor - 1), acted);
    if (!status.ok())
      return status;
    stuck = acted ? 0 : stuck | 1u << actor;
  }
  return absl::OkStatus();
}

absl::Status Machine::stepFetch(bool &acted) {
  if (fetch.finished)
    return absl::OkStatus();
  if (!fetch.pending) {
    absl::StatusOr<Entry> next = fetchNext();
    if (!next.ok())
      return next.status();
    acted = true;
    if (std::holds_alternative<isa::Finish>(next->instruction)) {
      fetch.finished = true;
      return absl::OkStatus();
    }
    fetch.pending = *std::move(next);
  }
  isa::Engine engine = isa::engineOf(fetch.pending->instruction);
  std::deque<Entry> &queue = engines[unsigned(engine)].queue;
  if (queue.size() >= machineState.layout.config.queue_depth())
    return absl::OkStatus();
  queue.push_back(*std::move(fetch.pending));
  fetch.pending.reset();
  acted = true;
  return absl::OkStatus();
}

absl::StatusOr<Machine::Entry> Machine::fetchNext() {
  uint64_t bytes = machineState.layout.instructionBytes;
  uint64_t at = options.programOffset + fetch.index * bytes;
  if (at + bytes > machineState.dram.size() ||
      (options.instructionCount && fetch.index >= options.instructionCount))
    return absl::InvalidArgumentError(absl::StrFormat(
        "the program has no FINISH: %d instructions fetched from DRAM offset "
        "0x%x on",
        fetch.index, options.programOffset));
  absl::StatusOr<isa::Instruction> instruction =
      isa::decode(machineState.layout, &machineState.dram[at]);
  if (!instruction.ok())
    return absl::InvalidArgumentError(absl::StrFormat(
        "undefined encoding: instruction %d of the stream at DRAM offset 0x%x: "
        "%s",
        fetch.index, at, instruction.status().message()));
  if (options.races)
    if (absl::Status s = options.races->fetch(at, *instruction); !s.ok())
      return s;
  uint32_t waits = isa::waitOf(*instruction);
  uint32_t signals = isa::signalOf(*instruction);
  return Entry{*std::move(instruction), fetch.index++, waits, signals};
}

absl::Status Machine::stepEngine(isa::Engine engine, bool &acted) {
  std::deque<Entry> &queue = engines[unsigned(engine)].queue;
  if (queue.empty())
    return absl::OkStatus();
  Entry &head = queue.front();
  acted |= takeTokens(engine, head);
  if (head.waits != 0)
    return absl::OkStatus();
  if (!head.executed) {
    acted = true;
    if (absl::Status status = executeHead(engine); !status.ok())
      return status;
  }
  acted |= giveTokens(engine, head);
  return head.signals == 0 ? retireHead(engine) : absl::OkStatus();
}

bool Machine::takeTokens(isa::Engine engine, Entry &entry) {
  uint32_t before = entry.waits;
  forEachNeighbour(engine, before, [&](size_t bit, isa::Engine from) {
    if (channel(from, engine).tokens() == 0)
      return;
    ++channel(from, engine).taken;
    if (options.races)
      options.races->take(from, engine);
    entry.waits &= ~(1u << bit);
  });
  return entry.waits != before;
}

bool Machine::giveTokens(isa::Engine engine, Entry &entry) {
  uint64_t depth = machineState.layout.config.channel_depth();
  uint32_t before = entry.signals;
  forEachNeighbour(engine, before, [&](size_t bit, isa::Engine to) {
    if (channel(engine, to).tokens() >= depth)
      return;
    ++channel(engine, to).given;
    if (options.races)
      options.races->give(engine, to);
    entry.signals &= ~(1u << bit);
  });
  return entry.signals != before;
}

absl::Status Machine::executeHead(isa::Engine engine) {
  EngineState &self = engines[unsigned(engine)];
  Entry &head = self.queue.front();
  absl::Status status = executeInstruction(head.instruction, machineState);
  if (!status.ok())
    return absl::Status(status.code(),
                        absl::StrCat(describe(engine, self.retired, head), ": ",
                                     status.message()));
  head.executed = true;
  if (options.races)
    return options.races->execute(engine, head.streamIndex, head.instruction,
                                  machineState);
  return absl::OkStatus();
}

absl::Status Machine::retireHead(isa::Engine engine) {
  EngineState &self = engines[unsigned(engine)];
  Entry head = std::move(self.queue.front());
  self.queue.pop_front();
  ++self.retired;
  if (options.onRetire)
    options.onRetire(engine, head.instruction);
  uint64_t total = 0;
  for (const EngineState &each : engines)
    total += each.retired;
  if (options.retireLimit && total >= options.retireLimit && !isDone())
    return absl::ResourceExhaustedError(absl::StrFormat(
        "%d instructions retired, the limit, and the program has not ended; "
        "the last one was %s",
        total, describe(engine, self.retired - 1, head)));
  return absl::OkStatus();
}

std::string Machine::describe(isa::Engine engine, uint64_t engineIndex,
                              const Entry &entry) const {
  return absl::StrFormat(
      "%s #%d (instruction %d of the stream) `%s`", engineName(engine),
      engineIndex, entry.streamIndex,
      isa::disassemble(machineState.layout, entry.instruction));
}

} // namespace tenon::sim::functional
