//===- sim/rtl/lock.cpp - One process at a time ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/lock.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace tenon::sim {

absl::StatusOr<FileLock> FileLock::take(const std::string &path,
                                        std::chrono::seconds limit,
                                        const BuildProgress &progress) {
  using Clock = std::chrono::steady_clock;
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0)
    return absl::FailedPreconditionError(absl::StrCat(
        "simulator cache: cannot write ", path, ": ", std::strerror(errno),
        " (TENON_CACHE chooses another place)"));
  FileLock lock(file);
  Clock::time_point start = Clock::now();
  for (unsigned tries = 0; flock(file, LOCK_EX | LOCK_NB) != 0; ++tries) {
    std::chrono::duration<double> waited = Clock::now() - start;
    if (waited > limit)
      return absl::DeadlineExceededError(
          absl::StrCat("simulator cache: another process held ", path, " for ",
                       limit.count(), " seconds"));
    if (progress && tries % 10 == 0)
      progress("waiting for another process that builds the same simulator",
               waited.count());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return lock;
}

FileLock::~FileLock() {
  if (file >= 0)
    close(file);
}

} // namespace tenon::sim
