// Part of Tenon, under the Apache License v2.0.

#ifndef TENON_RUNTIME_ALIGNED_MEMORY_H
#define TENON_RUNTIME_ALIGNED_MEMORY_H

#include "absl/status/status.h"

#include <cstdint>
#include <memory>
#include <new>

namespace tenon::runtime {

/// Bytes of no value, aligned as host code and plans of buffers want them.
class AlignedMemory {
public:
  static constexpr size_t alignment = 64;

  /// Makes room for so many bytes; what was in it is lost where it grows. Pages
  /// that nobody writes cost nothing. ResourceExhausted: there are not so many,
  /// then it is as it was.
  absl::Status reserve(uint64_t bytes);

  uint8_t *data() const { return memory.get(); } // null for no bytes

private:
  struct Delete {
    void operator()(uint8_t *bytes) const {
      ::operator delete(bytes, std::align_val_t(alignment));
    }
  };
  std::unique_ptr<uint8_t, Delete> memory;
  uint64_t room = 0;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_ALIGNED_MEMORY_H
