// Part of Tenon, under the Apache License v2.0.
//
// The explanation of an execution that does not end. An engine that waits for a
// token that nothing left in the program gives, or for room that nothing left
// makes, starves: it is the cause, whoever waits for it too. If there is none,
// engines (and FETCH, before a full queue) wait for each other in a circle.

#include "isa/verifier/findings.h"

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include <algorithm>
#include <optional>

namespace tenon::isa {
namespace {

uint32_t bitOf(Engine engine, Engine other) {
  auto others = neighbours(engine);
  return 1u << (std::find(others.begin(), others.end(), other) -
                others.begin());
}

std::string upper(Engine engine) {
  return absl::AsciiStrToUpper(toString(engine));
}

/// An engine waits for a token from the other one, or for room in its channel
/// to it.
struct Block {
  Engine engine, other;
  uint32_t index; // of the engine's head
  bool forRoom;
};

/// What every head that has been fetched waits for.
std::vector<Block> blocksOf(const Stream &stream, const Order &order) {
  std::vector<Block> blocks;
  for (uint32_t e = 0; e < engineCount; ++e) {
    const Head &head = order.heads[e];
    if (head.number == stream.engines[e].size())
      continue;
    uint32_t index = stream.engines[e][head.number];
    if (index >= order.fetched)
      continue;
    bool forRoom = head.waits == 0;
    uint32_t mask = forRoom ? head.signals : head.waits;
    auto others = neighbours(Engine(e));
    for (size_t bit = 0; bit < others.size(); ++bit)
      if (mask >> bit & 1)
        blocks.push_back({Engine(e), others[bit], index, forRoom});
  }
  return blocks;
}

/// The next instruction that gives the token, or takes one and so makes room.
std::optional<uint32_t> releaser(const Stream &stream, const Order &order,
                                 const Block &block) {
  const std::vector<uint32_t> &own = stream.engines[size_t(block.other)];
  const Head &head = order.heads[size_t(block.other)];
  uint32_t bit = bitOf(block.other, block.engine);
  for (uint32_t number = head.number; number < own.size(); ++number) {
    const Instruction &in = stream.instructions[own[number]];
    uint32_t waits = number == head.number ? head.waits : waitOf(in);
    uint32_t signals = number == head.number ? head.signals : signalOf(in);
    if ((block.forRoom ? waits : signals) & bit)
      return own[number];
  }
  return std::nullopt;
}

std::string waitText(const Block &block) {
  return block.forRoom
             ? fmt::format("waits for room in its full channel to {}",
                           upper(block.other))
             : fmt::format("waits for a token from {}", upper(block.other));
}

} // namespace

void Findings::addStuck(const Order &order) {
  std::vector<Block> blocks = blocksOf(stream, order);
  bool someStarve = false;
  for (const Block &block : blocks) {
    if (releaser(stream, order, block))
      continue;
    someStarve = true;
    addStarved(block.index, block.forRoom ? block.engine : block.other,
               block.forRoom ? block.other : block.engine,
               block.forRoom
                   ? fmt::format("{} from which nobody takes any more: one "
                                 "signal too many, or a wait is missing",
                                 waitText(block))
                   : fmt::format("{} that nobody gives: one wait too many, or "
                                 "a signal is missing",
                                 waitText(block)));
  }
  if (someStarve)
    return;
  std::string message;
  std::vector<uint32_t> heads;
  for (const Block &block : blocks) {
    uint32_t other = *releaser(stream, order, block);
    message +=
        fmt::format("{}{} {}, which {} #{} (instruction {}) {}",
                    message.empty() ? "" : "; ", text(block.index),
                    waitText(block), upper(block.other), stream.numbers[other],
                    other, block.forRoom ? "takes from" : "gives");
    if (heads.empty() || heads.back() != block.index)
      heads.push_back(block.index);
  }
  if (order.fetched < stream.size())
    message +=
        fmt::format("; FETCH holds {}: the queue of {} is full",
                    text(order.fetched), upper(stream.engine(order.fetched)));
  Finding *finding = begin("deadlock", std::move(message));
  for (uint32_t index : heads)
    if (finding)
      *finding->add_instructions() = place(index);
}

void Findings::addStarved(uint32_t index, Engine from, Engine to,
                          absl::string_view what) {
  Place at = place(index);
  Finding *finding =
      begin("starved", fmt::format("{} {}", text(at), std::string(what)));
  if (!finding)
    return;
  *finding->add_instructions() = std::move(at);
  finding->set_from(std::string(toString(from)));
  finding->set_to(std::string(toString(to)));
}

} // namespace tenon::isa
