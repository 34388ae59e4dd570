// Part of Tenon, under the Apache License v2.0.

#include "tests/memory_faults/fault_message.h"

#include <algorithm>
#include <optional>
#include <regex>

namespace tenon::test {
namespace {

struct Bytes {
  uint64_t begin, end;
  bool has(uint64_t byte) const { return byte >= begin && byte < end; }
};

/// The rows of a LOAD or STORE in DRAM, with what lies between their elements.
template <typename Transfer>
std::vector<Bytes> rowsOf(const isa::Layout &layout, const Transfer &transfer,
                          uint64_t elementBytes) {
  std::vector<Bytes> rows;
  const uint64_t beat = layout.beatBytes;
  for (uint64_t y = 0; y < transfer.ySize; ++y) {
    const uint64_t begin =
        (transfer.dram + y * uint64_t(transfer.yStride)) * beat;
    rows.push_back(
        {begin, begin +
                    (transfer.xSize - 1) * uint64_t(transfer.xStride) * beat +
                    std::max(elementBytes, beat)});
  }
  return rows;
}

std::vector<Bytes> rowsOf(const isa::Layout &layout,
                          const isa::Instruction &instruction) {
  if (const auto *load = std::get_if<isa::Load>(&instruction))
    return rowsOf(layout, *load, layout.transferBytes(load->memory));
  if (const auto *store = std::get_if<isa::Store>(&instruction))
    return rowsOf(layout, *store, layout.outBytes);
  return {};
}

/// What a message about LOAD or STORE says.
struct Access {
  isa::Engine engine;
  uint64_t number; // among the engine's
  uint64_t place;  // in the stream
  std::string text;
  uint64_t others;
  uint64_t burst;
};

bool holds(const isa::Layout &layout, const Launched &launched,
           const Access &access, uint64_t byte) {
  bool reaches = false;
  uint64_t number = 0, having = 0;
  std::optional<uint64_t> first, firstNumber;
  for (uint64_t i = 0; i < launched.instructions.size(); ++i) {
    const isa::Instruction &instruction = launched.instructions[i];
    if (std::holds_alternative<isa::Finish>(instruction) ||
        isa::engineOf(instruction) != access.engine)
      continue;
    bool has = false;
    for (const Bytes &row : rowsOf(layout, instruction))
      if (row.has(access.burst)) {
        has = true;
        reaches = reaches || row.has(byte);
      }
    if (has && !first) {
      first = i;
      firstNumber = number;
    }
    having += has;
    ++number;
  }
  return reaches && first == access.place && firstNumber == access.number &&
         having == access.others + 1 &&
         isa::disassemble(layout, launched.instructions[*first]) == access.text;
}

} // namespace

bool namesFault(const isa::Layout &layout, const Launched &launched,
                const std::string &message, uint64_t byte) {
  static const std::regex form(
      "rtl: (?:(LOAD|STORE) #(\\d+) \\(instruction (\\d+) of the stream\\) "
      "`(.*)`(?: or one of (\\d+) others)?|FETCH \\(instruction (\\d+) of the "
      "stream\\)): the memory answered with an error at DRAM offset "
      "0x([0-9a-f]+) \\(.*\\)");
  std::smatch found;
  if (!std::regex_match(message, found, form))
    return false;
  const uint64_t at = std::stoull(found[7], nullptr, 16);
  if (found[6].matched) {
    // A beat can have the ends of two instructions: the first is fetched then.
    const uint64_t beat = byte / layout.beatBytes * layout.beatBytes;
    return at == launched.offset +
                     std::stoull(found[6]) * layout.instructionBytes &&
           at < beat + layout.beatBytes && at + layout.instructionBytes > beat;
  }
  const uint64_t burst = layout.config.burst_beats() * layout.beatBytes;
  return at <= byte && byte - at < burst && at / 4096 == byte / 4096 &&
         holds(layout, launched,
               {found[1] == "LOAD" ? isa::Engine::Load : isa::Engine::Store,
                std::stoull(found[2]), std::stoull(found[3]), found[4],
                found[5].matched ? std::stoull(found[5]) : 0, at},
               byte);
}

} // namespace tenon::test
