// Part of Tenon, under the Apache License v2.0.

#include "sim/functional/weights.h"

#include "sim/memory/poison.h"

#include <cstring>
#include <stddef.h>

namespace tenon::sim::functional {

WeightMemory::WeightMemory(uint32_t entries, uint32_t blockIn,
                           uint32_t blockOut)
    : entries(entries), blockIn(blockIn), blockOut(blockOut),
      lanes((blockOut + 15) / 16 * 16), groups((blockIn + 3) / 4),
      packed(size_t(entries) * groups * lanes * 4),
      correction(size_t(entries) * lanes) {}

void WeightMemory::poison() {
  std::vector<int8_t> element(size_t(blockIn) * blockOut);
  for (uint32_t i = 0; i < entries; ++i) {
    sim::poison(reinterpret_cast<uint8_t *>(element.data()),
                uint64_t(i) * element.size(), element.size());
    write(i, element.data());
  }
}

void WeightMemory::write(uint32_t index, const int8_t *element) {
  int8_t *to = packed.data() + size_t(index) * elementBytes();
  int32_t *corrections = correction.data() + size_t(index) * lanes;
  const uint32_t whole = blockIn / 4;
  for (uint32_t o = 0; o < blockOut; ++o) {
    const int8_t *row = element + size_t(o) * blockIn;
    int32_t sum = 0;
    for (uint32_t c = 0; c < blockIn; ++c)
      sum += row[c];
    for (uint32_t g = 0; g < whole; ++g)
      std::memcpy(to + (g * lanes + o) * 4, row + g * 4, 4);
    if (blockIn % 4)
      std::memcpy(to + (whole * lanes + o) * 4, row + whole * 4, blockIn % 4);
    corrections[o] = -128 * sum;
  }
}

} // namespace tenon::sim::functional
