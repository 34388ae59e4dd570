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
    std::vector<uint32_t> taken;           // tokens, by the head
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
      std::deque<uint32_t> &tokens = channel(others[bit], engine);
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
      std::deque<uint32_t> &tokens = channel(engine, others[bit]);
      if (!(actor.signals >> bit & 1) || tokens.size() >= channelDepth)
        continue;
      tokens.push_back(uint32_t(order.tokens.size()));
      order.tokens.push_back({engine, others[bit], index, nobody});
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
    // Of two tokens that tell the same the one that tells more counts.
    for (bool implied : {false, true})
      for (uint32_t token : actor.taken)
        if (isImplied(actor, token) == implied)
          learn(engine, actor, token);
    for (uint32_t token : actor.taken)
      order.tokens[token].taker = index;
    actor.taken.clear();
    order.before[index] = actor.known;
    order.sequence.push_back(index);
    actor.known[size_t(engine)] = actor.next + 1;
    actor.isDone = true;
  }

  /// Whether another token of the instruction tells that the giver is complete.
  /// Two cannot imply each other: their givers would be in a circle.
  bool isImplied(const Actor &actor, uint32_t token) const {
    const Token &self = order.tokens[token];
    for (uint32_t other : actor.taken)
      if (other != token && after(order.tokens[other])[size_t(self.from)] >
                                stream.numbers[self.giver])
        return true;
    return false;
  }

  void learn(Engine engine, Actor &actor, uint32_t token) {
    Clock news = after(order.tokens[token]);
    for (size_t e = 0; e < engineCount; ++e)
      if (news[e] > actor.known[e])
        order.learned[size_t(engine)][e].push_back({news[e], token});
    join(actor.known, news);
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
  }

  std::deque<uint32_t> &channel(Engine from, Engine to) {
    return tokens[size_t(from)][size_t(to)];
  }

  const uint32_t queueDepth, channelDepth;
  const Stream &stream;
  std::array<Actor, engineCount> actors;
  /// By giver and taker, indices into order.tokens.
  std::array<std::array<std::deque<uint32_t>, engineCount>, engineCount> tokens;
  Order order;
};

} // namespace

// The giver of the token that told it had it from a token as well, unless it is
// the other engine itself. No engine comes twice: it would have known before.
void markNeeded(const Order &order, Engine engine, Engine other,
                uint32_t number, std::vector<bool> &needed) {
  while (engine != other) {
    const std::vector<Learned> &learned =
        order.learned[size_t(engine)][size_t(other)];
    auto first = std::upper_bound(
        learned.begin(), learned.end(), number,
        [](uint32_t n, const Learned &news) { return n < news.count; });
    if (first == learned.end())
      return;
    needed[first->token] = true;
    engine = order.tokens[first->token].from;
  }
}

Order deriveOrder(const Layout &layout, const Stream &stream) {
  return Execution(layout, stream).run();
}

} // namespace tenon::isa
