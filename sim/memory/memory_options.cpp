//===- sim/memory/memory_options.cpp - Text form of MemoryTiming ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/memory/memory_options.h"

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <utility>

namespace tenon::sim {
namespace {

struct Key {
  absl::string_view name;
  uint32_t MemoryTiming::*member;
  uint32_t least, most;
};

constexpr Key keys[] = {
    {"latency", &MemoryTiming::latency, 1, 100000},
    {"bytes-per-cycle", &MemoryTiming::bytesPerCycle, 0, 1024},
    {"outstanding", &MemoryTiming::outstanding, 1, 1024},
};

absl::StatusOr<const Key *> findKey(absl::string_view name) {
  for (const Key &key : keys)
    if (key.name == name)
      return &key;
  return absl::InvalidArgumentError(absl::StrCat(
      "memory option: unknown key \"", name, "\"; expected ",
      absl::StrJoin(keys, ", ", [](std::string *out, const Key &key) {
        out->append(key.name.data(), key.name.size());
      })));
}

} // namespace

absl::StatusOr<MemoryTiming> parseMemoryTiming(absl::string_view text) {
  MemoryTiming timing;
  if (text.empty())
    return timing;
  uint32_t seen = 0;
  for (absl::string_view item : absl::StrSplit(text, ',')) {
    std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    absl::StatusOr<const Key *> key = findKey(parts.first);
    if (!key.ok())
      return key.status();
    uint32_t bit = 1u << (*key - keys);
    if (seen & bit)
      return absl::InvalidArgumentError(
          absl::StrCat("memory option: ", parts.first, " is given twice"));
    seen |= bit;
    uint32_t value;
    if (!absl::SimpleAtoi(parts.second, &value) || value < (*key)->least ||
        value > (*key)->most)
      return absl::InvalidArgumentError(
          absl::StrCat("memory option: ", parts.first,
                       " must be a number from ", (*key)->least, " to ",
                       (*key)->most, ", found \"", parts.second, "\""));
    timing.*(*key)->member = value;
  }
  return timing;
}

std::string printMemoryTiming(const MemoryTiming &timing) {
  return absl::StrJoin(keys, ",", [&](std::string *out, const Key &key) {
    absl::StrAppend(out, key.name, "=", timing.*key.member);
  });
}

} // namespace tenon::sim
