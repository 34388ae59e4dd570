//===- sim/memory/memory_options.cpp - Text form of MemoryTiming ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/memory/memory_options.h"

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace tenon::sim {
namespace {

template <typename Owner> struct Key {
  absl::string_view name;
  uint32_t Owner::*member;
  uint32_t least, most;
  bool powerOfTwo = false;
};

constexpr Key<MemoryTiming> timingKeys[] = {
    {"latency", &MemoryTiming::latency, 1, 100000},
    {"bytes-per-cycle", &MemoryTiming::bytesPerCycle, 0, 1024},
    {"outstanding", &MemoryTiming::outstanding, 1, 1024},
};
constexpr absl::string_view dramName = "dram";
constexpr Key<DramParameters> dramKeys[] = {
    {"banks", &DramParameters::banks, 1, 64, true},
    {"row-bytes", &DramParameters::rowBytes, 4096, 1 << 20, true},
    {"megabytes-per-second", &DramParameters::megabytes, 1, 1000000},
    {"trcd-ps", &DramParameters::activate, 0, 1000000},
    {"tcas-ps", &DramParameters::column, 0, 1000000},
    {"trp-ps", &DramParameters::precharge, 0, 1000000},
    {"tras-ps", &DramParameters::rowActive, 0, 1000000},
    {"twr-ps", &DramParameters::writeRecovery, 0, 1000000},
    {"read-to-write-ps", &DramParameters::readToWrite, 0, 1000000},
    {"write-to-read-ps", &DramParameters::writeToRead, 0, 1000000},
    {"trefi-ps", &DramParameters::refreshInterval, 0, 1000000000},
    {"trfc-ps", &DramParameters::refreshDuration, 0, 10000000},
};

struct Preset {
  absl::string_view name;
  DramParameters dram;
};
// Rows are those of all chips of a rank together. Typical timings of the speed
// grade, in the names of JEDEC's standards (JESD79-3, JESD79-4, JESD209-4); a
// board's own come from its data sheet, by the keys above.
const Preset presets[] = {
    // 32 bits, two x16 chips of 2 Gb, DDR3-1066 7-7-7; turnaround CL - CWL + 4
    // + 2 and CWL + 4 + tWTR clocks less the burst itself.
    {"ddr3-1066",
     {8, 4096, 4264, 13125, 13125, 13125, 37500, 15000, 5625, 18750, 7800000,
      160000}},
    // 64 bits, one rank of x8 chips of 8 Gb, DDR4-2400 16-16-16; turnaround
    // within a bank group.
    {"ddr4-2400",
     {16, 8192, 19200, 13320, 13320, 13320, 32000, 15000, 5000, 17500, 7800000,
      350000}},
    // Two x16 channels of 8 Gb ganged, LPDDR4-3200: RL 28, per-bank precharge,
    // refresh of all banks.
    {"lpddr4-3200",
     {8, 4096, 12800, 18000, 17500, 18000, 42000, 18000, 6250, 18750, 3904000,
      280000}},
    // Boards' memories. Where a chip's rows are smaller than 4 KB, those of
    // neighbouring banks are one here: the next one is opened while the data of
    // the one before move. Turnarounds as of the speed grades above.
    //
    // PYNQ-Z1 and -Z2: MT41J256M16RE-125, 16 bits, 8 banks, rows of 2 KB, at
    // 525 MHz (PCW_UIPARAM_DDR_* in hw/boards), where that grade is 7-7-7;
    // tRAS 35, tWR 15 ns (Micron, 4Gb DDR3 SDRAM, speed bins), in clocks of
    // 1.905 ns rounded up; CWL 6, tWTR 4; tRFC of 4 Gb (JESD79-3).
    {"pynq-ddr3",
     {4, 4096, 2100, 13333, 13333, 13333, 36190, 15238, 5714, 19048, 7800000,
      260000}},
    // ZCU104: four x16 chips of 4 Gb on the processor's 64 bits (UG1267), 8
    // banks, rows of 8 KB together. The board's preset decides on the bin; the
    // slowest common one of 2400 is assumed, 17-17-17 (JESD79-4).
    {"zcu104-ddr4",
     {8, 8192, 19200, 14160, 14160, 14160, 32000, 15000, 5000, 17500, 7800000,
      260000}},
    // Kria K26: four x16 chips of 8 Gb (DS987: 4 GB, 64 bits, 2400 Mb/s). Its
    // processor's settings are 16-16-16 with tRAS 33 ns.
    {"kv260-ddr4",
     {8, 8192, 19200, 13333, 13333, 13333, 33000, 15000, 5000, 17500, 7800000,
      350000}},
    // ULX3S: 16 bits, 4 banks, rows of 1 KB; as MT48LC16M16A2-6A (Micron, 256Mb
    // SDRAM: tRCD and tRP 18, tRAS 42, tRFC 60 ns, tWR two clocks, 8,192
    // refreshes in 64 ms), CL 2 and a clock to turn around, at 60 MHz, the
    // clock of the LFE5U-85F's design. At 50 MHz: megabytes-per-second=100.
    {"ulx3s-sdram",
     {1, 4096, 120, 18000, 33333, 18000, 42000, 33333, 16667, 33333, 7812500,
      60000}},
    // Tang Nano 20K: EM638325GD in the GW2AR-18's package, 64 Mb, 32 bits, 4
    // banks of 2,048 rows of 1 KB. Its timings are assumed to be those of the
    // chip above (those of open controllers for it are no faster), 4,096
    // refreshes in 64 ms, at 54 MHz, the clock of its design.
    {"tang-nano-sdram",
     {1, 4096, 216, 18000, 37037, 18000, 42000, 37037, 18519, 37037, 15625000,
      60000}},
};

template <typename Keys> std::string namesOf(const Keys &keys) {
  return absl::StrJoin(keys, ", ", [](std::string *out, const auto &key) {
    out->append(key.name.data(), key.name.size());
  });
}

template <typename Keys>
const auto *find(const Keys &keys, absl::string_view name) {
  auto at = std::find_if(std::begin(keys), std::end(keys),
                         [&](const auto &key) { return key.name == name; });
  return at == std::end(keys) ? nullptr : &*at;
}

template <typename Owner>
absl::Status parseValue(const Key<Owner> &key, absl::string_view text,
                        Owner &owner) {
  uint32_t value;
  // The library's function would take spaces around it.
  if (!absl::c_all_of(text, absl::ascii_isdigit) ||
      !absl::SimpleAtoi(text, &value) || value < key.least || value > key.most)
    return absl::InvalidArgumentError(
        absl::StrCat("memory option: ", key.name, " must be a number from ",
                     key.least, " to ", key.most, ", found \"", text, "\""));
  if (key.powerOfTwo && (value & (value - 1)))
    return absl::InvalidArgumentError(absl::StrCat(
        "memory option: ", key.name, " must be a power of two, found ", value));
  owner.*key.member = value;
  return absl::OkStatus();
}

absl::Status parsePreset(absl::string_view name, DramParameters &dram) {
  const Preset *preset = find(presets, name);
  if (!preset)
    return absl::InvalidArgumentError(
        absl::StrCat("memory option: unknown dram \"", name, "\"; expected ",
                     namesOf(presets)));
  dram = preset->dram;
  return absl::OkStatus();
}

using Item = std::pair<absl::string_view, absl::string_view>;

absl::Status parseItem(const Item &item, MemoryTiming &timing) {
  if (item.first == dramName)
    return absl::OkStatus(); // before the others
  if (const auto *key = find(timingKeys, item.first))
    return parseValue(*key, item.second, timing);
  const auto *key = find(dramKeys, item.first);
  if (!key)
    return absl::InvalidArgumentError(
        absl::StrCat("memory option: unknown key \"", item.first,
                     "\"; expected ", namesOf(timingKeys), ", ", dramName,
                     " or of that ", namesOf(dramKeys)));
  if (!timing.dram.banks)
    return absl::InvalidArgumentError(absl::StrCat(
        "memory option: ", item.first, " needs dram=", namesOf(presets)));
  return parseValue(*key, item.second, timing.dram);
}

// Between two refreshes there is time for something else.
absl::Status checkRefresh(const DramParameters &dram) {
  if (!dram.refreshInterval || dram.refreshInterval > dram.refreshDuration)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "memory option: trefi-ps must be 0 or more than trfc-ps, which is ",
      dram.refreshDuration, ", found ", dram.refreshInterval));
}

} // namespace

