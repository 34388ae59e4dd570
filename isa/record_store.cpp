//===- isa/record_store.cpp - Results of earlier work ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/record_store.h"

#include "isa/content_hash.h"
#include "isa/files.h"
#include "isa/own_path.h"
#include "isa/secure_hash.h"

#include "absl/strings/match.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tenon::isa {

namespace fs = std::filesystem;

absl::StatusOr<std::string> cacheDirectory() {
  for (auto [variable, suffix] :
       {std::pair("TENON_CACHE", ""), std::pair("XDG_CACHE_HOME", "/tenon"),
        std::pair("HOME", "/.cache/tenon")})
    if (const char *value = std::getenv(variable); value && *value)
      return std::string(value) + suffix;
  return absl::FailedPreconditionError(
      "cache: none of TENON_CACHE, XDG_CACHE_HOME and HOME is set");
}

std::string buildOf(const void *code) {
  Dl_info info;
  link_map *loaded = nullptr;
  if (!::dladdr1(code, &info, reinterpret_cast<void **>(&loaded),
                 RTLD_DL_LINKMAP))
    return "";
  // The program itself has no name there.
  const char *file = *loaded->l_name ? loaded->l_name : "/proc/self/exe";
  struct stat status;
  if (::stat(file, &status) != 0)
    return "";
  return absl::StrCat(status.st_size, "@", status.st_mtim.tv_sec, ".",
                      status.st_mtim.tv_nsec);
}

namespace {

constexpr absl::string_view suffix = ".record";

std::string digestOf(absl::string_view text) {
  ContentHash hash;
  hash.add(text);
  return hash.hex();
}

struct Kept {
  fs::path path;
  fs::file_time_type used;
  uint64_t bytes;
};

std::vector<Kept> recordsIn(const std::string &directory) {
  std::vector<Kept> records;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone; // by another process
    Kept kept{it->path(), it->last_write_time(gone), it->file_size(gone)};
    if (!gone && absl::EndsWith(it->path().native(), suffix))
      records.push_back(std::move(kept));
  }
  return records;
}

} // namespace

std::string RecordStore::pathOf(absl::string_view key) const {
  SecureHash hash;
  hash.add(key);
  return absl::StrCat(directory, "/", hash.hex(), suffix);
}

void RecordStore::fail(absl::Status error) {
  std::lock_guard lock(mutex);
  first.Update(std::move(error));
}

std::optional<std::string> RecordStore::refuse(const std::string &path,
                                               absl::string_view why) {
  fail(absl::DataLossError(
      absl::StrCat("the record '", path, "' ", why, "; it is made anew")));
  return std::nullopt;
}

/// The digest of the value, a line; the value.
std::optional<std::string> RecordStore::find(absl::string_view key) {
  if (!isOpen())
    return std::nullopt;
  const std::string path = pathOf(key);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error)))
    return std::nullopt;
  // In a directory of others' a file that was checked can be exchanged.
  for (const absl::Status &own :
       {checkOwnDirectory(directory), checkOwnFile(path)})
    if (!own.ok())
      return refuse(path,
                    absl::StrCat("may be from another user: ", own.message()));
  auto content = readFile(path);
  const size_t begin = ContentHash().hex().size() + 1;
  if (!content.ok() || content->size() < begin ||
      content->substr(0, begin) != digestOf(content->substr(begin)) + "\n")
    return refuse(path, "is damaged");
  fs::last_write_time(path, fs::file_time_type::clock::now(), error); // used
  return content->substr(begin);
}

void RecordStore::keep(absl::string_view key, absl::string_view value) {
  if (!isOpen())
    return;
  makeRoom();
  // Others could put a link where this process is about to write.
  if (absl::Status own = checkOwnDirectory(directory); !own.ok())
    return cannotKeep(own.message());
  const std::string path = pathOf(key);
  std::string beside = path + ".XXXXXX";
  const int file = ::mkostemp(beside.data(), O_CLOEXEC); // of mode 0600
  if (file < 0)
    return cannotKeep(std::strerror(errno));
  // Not synced: what a crash of the machine tears has another digest.
  bool ok = writeAll(file, digestOf(value) + "\n") && writeAll(file, value);
  ok &= ::close(file) == 0;
  if (ok && ::rename(beside.c_str(), path.c_str()) == 0)
    return;
  cannotKeep(std::strerror(errno));
  ::unlink(beside.c_str());
}

void RecordStore::cannotKeep(absl::string_view why) {
  fail(absl::UnavailableError(absl::StrCat("records cannot be kept in '",
                                           directory, "': ", why,
                                           " (--records none keeps nothing)")));
}

/// Once a process: the directory is there, and has room. Down to three
/// quarters, so that not every process has to tidy up. Who comes while another
/// thread does it waits for the directory.
void RecordStore::makeRoom() {
  std::lock_guard lock(mutex);
  if (std::exchange(hasRoom, true))
    return;
  std::error_code error;
  if (fs::create_directories(directory, error))
    fs::permissions(directory, fs::perms::owner_all, error);
  std::vector<Kept> records = recordsIn(directory);
  uint64_t bytes = 0;
  for (const Kept &kept : records)
    bytes += kept.bytes;
  if (bytes <= mostBytes)
    return;
  std::sort(records.begin(), records.end(),
            [](const Kept &a, const Kept &b) { return a.used < b.used; });
  for (const Kept &kept : records) {
    if (bytes <= mostBytes / 4 * 3)
      break;
    bytes -= kept.bytes;
    fs::remove(kept.path, error);
  }
}

absl::Status RecordStore::status() const {
  std::lock_guard lock(mutex);
  return first;
}

} // namespace tenon::isa
