//===- isa/cache_entry.cpp - Directories kept in a cache ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/cache_entry.h"

#include "isa/content_hash.h"
#include "isa/files.h"
#include "isa/own_path.h"
#include "isa/record_store.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <cstdio>
#include <filesystem>

namespace tenon::isa {

namespace fs = std::filesystem;

constexpr char digestsFile[] = "digests";
constexpr fs::perms ofOthers = fs::perms::group_write | fs::perms::others_write;

static absl::Status unusable(const std::string &path, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("cache: cannot use ", path, ": ", why,
                   " (TENON_CACHE chooses another place)"));
}

/// With what is missing of it; what is new is the user's alone.
static absl::Status openFolder(const fs::path &path) {
  std::error_code error;
  if (fs::create_directories(path, error))
    fs::permissions(path, fs::perms::owner_all, error);
  if (error)
    return absl::FailedPreconditionError(
        absl::StrCat("cache: cannot write ", path.string(), ": ",
                     error.message(), " (TENON_CACHE chooses another place)"));
  absl::Status own = checkOwnDirectory(path);
  return own.ok() ? own : unusable(path, own.message());
}

absl::StatusOr<std::string> cacheFolder(const std::string &kind) {
  auto cache = cacheDirectory();
  if (!cache.ok())
    return cache;
  const fs::path root = fs::absolute(*cache);
  for (const fs::path &path : {root, root / kind})
    if (absl::Status status = openFolder(path); !status.ok())
      return status;
  return (root / kind).string();
}

static absl::StatusOr<std::string> digestOf(const std::string &path) {
  auto content = readFile(path);
  if (!content.ok())
    return content;
  ContentHash hash;
  hash.add(*content);
  return hash.hex();
}

static void keepOthersOut(const fs::path &path) {
  std::error_code error; // checkEntry sees what could not be changed
  fs::permissions(path, ofOthers, fs::perm_options::remove, error);
}

absl::Status completeEntry(const std::string &directory) {
  std::string digests;
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error), end;
       !error && it != end; it.increment(error)) {
    keepOthersOut(it->path());
    if (!it->is_regular_file() || it->path().filename() == digestsFile)
      continue;
    auto digest = digestOf(it->path());
    if (!digest.ok())
      return digest.status();
    absl::StrAppend(&digests, *digest, " ",
                    it->path().lexically_relative(directory).string(), "\n");
  }
  if (error)
    return unusable(directory, error.message());
  ContentHash hash;
  hash.add(digests);
  const std::string path = absl::StrCat(directory, "/", digestsFile);
  absl::Status status = writeFile(path, absl::StrCat(digests, hash.hex()));
  keepOthersOut(path);
  keepOthersOut(directory);
  return status;
}

static absl::Status damaged(const std::string &directory,
                            absl::string_view what) {
  return absl::DataLossError(absl::StrCat("'", directory, "' ", what));
}

static absl::Status checkFile(const std::string &path,
                              absl::string_view digest) {
  if (absl::Status own = checkOwnFile(path); !own.ok())
    return absl::IsNotFound(own) ? damaged(path, "is missing") : own;
  auto found = digestOf(path);
  if (!found.ok())
    return found.status();
  return *found == digest ? absl::OkStatus() : damaged(path, "is damaged");
}

absl::Status checkEntry(const std::string &directory) {
  const std::string list = absl::StrCat(directory, "/", digestsFile);
  if (absl::Status own = checkOwnDirectory(directory); !own.ok())
    return own;
  if (absl::Status own = checkOwnFile(list); !own.ok())
    return absl::IsNotFound(own)
               ? damaged(directory, "does not say what it holds")
               : own;
  auto text = readFile(list);
  if (!text.ok())
    return text.status();
  // The last line is the digest of the others.
  const size_t end = text->rfind('\n') + 1; // 0 where there is no line
  ContentHash hash;
  hash.add(text->substr(0, end));
  if (end == 0 || text->substr(end) != hash.hex())
    return damaged(list, "is damaged");
  for (absl::string_view line :
       absl::StrSplit(text->substr(0, end), '\n', absl::SkipEmpty())) {
    std::pair<std::string, std::string> entry =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    if (absl::Status status =
            checkFile(absl::StrCat(directory, "/", entry.second), entry.first);
        !status.ok())
      return status;
  }
  return absl::OkStatus();
}

void sayMadeAnew(const absl::Status &why) {
  const std::string words(why.message());
  std::fprintf(stderr, "tenon: cache: %s; it is made anew\n", words.c_str());
}

} // namespace tenon::isa
