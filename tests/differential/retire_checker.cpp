// Part of Tenon, under the Apache License v2.0.

#include "tests/differential/retire_checker.h"

#include "isa/accesses.h"
#include "isa/assembler.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cstring>

namespace tenon::differential {
namespace {

constexpr size_t load = size_t(isa::Engine::Load);
constexpr size_t store = size_t(isa::Engine::Store);
constexpr const char *engineNames[] = {"LOAD", "GEMM", "ALU", "STORE"};

Space spaceOf(sim::WrittenMemory memory) {
  switch (memory) {
  case sim::WrittenMemory::UopGemm:
    return Space::UopGemm;
  case sim::WrittenMemory::UopAlu:
    return Space::UopAlu;
  case sim::WrittenMemory::Inp:
    return Space::Inp;
  case sim::WrittenMemory::Wgt:
    return Space::Wgt;
  case sim::WrittenMemory::Dwt:
    return Space::Dwt;
  case sim::WrittenMemory::Acc:
    return Space::Acc;
  case sim::WrittenMemory::Prm:
    return Space::Prm;
  case sim::WrittenMemory::Out:
    return Space::Out;
  }
  return Space::Dram;
}

std::string place(Space space, uint64_t index) {
  if (space == Space::Dram)
    return absl::StrFormat("DRAM beat 0x%x", index);
  return absl::StrCat(isa::toString(isa::Space(space)), "[", index, "]");
}

int32_t word(const uint8_t *bytes) {
  int32_t value;
  std::memcpy(&value, bytes, 4);
  return value;
}

// Of two contents that differ, from byte `from` of their element: the first
// lane of ACC, or byte, that does.
std::string difference(Space space, size_t from, const uint8_t *found,
                       const uint8_t *expected) {
  size_t i = 0;
  while (found[i] == expected[i])
    ++i;
  if (space == Space::Acc)
    return absl::StrFormat("lane %d = %d, expected %d", (from + i) / 4,
                           word(found + i / 4 * 4), word(expected + i / 4 * 4));
  return absl::StrFormat("byte %d = 0x%02x, expected 0x%02x", from + i,
                         found[i], expected[i]);
}

} // namespace

sim::ModelObserver RetireChecker::observer() {
  static auto self = [](void *context) {
    return static_cast<RetireChecker *>(context);
  };
  sim::ModelObserver calls = {};
  calls.context = this;
  calls.written = [](void *c, uint64_t cycle, uint32_t engine,
                     sim::WrittenMemory memory, uint32_t index, int32_t beat,
                     const uint8_t *data) {
    self(c)->written(cycle, engine, spaceOf(memory), index, beat, data);
  };
  calls.addressed = [](void *c, uint64_t cycle, uint64_t offset,
                       uint32_t beats) {
    self(c)->addressed(cycle, offset, beats);
  };
  calls.stored = [](void *c, uint64_t cycle, const uint8_t *data) {
    self(c)->stored(cycle, data);
  };
  calls.retired = [](void *c, uint64_t cycle, uint32_t engine) {
    self(c)->retired(cycle, engine);
  };
  calls.passed = [](void *c, uint32_t states, uint32_t tokenWaits,
                    uint32_t roomWaits) {
    self(c)->passed(states, tokenWaits, roomWaits);
  };
  return calls;
}

void RetireChecker::begin(ExpectedRun run) {
  expected = std::move(run);
  cursors = {};
  bursts.clear();
  beats.clear();
  failure.clear();
}

absl::Status RetireChecker::end() {
  for (size_t e = 0; e < cursors.size() && failure.empty(); ++e)
    if (cursors[e].retired != expected.engines[e].size())
      failure = absl::StrFormat("%s retired %d instructions, expected %d",
                                engineNames[e], cursors[e].retired,
                                expected.engines[e].size());
  return failure.empty() ? absl::OkStatus() : absl::InternalError(failure);
}

void RetireChecker::fail(uint64_t cycle, size_t engine,
                         const ExpectedInstruction *owner,
                         const std::string &what) {
  if (!failure.empty())
    return;
  std::string who = engineNames[engine];
  if (owner)
    absl::StrAppend(&who, " #", owner - expected.engines[engine].data(),
                    " (instruction ", owner->number, ") `",
                    isa::disassemble(layout, owner->instruction), "`");
  failure = absl::StrCat("cycle ", cycle, ": ", who, ": ", what);
}

const ExpectedInstruction *RetireChecker::owing(size_t engine) {
  Cursor &cursor = cursors[engine];
  const auto &list = expected.engines[engine];
  while (cursor.at < list.size()) {
    const std::vector<ExpectedWrite> &writes = list[cursor.at].writes;
    if (engine == load && cursor.done.empty() && !writes.empty()) {
      cursor.left = writes.size() * (writes[0].data.size() / layout.beatBytes);
      cursor.done.assign(cursor.left, false);
    }
    if (engine == load ? cursor.left != 0 : cursor.next < writes.size())
      return &list[cursor.at];
    ++cursor.at;
    cursor.next = 0;
    cursor.done.clear();
  }
  return nullptr;
}

void RetireChecker::compare(uint64_t cycle, size_t engine,
                            const ExpectedInstruction &owner,
                            const ExpectedWrite &write, size_t from,
                            size_t bytes, const uint8_t *data) {
  ++seen.writes;
  const uint8_t *wanted = write.data.data() + from;
  if (write.data.empty() || std::memcmp(data, wanted, bytes) == 0)
    return;
  fail(cycle, engine, &owner,
       absl::StrCat("wrote ", place(write.space, write.index), " ",
                    difference(write.space, from, data, wanted)));
}

void RetireChecker::written(uint64_t cycle, size_t engine, Space space,
                            uint64_t index, int32_t beat, const uint8_t *data) {
  const ExpectedInstruction *owner = owing(engine);
  if (!owner)
    return fail(cycle, engine, nullptr,
                absl::StrCat("wrote ", place(space, index),
                             ", expected nothing: all its instructions have "
                             "written what they write"));
  if (engine == load)
    return loaded(cycle, *owner, space, index, beat, data);
  const ExpectedWrite &write = owner->writes[cursors[engine].next++];
  if (write.space != space || write.index != index)
    return fail(cycle, engine, owner,
                absl::StrCat("wrote ", place(space, index), ", expected ",
                             place(write.space, write.index)));
  compare(cycle, engine, *owner, write, 0, write.data.size(), data);
}

void RetireChecker::loaded(uint64_t cycle, const ExpectedInstruction &owner,
                           Space space, uint64_t index, int32_t beat,
                           const uint8_t *data) {
  Cursor &cursor = cursors[load];
  uint64_t first = owner.writes[0].index;
  if (space != owner.writes[0].space || index < first ||
      index - first >= owner.writes.size())
    return fail(cycle, load, &owner,
                absl::StrCat("wrote ", place(space, index), ", expected ",
                             place(owner.writes[0].space, first), " to ",
                             place(space, owner.writes.back().index)));
  const ExpectedWrite &write = owner.writes[index - first];
  size_t inElement = write.data.size() / layout.beatBytes;
  size_t begin = beat < 0 ? 0 : beat, end = beat < 0 ? inElement : beat + 1;
  for (size_t b = begin; b < end; ++b) {
    size_t at = (index - first) * inElement + b;
    if (b >= inElement || cursor.done[at])
      return fail(cycle, load, &owner,
                  absl::StrCat("wrote beat ", b, " of ", place(space, index),
                               ", which it had written already, of ",
                               inElement));
    cursor.done[at] = true;
    --cursor.left;
  }
  compare(cycle, load, owner, write, begin * layout.beatBytes,
          (end - begin) * layout.beatBytes, data);
}

void RetireChecker::addressed(uint64_t cycle, uint64_t offset, uint32_t count) {
  bursts.push_back({offset / layout.beatBytes, count});
  placeBeats(cycle);
}

void RetireChecker::stored(uint64_t cycle, const uint8_t *data) {
  beats.emplace_back(data, data + layout.beatBytes);
  placeBeats(cycle);
}

void RetireChecker::placeBeats(uint64_t cycle) {
  while (!bursts.empty() && !beats.empty()) {
    written(cycle, store, Space::Dram, bursts.front().beat++, -1,
            beats.front().data());
    beats.pop_front();
    if (--bursts.front().beats == 0)
      bursts.pop_front();
  }
}

void RetireChecker::retired(uint64_t cycle, size_t engine) {
  ++seen.instructions;
  Cursor &cursor = cursors[engine];
  const auto &list = expected.engines[engine];
  const ExpectedInstruction *owner = owing(engine);
  size_t number = cursor.retired++;
  if (number >= list.size())
    return fail(cycle, engine, nullptr,
                absl::StrCat("retired an instruction too many, expected ",
                             list.size()));
  if (!owner || owner != &list[number])
    return;
  size_t missing =
      engine == load ? cursor.left : owner->writes.size() - cursor.next;
  const ExpectedWrite *first = &owner->writes[0];
  if (engine != load)
    first += cursor.next;
  fail(cycle, engine, owner,
       absl::StrCat(
           "retired with ", missing, engine == load ? " beats" : " writes",
           " still to come, expected ", engine == load ? "all of " : "",
           place(first->space, first->index),
           engine == load ? " on" : " next"));
}

void RetireChecker::passed(uint32_t states, uint32_t tokenWaits,
                           uint32_t roomWaits) {
  seen.emptyChannels |= tokenWaits;
  seen.fullChannels |= roomWaits;
  for (unsigned a = 0; a < isa::engineCount; ++a)
    for (unsigned b = a + 1; b < isa::engineCount; ++b)
      if ((states >> 3 * a & 7) == 0 && (states >> 3 * b & 7) == 0)
        seen.overlaps |= 1u << (4 * a + b);
}

} // namespace tenon::differential
