// Part of Tenon, under the Apache License v2.0.

#ifndef TENON_RUNTIME_ALIGNED_MEMORY_H
#define TENON_RUNTIME_ALIGNED_MEMORY_H

#include "absl/status/status.h"

#include <cstdint>
#include <memory>

namespace tenon::runtime {

/// Bytes of no value, aligned as host code and plans of buffers want them. What
/// takes huge pages asks for them: a run walks through all of it, and the first
/// one waits for each page.
class AlignedMemory {
public:
  static constexpr size_t alignment = 64, hugePage = size_t(2) << 20;

  /// A block for `give`, or null where there are not so many bytes.
  static void *take(uint64_t bytes);
  /// `bytes` as it was taken.
  static void give(void *block, uint64_t bytes);

  /// Makes room for so many bytes; what was in it is lost where it grows. Pages
  /// that nobody writes cost nothing. ResourceExhausted: there are not so many,
  /// then it is as it was.
  absl::Status reserve(uint64_t bytes);

  uint8_t *data() const { return memory.get(); } // null for no bytes

private:
  struct Give {
    uint64_t bytes;
    void operator()(uint8_t *block) const { give(block, bytes); }
  };
  std::unique_ptr<uint8_t, Give> memory{nullptr, Give{0}};
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_ALIGNED_MEMORY_H
