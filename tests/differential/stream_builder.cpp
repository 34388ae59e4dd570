// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/stream_builder.h"

#include "sim/functional/instructions.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tenon::differential {

using sim::functional::State;

namespace {

uint32_t bitOf(isa::Engine self, isa::Engine other) {
  auto neighbours = isa::neighbours(self);
  for (uint32_t bit = 0; bit < neighbours.size(); ++bit)
    if (neighbours[bit] == other)
      return 1u << bit;
  return 0;
}

void addWait(isa::Instruction &instruction, uint32_t bit) {
  std::visit(
      [&](auto &in) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(in)>, isa::Finish>)
          in.wait |= bit;
      },
      instruction);
}

void addSignal(isa::Instruction &instruction, uint32_t bit) {
  std::visit(
      [&](auto &in) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(in)>, isa::Finish>)
          in.signal |= bit;
      },
      instruction);
}

// Some tokens are taken and given by a SET that does nothing else.
bool givenBySet(size_t item) { return item % 8 == 5; }
bool takenBySet(size_t item) { return item % 8 == 2; }

// Operations that may fail in the middle.
bool needsRollback(const isa::Instruction &instruction) {
  const auto *alu = std::get_if<isa::Alu>(&instruction);
  return alu && (alu->op == isa::AluOp::Mac || alu->op == isa::AluOp::Quant ||
                 alu->op == isa::AluOp::QuantAdd);
}

} // namespace

StreamBuilder::StreamBuilder(const isa::Layout &layout,
                             const std::vector<uint8_t> &dram)
    : dram(dram), machine(layout) {
  machine.dram = absl::MakeSpan(this->dram);
  for (size_t s = 0; s < spaceCount; ++s) {
    uint64_t entries = spaceEntries(layout, Space(s), dram.size());
    defined[s].assign(entries, Space(s) == Space::Dram);
    last[s].resize(entries);
  }
}

bool StreamBuilder::append(const isa::Instruction &instruction) {
  if (!isa::validate(machine.layout, instruction).ok())
    return false;
  std::vector<Access> accesses = accessesOf(instruction, machine);
  if (!readsAreDefined(accesses) || !execute(instruction))
    return false;
  for (const Access &access : accesses)
    if (access.isWrite)
      defined[size_t(access.space)][access.index] = true;
  given.push_back(instruction);
  emit(instruction, accesses);
  return true;
}

bool StreamBuilder::readsAreDefined(const std::vector<Access> &accesses) {
  std::vector<const Access *> written;
  bool allDefined = true;
  for (const Access &access : accesses) {
    std::vector<bool> &known = defined[size_t(access.space)];
    if (access.index >= known.size() ||
        (!access.isWrite && !known[access.index])) {
      allDefined = false;
      break;
    }
    // What the instruction itself wrote before may be read.
    if (access.isWrite && !known[access.index]) {
      known[access.index] = true;
      written.push_back(&access);
    }
  }
  for (const Access *access : written)
    defined[size_t(access->space)][access->index] = false;
  return allDefined;
}

bool StreamBuilder::execute(const isa::Instruction &instruction) {
  std::optional<State> before;
  if (needsRollback(instruction))
    before = machine;
  bool ok = std::visit(
      [&](const auto &in) {
        if constexpr (std::is_same_v<std::decay_t<decltype(in)>, isa::Finish>)
          return false;
        else
          return sim::functional::execute(in, machine).ok();
      },
      instruction);
  if (!ok && before)
    machine = *std::move(before);
  return ok;
}

StreamBuilder::Clock
StreamBuilder::conflicts(isa::Engine engine,
                         const std::vector<Access> &accesses) const {
  Clock needed{none, none, none, none};
  auto need = [&](int item) {
    if (item != none && items[item].engine != engine)
      needed[size_t(items[item].engine)] =
          std::max(needed[size_t(items[item].engine)], item);
  };
  for (const Access &access : accesses) {
    const LastAccesses &at = last[size_t(access.space)][access.index];
    need(at.writer);
    if (access.isWrite)
      for (int reader : at.readers)
        need(reader);
  }
  return needed;
}

StreamBuilder::Clock StreamBuilder::clockOf(isa::Engine engine) const {
  int item = lastItem[size_t(engine)];
  return item == none ? Clock{none, none, none, none} : items[item].clock;
}

int StreamBuilder::addItem(const isa::Instruction &instruction,
                           isa::Engine engine) {
  int id = int(items.size());
  Clock clock = clockOf(engine);
  clock[size_t(engine)] = id;
  items.push_back({instruction, engine, clock});
  lastItem[size_t(engine)] = id;
  return id;
}

// The item of engine `from`, no earlier than `atLeast`, that gives the token.
int StreamBuilder::giver(isa::Engine from, isa::Engine to, int atLeast) {
  uint32_t bit = bitOf(from, to);
  uint64_t crossing = 0;
  for (const TokenPair &pair : tokens[size_t(from)][size_t(to)])
    crossing += pair.taker > atLeast;
  bool room = crossing < machine.layout.config.channel_depth() &&
              !givenBySet(items.size());
  if (room && !(isa::signalOf(items[atLeast].instruction) & bit)) {
    addSignal(items[atLeast].instruction, bit);
    return atLeast;
  }
  isa::Set set;
  set.engine = from;
  set.signal = bit;
  return addItem(set, from);
}

void StreamBuilder::emit(const isa::Instruction &instruction,
                         const std::vector<Access> &accesses) {
  isa::Engine engine = isa::engineOf(instruction);
  Clock needed = conflicts(engine, accesses);
  Clock known = clockOf(engine);
  uint32_t waits = 0;
  int taker = none;
  std::vector<std::pair<isa::Engine, int>> givers;
  // The latest first: what it knows may order the others as well.
  while (true) {
    auto latest = std::max_element(needed.begin(), needed.end());
    if (*latest == none)
      break;
    isa::Engine from = isa::Engine(latest - needed.begin());
    if (*latest > known[size_t(from)]) {
      int item = giver(from, engine, *latest);
      givers.push_back({from, item});
      waits |= bitOf(engine, from);
      for (size_t e = 0; e < known.size(); ++e)
        known[e] = std::max(known[e], items[item].clock[e]);
    }
    *latest = none;
  }
  if (waits && takenBySet(items.size())) {
    isa::Set set;
    set.engine = engine;
    set.wait = std::exchange(waits, 0);
    taker = addItem(set, engine);
  }
  int id = addItem(instruction, engine);
  if (waits)
    taker = id;
  addWait(items[id].instruction, waits);
  known[size_t(engine)] = id;
  items[id].clock = known;
  for (auto [from, item] : givers)
    tokens[size_t(from)][size_t(engine)].push_back({item, taker});
  for (const Access &access : accesses) {
    LastAccesses &at = last[size_t(access.space)][access.index];
    if (access.isWrite)
      at.writer = id;
    else
      at.readers[size_t(engine)] = id;
  }
}

std::vector<isa::Instruction> StreamBuilder::finish() const {
  std::vector<isa::Instruction> stream;
  for (const Item &item : items)
    stream.push_back(item.instruction);
  stream.push_back(isa::Finish());
  return stream;
}

} // namespace tenon::differential
