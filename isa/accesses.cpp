// Part of Tenon, under the Apache License v2.0.
//
// LOAD, STORE, SET: the rectangles of DRAM and what they fill. GEMM and ALU are
// in access_loops.cpp.

#include "isa/accesses.h"

#include "absl/strings/str_format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

Space spaceOf(Memory memory) {
  switch (memory) {
  case Memory::UopGemm:
    return Space::UopGemm;
  case Memory::UopAlu:
    return Space::UopAlu;
  case Memory::Inp:
    return Space::Inp;
  case Memory::Wgt:
    return Space::Wgt;
  case Memory::Dwt:
    return Space::Dwt;
  case Memory::Acc:
  case Memory::Acc8:
    return Space::Acc;
  case Memory::Prm:
    break;
  }
  return Space::Prm;
}

// Sorts and joins what touches.
Units normalised(Units units) {
  std::sort(
      units.begin(), units.end(),
      [](const Interval &a, const Interval &b) { return a.begin < b.begin; });
  Units joined;
  for (const Interval &interval : units) {
    if (!joined.empty() && interval.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, interval.end);
    else
      joined.push_back(interval);
  }
  return joined;
}

absl::Status outOfBounds(Space space, uint64_t last, uint64_t entries) {
  return absl::OutOfRangeError(absl::StrFormat(
      "reaches %s[%d], but there are %d", toString(space), last, entries));
}

} // namespace

absl::string_view toString(Space space) {
  static constexpr absl::string_view names[] = {
      "uop_gemm", "uop_alu", "inp", "wgt", "dwt", "acc", "prm", "out", "dram"};
  return names[size_t(space)];
}

uint64_t spaceEntries(const Layout &layout, Space space) {
  const Configuration &config = layout.config;
  const uint64_t entries[] = {
      config.uop_entries(), config.uop_entries(), config.inp_entries(),
      config.wgt_entries(), config.dwt_entries(), config.acc_entries(),
      config.prm_entries(), config.out_entries(), 0};
  return entries[size_t(space)];
}

AccessWalker::AccessWalker(const Layout &layout, const Program &program)
    : layout(layout), dramBytes(program.dram_bytes()), image(program) {
  for (std::vector<Slot> &memory : microOps)
    memory.resize(layout.config.uop_entries());
  uint64_t most = 0;
  for (uint32_t space = 0; space < spaceCount; ++space) {
    uint64_t entries = spaceEntries(layout, Space(space));
    used.emplace_back(entries);
    written.emplace_back(entries);
    most = std::max(most, entries);
  }
  pattern = sources = UnitSet(most);
  startLaunch();
}

void AccessWalker::startLaunch() {
  for (uint32_t engine = 0; engine < engineCount; ++engine)
    for (uint32_t number = 0; number < registers[engine].size(); ++number)
      registers[engine][number] = uint32_t(resetValue(Engine(engine), number));
}

absl::StatusOr<Accesses> AccessWalker::next(const Instruction &instruction) {
  return std::visit([&](const auto &i) { return walk(i); }, instruction);
}

template <typename Transfer>
absl::StatusOr<Units> AccessWalker::dramUnits(const Transfer &transfer,
                                              uint32_t elementBytes) const {
  uint64_t beat = layout.beatBytes;
  uint64_t start = transfer.dram * beat;
  uint64_t xStride = transfer.xStride * beat;
  uint64_t yStride = transfer.yStride * beat;
  uint64_t end = start + (transfer.ySize - 1) * yStride +
                 (transfer.xSize - 1) * xStride + elementBytes;
  if (end > dramBytes)
    return outOfBounds(Space::Dram, end - 1, dramBytes);
  Units units;
  bool dense = transfer.xSize == 1 || xStride == elementBytes;
  for (uint64_t y = 0; y < transfer.ySize; ++y) {
    uint64_t row = start + y * yStride;
    if (dense) {
      units.push_back({row, row + uint64_t(transfer.xSize) * elementBytes});
      continue;
    }
    for (uint64_t x = 0; x < transfer.xSize; ++x)
      units.push_back({row + x * xStride, row + x * xStride + elementBytes});
  }
  return normalised(std::move(units));
}

absl::StatusOr<Accesses> AccessWalker::walk(const Load &load) {
  Accesses accesses;
  uint64_t rows = uint64_t(load.padTop) + load.ySize + load.padBottom;
  uint64_t columns = uint64_t(load.padLeft) + load.xSize + load.padRight;
  Space space = spaceOf(load.memory);
  bool isMicroOps = space == Space::UopGemm || space == Space::UopAlu;
  uint64_t unit = isMicroOps ? layout.uopsPerBeat : 1;
  Interval target{load.sram * unit, (load.sram + rows * columns) * unit};
  uint64_t entries = spaceEntries(layout, space);
  if (target.end > entries)
    return outOfBounds(space, target.end - 1, entries);
  accesses.writes[size_t(space)] = {target};
  absl::StatusOr<Units> source =
      dramUnits(load, layout.transferBytes(load.memory));
  if (!source.ok())
    return source.status();
  accesses.reads[size_t(Space::Dram)] = *std::move(source);
  if (isMicroOps)
    loadMicroOps(load);
  return accesses;
}

absl::StatusOr<Accesses> AccessWalker::walk(const Store &store) {
  Accesses accesses;
  uint64_t end = store.sram + uint64_t(store.ySize) * store.xSize;
  uint64_t entries = spaceEntries(layout, Space::Out);
  if (end > entries)
    return outOfBounds(Space::Out, end - 1, entries);
  accesses.reads[size_t(Space::Out)] = {{store.sram, end}};
  absl::StatusOr<Units> target = dramUnits(store, layout.outBytes);
  if (!target.ok())
    return target.status();
  for (Interval bytes : *target)
    image.write(bytes);
  accesses.writes[size_t(Space::Dram)] = *std::move(target);
  return accesses;
}

absl::StatusOr<Accesses> AccessWalker::walk(const Set &set) {
  if (set.index != 0)
    registers[size_t(set.engine)][set.index] = set.value;
  return Accesses{};
}

absl::StatusOr<Accesses> AccessWalker::walk(const Finish &) {
  return Accesses{};
}

void AccessWalker::loadMicroOps(const Load &load) {
  bool gemm = load.memory == Memory::UopGemm;
  uint64_t at = uint64_t(load.sram) * layout.uopsPerBeat;
  for (uint64_t y = 0; y < load.ySize; ++y)
    for (uint64_t x = 0; x < load.xSize; ++x) {
      uint64_t beat = load.dram + y * load.yStride + x * load.xStride;
      for (uint32_t i = 0; i < layout.uopsPerBeat; ++i)
        microOps[gemm ? 0 : 1][at++] =
            loadMicroOp(beat * layout.beatBytes + 4 * i, gemm);
    }
}

AccessWalker::Slot AccessWalker::loadMicroOp(uint64_t offset, bool gemm) const {
  const uint8_t *bytes = image.constant(offset, 4);
  if (!bytes)
    return {Slot::Unknown, {}};
  uint32_t word =
      bytes[0] | bytes[1] << 8 | bytes[2] << 16 | uint32_t(bytes[3]) << 24;
  return {Slot::Known,
          gemm ? decodeGemmUop(layout, word) : decodeAluUop(layout, word)};
}

} // namespace tenon::isa
