//===- sim/rtl/lock.h - One process at a time -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_LOCK_H
#define TENON_SIM_RTL_LOCK_H

#include "sim/rtl/build.h"

#include "absl/status/statusor.h"

#include <chrono>
#include <string>
#include <utility>

namespace tenon::sim {

/// An advisory lock on a file, which is made where it does not exist. The
/// kernel releases it when its holder ends, however it ends.
class FileLock {
public:
  /// Waits for the lock, `limit` at most, and tells `progress` once a second.
  static absl::StatusOr<FileLock> take(const std::string &path,
                                       std::chrono::seconds limit,
                                       const BuildProgress &progress);

  FileLock(FileLock &&other) : file(std::exchange(other.file, -1)) {}
  FileLock &operator=(FileLock &&other) {
    std::swap(file, other.file);
    return *this;
  }
  ~FileLock();

private:
  explicit FileLock(int file) : file(file) {}
  int file;
};

} // namespace tenon::sim

#endif // TENON_SIM_RTL_LOCK_H
