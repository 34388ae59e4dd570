// Part of Tenon, under the Apache License v2.0.

#include "runtime/aligned_memory.h"

#include "absl/strings/str_cat.h"

#include <limits>

namespace tenon::runtime {

absl::Status AlignedMemory::reserve(uint64_t bytes) {
  if (bytes <= room)
    return absl::OkStatus();
  void *more = nullptr;
  if (bytes <= std::numeric_limits<size_t>::max() / 2)
    more = ::operator new(size_t(bytes), std::align_val_t(alignment),
                          std::nothrow);
  if (!more)
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for ", bytes, " bytes"));
  memory.reset(static_cast<uint8_t *>(more));
  room = bytes;
  return absl::OkStatus();
}

} // namespace tenon::runtime
