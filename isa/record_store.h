//===- isa/record_store.h - Results of earlier work -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What took long to find, by what it was found for: schedules of layers, host
// code of networks. A file each in a directory of the user's own.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_ISA_RECORD_STORE_H
#define TENON_ISA_RECORD_STORE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <mutex>
#include <optional>
#include <string>

namespace tenon::isa {

/// $TENON_CACHE, else $XDG_CACHE_HOME/tenon, else ~/.cache/tenon; it need not
/// exist. FailedPrecondition where none of the variables is set.
absl::StatusOr<std::string> cacheDirectory();

/// Which build `code`, an address of it, belongs to: size and time of the file
/// that it was loaded from, by which compilers are told apart in build caches.
/// Empty where the file is gone.
std::string buildOf(const void *code);

/// Thread-safe, and safe beside other processes: a record is written whole or
/// not at all. Whoever can write a record decides what is computed, so only
/// files are read that belong to the user of this process or root and that
/// nobody else may write, in a directory of which that holds too; nothing is
/// written in another. The least
/// recently used go where the directory would grow above `mostBytes`.
class RecordStore {
public:
  static constexpr uint64_t mostBytes = uint64_t(1) << 30;

  /// An empty `directory` keeps nothing; another is made with the first record.
  explicit RecordStore(std::string directory)
      : directory(std::move(directory)) {}

  bool isOpen() const { return !directory.empty(); }

  /// What was kept under the key. Nothing, where there is none, or one that is
  /// damaged or may be from somebody else; status() says so.
  std::optional<std::string> find(absl::string_view key);
  void keep(absl::string_view key, absl::string_view value);

  /// The first thing that went wrong; work goes on without the record.
  absl::Status status() const;

private:
  std::string pathOf(absl::string_view key) const;
  std::optional<std::string> refuse(const std::string &path,
                                    absl::string_view why);
  void fail(absl::Status error);
  void cannotKeep(absl::string_view why);
  void makeRoom();

  const std::string directory;
  mutable std::mutex mutex; // of what follows
  absl::Status first;
  bool hasRoom = false; // makeRoom() was called
};

} // namespace tenon::isa

#endif // TENON_ISA_RECORD_STORE_H
