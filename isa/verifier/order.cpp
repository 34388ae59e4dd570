// Part of Tenon, under the Apache License v2.0.

#include "isa/verifier/order.h"

#include <algorithm>

namespace tenon::isa {

void Stream::append(Instruction instruction) {
  std::vector<uint32_t> &own = engines[size_t(engineOf(instruction))];
  numbers.push_back(uint32_t(own.size()));
  own.push_back(size());
  instructions.push_back(std::move(instruction));
}

void join(Clock &clock, const Clock &other) {
  for (size_t e = 0; e < clock.size(); ++e)
    clock[e] = std::max(clock[e], other[e]);
}

namespace {

/// FETCH, queues, channels and the engines' heads, without any time.
class Execution {
public:
  Execution(const Layout &layout, const Stream &stream)
      : queueDepth(layout.config.queue_depth()),
        channelDepth(layout.config.channel_depth()), stream(stream) {
    order.before.resize(stream.size());
  }

  Order run() {
    do
      fetch();
    while (stepEarliest());
    describeEnd();
    return std::move(order);
  }

private:
  /// An engine; its head is the instruction `next` of its list.
  struct Actor {
    uint32_t next = 0, fetched = 0;
    bool isTaking = false, isDone = false; // of the head
    uint32_t waits = 0, signals = 0;       // of the head: what is left
    std::vector<Token> taken;              // by the head
    Clock known{};                         // complete, as far as it has seen
  };

  void fetch() {
    for (; order.fetched < stream.size(); ++order.fetched) {
      Actor &actor = actors[size_t(stream.engine(order.fetched))];
      if (actor.fetched - actor.next >= queueDepth)
        return;
      ++actor.fetched;
    }
  }

  /// Lets the engine act whose head is the earliest in the stream of those that
  /// can; false if none can.
  bool stepEarliest() {
    std::array<uint32_t, engineCount> heads;
    std::array<uint32_t, engineCount> engines;
    uint32_t count = 0;
    for (uint32_t e = 0; e < engineCount; ++e)
      if (actors[e].next < actors[e].fetched) {
        heads[e] = stream.engines[e][actors[e].next];
        engines[count++] = e;
      }
    std::sort(engines.begin(), engines.begin() + count,
              [&](uint32_t a, uint32_t b) { return heads[a] < heads[b]; });
    for (uint32_t i = 0; i < count; ++i)
      if (step(Engine(engines[i]), heads[engines[i]]))
        return true;
    return false;
  }

  bool step(Engine engine, uint32_t index) {
    Actor &actor = actors[size_t(engine)];
    if (!actor.isTaking) {
      actor.isTaking = true;
      actor.waits = waitOf(stream.instructions[index]);
      actor.signals = signalOf(stream.instructions[index]);
    }
    bool acted = take(engine, actor);
    if (actor.waits)
      return acted;
    if (!actor.isDone) {
      execute(engine, actor, index);
      acted = true;
    }
    acted |= give(engine, actor, index);
    if (actor.signals == 0) {
      ++actor.next;
      actor.isTaking = actor.isDone = false;
    }
    return acted;
  }

  bool take(Engine engine, Actor &actor) {
    uint32_t before = actor.waits;
    auto others = neighbours(engine);
    for (size_t bit = 0; bit < others.size(); ++bit) {
      std::deque<Token> &tokens = channel(others[bit], engine);
      if (!(actor.waits >> bit & 1) || tokens.empty())
        continue;
      actor.taken.push_back(tokens.front());
      tokens.pop_front();
      actor.waits &= ~(1u << bit);
    }
    return actor.waits != before;
  }

  bool give(Engine engine, Actor &actor, uint32_t index) {
    uint32_t before = actor.signals;
    auto others = neighbours(engine);
    for (size_t bit = 0; bit < others.size(); ++bit) {
      std::deque<Token> &tokens = channel(engine, others[bit]);
      if (!(actor.signals >> bit & 1) || tokens.size() >= channelDepth)
        continue;
      tokens.push_back({engine, others[bit], index});
      ++order.tokens;
      actor.signals &= ~(1u << bit);
    }
    return actor.signals != before;
  }

  /// What is complete when the instruction that gave the token is.
  Clock after(const Token &token) const {
    Clock clock = order.before[token.giver];
    clock[size_t(token.from)] = stream.numbers[token.giver] + 1;
    return clock;
  }

  void execute(Engine engine, Actor &actor, uint32_t index) {
    countSuperfluous(actor);
    for (const Token &token : actor.taken)
      join(actor.known, after(token));
    actor.taken.clear();
    order.before[index] = actor.known;
    order.sequence.push_back(index);
    actor.known[size_t(engine)] = actor.next + 1;
    actor.isDone = true;
  }

  /// A token orders nothing if its giver is known to be complete from the
  /// engine's own past or from another token of the instruction. Two tokens
  /// cannot imply each other: their givers would be in a cycle.
  void countSuperfluous(const Actor &actor) {
    for (const Token &token : actor.taken) {
      size_t from = size_t(token.from);
      uint32_t needed = stream.numbers[token.giver] + 1;
      bool implied = actor.known[from] >= needed;
      for (const Token &other : actor.taken)
        implied |= other.from != token.from && after(other)[from] >= needed;
      order.superfluous += implied;
    }
  }

  void describeEnd() {
    for (uint32_t e = 0; e < engineCount; ++e) {
      const std::vector<uint32_t> &own = stream.engines[e];
      Head &head = order.heads[e];
      head = {actors[e].next, actors[e].waits, actors[e].signals};
      if (head.number == own.size())
        continue;
      order.isStuck = true;
      if (!actors[e].isTaking) {
        head.waits = waitOf(stream.instructions[own[head.number]]);
        head.signals = signalOf(stream.instructions[own[head.number]]);
      }
    }
    for (const Channel &c : channels)
      for (const Token &token : channel(c.from, c.to))
        order.leftover.push_back(token);
  }

  std::deque<Token> &channel(Engine from, Engine to) {
    return tokens[size_t(from)][size_t(to)];
  }

  const uint32_t queueDepth, channelDepth;
  const Stream &stream;
  std::array<Actor, engineCount> actors;
  std::array<std::array<std::deque<Token>, engineCount>, engineCount> tokens;
  Order order;
};

} // namespace

Order deriveOrder(const Layout &layout, const Stream &stream) {
  return Execution(layout, stream).run();
}

} // namespace tenon::isa
