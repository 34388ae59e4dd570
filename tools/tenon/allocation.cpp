//===- tools/tenon/allocation.cpp - Memory that ends ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The program's malloc, calloc and realloc, for all of its libraries: where
// libc has no memory, the process ends with one message. MLIR writes to what it
// gets without looking at it. Nothing is left behind, as outputs have no name
// until they are whole.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/last_words.h"

#include <cstddef>
#include <malloc.h>

extern "C" {

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

static void *given(void *memory, bool asked) {
  if (!memory && asked)
    tenon::tools::endWithoutMemory();
  return memory;
}

void *malloc(size_t size) noexcept { return given(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) noexcept {
  return given(__libc_calloc(count, size), count && size);
}

void *realloc(void *memory, size_t size) noexcept {
  return given(__libc_realloc(memory, size), size);
}
}

/// What a pass frees the next one takes again. Given back to the system and
/// asked for anew, each page is zeroed again: a third of the system's time of a
/// compilation with large weights.
[[gnu::constructor]] static void keepFreedMemory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20); // the most that glibc takes
  ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
  ::mallopt(M_TOP_PAD, 16 << 20);
}
