// Part of Tenon, under the Apache License v2.0.
//
// The order that queues and tokens give the instructions of a launch, by one
// execution without time.

#ifndef TENON_ISA_VERIFIER_ORDER_H
#define TENON_ISA_VERIFIER_ORDER_H

#include "isa/isa.h"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace tenon::isa {

/// The instructions of a launch without FINISH, in the order of the stream.
struct Stream {
  std::vector<Instruction> instructions;
  std::vector<uint32_t> numbers; // of each among its engine's
  /// By engine, the indices of its instructions.
  std::array<std::vector<uint32_t>, engineCount> engines;

  void append(Instruction instruction);
  Engine engine(uint32_t index) const { return engineOf(instructions[index]); }
  uint32_t size() const { return uint32_t(instructions.size()); }
};

/// Of each engine, how many of its instructions are complete.
using Clock = std::array<uint32_t, engineCount>;
void join(Clock &clock, const Clock &other);

/// An engine's oldest instruction that has not retired, and what of its masks
/// is left; `number` is the count of the engine's instructions if there is
/// none.
struct Head {
  uint32_t number = 0;
  uint32_t waits = 0;
  uint32_t signals = 0;
};

constexpr uint32_t nobody = ~uint32_t{0};

struct Token {
  Engine from, to;
  uint32_t giver, taker; // indices of instructions; nobody: not taken
};

/// An engine gets to know that `count` instructions of another one are
/// complete, by a token.
struct Learned {
  uint32_t count;
  uint32_t token; // index into Order::tokens
};

struct Order {
  /// Indices of the stream, in an order in which they can be executed: of what
  /// can, the earliest in the stream always comes first.
  std::vector<uint32_t> sequence;
  /// By index: what is complete when the instruction starts.
  std::vector<Clock> before;
  /// All that were given.
  std::vector<Token> tokens;
  /// By engine and other engine, ascending.
  std::array<std::array<std::vector<Learned>, engineCount>, engineCount>
      learned;
  /// At the end: whether instructions are left that can never retire.
  bool isStuck = false;
  std::array<Head, engineCount> heads;
  /// Instructions that FETCH has put into queues; it stands before a full one
  /// unless these are all.
  uint32_t fetched = 0;
};

/// Marks in `needed` (a flag for each token) the tokens by which `engine` first
/// knows that instruction `number` of `other` is complete.
void markNeeded(const Order &order, Engine engine, Engine other,
                uint32_t number, std::vector<bool> &needed);

Order deriveOrder(const Layout &layout, const Stream &stream);

} // namespace tenon::isa

#endif // TENON_ISA_VERIFIER_ORDER_H