absl::StatusOr<MemoryTiming> parseMemoryTiming(absl::string_view text) {
  MemoryTiming timing;
  if (text.empty())
    return timing;
  std::vector<Item> items;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    Item item = absl::StrSplit(part, absl::MaxSplits('=', 1));
    for (const Item &other : items)
      if (other.first == item.first)
        return absl::InvalidArgumentError(
            absl::StrCat("memory option: ", item.first, " is given twice"));
    items.push_back(item);
  }
  for (const Item &item : items)
    if (item.first == dramName)
      if (absl::Status s = parsePreset(item.second, timing.dram); !s.ok())
        return s;
  for (const Item &item : items)
    if (absl::Status s = parseItem(item, timing); !s.ok())
      return s;
  if (absl::Status s = checkRefresh(timing.dram); !s.ok())
    return s;
  return timing;
}

std::string printMemoryTiming(const MemoryTiming &timing) {
  std::string text =
      absl::StrJoin(timingKeys, ",", [&](std::string *out, const auto &key) {
        absl::StrAppend(out, key.name, "=", timing.*key.member);
      });
  if (!timing.dram.banks)
    return text;
  const Preset *base = std::find_if(
      std::begin(presets), std::end(presets),
      [&](const Preset &preset) { return preset.dram == timing.dram; });
  if (base == std::end(presets))
    base = presets;
  absl::StrAppend(&text, ",", dramName, "=", base->name);
  for (const auto &key : dramKeys)
    if (timing.dram.*key.member != base->dram.*key.member)
      absl::StrAppend(&text, ",", key.name, "=", timing.dram.*key.member);
  return text;
}

std::vector<absl::string_view> dramPresets() {
  std::vector<absl::string_view> names;
  for (const Preset &preset : presets)
    names.push_back(preset.name);
  return names;
}

} // namespace tenon::sim
