//===- sim/program_walk.cpp - What a program in DRAM contains ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/program_walk.h"

#include "sim/memory/dram_timing.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>

namespace tenon::sim {
namespace {

// Generous costs: what matters is that no sound program exceeds their sum.
constexpr double margin = 4;
constexpr double pipelineCycles = 64;
constexpr double startCycles = 1e6;
constexpr double mostCycles = 4e18;

// No burst crosses a page.
constexpr uint32_t pageBytes = 4096;
// LOAD asks for so many beats ahead (load.sv), FETCH for so many bursts of so
// many beats (fetch.sv).
constexpr double loadAhead = 256, fetchAhead = 9, fetchBeats = 8;

// Bytes of the longest burst.
uint32_t longestBurst(const isa::Layout &layout) {
  return std::min(layout.config.burst_beats() * layout.beatBytes, pageBytes);
}

// Bursts of a channel under way.
uint32_t mostUnderWay(const isa::Layout &layout, const MemoryTiming &timing) {
  return std::max(
      1u, std::min(layout.config.outstanding_bursts(), timing.outstanding));
}

// Cycles of one instruction alone.
class Cost {
public:
  Cost(const isa::Layout &layout, const MemoryTiming &timing)
      : layout(layout), latency(timing.latency + pipelineCycles),
        underWay(mostUnderWay(layout, timing)),
        burstBeats(longestBurst(layout) / layout.beatBytes) {
    const DramTiming dram(timing, layout.beatBytes);
    uint32_t rate = timing.bytesPerCycle;
    double port =
        rate && rate < layout.beatBytes ? double(layout.beatBytes) / rate : 1;
    serviceCycles = dram.longestService(0);
    double bus = (dram.longestService(pageBytes) - serviceCycles) *
                 layout.beatBytes / pageBytes;
    beatCycles = std::max({port, bus, latency / loadAhead});
    lanePasses = double(layout.outBytes) / layout.config.alu_lanes();
  }

  double operator()(const isa::Load &load) const {
    double elements = double(load.padTop + load.ySize + load.padBottom) *
                      double(load.padLeft + load.xSize + load.padRight);
    double beats = beatsOf(layout.transferBytes(load.memory));
    bool apart = load.xStride < beats || (load.gather && load.xStride > beats);
    return elements +
           (apart ? transfer(double(load.ySize) * load.xSize, beats)
                  : transfer(load.ySize,
                             (load.xSize - 1.0) * load.xStride + beats));
  }
  double operator()(const isa::Store &store) const {
    double elements = double(store.ySize) * store.xSize;
    double beats = beatsOf(layout.outBytes);
    return elements + (store.xStride == beats
                           ? transfer(store.ySize, store.xSize * beats)
                           : transfer(elements, beats));
  }
  double operator()(const isa::Gemm &gemm) const {
    return pipelineCycles + 4 * iterations(gemm);
  }
  double operator()(const isa::Alu &alu) const {
    double vector = lanePasses * (8 + 4 * layout.config.alu_multiply_cycles());
    return pipelineCycles + iterations(alu) * vector;
  }
  double operator()(const isa::Set &) const { return pipelineCycles; }
  double operator()(const isa::Finish &) const {
    return pipelineCycles + fetchAhead * fetchBurst();
  }

  // Of its instruction's share in FETCH's bursts.
  double fetch() const {
    return double(layout.instructionBytes) / layout.beatBytes / fetchBeats *
           fetchBurst();
  }

private:
  template <typename Loop> static double iterations(const Loop &loop) {
    return double(loop.outerCount) * loop.innerCount * loop.uopCount;
  }

  double beatsOf(double bytes) const {
    return std::max(1.0, bytes / layout.beatBytes);
  }

  double fetchBurst() const {
    return latency / std::min(underWay, fetchAhead) + serviceCycles +
           fetchBeats * beatCycles;
  }

  // Segments of consecutive beats; each ends a burst, as do pages.
  double transfer(double segments, double beats) const {
    double bursts = segments * (1 + 2 * (beats - 1) / burstBeats);
    return bursts * (latency / underWay + serviceCycles) +
           segments * beats * beatCycles + latency;
  }

