// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/race_detector.h"

#include "absl/strings/str_format.h"
#include "sim/functional/names.h"

#include <algorithm>

namespace tenon::sim::functional {

RaceDetector::RaceDetector(const isa::Layout &layout) : layout(layout) {
  const isa::Configuration &c = layout.config;
  const uint32_t entries[] = {c.uop_entries(), c.uop_entries(), c.inp_entries(),
                              c.wgt_entries(), c.dwt_entries(), c.acc_entries(),
                              c.prm_entries(), c.out_entries(), 0};
  for (unsigned m = 0; m < memoryCount; ++m)
    shadows[m].resize(entries[m]);
}

void RaceDetector::allocate(uint64_t dramBytes) {
  definedDram.assign(dramBytes, false);
  uint64_t beats = (dramBytes + layout.beatBytes - 1) / layout.beatBytes;
  shadows[unsigned(Memory::Dram)].resize(beats); // FETCH reads parts of one
  for (std::vector<Shadow> &shadow : shadows)
    std::fill(shadow.begin(), shadow.end(), Shadow{});
}

void RaceDetector::hostWrites(uint64_t offset, uint64_t bytes) {
  std::fill_n(definedDram.begin() + offset, bytes, true);
}

uint64_t RaceDetector::firstUndefined(uint64_t offset, uint64_t bytes) const {
  auto begin = definedDram.begin();
  return std::find(begin + offset, begin + offset + bytes, false) - begin;
}

void RaceDetector::startLaunch() {
  for (std::vector<Shadow> &shadow : shadows)
    for (Shadow &element : shadow)
      element = {{}, 0, 0, element.isWritten};
  clocks = {};
  carried = {};
  executed = {};
}

absl::Status RaceDetector::fetch(uint64_t offset,
                                 const isa::Instruction &instruction) {
  executed[fetchActor].push_back({executed[fetchActor].size(), instruction});
  uint64_t end = offset + layout.instructionBytes;
  for (uint64_t beat = offset / layout.beatBytes; beat * layout.beatBytes < end;
       ++beat)
    if (absl::Status s = touch(fetchActor, Memory::Dram, beat, false); !s.ok())
      return s;
  ++clocks[fetchActor][fetchActor];
  return absl::OkStatus();
}

void RaceDetector::take(isa::Engine from, isa::Engine to) {
  std::deque<Clock> &tokens = carried[unsigned(from)][unsigned(to)];
  Clock &clock = clocks[unsigned(to)];
  for (unsigned a = 0; a < actorCount; ++a)
    clock[a] = std::max(clock[a], tokens.front()[a]);
  tokens.pop_front();
}

void RaceDetector::give(isa::Engine from, isa::Engine to) {
  carried[unsigned(from)][unsigned(to)].push_back(clocks[unsigned(from)]);
}

absl::Status RaceDetector::execute(isa::Engine engine, uint64_t streamIndex,
                                   const isa::Instruction &instruction,
                                   const State &state) {
  unsigned actor = unsigned(engine);
  executed[actor].push_back({streamIndex, instruction});
  // FETCH has read everything up to this instruction.
  clocks[actor][fetchActor] =
      std::max(clocks[actor][fetchActor], uint32_t(streamIndex) + 1);
  absl::Status status;
  auto visit = [&](Memory memory, uint64_t index, bool isWrite) {
    if (status.ok())
      status = touch(actor, memory, index, isWrite);
  };
  std::visit([&](const auto &in) { Touches(state, visit).of(in); },
             instruction);
  if (const auto *load = std::get_if<isa::Load>(&instruction))
    defineMicroOps(*load);
  if (const auto *store = std::get_if<isa::Store>(&instruction))
    defineDram(*store);
  ++clocks[actor][actor];
  return status;
}

absl::Status RaceDetector::finish() const {
  for (isa::Channel channel : isa::channels)
    if (size_t left =
            carried[unsigned(channel.from)][unsigned(channel.to)].size())
      return absl::AbortedError(absl::StrFormat(
          "%d tokens from %s to %s are left over at the end", left,
          engineName(channel.from), engineName(channel.to)));
  return absl::OkStatus();
}

absl::Status RaceDetector::touch(unsigned actor, Memory memory, uint64_t index,
                                 bool isWrite) {
  Shadow &shadow = shadows[unsigned(memory)][index];
  const Clock &known = clocks[actor];
  if (shadow.writer > known[shadow.writerActor] && shadow.writerActor != actor)
    return race(actor, isWrite, shadow.writerActor, shadow.writer, true, memory,
                index);
  uint32_t number = uint32_t(executed[actor].size());
  if (!isWrite) {
    if (!isDefined(memory, index, actor))
      return absl::AbortedError(
          absl::StrFormat("%s reads %s, which nothing has written",
                          describe(actor, number), elementName(memory, index)));
    shadow.readers[actor] = number;
    return absl::OkStatus();
  }
  for (unsigned other = 0; other < actorCount; ++other)
    if (other != actor && shadow.readers[other] > known[other])
      return race(actor, true, other, shadow.readers[other], false, memory,
                  index);
  shadow.readers = {};
  shadow.writer = number;
  shadow.writerActor = uint8_t(actor);
  shadow.isWritten = true;
  return absl::OkStatus();
}

// Whether what is read has been written: of DRAM every byte of a beat, except
// for FETCH, and for LOADs of micro-ops, which defineMicroOps follows.
bool RaceDetector::isDefined(Memory memory, uint64_t index,
                             unsigned actor) const {
  if (memory != Memory::Dram)
    return shadows[unsigned(memory)][index].isWritten;
  if (actor == fetchActor)
    return true;
  const auto *load =
      std::get_if<isa::Load>(&executed[actor].back().instruction);
  if (load && (load->memory == isa::Memory::UopGemm ||
               load->memory == isa::Memory::UopAlu))
    return true;
  uint64_t bytes = layout.beatBytes;
  return firstUndefined(index * bytes, bytes) == (index + 1) * bytes;
}

void RaceDetector::defineMicroOps(const isa::Load &load) {
  bool gemm = load.memory == isa::Memory::UopGemm;
  if (!gemm && load.memory != isa::Memory::UopAlu)
    return;
  std::vector<Shadow> &shadow =
      shadows[unsigned(gemm ? Memory::UopGemm : Memory::UopAlu)];
  Transfer beats(load, layout.beatBytes, layout.beatBytes);
  uint64_t at = uint64_t(load.sram) * layout.uopsPerBeat;
  for (uint64_t y = 0; y < load.ySize; ++y)
    for (uint64_t x = 0; x < load.xSize; ++x)
      for (uint64_t i = 0; i < layout.uopsPerBeat; ++i) {
        uint64_t word = beats.address(y, x) + 4 * i;
        shadow[at++].isWritten = firstUndefined(word, 4) == word + 4;
      }
}

void RaceDetector::defineDram(const isa::Store &store) {
  Transfer elements(store, layout.beatBytes, layout.outBytes);
  for (uint64_t y = 0; y < store.ySize; ++y)
    for (uint64_t x = 0; x < store.xSize; ++x)
      hostWrites(elements.address(y, x), layout.outBytes);
}

absl::Status RaceDetector::race(unsigned actor, bool isWrite, unsigned other,
                                uint32_t otherNumber, bool otherWrites,
                                Memory memory, uint64_t index) const {
  return absl::AbortedError(absl::StrFormat(
      "race: %s %s %s, which %s %s; no chain of tokens orders them",
      describe(actor, uint32_t(executed[actor].size())),
      isWrite ? "writes" : "reads", elementName(memory, index),
      describe(other, otherNumber), otherWrites ? "writes" : "reads"));
}

std::string RaceDetector::describe(unsigned actor, uint32_t number) const {
  const Executed &which = executed[actor][number - 1];
  return absl::StrFormat("%s #%d (instruction %d of the stream) `%s`",
                         actor == fetchActor ? "FETCH"
                                             : engineName(isa::Engine(actor)),
                         number - 1, which.streamIndex,
                         isa::disassemble(layout, which.instruction));
}

std::string RaceDetector::elementName(Memory memory, uint64_t index) const {
  constexpr const char *names[] = {"UOP_GEMM", "UOP_ALU", "INP",
                                   "WGT",      "DWT",     "ACC",
                                   "PRM",      "OUT",     "DRAM beat "};
  return absl::StrFormat("%s[%d]", names[unsigned(memory)], index);
}

} // namespace tenon::sim::functional
