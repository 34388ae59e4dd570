// Part of Tenon, under the Apache License v2.0.

#include "runtime/aligned_memory.h"

#include "absl/strings/str_cat.h"

#include <limits>
#include <new>
#include <sys/mman.h>

namespace tenon::runtime {

static std::align_val_t alignmentOf(uint64_t bytes) {
  return std::align_val_t(bytes < AlignedMemory::hugePage
                              ? AlignedMemory::alignment
                              : AlignedMemory::hugePage);
}

void *AlignedMemory::take(uint64_t bytes) {
  if (bytes > std::numeric_limits<size_t>::max() / 2)
    return nullptr;
  void *block = ::operator new(size_t(bytes), alignmentOf(bytes), std::nothrow);
  // A wish: small pages are as right.
  if (block && bytes >= hugePage)
    madvise(block, size_t(bytes), MADV_HUGEPAGE);
  return block;
}

void AlignedMemory::give(void *block, uint64_t bytes) {
  ::operator delete(block, alignmentOf(bytes));
}

absl::Status AlignedMemory::reserve(uint64_t bytes) {
  if (bytes <= memory.get_deleter().bytes)
    return absl::OkStatus();
  void *more = take(bytes);
  if (!more)
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for ", bytes, " bytes"));
  memory = {static_cast<uint8_t *>(more), Give{bytes}};
  return absl::OkStatus();
}

} // namespace tenon::runtime
