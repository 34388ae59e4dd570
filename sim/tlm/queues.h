//===- sim/tlm/queues.h - Instruction queues and token channels -*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What FETCH puts in front of the engines, and what engines tell each other.
// Both are registers at their ends: what enters in cycle t is there from t + 1
// on, the room of what leaves in t can be filled from t + 1 on. Each end asks
// before it acts, at most once a cycle.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_QUEUES_H
#define TENON_SIM_TLM_QUEUES_H

#include "sim/tlm/clock.h"

#include <vector>

namespace tenon::sim::tlm {

/// A counter of what is between a giver and a taker: tokens, or instructions
/// (which of them follows from the program).
class Channel {
public:
  explicit Channel(uint32_t depth = 0) : depth(depth) {}

  bool holds(Cycle now) const { return count > (lastGive == now ? 1u : 0u); }
  bool hasRoom(Cycle now) const {
    return count + (lastTake == now ? 1u : 0u) < depth;
  }
  void give(Cycle now) {
    ++count;
    lastGive = now;
  }
  void take(Cycle now) {
    --count;
    lastTake = now;
  }
  /// Whether the other side has acted in this very cycle: then what is not
  /// there now, a thing or room for one, is there in the next.
  bool changes(Cycle now) const { return lastGive == now || lastTake == now; }
  /// Counted with what is given in this very cycle.
  bool isEmpty() const { return count == 0; }

  // Set by the side that cannot go on, cleared by the one that wakes it.
  bool takerWaits = false, giverWaits = false;

private:
  uint32_t depth = 0, count = 0;
  Cycle lastGive = never, lastTake = never;
};

/// A queue of at most a power of two elements.
template <typename Element> class Queue {
public:
  explicit Queue(uint32_t capacity) : elements(capacity), mask(capacity - 1) {}
  bool empty() const { return head == tail; }
  uint32_t size() const { return tail - head; }
  Element &front() { return elements[head & mask]; }
  Element &back() { return elements[(tail - 1) & mask]; }
  void push(const Element &element) {
    if (size() > mask)
      grow();
    elements[tail++ & mask] = element;
  }
  void pop() { ++head; }
  /// The numbers of the first and the next element, and the element of one.
  uint32_t begin() const { return head; }
  uint32_t end() const { return tail; }
  Element &at(uint32_t number) { return elements[number & mask]; }

private:
  void grow() {
    std::vector<Element> wider(2 * elements.size());
    for (uint32_t i = head; i != tail; ++i)
      wider[i & (2 * mask + 1)] = elements[i & mask];
    elements.swap(wider);
    mask = 2 * mask + 1;
  }

  std::vector<Element> elements;
  uint32_t mask, head = 0, tail = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_QUEUES_H