  const isa::Layout &layout;
  const double latency, underWay, burstBeats;
  double serviceCycles; // of a burst, but for its beats
  double beatCycles, lanePasses;
};

// Whether a row of a LOAD or STORE, with what lies between its elements, has
// this beat.
template <typename Transfer>
bool rowsHave(const Transfer &transfer, uint64_t elementBeats, uint64_t beat) {
  for (uint64_t y = 0; y < transfer.ySize; ++y) {
    uint64_t begin = transfer.dram + y * transfer.yStride;
    uint64_t end =
        begin + uint64_t(transfer.xSize - 1) * transfer.xStride + elementBeats;
    if (beat >= begin && beat < end)
      return true;
  }
  return false;
}

bool hasBurstAt(const isa::Layout &layout, const isa::Instruction &instruction,
                uint64_t beat) {
  auto beats = [&](uint64_t bytes) {
    return std::max<uint64_t>(bytes / layout.beatBytes, 1);
  };
  if (const auto *load = std::get_if<isa::Load>(&instruction))
    return rowsHave(*load, beats(layout.transferBytes(load->memory)), beat);
  if (const auto *store = std::get_if<isa::Store>(&instruction))
    return rowsHave(*store, beats(layout.outBytes), beat);
  return false;
}

uint64_t offsetOf(const isa::Layout &layout, const Stream &stream,
                  uint64_t index) {
  return stream.offset + index * layout.instructionBytes;
}

absl::StatusOr<isa::Instruction>
instructionAt(const isa::Layout &layout, const Stream &stream, uint64_t index) {
  uint64_t offset = offsetOf(layout, stream, index);
  if (offset > stream.dram.size() ||
      stream.dram.size() - offset < layout.instructionBytes)
    return absl::InvalidArgumentError(absl::StrFormat(
        "instruction %u at DRAM offset 0x%x lies outside of the %u bytes of "
        "DRAM",
        index, offset, stream.dram.size()));
  absl::StatusOr<isa::Instruction> instruction =
      isa::decode(layout, stream.dram.data() + offset);
  if (!instruction.ok())
    return absl::InvalidArgumentError(
        absl::StrFormat("instruction %u at DRAM offset 0x%x: %s", index, offset,
                        instruction.status().message()));
  return instruction;
}

} // namespace

absl::StatusOr<StreamFacts> examineStream(const isa::Layout &layout,
                                          const Stream &stream,
                                          const MemoryTiming &timing) {
  StreamFacts facts;
  Cost cost(layout, timing);
  double cycles = startCycles;
  for (uint64_t i = 0; i < stream.count; ++i) {
    absl::StatusOr<isa::Instruction> instruction =
        instructionAt(layout, stream, i);
    if (!instruction.ok())
      return instruction.status();
    bool isFinish = std::holds_alternative<isa::Finish>(*instruction);
    if (isFinish != (i + 1 == stream.count))
      return absl::InvalidArgumentError(absl::StrFormat(
          "instruction %u of %u is %s: a program ends with its only FINISH", i,
          stream.count, isa::disassemble(layout, *instruction)));
    if (!isFinish)
      ++facts.instructions[size_t(isa::engineOf(*instruction))];
    cycles += margin * (std::visit(cost, *instruction) + cost.fetch());
  }
  if (!stream.count)
    return absl::InvalidArgumentError("a program has at least FINISH");
  facts.cycleBound = uint64_t(std::min(cycles, mostCycles));
  return facts;
}

uint64_t longestSilence(const isa::Layout &layout, const MemoryTiming &timing) {
  const DramTiming dram(timing, layout.beatBytes);
  return timing.latency + mostUnderWay(layout, timing) *
                              dram.longestService(longestBurst(layout));
}

namespace {

/// Bytes of DRAM, from the first to behind the last.
struct Extent {
  uint64_t begin, end;
};

/// Of row `y` of a LOAD or STORE, with what lies between its elements.
template <typename Transfer>
Extent rowOf(const isa::Layout &layout, const Transfer &transfer, uint64_t y,
             uint32_t elementBytes) {
  const uint64_t beat = layout.beatBytes;
  const uint64_t begin = (transfer.dram + y * transfer.yStride) * beat;
  return {begin, begin +
                     uint64_t(transfer.xSize - 1) * transfer.xStride * beat +
                     elementBytes};
}

template <typename Transfer> bool isEmpty(const Transfer &transfer) {
  return transfer.ySize == 0 || transfer.xSize == 0;
}

/// Strides are not negative: the last row ends last.
template <typename Transfer>
uint64_t endOf(const isa::Layout &layout, const Transfer &transfer,
               uint32_t elementBytes) {
  return isEmpty(transfer)
             ? 0
             : rowOf(layout, transfer, transfer.ySize - 1, elementBytes).end;
}

/// Whether a STORE writes bytes of `region`.
bool writesIn(const isa::Layout &layout, const isa::Store &store,
              Extent region) {
  if (isEmpty(store) || endOf(layout, store, layout.outBytes) <= region.begin)
    return false;
  for (uint64_t y = 0; y < store.ySize; ++y) {
    const Extent row = rowOf(layout, store, y, layout.outBytes);
    if (row.begin < region.end && row.end > region.begin)
      return true;
  }
  return false;
}

} // namespace

absl::Status checkTransfers(const isa::Layout &layout, const Stream &stream) {
  const uint64_t programEnd = offsetOf(layout, stream, stream.count);
  for (uint64_t i = 0; i < stream.count; ++i) {
    absl::StatusOr<isa::Instruction> instruction =
        instructionAt(layout, stream, i);
    if (!instruction.ok())
      return instruction.status();
    const auto *load = std::get_if<isa::Load>(&*instruction);
    const auto *store = std::get_if<isa::Store>(&*instruction);
    const uint64_t end =
        load    ? endOf(layout, *load, layout.transferBytes(load->memory))
        : store ? endOf(layout, *store, layout.outBytes)
                : 0;
    auto refuse = [&](const std::string &why) {
      return absl::OutOfRangeError(absl::StrFormat(
          "instruction %u of the stream `%s` %s; the program is not run", i,
          isa::disassemble(layout, *instruction), why));
    };
    if (end > stream.dram.size())
      return refuse(absl::StrFormat("accesses DRAM up to offset 0x%x, outside "
                                    "of the program's %u bytes",
                                    end, stream.dram.size()));
    if (store &&
        writesIn(layout, *store, {offsetOf(layout, stream, i + 1), programEnd}))
      return refuse("writes instructions behind itself");
  }
  return absl::OkStatus();
}

std::string describeInstruction(const isa::Layout &layout, const Stream &stream,
                                isa::Engine engine, uint64_t retired) {
  uint64_t seen = 0;
  for (uint64_t i = 0; i < stream.count; ++i) {
    absl::StatusOr<isa::Instruction> instruction =
        instructionAt(layout, stream, i);
    if (!instruction.ok())
      return std::string(instruction.status().message());
    if (std::holds_alternative<isa::Finish>(*instruction))
      break;
    if (isa::engineOf(*instruction) == engine && seen++ == retired)
      return absl::StrCat("instruction ", i, ": ",
                          isa::disassemble(layout, *instruction));
  }
  return "no further instruction";
}

std::string describeAccess(const isa::Layout &layout, const Stream &stream,
                           isa::Engine engine, uint64_t offset) {
  const std::string name = engine == isa::Engine::Load ? "LOAD" : "STORE";
  std::string text = name;
  uint64_t number = 0, found = 0;
  for (uint64_t i = 0; i < stream.count; ++i) {
    absl::StatusOr<isa::Instruction> instruction =
        instructionAt(layout, stream, i);
    if (!instruction.ok() || std::holds_alternative<isa::Finish>(*instruction))
      break;
    if (isa::engineOf(*instruction) != engine)
      continue;
    if (hasBurstAt(layout, *instruction, offset / layout.beatBytes) &&
        found++ == 0)
      text = absl::StrCat(name, " #", number, " (instruction ", i,
                          " of the stream) `",
                          isa::disassemble(layout, *instruction), "`");
    ++number;
  }
  if (found > 1)
    absl::StrAppend(&text, " or one of ", found - 1, " others");
  return text;
}

} // namespace tenon::sim
