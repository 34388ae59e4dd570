// Part of Tenon, under the Apache License v2.0.
//
// Memory for kernels beside pages that nobody may touch: one element too far
// ends the process.

#ifndef TENON_TESTS_CONFORMANCE_GUARDED_MEMORY_H
#define TENON_TESTS_CONFORMANCE_GUARDED_MEMORY_H

#include "isa/host_abi.h"

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon {

/// Where a block touches the pages: with its last byte or with its first.
enum class Touches { End, Begin };

class GuardedMemory : public TenonHostMemory {
public:
  /// Every byte is `poison` at first, but for constants of these `contents`.
  GuardedMemory(Touches side, uint8_t poison, uint64_t workspaceBytes,
                const std::string &contents)
      : TenonHostMemory{nullptr, nullptr, allocateFor, releaseFor, runFor},
        side(side), poison(poison) {
    workspace = block(workspaceBytes, TENON_HOST_ALIGNMENT);
    void *copy = block(contents.size(), TENON_HOST_ALIGNMENT);
    std::copy(contents.begin(), contents.end(), static_cast<char *>(copy));
    constants = copy;
  }
  ~GuardedMemory() {
    for (auto &[at, mapped] : blocks)
      munmap(mapped.begin, mapped.bytes);
  }
  GuardedMemory(const GuardedMemory &) = delete;

  /// Where a call ends whose kernel asks for more than `most` bytes.
  std::jmp_buf end;

  /// `bytes` of memory; a multiple of `alignment` lies at its end, too, so that
  /// what is aligned to its own size has no byte between.
  void *block(uint64_t bytes, uint64_t alignment) {
    const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
    const uint64_t inside = (bytes + page) / page * page; // never empty
    Mapped mapped{nullptr, inside + 2 * page};
    void *begin = mmap(nullptr, mapped.bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED)
      std::abort();
    mapped.begin = begin;
    auto *first = static_cast<uint8_t *>(begin) + page;
    if (mprotect(first, inside, PROT_READ | PROT_WRITE))
      std::abort();
    std::memset(first, poison, inside);
    const uint64_t padded = (bytes + alignment - 1) / alignment * alignment;
    uint8_t *at = side == Touches::Begin ? first : first + inside - padded;
    blocks[at] = mapped;
    return at;
  }

private:
  static constexpr uint64_t most = uint64_t(1) << 28;

  struct Mapped {
    void *begin;
    uint64_t bytes;
  };
  static void *allocateFor(TenonHostMemory *memory, uint64_t bytes) {
    auto *self = static_cast<GuardedMemory *>(memory);
    if (bytes > most)
      std::longjmp(self->end, 1);
    return self->block(bytes, TENON_HOST_ALIGNMENT);
  }
  static void releaseFor(TenonHostMemory *memory, void *block) {
    auto &blocks = static_cast<GuardedMemory *>(memory)->blocks;
    if (auto found = blocks.find(block); found != blocks.end()) {
      munmap(found->second.begin, found->second.bytes);
      blocks.erase(found);
    } else if (block) {
      std::abort();
    }
  }
  /// In one part or several, the last one first.
  static void runFor(TenonHostMemory *, TenonHostLoops loops,
                     const void *arguments, uint64_t, uint32_t number) {
    const uint32_t parts = 1 + number % 4;
    for (uint32_t part = parts; part-- > 0;)
      loops(arguments, part, parts);
  }

  const Touches side;
  const uint8_t poison;
  std::map<void *, Mapped> blocks;
};

} // namespace tenon

#endif // TENON_TESTS_CONFORMANCE_GUARDED_MEMORY_H
