//===- sim/report/drawing.cpp - An instruction's cycles in a row ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/report/drawing.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace tenon::sim {
namespace {

uint64_t cyclesOf(const Step &step, isa::State state) {
  return step.event.cycles[size_t(state)];
}

void add(std::vector<Stretch> &stretches, isa::State state, uint64_t &at,
         uint64_t cycles) {
  if (cycles)
    stretches.push_back({state, at, at + cycles});
  at += cycles;
}

} // namespace

uint64_t workBegin(const Step &step) {
  bool worked = false;
  for (isa::State state : {isa::State::Busy, isa::State::Memory,
                           isa::State::Bank, isa::State::Drain})
    worked |= cyclesOf(step, state) != 0;
  return worked ? std::clamp(step.event.begin, step.previous, step.event.retire)
                : step.event.retire;
}

std::vector<Stretch> stretchesOf(const Step &step) {
  std::vector<Stretch> stretches;
  uint64_t at = step.previous;
  uint64_t before = workBegin(step) - at;
  uint64_t empty = std::min(cyclesOf(step, isa::State::Empty), before);
  uint64_t token = std::min(cyclesOf(step, isa::State::Token), before - empty);
  add(stretches, isa::State::Empty, at, empty);
  add(stretches, isa::State::Token, at, token);
  for (isa::State state : {isa::State::Memory, isa::State::Bank,
                           isa::State::Busy, isa::State::Drain})
    add(stretches, state, at, cyclesOf(step, state));
  add(stretches, isa::State::Token, at,
      cyclesOf(step, isa::State::Token) - token);
  add(stretches, isa::State::Empty, at,
      cyclesOf(step, isa::State::Empty) - empty);
  return stretches;
}

isa::State largestState(const Step &step) {
  uint64_t begin = workBegin(step);
  isa::State largest = isa::State::Busy;
  uint64_t most = 0;
  for (const Stretch &stretch : stretchesOf(step))
    if (stretch.begin >= begin && stretch.end - stretch.begin > most) {
      most = stretch.end - stretch.begin;
      largest = stretch.state;
    }
  return largest;
}

std::string mnemonic(const isa::Instruction &instruction) {
  if (const auto *load = std::get_if<isa::Load>(&instruction))
    return absl::StrCat("load ", isa::toString(load->memory));
  if (const auto *alu = std::get_if<isa::Alu>(&instruction))
    return absl::StrCat("alu ", isa::toString(alu->op));
  if (std::holds_alternative<isa::Gemm>(instruction))
    return "gemm";
  if (std::holds_alternative<isa::Store>(instruction))
    return "store";
  return std::holds_alternative<isa::Set>(instruction) ? "set" : "finish";
}

std::string stretchName(unsigned engine, const Step &step,
                        const Stretch &stretch) {
  if (stretch.state != isa::State::Token)
    return std::string(isa::toString(stretch.state));
  // The neighbour that it waited for longest, before its work or after it.
  const uint32_t *tokens = step.event.tokenWait, *rooms = step.event.roomWait;
  const uint32_t *token = std::max_element(tokens, tokens + numNeighbours);
  const uint32_t *room = std::max_element(rooms, rooms + numNeighbours);
  bool isRoom = stretch.begin >= workBegin(step) || *token == 0;
  size_t neighbour = isRoom ? room - rooms : token - tokens;
  auto neighbours = isa::neighbours(isa::Engine(engine));
  return absl::StrCat(isRoom ? "room to " : "token from ",
                      isa::toString(neighbours[neighbour]));
}

} // namespace tenon::sim
