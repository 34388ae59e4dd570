// Part of Tenon, under the Apache License v2.0.
//
// STORE: consecutive elements of OUT to a strided rectangle of DRAM.

#include "sim/functional/instructions.h"

#include "absl/strings/str_format.h"
#include "sim/functional/transfer.h"

#include <cstring>

namespace tenon::sim::functional {

absl::Status execute(const isa::Store &store, State &state) {
  size_t bytes = state.layout.outBytes;
  uint64_t end = store.sram + uint64_t(store.ySize) * store.xSize;
  uint64_t entries = state.out.size() / bytes;
  if (end > entries) {
    uint64_t first = entries > store.sram ? entries - store.sram : 0;
    return absl::InvalidArgumentError(absl::StrFormat(
        "element (y %d, x %d) is OUT[%d], but OUT has %d entries",
        first / store.xSize, first % store.xSize, store.sram + first, entries));
  }
  Transfer transfer(store, state.layout.beatBytes, bytes);
  if (absl::Status s = checkDram(transfer, state.dram.size()); !s.ok())
    return s;

  const int8_t *from = state.out.data() + store.sram * bytes;
  for (uint32_t y = 0; y < store.ySize; ++y) {
    if (transfer.dense()) {
      std::memcpy(&state.dram[transfer.address(y, 0)], from,
                  store.xSize * bytes);
      from += store.xSize * bytes;
      continue;
    }
    for (uint32_t x = 0; x < store.xSize; ++x, from += bytes)
      std::memcpy(&state.dram[transfer.address(y, x)], from, bytes);
  }
  return absl::OkStatus();
}

} // namespace tenon::sim::functional
