// Part of Tenon, under the Apache License v2.0.
//
// The explanation of a deadlock: for FETCH and every engine, what it stands at,
// what it waits for, and what the one it waits for is doing.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/functional/machine.h"
#include "sim/functional/names.h"

namespace tenon::sim::functional {

absl::Status Machine::deadlock() const {
  std::string text = "deadlock: nothing can act any more";
  if (std::string fetchWaits = whyFetchWaits(); !fetchWaits.empty())
    absl::StrAppend(&text, "\n  ", fetchWaits);
  for (uint32_t e = 0; e < isa::engineCount; ++e)
    if (std::string waits = whyEngineWaits(isa::Engine(e)); !waits.empty())
      absl::StrAppend(&text, "\n  ", waits);
  return absl::AbortedError(text);
}

std::string Machine::whyFetchWaits() const {
  if (!fetch.pending)
    return "";
  isa::Engine engine = isa::engineOf(fetch.pending->instruction);
  const EngineState &full = engines[unsigned(engine)];
  return absl::StrFormat(
      "FETCH waits for room in the queue of %s, which is full with %d "
      "instructions; it holds %s",
      engineName(engine), full.queue.size(),
      describe(engine, full.retired + full.queue.size(), *fetch.pending));
}

std::string Machine::doing(isa::Engine engine) const {
  const EngineState &self = engines[unsigned(engine)];
  if (!self.queue.empty())
    return absl::StrFormat("%s stands at its #%d", engineName(engine),
                           self.retired);
  if (fetch.finished)
    return absl::StrFormat("%s has retired all its %d instructions",
                           engineName(engine), self.retired);
  return absl::StrFormat("%s is empty after %d instructions: what comes next "
                         "is behind what FETCH holds",
                         engineName(engine), self.retired);
}

std::string Machine::whyEngineWaits(isa::Engine engine) const {
  const EngineState &self = engines[unsigned(engine)];
  if (self.queue.empty())
    return "";
  const Entry &head = self.queue.front();
  std::string text;
  auto neighbours = isa::neighbours(engine);
  for (size_t i = 0; i < neighbours.size(); ++i) {
    isa::Engine other = neighbours[i];
    const ChannelState &in = channel(other, engine);
    if (head.waits >> i & 1)
      absl::StrAppendFormat(&text,
                            "%s for token %d from %s, which has given %d: %s",
                            text.empty() ? " waits" : "; and", in.taken + 1,
                            engineName(other), in.given, doing(other));
    const ChannelState &out = channel(engine, other);
    if (head.executed && head.signals >> i & 1)
      absl::StrAppendFormat(
          &text, "%s for room in the channel to %s, which holds %d tokens: %s",
          text.empty() ? " waits" : "; and", engineName(other), out.tokens(),
          doing(other));
  }
  return describe(engine, self.retired, head) + text;
}

} // namespace tenon::sim::functional
